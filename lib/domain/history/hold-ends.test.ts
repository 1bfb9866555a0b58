/** How the hold of a semaphore's slot ended, from what the record and the entries say after it. */
import { expect, test } from 'vitest';
import { full, holder, semaphore, session, waiter, world } from '@/lib/domain/fixture/world';
import { recording } from './fixture/recording';

test('a contender that leaves the record has let go, whether it goes or waits on under the same session', () => {
  const pool = full('jobs', [holder('a')]);
  const empty = { ...pool, holders: [], waiters: [waiter('a')], recorded: 0, effective: 0 };
  for (const then of [{ ...empty, waiters: [] }, empty, pool]) {
    const past = recording();
    past.show(world({ semaphores: [pool] }));
    past.turn('live');
    past.show(world({ semaphores: [empty] }), 10);
    expect(past.all('hold')).toMatchObject([{ end: null, to: { basis: 'observed' } }]);
    past.show(world({ semaphores: [then] }), 3_000);
    past.turn('live');
    expect(past.all('hold')[0]?.end).toBe('released');
  }
});

test('several that leave the record at once and stay were overwritten; one that goes meanwhile says that they let go', () => {
  const pool = full('jobs', [holder('a'), holder('b')]);
  const off = { ...pool, holders: [], recorded: 0, effective: 0 };
  for (const [waiters, end] of [
    [[waiter('a'), waiter('b')], 'entry-overwritten'],
    [[waiter('a')], 'released'],
  ] as const) {
    const past = recording();
    past.show(world({ semaphores: [pool] }));
    past.turn('live');
    past.show(world({ semaphores: [{ ...off, waiters: [waiter('a'), waiter('b')] }] }), 10);
    past.show(world({ semaphores: [{ ...off, waiters }] }), 100);
    past.show(world({ semaphores: [{ ...off, waiters }], sessions: [session()] }), 3_000);
    expect(past.all('hold').map((one) => one.end)).toEqual([end, end]);
  }
});

test.each([
  ['written by hand, so that its flags are gone', { flags: '7' }, 'entry-overwritten'],
  ['no record any more', { layout: 'unreadable', limit: null }, 'entry-overwritten'],
  ['deleted under contenders that stay', { flags: null, limit: null }, 'entry-deleted'],
] as const)('a record that is %s', (_how, over, end) => {
  const pool = full('jobs', [holder('a')]);
  const past = recording();
  past.show(world({ semaphores: [pool], sessions: [session()] }));
  past.turn('live');
  past.show(
    world({ semaphores: [{ ...pool, holders: [], waiters: [waiter('a')], ...over }], sessions: [session()] }),
  );
  expect(past.all('hold')).toMatchObject([{ end, to: { basis: 'observed' } }]);
});

test('a client that removes its own entry first had let go, although it was a ghost for a moment', () => {
  const named = holder('a', 'alive', { session: session() });
  const past = recording();
  past.show(world({ semaphores: [full('jobs', [named])], sessions: [session()] }));
  past.turn('live');
  const ghost = { ...named, verdict: 'ghost' } as const;
  past.show(world({ semaphores: [full('jobs', [ghost])], sessions: [session()] }), 20);
  past.show(world({ semaphores: [semaphore({ holders: [] })], sessions: [session()] }), 20);
  expect(past.all('hold')).toMatchObject([{ end: 'released' }]);
});
