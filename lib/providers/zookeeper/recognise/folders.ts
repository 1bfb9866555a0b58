/** What lies below each folder of a tree, and which folders belong together as one semaphore. */
import type { ZkTree } from '@/lib/providers/zookeeper/client/node';
import { joinPath, parentOf } from '@/lib/providers/zookeeper/client/path';
import { type Entry, entryOf, nameOf } from './entry';
import { leasesName, locksName } from './semaphores';

export interface Folders {
  /** Locks by their path: the nodes that hold and wait there. */
  readonly locks: ReadonlyMap<string, readonly Entry[]>;
  /** Semaphores by their prefix. */
  readonly semaphores: ReadonlyMap<string, SemaphoreEntries>;
}

export interface SemaphoreEntries {
  readonly leases: readonly Entry[];
  readonly locks: readonly Entry[];
}

/** Whether it is known, from before or by configuration, that a semaphore is here. */
export type IsSemaphore = (prefix: string) => boolean;

/**
 * A semaphore is where leases are below `leases`, or where both of its folders are (`LOCK_SCHEMA` of
 * `InterProcessSemaphoreV2`). Either may be missing: ZooKeeper deletes an empty container also while the other is in use.
 */
export function foldersOf(tree: ZkTree, isSemaphore: IsSemaphore): Folders {
  const entries = new Map<string, Entry[]>();
  const prefixes = new Set<string>();
  for (const node of tree.values()) {
    const entry = entryOf(node);
    if (entry === null) {
      if (nameOf(node.path) !== leasesName) continue;
      const prefix = parentOf(node.path);
      if (tree.has(joinPath(prefix, locksName)) || isSemaphore(prefix)) prefixes.add(prefix);
      continue;
    }
    const folder = parentOf(node.path);
    const known = entries.get(folder);
    if (known === undefined) entries.set(folder, [entry]);
    else known.push(entry);
  }
  for (const [folder, all] of entries) {
    const prefix = parentOf(folder);
    const isLeases = nameOf(folder) === leasesName && all.some(({ kind }) => kind === 'lease');
    const isLocks = nameOf(folder) === locksName && isSemaphore(prefix);
    if (isLeases || isLocks) prefixes.add(prefix);
  }
  const semaphores = new Map<string, SemaphoreEntries>();
  const take = (folder: string, kind: Entry['kind']) => {
    const all = entries.get(folder) ?? [];
    entries.delete(folder);
    return all.filter((entry) => entry.kind === kind);
  };
  for (const prefix of prefixes)
    semaphores.set(prefix, {
      leases: take(joinPath(prefix, leasesName), 'lease'),
      locks: take(joinPath(prefix, locksName), 'lock'),
    });
  return { locks: entries, semaphores };
}

/** Whether `locks` below a prefix may be the first trace of a semaphore, whose client makes its lease after it. */
export function mayBecomeSemaphore(folder: string, tree: ZkTree): boolean {
  return nameOf(folder) === locksName && !tree.has(joinPath(parentOf(folder), leasesName));
}
