/** What the recorder says of one world after another. */
import { expect, test } from 'vitest';
import { crossed, full, holder, lock, semaphore, session, waiter, world } from '@/lib/domain/fixture/world';
import { type Hold, verdictsMax } from '@/lib/domain/history/episode';
import { recording } from '@/lib/domain/history/fixture/recording';
import { subjectId, type Verdict, type World } from '@/lib/domain/model';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';

const held = world({ locks: [lock()], sessions: [session()] });
const free = lock({ state: 'free', holder: null });

test('a hold begins when it is first seen, and one that was there before at least then', () => {
  const past = recording();
  past.show(held);
  past.turn('live');
  expect(past.all('hold')).toMatchObject([
    { subject: lockSubject(lock()), from: { atMs: 2_000, basis: 'at-least' }, to: null },
  ]);
  past.show(world({ locks: [lock(), lock({ key: 'other', holder: holder('b') })] }));
  expect(past.all('hold')[1]).toMatchObject({ who: { id: 'b' }, from: { atMs: 4_000, basis: 'observed' } });
});

test.each([
  ['let go', { locks: [free], sessions: [session()] }, 'released'],
  ['gone with its session', { locks: [free] }, 'released'],
  [
    'ended with its session, for a lock-delay follows',
    {
      locks: [
        lock({
          state: 'delayed',
          holder: null,
          delay: {
            sessionId: 'a',
            sessionName: 'worker',
            node: 'n1',
            seenAtMs: 4_000,
            lengthMs: 15_000,
            untilMs: 19_000,
            basis: 'seen',
          },
        }),
      ],
    },
    'session-ended',
  ],
  ['deleted under it', { sessions: [session()] }, 'entry-deleted'],
] as const)('a lock that is %s', (_how, after, end) => {
  const past = recording();
  past.show(held);
  past.turn('live');
  past.show(world(after as Partial<World>));
  expect(past.all('hold')).toMatchObject([{ end, to: { atMs: past.now(), basis: 'observed' }, deed: null }]);
});

test('a hold ended no later than the next one of the same look began', () => {
  const { show, turn, all } = recording();
  turn('live');
  const held = (id: string, atMs: number) =>
    full('job', [holder(id, 'alive', { since: { atMs, basis: 'observed' } })]);
  show(world({ semaphores: [held('a', 2_500)] }));
  show(world({ semaphores: [held('b', 3_900)] }));
  expect(all('hold').map(({ from, to }) => [from.atMs, to?.atMs ?? null])).toEqual([
    [2_500, 3_900],
    [3_900, null],
  ]);
});

test('a lease that ran out ended the hold, and one that was let go before did not', () => {
  const leased = (latestMs: number) =>
    lock({
      holder: holder('a', 'alive', {
        session: null,
        expiry: { kind: 'lease', withinMs: null, latestMs, lastRenewalMs: null },
      }),
    });
  for (const [latestMs, end] of [
    [4_000, 'lease-ended'],
    [9_000, 'released'],
  ] as const) {
    const past = recording();
    past.show(world({ locks: [leased(latestMs)] }));
    past.turn('live');
    past.show(world({ locks: [free] }));
    expect(past.all('hold')[0]?.end).toBe(end);
  }
});

test('the same session that takes the lock again begins another hold', () => {
  const past = recording();
  past.show(held);
  past.turn('live');
  past.show(world({ locks: [lock({ lockIndex: '2' })], sessions: [session()] }));
  expect(past.all('hold').map(({ token, end }) => [token, end])).toEqual([
    ['1', 'released'],
    ['2', null],
  ]);
});

test.each([true, false])(
  'an action is named as what ended it, whether its row comes first (%s) or last',
  (first) => {
    const past = recording();
    past.show(held);
    past.turn('live');
    if (first) past.done({});
    past.show(world({ locks: [free], sessions: [session()] }));
    if (!first) past.done({});
    expect(past.all('hold')).toMatchObject([
      { end: 'evicted-here', deed: { seq: 7, by: 'ana', reason: 'hangs' } },
    ]);
  },
);

test('an action on another holder is not', () => {
  const past = recording();
  past.show(held);
  past.turn('live');
  past.done({ sessions: ['b'] });
  past.show(world({ locks: [free], sessions: [session()] }));
  expect(past.all('hold')).toMatchObject([{ end: 'released', deed: null }]);
});

test('what changed in an outage ended in the gap, and the gap is on record', () => {
  const past = recording();
  past.show(held);
  past.turn('live');
  past.turn('down');
  past.show(world({ locks: [lock({ holder: holder('b'), lockIndex: '2' })] }));
  past.turn('live');
  expect(past.all('hold').map(({ who, end, from }) => [who.id, end, from.basis])).toEqual([
    ['a', 'not-watched', 'at-least'],
    ['b', null, 'at-least'],
  ]);
  expect(past.all('gap')).toMatchObject([{ source: 'consul', why: 'outage', toMs: past.now() }]);
});

test('a ghost that is pruned had ended with its session, and the prune is named', () => {
  const past = recording();
  past.show(world({ semaphores: [full('jobs', [holder('a')])] }));
  past.turn('live');
  past.show(world({ semaphores: [full('jobs', [holder('a', 'ghost')])] }));
  past.done({ type: 'semaphore.prune', subjects: ['semaphore:jobs'] });
  past.show(world({ semaphores: [semaphore({ holders: [] })] }));
  expect(past.all('hold')).toMatchObject([
    { end: 'session-ended', deed: { seq: 7 }, verdicts: [{ verdict: 'alive' }, { verdict: 'ghost' }] },
  ]);
});

test('an eviction that ends the session first is an eviction, although its holder was a ghost for a moment', () => {
  const past = recording();
  past.show(world({ semaphores: [full('jobs', [holder('a')])] }));
  past.turn('live');
  past.show(world({ semaphores: [full('jobs', [holder('a', 'ghost')])] }), 20);
  past.show(world({ semaphores: [semaphore({ holders: [] })] }), 20);
  past.done({ type: 'semaphore.evict', subjects: ['semaphore:jobs'] });
  expect(past.all('hold')).toMatchObject([{ end: 'evicted-here', deed: { seq: 7 } }]);
});

test('a holder is named as soon as its name is known, and keeps it when only its id is left', () => {
  const id = '0a0a0a0a-1111-2222-3333-444444444444';
  const as = (label: string) => world({ semaphores: [full('jobs', [holder(id, 'alive', { label })])] });
  const past = recording();
  past.show(as('0a0a…4444'));
  past.turn('live');
  past.show(as('worker-8'));
  past.show(as('0a0a…4444'));
  expect(past.all('hold')).toMatchObject([{ who: { id, label: 'worker-8', node: 'n1' } }]);
});

test('one that was asked and let go is no eviction, and the asking is named', () => {
  const past = recording();
  past.show(held);
  past.turn('live');
  past.done({ type: 'lock.ask' });
  past.show(world({ locks: [free], sessions: [session()] }));
  expect(past.all('hold')).toMatchObject([{ end: 'released', deed: { type: 'lock.ask' } }]);
});

test('the end of a whole session from here ends its holds from here', () => {
  const past = recording();
  past.show(held);
  past.turn('live');
  past.show(world({ locks: [free] }));
  past.done({ type: 'session.destroy', subjects: ['session:a'] });
  expect(past.all('hold')).toMatchObject([{ end: 'evicted-here', deed: { type: 'session.destroy' } }]);
});

test('a limit that a client changes beside an eviction is not called ours', () => {
  const past = recording();
  past.show(world({ semaphores: [semaphore()] }));
  past.turn('live');
  past.done({ type: 'semaphore.evict', subjects: ['semaphore:jobs'] });
  past.show(world({ semaphores: [semaphore({ limit: 3 })] }));
  expect(past.all('limit')).toMatchObject([{ after: 3, deed: null }]);
});

test('who waits is kept until it gets in, and the most that waited is kept with the hold', () => {
  const past = recording();
  past.show(world({ semaphores: [full('jobs', [holder('a')], [waiter('w')])] }));
  past.turn('live');
  past.show(world({ semaphores: [full('jobs', [holder('w')])] }));
  expect(past.all('wait')).toMatchObject([
    { subject: semaphoreSubject(semaphore()), who: { id: 'w' }, end: 'got-in' },
  ]);
  expect(past.all('hold')[0]).toMatchObject({ who: { id: 'a' }, waitersMax: 1 });
});

test('where clients are counted, the most that were seen is kept, and none that listens is not nobody', () => {
  const counted = (waitingClients: number) =>
    world({ locks: [lock({ waiters: null, waitingClients })], sessions: [session()] });
  const past = recording();
  past.show(counted(0));
  past.turn('live');
  expect(past.all('hold')).toMatchObject([{ waitersMax: null }]);
  past.show(counted(3));
  past.show(counted(0));
  expect(past.all('hold')).toMatchObject([{ waitersMax: 3 }]);
});

test('a limit that changes is kept with who changed it', () => {
  const past = recording();
  past.show(world({ semaphores: [semaphore()] }));
  past.turn('live');
  past.show(world({ semaphores: [semaphore({ limit: 3 })] }));
  past.done({ type: 'semaphore.resize', subjects: ['semaphore:jobs'], sessions: [] });
  expect(past.all('limit')).toMatchObject([{ before: 1, after: 3, deed: { by: 'ana' } }]);
});

test('a finding is kept from its opening to what cleared it', () => {
  const past = recording();
  past.show(crossed());
  past.turn('live');
  past.show(world({ semaphores: [full('a', [holder('x')]), full('b', [holder('y')])] }));
  const found = past.all('finding').find(({ code }) => code === 'deadlock');
  expect(found).toMatchObject({
    severities: [{ severity: 'urgent' }],
    cleared: 'client',
    to: { basis: 'observed' },
  });
});

test('after a restart a hold that is still there goes on, and one that is not ended in the gap', () => {
  const first = recording();
  first.show(world({ locks: [lock(), lock({ key: 'other', holder: holder('b') })], sessions: [session()] }));
  first.turn('live');
  const holds = first.all('hold');
  const past = recording({ untilMs: 3_000, why: 'restart', holds, waits: [], findings: [], gaps: [] });
  past.show(held);
  past.turn('live');
  expect(past.all('hold').map(({ who, end }) => [who.id, end])).toEqual([['b', 'not-watched']]);
  expect(past.all('gap')).toMatchObject([{ fromMs: 3_000, why: 'restart' }]);
});

test('a source that is not seen yet is in a gap from the beginning, and that gap ends once', () => {
  for (const untilMs of [null, 1_500]) {
    const past = recording({ untilMs, why: 'restart', holds: [], waits: [], findings: [], gaps: [] });
    past.show(world());
    const begun = { source: 'consul', fromMs: untilMs ?? past.now(), why: 'restart' };
    expect(past.all('gap')).toMatchObject([{ ...begun, toMs: null }]);
    past.turn('live');
    expect(past.all('gap')).toMatchObject([{ ...begun, toMs: past.now() }]);
  }
});

test.each(['restart', 'behind'] as const)('the gap after an earlier process says why: %s', (why) => {
  for (const untilMs of [500, null]) {
    const past = recording({ untilMs, why, holds: [], waits: [], findings: [], gaps: [] });
    past.show(world());
    past.turn('live');
    expect(past.all('gap')).toMatchObject([{ why, fromMs: untilMs ?? 2_000, toMs: 3_000 }]);
  }
});

test('holds of one look share their first verdict, and each keeps its own from then on', () => {
  const past = recording();
  past.turn('live');
  const locks = (a: Verdict, b: Verdict, c: Verdict) =>
    Object.entries({ a, b, c }).map(([key, verdict]) => lock({ key, holder: holder(key, verdict) }));
  past.show(world({ locks: locks('alive', 'alive', 'suspect') }));
  const first = past.all('hold').map(({ verdicts }) => verdicts);
  const begun = past.now();
  expect(first).toEqual(['alive', 'alive', 'suspect'].map((verdict) => [{ verdict, atMs: begun }]));
  expect(first[0]).toBe(first[1]);
  past.show(world({ locks: locks('suspect', 'alive', 'suspect') }));
  past.show(world({ locks: locks('suspect', 'suspect', 'alive') }));
  expect(past.all('hold').map(({ verdicts }) => verdicts)).toEqual([
    [...(first[0] ?? []), { verdict: 'suspect', atMs: begun + 1_000 }],
    [...(first[1] ?? []), { verdict: 'suspect', atMs: past.now() }],
    [...(first[2] ?? []), { verdict: 'alive', atMs: past.now() }],
  ]);
});

test('the most that waited is kept where fewer wait later, also by the row of another change', () => {
  const past = recording();
  past.turn('live');
  const queue = (waiters: number, label: string) =>
    full(
      'jobs',
      [holder('a', 'alive', { label })],
      Array.from({ length: waiters }, (_, i) => waiter(`w${i}`)),
    );
  for (const [waiters, label] of [
    [3, 'a'],
    [1, 'a'],
    [1, 'ana'],
  ] as const)
    past.show(world({ semaphores: [queue(waiters, label)], sessions: [session()] }));
  expect(past.all('hold')).toMatchObject([{ waitersMax: 3, who: { label: 'ana' } }]);
});

test('a key that was made again under its holder, and is let go later, was let go', () => {
  const past = recording();
  past.turn('live');
  const made = (createIndex: string, over = {}) =>
    world({ locks: [lock({ createIndex, ...over })], sessions: [session()] });
  past.show(made('1'));
  past.show(made('5', { value: null, modifyIndex: '5' }));
  past.show(made('5', { state: 'free', holder: null }));
  expect(past.all('hold')).toMatchObject([{ end: 'released' }]);
});

test('after a restart a finding that is still there goes on, and one that is not was cleared in the gap', () => {
  const suspects = (...keys: string[]) =>
    world({ locks: keys.map((key) => lock({ key, holder: holder(key, 'suspect') })), sessions: [session()] });
  const first = recording();
  first.show(suspects('a', 'b'));
  first.turn('live');
  const [holds, findings] = [first.all('hold'), first.all('finding')];
  const past = recording({ untilMs: 3_000, why: 'restart', holds, waits: [], findings, gaps: [] });
  past.show(suspects('a'));
  past.turn('live');
  const gone = findings.filter(({ subject }) => subjectId(subject) === 'lock:b');
  expect(gone).not.toEqual([]);
  expect(past.all('finding').map(({ id, cleared }) => [id, cleared])).toEqual(
    gone.map(({ id }) => [id, 'not-watched']),
  );
});

test('of very many verdicts the last is kept, and after a restart each hold goes on from its own first', () => {
  const first = recording();
  first.turn('live');
  const locks = (...verdicts: Verdict[]) =>
    world({
      locks: verdicts.map((verdict, i) => lock({ key: `l${i}`, holder: holder(`h${i}`, verdict) })),
      sessions: [session()],
    });
  first.show(locks('alive'));
  first.show(locks('alive', 'suspect'));
  const stored: Hold[] = JSON.parse(JSON.stringify(first.all('hold')));
  const holds = stored.map((hold) => ({ ...hold, id: `earlier ${hold.id}` }));
  const past = recording({ untilMs: 4_000, why: 'restart', holds, waits: [], findings: [], gaps: [] });
  past.show(locks('suspect', 'alive'));
  past.turn('live');
  expect(past.all('hold').map(({ id, verdicts }) => [id, verdicts[0]])).toEqual(
    holds.map(({ id, verdicts }) => [id, verdicts[0]]),
  );
  for (let i = 0; i < 2 * verdictsMax; i += 1) past.show(locks(i % 2 === 0 ? 'alive' : 'suspect', 'alive'));
  past.show(locks('alive', 'alive'));
  const marks = past.all('hold')[0]?.verdicts ?? [];
  expect(marks).toHaveLength(verdictsMax);
  expect(marks.at(-1)).toEqual({ verdict: 'alive', atMs: past.now() });
});
