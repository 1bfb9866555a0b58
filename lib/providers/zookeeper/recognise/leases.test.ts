import { expect, test } from 'vitest';
import { entry, type MadeNode, nodeOf } from '@/lib/providers/zookeeper/fixture/trees';
import { type Entry, entryOf } from './entry';
import { judgeLeases, pendingMinMs, type Sighting } from './leases';

const lease = (n: number, owner = `a${n}`, more: Omit<MadeNode, 'path'> = {}) =>
  entry('/p/leases', 'lease-', n, { owner, ...more });
/** Made just before its owner's lease of the same number. */
const place = (n: number, owner = `a${n}`) => entry('/p/locks', 'lock-', n, { owner, czxid: String(99 + n) });

const entries = (nodes: readonly MadeNode[]): readonly Entry[] =>
  nodes.map((node) => {
    const one = entryOf(nodeOf(node));
    if (one === null) throw new Error(`${node.path} is no entry.`);
    return one;
  });

/** A semaphore as it is looked at, one look after the other. */
function looking(limit?: { readonly value: number; readonly mtimeMs: number }) {
  let before: Sighting | null = null;
  let nowMs = 1_000;
  const data = Buffer.alloc(4);
  data.writeInt32BE(limit?.value ?? 0);
  const count = limit && nodeOf({ path: '/limit', data, ctimeMs: limit.mtimeMs });
  return (leases: readonly MadeNode[], locks: readonly MadeNode[], afterMs = 0) => {
    nowMs += afterMs;
    const seen = judgeLeases({ leases: entries(leases), locks: entries(locks), count, before, nowMs });
    before = seen.sighting;
    const numbers = (all: readonly Entry[]) => all.map(({ sequence }) => Number(sequence));
    return {
      held: numbers(seen.held),
      stuck: numbers(seen.stuck),
      pending: seen.pending === null ? null : Number(seen.pending.sequence),
      inferred: seen.sighting.inferred,
      againMs: seen.againMs,
    };
  };
}

test('the newest lease is pending while its owner is the first in the queue, and older ones of that owner are held', () => {
  const look = looking();
  expect(look([lease(1, 'a'), lease(2, 'b'), lease(4, 'a')], [place(4, 'a'), place(5, 'b')])).toMatchObject({
    held: [1, 2],
    pending: 4,
  });
  // The place is newer than every lease: its owner has not made its own yet.
  expect(looking()([lease(1, 'a'), lease(2, 'b')], [place(7, 'a')])).toMatchObject({
    held: [1, 2],
    pending: null,
  });
});

test('a limit follows from a wait of two seconds, and is kept while one after the other waits', () => {
  const look = looking();
  const first = look([lease(1), lease(2), lease(3)], [place(3), place(4)]);
  expect(first).toMatchObject({ inferred: null, againMs: 1_000 + pendingMinMs });
  expect(look([lease(1), lease(2), lease(3)], [place(3), place(4)], pendingMinMs).inferred).toBe(2);
  // One lets go: the pending one is granted a moment later.
  expect(look([lease(2), lease(3)], [place(3), place(4)])).toMatchObject({ held: [2], inferred: 2 });
  expect(look([lease(2), lease(3), lease(4)], [place(4)])).toMatchObject({ held: [2, 3], inferred: 2 });
  expect(look([lease(2), lease(3)], []).inferred).toBeNull();
});

test('a hand-over of which the middle was not seen leaves nobody stuck', () => {
  const look = looking();
  look([lease(1), lease(2)], [place(2), place(3)]);
  look([lease(1), lease(2)], [place(2), place(3)], pendingMinMs);
  expect(look([lease(2), lease(3)], [place(3), place(4)])).toMatchObject({
    held: [2],
    stuck: [],
    pending: 3,
  });
});

test('a lease whose place was deleted while it waited is stuck until enough others went', () => {
  const look = looking();
  look([lease(1), lease(2)], [place(2), place(3)]);
  look([lease(1), lease(2)], [place(2), place(3)], pendingMinMs);
  const stuck = look([lease(1), lease(2), lease(3)], [place(3), place(4)]);
  expect(stuck).toMatchObject({ held: [1], stuck: [2], pending: 3, inferred: 1 });
  // The only holder lets go, and still nobody gets in: two leases, and a limit of one.
  expect(look([lease(2), lease(3)], [place(3), place(4)], 60_000)).toMatchObject({
    held: [],
    stuck: [2],
    pending: 3,
    inferred: 1,
  });
  // Once the next one gives up there is room for it.
  expect(look([lease(2)], [])).toMatchObject({ held: [2], stuck: [] });
});

test('under a known limit a lease that came too late is stuck at first sight, unless the limit may have changed just then', () => {
  const late = [lease(1), lease(2, 'a2', { ctimeMs: 9_000 }), lease(3)];
  expect(looking({ value: 1, mtimeMs: 7_000 })(late, [place(3)])).toMatchObject({
    held: [1],
    stuck: [2],
    pending: 3,
  });
  expect(looking({ value: 1, mtimeMs: 7_001 })(late, [place(3)])).toMatchObject({ held: [1, 2], stuck: [] });
});

test('with room for all nobody is pending', () => {
  expect(looking({ value: 3, mtimeMs: 0 })([lease(1), lease(2)], [place(2)])).toMatchObject({
    held: [1, 2],
    pending: null,
  });
});

test('a lease has guards once it was seen to wait, and they are as many as its limit', () => {
  const seen = (
    leases: readonly MadeNode[],
    locks: readonly MadeNode[],
    before: Sighting | null,
    nowMs: number,
  ) => judgeLeases({ leases: entries(leases), locks: entries(locks), count: undefined, before, nowMs });
  const pool = [lease(1), lease(2), lease(3)];
  const first = seen(pool, [place(3)], null, 1_000);
  const guards = ({ pending, guardsOf }: ReturnType<typeof seen>) =>
    pending === null ? undefined : guardsOf(pending)?.map(({ sequence }) => Number(sequence));
  // A client with room for three is about to let go of its place.
  expect(guards(first)).toBeUndefined();
  const second = seen(pool, [place(3)], first.sighting, 1_000 + pendingMinMs);
  expect(guards(second)).toEqual([1, 2]);
  // One is gone, so that it may have been granted.
  expect(guards(seen([lease(2), lease(3)], [place(3)], second.sighting, 9_000))).toBeUndefined();
});
