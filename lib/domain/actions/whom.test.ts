import { expect, test } from 'vitest';
import { fairLock, holder, lock, semaphore, session, waiter } from '@/lib/domain/fixture/world';
import type { Action } from './action';
import { removeLockWaiter } from './lock';
import { whomHit, whomIn, whomMeant } from './whom';

const seen = { name: 'worker-7 of the pool', node: 'n1' };
const held = holder('s1', 'suspect', { session: seen, label: 'worker-7' });
const ghost = holder('12345678-0000-4000-8000-00000000abcd', 'ghost', { session: null, label: '1234…abcd' });
const world = {
  locks: [lock({ key: 'k', holder: held })],
  semaphores: ['p', 'q'].map((prefix) => semaphore({ prefix, holders: [ghost] })),
  sessions: [
    session({ id: 's1', ...seen, holds: [{ source: 'consul', kind: 'lock', key: 'k' }] }),
    session({ id: 's2', name: 'x'.repeat(300), node: 'n2', holds: [] }),
  ],
};
const release = { type: 'lock.release', source: 'consul', key: 'k', how: 'hand-over' } as const;
const named = { session: 's1', label: 'worker-7', name: 'worker-7 of the pool', node: 'n1' };

test('a client that is hit has its name, node and verdict from the view', () => {
  const whom = [{ ...named, verdict: 'suspect' }];
  expect(whomHit(release, { sessions: ['s1'] }, world, true)).toEqual(whom);
  // The session is also named by what it holds.
  expect(
    whomHit(
      { type: 'session.destroy', source: 'consul', sessionId: 's1' },
      { sessions: ['s1'] },
      world,
      true,
    ),
  ).toEqual(whom);
});

test('a view that is not live gives names, and says nothing of how they are', () => {
  expect(whomHit(release, { sessions: ['s1'] }, world, false)).toEqual([{ ...named, verdict: null }]);
});

const nothing = { label: null, name: null, node: null, verdict: null };

test('of a session that is not in view the id is kept and nothing is made up; one that holds nothing has no verdict', () => {
  const gone = { type: 'session.destroy', source: 'consul', sessionId: 'gone' } as const;
  expect(whomHit(gone, { sessions: ['gone'] }, world, true)).toEqual([{ session: 'gone', ...nothing }]);
  const [idle] = whomHit(
    { type: 'session.destroy', source: 'consul', sessionId: 's2' },
    { sessions: ['s2'] },
    world,
    true,
  );
  expect(idle).toMatchObject({ session: 's2', name: 'x'.repeat(300), node: 'n2', verdict: null });
});

test('a session that a request only claims to have seen is not hit', () => {
  const said = { sessions: ['s1', 's2', ghost.sessionId, 'made-up'] };
  const idsOf = (action: Action) => whomHit(action, said, world, true).map(({ session }) => session);
  expect(idsOf({ type: 'lock.delete', source: 'consul', key: 'k' })).toEqual([]);
  expect(idsOf({ type: 'semaphore.delete', source: 'consul', prefix: 'p' })).toEqual([]);
  expect(idsOf({ type: 'semaphore.resize', source: 'consul', prefix: 'p', limit: 3 })).toEqual([]);
  expect(idsOf(release)).toEqual(['s1']);
  expect(idsOf({ type: 'session.destroy', source: 'consul', sessionId: 's2' })).toEqual(['s2']);
  const evict = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix: 'p',
    sessionId: ghost.sessionId,
    how: 'slot-only',
  } as const;
  expect(idsOf(evict)).toEqual([ghost.sessionId]);
});

test('of a queue the one that leaves it is hit, and who only waits is not hit by a release', () => {
  const [first, second] = [waiter('w1', { label: 'worker one' }), waiter('w2')];
  const jobs = { ...world, locks: [fairLock([first, second])] };
  expect(whomHit(removeLockWaiter(fairLock(), 'w1'), { sessions: [] }, jobs, true)).toMatchObject([
    { session: 'w1', label: 'worker one' },
  ]);
  const free = { type: 'lock.release', source: 'jobs', key: 'job:nightly', how: 'hand-over' } as const;
  expect(whomHit(free, { sessions: ['w1', 'a'] }, jobs, true).map(({ session }) => session)).toEqual(['a']);
});

test('a release that saw another holder hits no one, and is refused', () => {
  expect(whomHit(release, { sessions: ['s2'] }, world, true)).toEqual([]);
  expect(whomHit({ ...release, key: 'not-there' }, { sessions: ['s1'] }, world, true)).toEqual([]);
});

test('a prune hits the ghosts, whose name is their id alone, each once', () => {
  const [one, ...others] = whomHit(
    { type: 'semaphore.prune', source: 'consul', prefixes: ['p', 'q'] },
    { sessions: [] },
    world,
    true,
  );
  expect(one).toEqual({ session: ghost.sessionId, label: null, name: null, node: null, verdict: 'ghost' });
  expect(others).toEqual([]);
});

test('a prune of hundreds looks at each semaphore once, however many there are', () => {
  let looks = 0;
  const counting = (prefix: string) =>
    Object.defineProperty(semaphore({ holders: [ghost] }), 'prefix', {
      get: () => {
        looks += 1;
        return prefix;
      },
    });
  const prefixes = Array.from({ length: 200 }, (_, i) => `p${i}`);
  const many = { ...world, semaphores: prefixes.map(counting) };
  expect(
    whomHit({ type: 'semaphore.prune', source: 'consul', prefixes }, { sessions: [] }, many, true),
  ).toHaveLength(1);
  expect(looks).toBe(200);
});

test('a row of an older version is read as naming none', () => {
  expect(whomIn({ session: 's1' })).toEqual([]);
  expect(whomIn({ whom: ['s1', null, { label: 'x' }, { session: 's1' }] })).toEqual([{ session: 's1' }]);
});

test('a release that saw another holder carries its name; one that will hit does not', () => {
  expect(whomMeant(release, { sessions: ['s2', 'made-up'] }, world, true)).toMatchObject([
    { session: 's2', node: 'n2' },
    { session: 'made-up', ...nothing },
  ]);
  expect(whomMeant(release, { sessions: ['s1', 's2'] }, world, true)).toEqual([]);
  expect(
    whomMeant({ type: 'lock.delete', source: 'consul', key: 'k' }, { sessions: ['s2'] }, world, true),
  ).toEqual([]);
});
