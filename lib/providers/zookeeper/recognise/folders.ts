/** Finds the folders that belong together as one semaphore. */
import type { ZkTree } from '@/lib/providers/zookeeper/client/node';
import { joinPath, parentOf } from '@/lib/providers/zookeeper/client/path';
import { nameOf } from './entry';
import type { EntryIndex } from './entry-index';
import { leasesName, locksName } from './semaphores';

/** True when the configuration or an earlier view has a semaphore here. */
type IsSemaphore = (prefix: string) => boolean;

export const leasesOf = (prefix: string): string => joinPath(prefix, leasesName);
export const locksOf = (prefix: string): string => joinPath(prefix, locksName);

/**
 * A semaphore is where leases are below `leases`, or where both folders are (`LOCK_SCHEMA` of
 * `InterProcessSemaphoreV2`). Either may be missing, because ZooKeeper deletes an empty container even while the other
 * is in use.
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

/** True when `locks` may be the first trace of a semaphore, whose client makes its lease next. */
export const mayBecomeSemaphore = (folder: string, tree: ZkTree): boolean =>
  nameOf(folder) === locksName && !tree.has(leasesOf(parentOf(folder)));
