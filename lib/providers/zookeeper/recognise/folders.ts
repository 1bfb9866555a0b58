/** Which folders belong together as one semaphore. */
import type { ZkTree } from '@/lib/providers/zookeeper/client/node';
import { joinPath, parentOf } from '@/lib/providers/zookeeper/client/path';
import { nameOf } from './entry';
import type { EntryIndex } from './entry-index';
import { leasesName, locksName } from './semaphores';

/** Whether it is known, from before or by configuration, that a semaphore is here. */
type IsSemaphore = (prefix: string) => boolean;

export const leasesOf = (prefix: string): string => joinPath(prefix, leasesName);
export const locksOf = (prefix: string): string => joinPath(prefix, locksName);

/**
 * A semaphore is where leases are below `leases`, or where both of its folders are (`LOCK_SCHEMA` of
 * `InterProcessSemaphoreV2`). Either may be missing: ZooKeeper deletes an empty container also while the other is in use.
 */
export function semaphoresIn(index: EntryIndex, tree: ZkTree, isSemaphore: IsSemaphore): ReadonlySet<string> {
  const prefixes = new Set<string>();
  for (const folder of index.semaphoreFolders()) {
    const prefix = parentOf(folder);
    const isOne =
      isSemaphore(prefix) ||
      (nameOf(folder) === leasesName &&
        (tree.has(locksOf(prefix)) || index.entriesIn(folder).some(({ kind }) => kind === 'lease')));
    if (isOne) prefixes.add(prefix);
  }
  return prefixes;
}

/** Whether `locks` below a prefix may be the first trace of a semaphore, whose client makes its lease after it. */
export const mayBecomeSemaphore = (folder: string, tree: ZkTree): boolean =>
  nameOf(folder) === locksName && !tree.has(leasesOf(parentOf(folder)));
