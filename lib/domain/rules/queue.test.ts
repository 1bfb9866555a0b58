/** Locks and semaphores of backends without sessions: what their rules find and propose, and what they must not. */
import { expect, test } from 'vitest';
import type { Finding } from '@/lib/domain/findings/finding';
import {
  countedLock,
  countedSemaphore,
  fairLock,
  holder,
  lease,
  waiter,
  world,
} from '@/lib/domain/fixture/world';
import type { Holder, Lock, Semaphore, World } from '@/lib/domain/model';
import { ease, noEasings } from './easing';
import { findingsOf } from './table';

const found = (of: Lock | Semaphore, over: Partial<World> = {}): readonly Finding[] =>
  findingsOf(world({ ...(of.kind === 'lock' ? { locks: [of] } : { semaphores: [of] }), ...over }));
const codes = (of: Lock | Semaphore) => found(of).map(({ code }) => code);
const byLease = (id: string, over: Partial<Holder> = {}) =>
  holder(id, 'alive', { session: null, expiry: lease, ...over });

test('a dead head is mended by its own removal, and every further dead one by theirs', () => {
  const queue = [waiter('b', { verdict: 'ghost' }), waiter('c'), waiter('d', { verdict: 'ghost' })];
  const [finding] = found(fairLock(queue));
  expect(finding).toMatchObject({
    code: 'dead-queue-head',
    facts: { label: 'b', behind: 1, free: 0 },
    mend: { type: 'lock.remove-waiter', source: 'jobs', key: 'job:nightly', sessionId: 'b' },
  });
  expect(finding?.grounds.map(({ mend }) => mend)).toMatchObject([{ sessionId: 'b' }, { sessionId: 'd' }]);
});

test('a stuck pending lease of a Curator semaphore is a dead head, too', () => {
  const stuck = countedSemaphore({
    layout: 'curator-semaphore-shared',
    source: 'zk',
    waiters: [waiter('b', { verdict: 'ghost' }), waiter('c')],
  });
  expect(found(stuck)).toMatchObject([
    {
      code: 'dead-queue-head',
      facts: { free: 1 },
      mend: { type: 'semaphore.remove-waiter', source: 'zk', prefix: 'pool:db', sessionId: 'b' },
    },
  ]);
});

test('no removal is proposed where a queue is shown only', () => {
  const shown = fairLock([waiter('b', { verdict: 'ghost' })], { layout: 'zookeeper-other' });
  const [finding] = found(shown);
  expect(finding).toMatchObject({ code: 'dead-queue-head', mend: null });
  expect(finding?.grounds).toMatchObject([{ mend: null }]);
});

test('clients that sleep beside a free lock are woken, once they have slept for longer than a hand-over takes', () => {
  const sleeping = countedLock({ state: 'free', holder: null, waitingClients: 2 });
  const [is] = found(sleeping);
  if (is === undefined) throw new Error('nothing was found');
  expect(is.mend).toEqual({ type: 'lock.wake', source: 'jobs', key: 'job:import' });
  const { easings, moved } = ease(noEasings, [{ was: null, is }], 0);
  expect(moved).toEqual([]);
  expect(ease(easings, [], 4_999).moved).toEqual([]);
  expect(ease(easings, [], 5_000).moved).toMatchObject([{ is: { code: 'sleeping-waiters' } }]);
});

test('readers that may sleep beside readers are woken, once two looks have shown them', () => {
  const reads = { holder: byLease('a', { mode: 'read' }), layout: 'redisson-read-write' as const };
  const asleep = countedLock({ ...reads, waitingClients: 3, unwoken: { clients: 2, evidence: [] } });
  const [is] = found(asleep);
  if (is === undefined) throw new Error('nothing was found');
  expect(is).toMatchObject({
    code: 'sleeping-readers',
    facts: { waiting: 2 },
    mend: { type: 'lock.wake', source: 'jobs', key: 'job:import' },
  });
  const { easings, moved } = ease(noEasings, [{ was: null, is }], 0);
  expect(moved).toEqual([]);
  expect(ease(easings, [], 2_999).moved).toEqual([]);
  expect(ease(easings, [{ was: is, is: null }], 2_999).moved).toEqual([]);
  expect(ease(easings, [], 3_000).moved).toMatchObject([{ is: { code: 'sleeping-readers' } }]);
});

test('of several readers each overdue one is proposed by itself', () => {
  const readers = [byLease('b', { verdict: 'overdue' }), byLease('c')];
  const [finding] = found(countedLock({ layout: 'redisson-read-write', readers }));
  expect(finding).toMatchObject({
    code: 'overdue-holder',
    facts: { holders: 1, label: 'b' },
    mend: { type: 'lock.release', how: 'hand-over', holder: 'b' },
  });
});

test('expired permits are swept, and alarm only where clients wait', () => {
  const expired = { holders: [byLease('a', { verdict: 'ghost' })], effective: 0 };
  const [alone] = found(countedSemaphore(expired));
  expect(alone).toMatchObject({
    code: 'ghost-slots',
    severity: 'notice',
    mend: { type: 'semaphore.prune', prefixes: ['pool:db'] },
  });
  expect(found(countedSemaphore({ ...expired, waitingClients: 3 }))).toMatchObject([
    { severity: 'warning', facts: { waiting: 3 } },
  ]);
});

test('no rule of another layout speaks of free permits, unknown limits or calm queues', () => {
  const many = Array.from({ length: 80 }, (_, n) => waiter(`w${n}`));
  for (const quiet of [
    countedSemaphore({
      layout: 'redisson-semaphore',
      available: 3,
      limit: null,
      recorded: null,
      effective: null,
      holders: [],
    }),
    countedSemaphore({ limit: 1, recorded: 2, effective: 2, limitBasis: 'at-least' }),
    countedSemaphore({ limit: null, recorded: 1, effective: 1 }),
    countedSemaphore({ layout: 'curator-semaphore', waiters: many }),
    fairLock(many),
    countedLock({ layout: 'redisson-fenced', lockIndex: '7' }),
    countedLock({ state: 'free', holder: null, exists: false }),
  ])
    expect(codes(quiet)).toEqual([]);
});
