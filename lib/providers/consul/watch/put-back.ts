/**
 * Detects that Consul was put back to an earlier state by a restored snapshot. A falling index is no proof: it also
 * falls when tombstones are collected. An entry that returns to a lower index than we have read proves it.
 */
import type { Row } from '@/lib/providers/consul/client/wire';

/** An entry that proves it, or `null`. Both lists are sorted by key; `index`: of the earlier list. */
export function rowPutBack(before: readonly Row[], index: string, after: readonly Row[]): Row | null {
  let at = 0;
  for (const row of after) {
    while (at < before.length && (before[at] as Row).key < row.key) at += 1;
    const was = before[at]?.key === row.key ? before[at] : undefined;
    // An entry created again, in an empty Consul, has another create index.
    if (was !== undefined && was.createIndex !== row.createIndex) continue;
    // The earlier list lacked it although its write is no later, so it had been deleted.
    const knownTo = was === undefined ? index : was.modifyIndex;
    const isLower = BigInt(row.modifyIndex) < BigInt(knownTo);
    if (isLower || (was === undefined && row.modifyIndex === knownTo)) return row;
  }
  return null;
}
