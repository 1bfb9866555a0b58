/** What is kept of findings and of who waited: each severity in its order, what cleared it, and how a wait ended. */
import { expect, test } from 'vitest';
import { full, holder, lock, semaphore, session, waiter, world } from '@/lib/domain/fixture/world';
import { verdictsMax } from '@/lib/domain/history/episode';
import { recording } from '@/lib/domain/history/fixture/recording';

const delay = {
  sessionId: 'a',
  sessionName: 'worker',
  node: 'n1',
  seenAtMs: 3_000,
  lengthMs: 15_000,
  untilMs: 18_000,
} as const;
const held = world({ locks: [lock()], sessions: [session()] });
const delayed = (basis: 'seen' | 'possible') =>
  world({ locks: [lock({ state: 'delayed', holder: null, delay: { ...delay, basis } })] });
const suspect = (waiters = 0) =>
  world({
    semaphores: [
      full(
        'jobs',
        [holder('a', 'suspect')],
        Array.from({ length: waiters }, (_, i) => waiter(`w${i}`)),
      ),
    ],
    sessions: [session()],
  });

test.each([
  ['seen', 15_000],
  ['possible', null],
] as const)('the lock-delay after a hold is kept only where it was seen: %s', (basis, delayMs) => {
  const past = recording();
  past.show(held);
  past.turn('live');
  past.show(delayed(basis));
  expect(past.all('hold')).toMatchObject([{ end: 'session-ended', delayMs }]);
});

test('each severity of a finding is kept in its order, and of very many the last', () => {
  const past = recording();
  past.turn('live');
  past.show(suspect());
  past.show(suspect(1));
  past.show(suspect());
  const found = () => past.all('finding').find(({ code }) => code === 'suspect-holder');
  expect(found()).toMatchObject({
    severities: [{ severity: 'warning' }, { severity: 'urgent' }, { severity: 'warning' }],
    to: null,
  });
  const times = found()?.severities.map(({ atMs }) => atMs) ?? [];
  expect(times).toEqual([...times].sort((a, b) => a - b));
  for (let i = 0; i < 2 * verdictsMax; i += 1) past.show(suspect(i % 2 === 0 ? 1 : 0));
  past.show(suspect(1));
  expect(found()?.severities).toHaveLength(verdictsMax);
  expect(found()?.severities.at(-1)).toEqual({ severity: 'urgent', atMs: past.now() });
});

test('a finding that an action ended says so, and which', () => {
  const past = recording();
  past.turn('live');
  past.show(suspect(1));
  past.done({ type: 'semaphore.evict', subjects: ['semaphore:jobs'] });
  past.show(world({ semaphores: [semaphore({ holders: [] })], sessions: [session()] }));
  expect(past.all('finding')).toMatchObject([{ cleared: 'action', deed: { seq: 7, by: 'ana' } }]);
});

test('a finding that went with the end of its session was cleared by time', () => {
  const past = recording();
  past.show(
    world({
      locks: [lock({ holder: holder('a', 'overdue', { session: session() }) })],
      sessions: [session()],
    }),
  );
  past.turn('live');
  past.show(delayed('seen'));
  const found = past.all('finding').find(({ code }) => code === 'overdue-holder');
  expect(found).toMatchObject({ cleared: 'time', deed: null, to: { basis: 'observed' } });
});

test('a finding that went in an outage says that nobody saw how', () => {
  const past = recording();
  past.show(suspect());
  past.turn('live');
  past.turn('down');
  past.show(world());
  past.turn('live');
  expect(past.all('finding')).toMatchObject([{ cleared: 'not-watched', to: { basis: 'at-most' } }]);
});

const waiting = waiter('w', { session: { name: 'worker', node: 'n1' } });
const queue = (waiters = [waiting]) => full('jobs', [holder('a')], waiters);
const its = session({ id: 'w' });

test.each([
  ['left', [its], false],
  ['session-ended', [], false],
  ['removed-here', [its], true],
] as const)('who waited and %s', (end, sessions, byUs) => {
  const past = recording();
  past.show(world({ semaphores: [queue()], sessions: [its] }));
  past.turn('live');
  if (byUs) past.done({ type: 'semaphore.drop', subjects: ['semaphore:jobs'], sessions: ['w'] });
  past.show(world({ semaphores: [queue([])], sessions }));
  expect(past.all('wait')).toMatchObject([
    { who: { id: 'w' }, end, to: { atMs: past.now(), basis: 'observed' }, deed: byUs ? { seq: 7 } : null },
  ]);
});

test('a removal whose row comes after its effect is named as well, and who got in was not removed', () => {
  for (const [semaphores, end] of [
    [[queue([])], 'removed-here'],
    [[full('jobs', [holder('w')])], 'got-in'],
  ] as const) {
    const past = recording();
    past.show(world({ semaphores: [queue()], sessions: [its] }));
    past.turn('live');
    past.show(world({ semaphores, sessions: [its] }));
    past.done({ type: 'semaphore.drop', subjects: ['semaphore:jobs'], sessions: ['w'] });
    expect(past.all('wait')).toMatchObject([{ end }]);
  }
});

test('a wait that ended in an outage ended unseen', () => {
  const past = recording();
  past.show(world({ semaphores: [queue()], sessions: [its] }));
  past.turn('live');
  past.turn('down');
  past.show(world({ semaphores: [queue([])], sessions: [its] }));
  past.turn('live');
  expect(past.all('wait')).toMatchObject([{ end: 'not-watched', to: { basis: 'at-most' } }]);
});

const placed = (entryKey: string) => ({ ...waiting, entryKey });

test('a session with two entries in one queue waits once, from its first entry until its last is gone', () => {
  const past = recording();
  past.turn('live');
  const at = (...keys: string[]) =>
    past.show(world({ semaphores: [queue(keys.map(placed))], sessions: [its] }));
  at('jobs/w', 'jobs/again');
  const fromMs = past.now();
  at('jobs/w', 'jobs/again', 'jobs/third');
  at('jobs/third');
  expect(past.all('wait')).toMatchObject([{ who: { id: 'w' }, from: { atMs: fromMs }, to: null }]);
  at();
  expect(past.all('wait')).toMatchObject([{ end: 'left', to: { atMs: past.now() } }]);
});

test('of several open waits of one session in the store, the first goes on and the others end', () => {
  const first = recording();
  first.turn('live');
  first.show(world({ semaphores: [queue()], sessions: [its] }));
  const [wait] = first.all('wait');
  if (wait === undefined) throw new Error('There is no wait.');
  const later = (id: string, byMs: number) => ({ ...wait, id, from: { ...wait.from, atMs: 3_000 + byMs } });
  const waits = [later('second', 10), wait, later('third', 20)];
  const past = recording({ untilMs: 3_000, why: 'restart', holds: [], waits, findings: [], gaps: [] });
  past.show(world({ semaphores: [queue([waiting, placed('jobs/again')])], sessions: [its] }));
  past.turn('live');
  expect(past.all('wait').map(({ id, end }) => [id, end])).toEqual([
    ['second', 'not-watched'],
    ['third', 'not-watched'],
  ]);
});
