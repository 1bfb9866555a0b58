/** One lock or semaphore from a fresh read, for an action: its row, and the nodes behind its parties. */
import type { Lock, Semaphore } from '@/lib/domain/model';
import type { LockRef, SemaphoreRef } from '@/lib/domain/subject';
import type { ZkFacts, ZkNode, ZkTree } from '@/lib/providers/zookeeper/client/node';
import { joinPath, parentOf } from '@/lib/providers/zookeeper/client/path';
import { type Entry, entryOf } from './entry';
import { judgeLeases, type Leases, type Sighting } from './leases';
import { lockOf, type Queue, queueOf } from './locks';
import { countNodeOf } from './recognise';
import { leasesName, locksName, semaphoreOf } from './semaphores';

export interface ReadLock extends Queue {
  readonly row: Lock;
}
export interface ReadSemaphore extends Leases {
  readonly row: Semaphore;
  /** `undefined`: none is configured. `null`: it is missing. */
  readonly count: ZkNode | null | undefined;
}

const entriesIn = (tree: ZkTree, folder: string): readonly Entry[] =>
  [...tree.values()].flatMap((node) => {
    const entry = parentOf(node.path) === folder ? entryOf(node) : null;
    return entry === null ? [] : [entry];
  });

/**
 * `null`: no node holds or waits. The start of a hold was not watched. Trees with unreadable nodes are refused before.
 */
export function readLock(ref: LockRef, tree: ZkTree, facts: ZkFacts): ReadLock | null {
  const queue = queueOf(entriesIn(tree, ref.key), false);
  return queue === null ? null : { ...queue, row: lockOf(ref, queue, facts, () => null) };
}

/** `null`: none of its folders is there. */
export function readSemaphore(
  ref: SemaphoreRef,
  tree: ZkTree,
  given: { readonly facts: ZkFacts; readonly sighting: Sighting | null; readonly nowMs: number },
): ReadSemaphore | null {
  const { prefix } = ref;
  const { facts, sighting, nowMs } = given;
  const folders = [joinPath(prefix, leasesName), joinPath(prefix, locksName)] as const;
  const count = countNodeOf(prefix, tree, facts);
  if (count == null && !folders.some((folder) => tree.has(folder))) return null;
  const [leases = [], locks = []] = folders.map((folder) => entriesIn(tree, folder));
  const judged = judgeLeases({
    leases: leases.filter(({ kind }) => kind === 'lease'),
    locks: locks.filter(({ kind }) => kind === 'lock'),
    count,
    before: sighting,
    nowMs,
  });
  return { ...judged, count, row: semaphoreOf(ref, judged, count, facts, () => null) };
}
