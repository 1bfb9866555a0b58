import { expect, test } from 'vitest';
import type { Party } from '@/lib/domain/model';
import type { ZkFacts, ZkTree } from '@/lib/providers/zookeeper/client/node';
import {
  entry,
  type MadeNode,
  nodeOf,
  noFacts,
  type RecordedTree,
  recordedTree,
  sessionsOf,
  tails,
  treeOf,
  without,
} from '@/lib/providers/zookeeper/fixture/trees';
import { createRecogniser } from './recognise';

const nowMs = 2_000_000_000_000;

function sight(tree: ZkTree, facts: ZkFacts = noFacts) {
  const recogniser = createRecogniser('zk');
  return recogniser.recognise({ tree, facts, nowMs, continuous: false }).world;
}
const lockIn = (tree: ZkTree, facts?: ZkFacts) => {
  const [lock] = sight(tree, facts).locks;
  if (lock === undefined) throw new Error('There is no lock.');
  return lock;
};
const semaphoreIn = (tree: ZkTree, facts?: ZkFacts) => {
  const [semaphore] = sight(tree, facts).semaphores;
  if (semaphore === undefined) throw new Error('There is no semaphore.');
  return semaphore;
};
const names = (parties: readonly (Party | null)[] | null) =>
  tails((parties ?? []).map((one) => one?.sessionId ?? ''));
const codes = (party: Party | null | undefined) => party?.evidence.map(({ code }) => code) ?? [];

const locks: readonly (readonly [RecordedTree, string, string, readonly string[], readonly string[]])[] = [
  ['mutex', '/f/mutex', 'curator-mutex', ['lock-0'], ['lock-1', 'lock-2']],
  ['revocable', '/f/revocable', 'curator-mutex', ['lock-0'], []],
  ['selector', '/f/selector', 'curator-mutex', ['lock-0'], []],
  ['latch', '/f/latch', 'curator-latch', ['latch-0'], ['latch-1']],
  ['readers', '/f/readers', 'curator-read-write', ['__READ__0', '__READ__1'], ['__WRIT__2', '__READ__3']],
  ['writer', '/f/writer', 'curator-read-write', ['__WRIT__0', '__READ__0'], ['__READ__1', '__WRIT__3']],
];

test.each(locks)(
  '%s: who holds and who waits, in the order of the queue',
  (name, key, layout, holds, waits) => {
    const { holder, readers = [], waiters, ...lock } = lockIn(recordedTree(name));
    expect(lock).toMatchObject({ key, layout, source: 'zk', state: 'held' });
    const short = (all: readonly string[]) => all.map((one) => one.replace(/0*(\d)$/, '$1'));
    expect(short(names([holder, ...readers]))).toEqual(holds);
    expect(short(names(waiters))).toEqual(waits);
  },
);

test('a party says its session and what it wrote, and a selector by its id', () => {
  const mutex = lockIn(recordedTree('mutex')).holder;
  expect(mutex).toMatchObject({ label: '127.0.0.1', verdict: 'alive', session: null });
  expect(codes(mutex)).toEqual(['zookeeper-session', 'zookeeper-sessions-unread']);
  expect(mutex?.evidence[0]?.detail).toBe('0x1000197785e0001');
  expect(codes(lockIn(recordedTree('selector')).holder)).toContain('zookeeper-likely-selector');
  expect(lockIn(recordedTree('revocable')).holder).toMatchObject({
    label: '0x1000197785e0001',
    value: null,
  });
});

test('a writer that reads has both, and another reader of its session is not called a waiter for sure', () => {
  const { readers, waiters } = lockIn(recordedTree('writer'));
  expect(codes(readers?.[0])).toContain('zookeeper-reads-as-writer');
  expect(codes(waiters?.[0])).toContain('zookeeper-may-read-already');
});

test('a semaphore: held leases, the pending one by its place in the queue, and the limit that follows', () => {
  const pool = semaphoreIn(recordedTree('pool'));
  expect(pool).toMatchObject({
    prefix: '/f/pool',
    layout: 'curator-semaphore',
    limit: 2,
    limitBasis: 'inferred',
    recorded: 2,
    effective: 2,
  });
  expect(pool.holders).toHaveLength(2);
  expect(codes(pool.waiters[0])).toContain('zookeeper-lease-pending');
  expect(pool.waiters.map(({ entryKey }) => entryKey?.includes('/locks/'))).toEqual([true, true]);
  expect(semaphoreIn(recordedTree('semaphore-mutex'))).toMatchObject({ limit: 1, limitBasis: 'inferred' });
  const nobodyWaits = without(recordedTree('pool'), (path) => /locks\/|lease-0000000002/.test(path));
  expect(semaphoreIn(nobodyWaits)).toMatchObject({ limit: 2, limitBasis: 'at-least', waiters: [] });
});

const counted: ZkFacts = { ...noFacts, counts: new Map([['/f/count/shared', '/f/count/limit']]) };

test('a shared count is the limit, and a lease whose place is gone is a ghost at the head', () => {
  const shared = semaphoreIn(recordedTree('shared'), counted);
  expect(shared).toMatchObject({ layout: 'curator-semaphore-shared', limit: 1, recorded: 1 });
  expect(shared.limitBasis).toBeUndefined();
  const stuck = recordedTree('stuck');
  const count = stuck.get('/f/count/limit');
  if (count === undefined) throw new Error('There is no count.');
  // As if the limit had been set a while before the clients came.
  const long = { ...count, stat: { ...count.stat, mtimeMs: count.stat.mtimeMs - 10_000 } };
  const { holders, waiters, recorded } = semaphoreIn(stuck.set(count.path, long), counted);
  expect([recorded, holders.length]).toEqual([1, 1]);
  expect(waiters.map(({ verdict }) => verdict)).toEqual(['ghost', 'alive']);
  expect(codes(waiters[0])).toContain('zookeeper-place-gone');
  expect(names(waiters)[0]).toMatch(/^lease-/);
});

test('a limit that was lowered leaves its holders, who came under the old one', () => {
  const tree = recordedTree('shared');
  const count = tree.get('/f/count/limit');
  if (count === undefined) throw new Error('There is no count.');
  const settled = without(tree, (path) => path.includes('/locks/'));
  const lowered = { ...count, stat: { ...count.stat, mtimeMs: nowMs } };
  expect(semaphoreIn(settled.set('/f/count/limit', lowered), counted)).toMatchObject({
    limit: 1,
    recorded: 2,
    waiters: [],
  });
});

test('a count of another form is no limit', () => {
  const tree = recordedTree('shared').set('/f/count/limit', nodeOf({ path: '/f/count/limit' }));
  expect(semaphoreIn(tree, counted).limit).toBeNull();
});

test('the order is of the number, whatever comes before it in the name, also after the counter has wrapped', () => {
  const at = (text: string, czxid: string): MadeNode => {
    const made = entry('/wrap', 'lock-', 1, { czxid });
    return { ...made, path: made.path.replace(/\d{10}$/, text) };
  };
  const lock = lockIn(treeOf(at('2147483647', '7'), at('0000000009', '3'), at('0000000010', '4')));
  expect(names([lock.holder, ...(lock.waiters ?? [])]).map((one) => one.slice(-2))).toEqual([
    '-9',
    '10',
    '47',
  ]);
  // Curator's clients compare text: the sign comes first, and the client behind it takes itself for the holder.
  const wrapped = lockIn(treeOf(at('2147483647', '7'), at('-2147483648', '8')));
  expect(wrapped.holder?.sessionId).toMatch(/--2147483648$/);
});

test('what some other client made is shown, without saying who of them holds', () => {
  const one = { path: '/kazoo/b6c1__lock__0000000001', owner: 'a1', czxid: '9' };
  const two = { path: '/kazoo/a7c1__lock__0000000002', owner: 'a2', czxid: '10' };
  const lock = lockIn(treeOf(one, two, { path: '/kazoo' }, { path: '/kazoo/readme' }));
  expect(lock).toMatchObject({ layout: 'zookeeper-other', state: 'unknown', holder: null });
  expect(lock.waiters?.map(({ verdict }) => verdict)).toEqual(['unknown', 'unknown']);
  expect(lock.waiters?.map(({ entryKey }) => entryKey)).toEqual([one.path, two.path]);
});

test('the hyphen before a number is no sign, and the one before that is', () => {
  const at = (name: string, czxid: string) => ({ path: `/go/${name}`, owner: 'a1', czxid });
  const lock = lockIn(
    treeOf(at('lock-0000000002', '9'), at('a-0000000001', '8'), at('lock--2147483648', '10')),
  );
  expect(lock.waiters?.map(({ entryKey }) => entryKey)).toEqual([
    '/go/lock--2147483648',
    '/go/a-0000000001',
    '/go/lock-0000000002',
  ]);
});

test('nodes that no session owns are nobody’s hold', () => {
  const tree = treeOf({ ...entry('/left', 'lock-', 1), owner: '0' }, { path: '/config/app', owner: 'a1' });
  expect(sight(tree).locks).toEqual([]);
});

test('a change of what is no lock leaves every list of the world as it is', () => {
  const recogniser = createRecogniser('zk');
  const look = (...nodes: readonly MadeNode[]) =>
    recogniser.recognise({ tree: treeOf(...nodes), facts: noFacts, nowMs, continuous: true }).world;
  const before = look(entry('/m', 'lock-', 1));
  const after = look(entry('/m', 'lock-', 1), { path: '/config/app' });
  for (const list of ['locks', 'semaphores', 'sessions'] as const)
    expect(after[list], list).toBe(before[list]);
});

test('a session without a connection is silent only if it had one, and its end has a latest instant', () => {
  const owner = 'a1';
  const tree = treeOf(entry('/m', 'lock-', 1, { owner }));
  const recogniser = createRecogniser('zk');
  const look = (facts: Partial<ZkFacts>, at: number) =>
    recogniser.recognise({ tree, facts: { ...noFacts, ...facts }, nowMs: at, continuous: true }).world
      .locks[0]?.holder;
  const none = sessionsOf();
  expect(look(none, nowMs)).toMatchObject({ verdict: 'alive', expiry: { kind: 'unknown' } });
  const session = { id: owner, address: '10.0.0.7:51234', timeoutMs: 10_000, lastContactMs: nowMs };
  const connected = look(sessionsOf(session), nowMs);
  expect(connected).toMatchObject({ verdict: 'alive', expiry: { kind: 'bounded', withinMs: 15_000 } });
  expect(connected?.evidence.map(({ detail }) => detail)).toContain('10.0.0.7:51234');
  expect(look({ ...sessionsOf(), sessionsWhole: false }, nowMs)?.verdict).toBe('alive');
  expect(look(sessionsOf(), nowMs)).toMatchObject({
    verdict: 'overdue',
    expiry: { kind: 'observed', latestMs: nowMs + 15_000, lastRenewalMs: nowMs },
  });
  expect(look(sessionsOf(session), nowMs)?.verdict).toBe('alive');
});

test('where a node may not be read, nobody is said to hold, and a lock is not said to be free', () => {
  const recogniser = createRecogniser('zk');
  const [first, second] = [entry('/a/lock', 'lock-', 0), entry('/a/lock', 'lock-', 1)];
  const see = (nodes: readonly MadeNode[], hidden: readonly MadeNode[]) => {
    const paths = new Set(hidden.map(({ path }) => path));
    const view = { tree: treeOf(...nodes), facts: noFacts, nowMs, continuous: true, hidden: paths };
    return recogniser.recognise(view).world.locks[0];
  };
  expect(see([first, second], [])).toMatchObject({ state: 'held', waiters: [{ verdict: 'alive' }] });
  const part = see([second], [first]);
  expect(part).toMatchObject({ state: 'unknown', holder: null, waiters: [{ verdict: 'unknown' }] });
  expect(codes(part?.waiters?.[0])).toContain('zookeeper-part-hidden');
  expect(see([], [first])).toMatchObject({ state: 'unknown', holder: null, waiters: [] });
  expect(see([], [])).toMatchObject({ state: 'free' });
  expect(see([second], [])).toMatchObject({ state: 'held' });
});

test('a semaphore of which a lease may not be read has no limit, and nobody who surely holds', () => {
  const [seen, unseen] = [entry('/a/pool/leases', 'lease-', 0), entry('/a/pool/leases', 'lease-', 1)];
  const { world } = createRecogniser('zk').recognise({
    tree: treeOf(seen),
    facts: noFacts,
    nowMs,
    continuous: false,
    hidden: new Set([unseen.path]),
  });
  expect(world.semaphores[0]).toMatchObject({
    part: true,
    limit: null,
    recorded: null,
    effective: null,
    holders: [{ verdict: 'unknown' }],
  });
  expect(world.semaphores[0]?.limitBasis).toBeUndefined();
});
