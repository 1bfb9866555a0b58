/** What follows where clients queue by name, or where only free permits are stored. */
import { expect, test } from 'vitest';
import { countedLock, countedSemaphore, fairLock, holder, waiter, world } from '@/lib/domain/fixture/world';
import type { Lock, Semaphore, World } from '@/lib/domain/model';
import type { Action } from './action';
import { lookAtAll, patienceMs, pin, standing, storyOf } from './aftermath';
import { release, removeLockWaiter, wakeWaiters } from './lock';
import { removeSemaphoreWaiter, returnPermits } from './semaphore';

const worldOf = (of: Lock | Semaphore): World =>
  world(of.kind === 'lock' ? { locks: [of] } : { semaphores: [of] });

/** The story of an action after each of these rows, a second apart, and where it stands then. */
function follow(action: Action, before: Lock | Semaphore, ...after: readonly (Lock | Semaphore)[]) {
  const rows = [before, ...after];
  const seen = rows.reduce(
    (aftermath, row, at) => lookAtAll(aftermath, worldOf(row), at * 1_000),
    pin(action, worldOf(before)),
  );
  const at = (nowMs: number) => standing(seen, { sentAtMs: 0, nowMs });
  return {
    story: storyOf(seen, Number.POSITIVE_INFINITY).map(({ code, whom, count }) => [
      code,
      whom?.session ?? count,
    ]),
    now: at(rows.length * 1_000),
    late: at(patienceMs + rows.length * 1_000),
  };
}

const dead = waiter('dead', { verdict: 'ghost' });
const free = { state: 'free', holder: null } as const;
const queue = fairLock([dead, waiter('next')], free);

test('a removed head is seen to be gone, and the next one to get in', () => {
  expect(
    follow(
      removeLockWaiter(queue, 'dead'),
      queue,
      fairLock([waiter('next')], free),
      fairLock([], { holder: holder('next') }),
    ),
  ).toEqual({
    story: [
      ['gone', 'dead'],
      ['taken', 'next'],
    ],
    now: 'complete',
    late: 'complete',
  });
});

test('where the next one does not come, that is said', () => {
  const { now, late } = follow(removeLockWaiter(queue, 'dead'), queue, fairLock([waiter('next')], free));
  expect([now, late]).toEqual(['watching', 'nobody']);
});

test('behind a holder a removal lets nobody in, so nobody is waited for', () => {
  const held = fairLock([dead, waiter('next')]);
  expect(follow(removeLockWaiter(held, 'dead'), held, fairLock([waiter('next')]))).toMatchObject({
    story: [['gone', 'dead']],
    now: 'complete',
  });
});

test('one that is removed and has got in meanwhile is said to have taken it', () => {
  const taken = fairLock([], { holder: holder('dead') });
  expect(follow(removeLockWaiter(queue, 'dead'), queue, taken).story).toEqual([['taken', 'dead']]);
});

test('a stuck lease of a semaphore goes, and the next one holds', () => {
  const stuck = countedSemaphore({ layout: 'curator-semaphore', waiters: [dead, waiter('next')] });
  const after = countedSemaphore({
    layout: 'curator-semaphore',
    holders: [...stuck.holders, holder('next')],
    recorded: 2,
    effective: 2,
  });
  expect(follow(removeSemaphoreWaiter(stuck, 'dead'), stuck, after).story).toEqual([
    ['gone', 'dead'],
    ['taken', 'next'],
  ]);
});

test('a wake waits for somebody to take the lock, and says when nobody does', () => {
  const sleeping = countedLock({ ...free, waitingClients: 2 });
  const wake = wakeWaiters(sleeping);
  expect(follow(wake, sleeping)).toEqual({ story: [], now: 'watching', late: 'nobody' });
  expect(follow(wake, sleeping, countedLock({ holder: holder('b') }))).toMatchObject({
    story: [['taken', 'b']],
    now: 'complete',
  });
});

test('of several readers only the one that is meant is seen to go', () => {
  const readers = (...ids: string[]) => {
    const [first, ...more] = ids.map((id) => holder(id, 'alive', { mode: 'read' }));
    return countedLock({ layout: 'redisson-read-write', holder: first ?? null, readers: more });
  };
  const all = readers('a', 'b', 'c');
  // `c` leaves by itself, and `d` comes.
  expect(follow(release(all, undefined, 'b'), all, readers('a', 'd'))).toMatchObject({
    story: [
      ['gone', 'b'],
      ['taken', 'd'],
    ],
  });
});

test('returned permits show in the number that is free', () => {
  const permits = (available: number) =>
    countedSemaphore({ layout: 'redisson-semaphore', available, limit: null, recorded: null, holders: [] });
  expect(follow(returnPermits(permits(0), 2), permits(0), permits(2))).toMatchObject({
    story: [['available', 2]],
    now: 'complete',
  });
});
