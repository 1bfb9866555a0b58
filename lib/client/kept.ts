/**
 * What did not change stays the same object, so that nothing is made or drawn anew for it. By name and not by place in a list:
 * one lock that appears among ten thousand would make all after it look changed.
 */
import { same } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';

/** `after` with the rows of `before` in place of their equals; both sorted by name in code unit order. */
function keptRows<T>(before: readonly T[], after: readonly T[], nameOf: (row: T) => string): readonly T[] {
  if (before === after) return before;
  let at = 0;
  let kept = 0;
  const rows = after.map((row) => {
    // Nearly all are: to ask for their names would cost more than everything else.
    if (before[at] === row) {
      at += 1;
      kept += 1;
      return row;
    }
    const name = nameOf(row);
    let old = before[at];
    while (old !== undefined && nameOf(old) < name) {
      at += 1;
      old = before[at];
    }
    if (old === undefined || nameOf(old) !== name || !same(old, row)) return row;
    kept += 1;
    return old;
  });
  return kept === before.length && kept === after.length ? before : rows;
}

/** The snapshot to keep after another one came. */
export function keptSnapshot(before: Snapshot, after: Snapshot): Snapshot {
  return {
    ...after,
    locks: keptRows(before.locks, after.locks, (lock) => lock.key),
    semaphores: keptRows(before.semaphores, after.semaphores, (semaphore) => semaphore.prefix),
    sessions: keptRows(before.sessions, after.sessions, (session) => session.id),
    findings: keptRows(before.findings, after.findings, (finding) => finding.id),
    source: same(before.source, after.source) ? before.source : after.source,
  };
}
