/**
 * Unchanged rows stay the same objects, so that nothing renders again for them. Rows match by name: by place, one new
 * lock would make all later ones look changed.
 */
import { lockName, semaphoreName, sessionName } from '@/lib/domain/subject';
import { same } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';

/** Both sorted by row name, which has the source in it, in code unit order. */
function keptRows<T>(before: readonly T[], after: readonly T[], nameOf: (row: T) => string): readonly T[] {
  if (before === after) return before;
  let at = 0;
  let unchanged = 0;
  const rows = after.map((row) => {
    // Comparing names would cost more than the rest.
    if (before[at] === row) {
      at += 1;
      unchanged += 1;
      return row;
    }
    const name = nameOf(row);
    let old = before[at];
    while (old !== undefined && nameOf(old) < name) {
      at += 1;
      old = before[at];
    }
    if (old === undefined || nameOf(old) !== name || !same(old, row)) return row;
    unchanged += 1;
    return old;
  });
  return unchanged === before.length && unchanged === after.length ? before : rows;
}

export function keptSnapshot(before: Snapshot, after: Snapshot): Snapshot {
  return {
    ...after,
    locks: keptRows(before.locks, after.locks, lockName),
    semaphores: keptRows(before.semaphores, after.semaphores, semaphoreName),
    sessions: keptRows(before.sessions, after.sessions, sessionName),
    findings: keptRows(before.findings, after.findings, (finding) => finding.id),
    source: same(before.source, after.source) ? before.source : after.source,
  };
}
