/**
 * Semaphores whose coordination entry was deleted or overwritten by hand while sessions still contend. Outside of Go's
 * and the Java article's layouts nothing left proves a semaphore. So it is kept with its contender entries of that
 * moment, and dropped with the last of them.
 */

import type { Steps } from '@/lib/domain/sliced-work';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { type ChangedRow, noted, type RowLists, rowsUnder } from '@/lib/providers/consul/rows/changed-rows';
import { coordinationName } from '@/lib/providers/consul/rows/coordination';
import { contends, isSurelyCoordination } from '@/lib/providers/consul/rows/folders';

/** The keys of those contender entries that still exist, by prefix without slash. */
export type Orphans = Map<string, Set<string>>;

type RowAt = (key: string) => KvRow | undefined;

const contendsAt = (rowAt: RowAt, key: string): boolean => {
  const row = rowAt(key);
  return row !== undefined && contends(row);
};

export function* takeInOrphans(
  orphans: Orphans,
  changed: readonly ChangedRow[],
  before: RowLists,
  rowAt: RowAt,
): Steps<void> {
  for (const { key, before: was, after } of changed) {
    yield noted;
    const slash = key.lastIndexOf('/');
    if (slash < 1) continue;
    const prefix = key.slice(0, slash);
    if (key.slice(slash + 1) !== coordinationName) {
      const left = orphans.get(prefix);
      if (left === undefined || contendsAt(rowAt, key)) continue;
      left.delete(key);
      if (left.size === 0) orphans.delete(prefix);
      continue;
    }
    const [old, now] = [was.at(-1), after.at(-1)];
    if (now !== undefined && isSurelyCoordination(now)) orphans.delete(prefix);
    else if (old !== undefined && isSurelyCoordination(old)) {
      const left = rowsUnder(before, `${prefix}/`)
        .filter((row) => row.key.lastIndexOf('/') === slash && contends(row) && contendsAt(rowAt, row.key))
        .map((row) => row.key);
      if (left.length > 0) orphans.set(prefix, new Set(left));
    }
  }
}

/**
 * Adopts another watch's orphans, if this one has read the contenders and no coordination entry. `touch`: called with
 * each adopted prefix.
 */
export function adoptOrphans(
  orphans: Orphans,
  elder: ReadonlyMap<string, ReadonlySet<string>>,
  rowAt: RowAt,
  touch: (prefix: string) => void,
): void {
  for (const [prefix, keys] of elder) {
    const entry = rowAt(`${prefix}/${coordinationName}`);
    if (orphans.has(prefix) || (entry !== undefined && isSurelyCoordination(entry))) continue;
    const left = [...keys].filter((key) => contendsAt(rowAt, key));
    if (left.length === 0) continue;
    orphans.set(prefix, new Set(left));
    touch(prefix);
  }
}
