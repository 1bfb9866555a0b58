import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { World } from '@/lib/domain/model';
import type { ZkFacts, ZkTree } from '@/lib/providers/zookeeper/client/node';
import {
  entry,
  type MadeNode,
  nodeOf,
  noFacts,
  recordedTree,
  treeOf,
  without,
} from '@/lib/providers/zookeeper/fixture/trees';
import { entryOf } from './entry';
import { createRecogniser } from './recognise';

const startMs = 2_000_000_000_000;
const minuteMs = 60_000;

function looking(facts: ZkFacts = noFacts) {
  const recogniser = createRecogniser('zk');
  let continuous = false;
  return (tree: ZkTree, afterMs = 0) => {
    const seen = recogniser.recognise({ tree, facts, nowMs: startMs + afterMs, continuous });
    continuous = true;
    return seen;
  };
}

test('a row that says the same is the same object, and so is a list of such rows', () => {
  const look = looking();
  const tree = new Map([...recordedTree('mutex'), ...recordedTree('pool'), ...recordedTree('latch')]);
  const before = look(tree).world;
  expect(look(tree, 1).world.locks).toBe(before.locks);
  const latch = [...tree.keys()].find((path) => path.includes('-latch-0000000001')) ?? '';
  const after = look(
    without(tree, (path) => path === latch),
    2,
  ).world;
  expect(after.locks).not.toBe(before.locks);
  expect(after.locks.find(({ key }) => key === '/f/mutex')).toBe(
    before.locks.find(({ key }) => key === '/f/mutex'),
  );
  expect(after.semaphores).toBe(before.semaphores);
});

test('an idle lock stays while its container does, and ten minutes longer', () => {
  const look = looking();
  const tree = treeOf({ path: '/m' }, entry('/m', 'lock-', 1));
  look(tree);
  const empty = treeOf({ path: '/m' });
  expect(look(empty, 60 * minuteMs).world.locks).toMatchObject([
    { key: '/m', layout: 'curator-mutex', state: 'free', holder: null, waiters: [] },
  ]);
  const gone = look(new Map(), 61 * minuteMs);
  expect(gone.world.locks).toHaveLength(1);
  expect(gone.againMs).toBe(startMs + 70 * minuteMs);
  expect(look(new Map(), 70 * minuteMs).world.locks).toEqual([]);
  // What was never seen to be a lock is none.
  expect(looking()(empty).world.locks).toEqual([]);
});

test('a semaphore is idle without its queue, which ZooKeeper deletes, and a queue without leases is no mutex', () => {
  const look = looking();
  const pool = recordedTree('pool');
  look(pool);
  const leasesOnly = without(pool, (path) => path.includes('/locks') || path.includes('lease-'));
  const { locks, semaphores } = look(leasesOnly, 1).world;
  expect(locks).toEqual([]);
  expect(semaphores).toMatchObject([{ prefix: '/f/pool', holders: [], waiters: [], limit: null }]);
  const queueOnly = without(pool, (path) => path.includes('leases'));
  expect(look(queueOnly, 2).world.locks).toEqual([]);
  // Of a new semaphore the queue comes first.
  const fresh = treeOf({ path: '/n/locks', ctimeMs: startMs }, entry('/n/locks', 'lock-', 1));
  const first = looking()(fresh);
  expect(first.world.locks).toEqual([]);
  expect(first.againMs).toBe(startMs + 1_000);
  expect(looking()(fresh, 1_000).world.locks).toMatchObject([{ key: '/n/locks', layout: 'curator-mutex' }]);
});

test('since when: at least since the first look, since it was made, or since it was seen to get the lock', () => {
  const look = looking();
  const [one, two, three] = [1, 2, 3].map((n) => entry('/m', 'lock-', n, { ctimeMs: startMs + n }));
  if (one === undefined || two === undefined || three === undefined) throw new Error('Three were made.');
  const holder = (tree: ZkTree, afterMs: number) => look(tree, afterMs).world.locks[0]?.holder?.since;
  expect(holder(treeOf(one, two), 10)).toEqual({ atMs: startMs + 10, basis: 'at-least' });
  expect(look(treeOf(one, two), 10).world.locks[0]?.waiters?.[0]?.since).toEqual({
    atMs: startMs + 2,
    basis: 'value',
  });
  expect(holder(treeOf(two), 20)).toEqual({ atMs: startMs + 20, basis: 'observed' });
  expect(holder(treeOf(two, three), 25)).toEqual({ atMs: startMs + 20, basis: 'observed' });
  look(treeOf({ path: '/m' }), 30);
  expect(holder(treeOf({ ...three, path: `${three.path.slice(0, -1)}9` }), 40)).toEqual({
    atMs: startMs + 3,
    basis: 'value',
  });
});

const digits = fc.oneof(
  fc.constantFrom('0000000001', '0000000002', '2147483647', '-2147483648', '-000000001', '12', ''),
  fc.stringMatching(/^\d{10}$/),
);
const name = fc.oneof(
  fc
    .tuple(
      fc.uuid(),
      fc.constantFrom('lock-', 'latch-', 'lease-', '__READ__', '__WRIT__', '', '__lock__'),
      digits,
    )
    .map(([guid, recipe, number]) => `_c_${guid}-${recipe}${number}`),
  fc.constantFrom('leases', 'locks', 'a', 'limit', 'n0000000001'),
  fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replaceAll('/', '_')),
);
const node: fc.Arbitrary<MadeNode> = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
  data: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  czxid: fc.nat({ max: 50 }).map(String),
  mzxid: fc.nat({ max: 50 }).map(String),
  ctimeMs: fc.nat(),
  owner: fc.constantFrom('0', 'a1', 'a2', 'ffffffffffffffff'),
});
/** Whole queues as well, which nodes at random hardly ever make. */
const queue: fc.Arbitrary<readonly MadeNode[]> = fc
  .tuple(
    fc.constantFrom('/s/leases', '/s/locks', '/m', '/rw', '/s'),
    fc.array(
      fc.tuple(
        fc.constantFrom('lock-', 'lease-', '__READ__', '__WRIT__', 'latch-'),
        fc.nat({ max: 9 }),
        fc.constantFrom('a1', 'a2'),
        fc.nat({ max: 30 }),
      ),
      { maxLength: 8 },
    ),
  )
  .map(([folder, all]) =>
    all.map(([kind, n, owner, czxid]) => entry(folder, kind as 'lock-', n, { owner, czxid: String(czxid) })),
  );
const tree = fc
  .tuple(fc.array(node, { maxLength: 12 }), fc.array(queue, { maxLength: 5 }))
  .map(([some, queues]) => treeOf(...some, ...queues.flat()));

function check({ locks, semaphores }: World): void {
  for (const { holder, readers = [], waiters } of locks) {
    const holds = [...(holder === null ? [] : [holder]), ...readers].map(({ sessionId }) => sessionId);
    const waits = (waiters ?? []).map(({ sessionId }) => sessionId);
    expect(new Set([...holds, ...waits]).size).toBe(holds.length + waits.length);
    const numbers = waits.map((name) => entryOf(nodeOf({ path: `/${name}`, owner: 'a1' }))?.sequence);
    expect([...numbers].sort()).toEqual(numbers);
  }
  for (const { holders, waiters, recorded, effective } of semaphores) {
    const [holds, waits] = [holders, waiters].map((all) => all.map(({ sessionId }) => sessionId));
    expect(new Set([...(holds ?? []), ...(waits ?? [])]).size).toBe(holders.length + waiters.length);
    expect([recorded, effective]).toEqual([holders.length, holders.length]);
  }
  const isSorted = (all: readonly string[]) => all.every((one, i) => i === 0 || (all[i - 1] ?? '') < one);
  expect(isSorted(locks.map(({ key }) => key))).toBe(true);
  expect(isSorted(semaphores.map(({ prefix }) => prefix))).toBe(true);
}

test('no tree makes it throw, nobody both holds and waits, and a queue has the order of its numbers', () => {
  const facts = { ...noFacts, counts: new Map([['/s', '/limit']]) };
  fc.assert(
    fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), fc.nat({ max: 5_000 }), (trees, stepMs) => {
      const look = looking(facts);
      for (const [i, one] of trees.entries()) check(look(one, i * stepMs).world);
    }),
    { numRuns: 300 },
  );
});
