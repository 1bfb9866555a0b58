/** How the hold of a semaphore's slot ended, from what the record and the entries say after it. */
import { expect, test } from 'vitest';
import { full, holder, lock, semaphore, session, waiter, world } from '@/lib/domain/fixture/world';
import { recording } from '@/lib/domain/history/fixture/recording';

test('a contender that leaves the record has let go, whether it goes or waits on under the same session', () => {
  const pool = full('jobs', [holder('a')]);
  const empty = { ...pool, holders: [], recorded: 0, effective: 0 };
  for (const waiters of [[], [waiter('a')]]) {
    const past = recording();
    past.show(world({ semaphores: [pool] }));
    past.turn('live');
    past.show(world({ semaphores: [{ ...empty, waiters }] }));
    expect(past.all('hold')).toMatchObject([{ end: 'released', to: { basis: 'observed' } }]);
  }
});

test('several that leave the record at once while their own entries stay were overwritten', () => {
  const pool = full('jobs', [holder('a'), holder('b'), holder('c')]);
  const waiters = [waiter('a'), waiter('b')];
  const past = recording();
  past.show(world({ semaphores: [pool] }));
  past.turn('live');
  past.show(world({ semaphores: [{ ...pool, holders: [], waiters }] }));
  expect(past.all('hold').map(({ end }) => end)).toEqual([
    'entry-overwritten',
    'entry-overwritten',
    'released',
  ]);
});

test.each([
  ['written by hand, so that its flags are gone', { flags: '7' }, 'entry-overwritten'],
  ['no record any more', { layout: 'unreadable', limit: null }, 'entry-overwritten'],
  ['deleted under contenders that stay', { flags: null, limit: null }, 'entry-deleted'],
  ['deleted and made again', { createIndex: '9' }, 'entry-deleted'],
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

test('a holder that leaves the view of a semaphore of which entries are hidden was not seen to let go', () => {
  const { flags: _, ...pool } = full('jobs', [holder('a')]);
  const past = recording();
  past.show(world({ semaphores: [pool] }));
  past.turn('live');
  const hidden = { ...pool, holders: [], recorded: null, effective: null, part: true } as const;
  past.show(world({ semaphores: [hidden] }));
  past.show(world({ semaphores: [pool] }));
  expect(past.all('hold')).toMatchObject([
    { end: 'not-watched', to: { basis: 'at-most' } },
    { end: null, from: { basis: 'at-least' } },
  ]);
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

test('a key that was deleted and is held again was deleted, although it is there', () => {
  const past = recording();
  past.show(world({ locks: [lock()], sessions: [session()] }));
  past.turn('live');
  past.show(world({ locks: [lock({ holder: holder('b'), createIndex: '9' })], sessions: [session()] }));
  expect(past.all('hold')).toMatchObject([{ end: 'entry-deleted' }, { who: { id: 'b' }, end: null }]);
});

test('an action that was ordered after the end did not cause it, though it is about the same session', () => {
  for (const [beganMs, end] of [
    [2_900, 'evicted-here'],
    [3_500, 'released'],
  ] as const) {
    const past = recording();
    past.show(world({ locks: [lock()], sessions: [session()] }));
    past.turn('live');
    past.show(world({ locks: [lock({ state: 'free', holder: null })], sessions: [session()] }), 0);
    past.done({ type: 'session.destroy', subjects: ['session:a'], beganMs, atMs: 3_600 });
    expect(past.all('hold')).toMatchObject([{ end }]);
  }
});

test('a lock that the same session took again is held since then, whatever the view says', () => {
  const since = { atMs: 1_500, basis: 'observed' } as const;
  const past = recording();
  past.show(world({ locks: [lock({ holder: holder('a', 'alive', { since }) })], sessions: [session()] }));
  past.turn('live');
  past.show(
    world({
      locks: [lock({ holder: holder('a', 'alive', { since }), lockIndex: '9' })],
      sessions: [session()],
    }),
  );
  expect(past.all('hold')).toMatchObject([
    { from: since, to: { atMs: past.now() }, end: 'released' },
    { from: { atMs: past.now(), basis: 'observed' }, to: null, token: '9' },
  ]);
});

test('a lock that was let go, taken again by the same session and lost with it, had been let go the first time', () => {
  const past = recording();
  const held = world({ locks: [lock()], sessions: [session()] });
  past.show(held);
  past.turn('live');
  past.show(world({ locks: [lock({ state: 'free', holder: null })], sessions: [session()] }), 20);
  past.show(held, 20);
  const seenAtMs = past.now() + 20;
  const delay = {
    sessionId: 'a',
    sessionName: 'worker',
    node: 'n1',
    seenAtMs,
    lengthMs: 15_000,
    untilMs: seenAtMs + 15_000,
    basis: 'seen',
  } as const;
  past.show(world({ locks: [lock({ state: 'delayed', holder: null, delay })] }), 20);
  expect(past.all('hold').map(({ end }) => end)).toEqual(['released', 'session-ended']);
});

test.each([
  ['overdue', 0, 'session-ended'],
  // Its client may have come back between two looks, and let go.
  ['overdue', 4_000, 'released'],
  ['alive', 0, 'released'],
] as const)(
  'a node whose session no server had a connection of (%s) went with it where that was over (heard of at %i ms)',
  (verdict, lastRenewalMs, end) => {
    const expiry = {
      kind: 'observed',
      withinMs: 6_000,
      latestMs: lastRenewalMs + 6_000,
      lastRenewalMs,
    } as const;
    const held = (over: object) => lock({ holder: holder('n1', 'alive', { session: null, ...over }) });
    const past = recording();
    past.show(world({ locks: [held({})] }));
    past.turn('live');
    past.show(world({ locks: [held({ verdict, expiry })] }));
    past.show(world({ locks: [lock({ state: 'free', holder: null })] }));
    expect(past.all('hold')).toMatchObject([{ end }]);
  },
);

test.each([
  ['that hung until then', 500, 'at-least'],
  ['that was seen before', -1_500, 'observed'],
] as const)('an answer %s, as its source was not watched, is called %3$s', (_how, laterMs, basis) => {
  const past = recording();
  past.show(world({ locks: [lock({ state: 'free', holder: null })], sessions: [session()] }));
  past.turn('live');
  past.turn('down');
  const since = { atMs: past.now() + laterMs, basis: 'observed' } as const;
  past.show(world({ locks: [lock({ holder: holder('a', 'alive', { since }) })], sessions: [session()] }));
  past.turn('live');
  expect(past.all('hold')).toMatchObject([{ from: { atMs: since.atMs, basis } }]);
});
