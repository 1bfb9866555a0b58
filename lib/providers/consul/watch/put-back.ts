/**
 * Whether Consul was put back to an earlier state: a snapshot was restored. An index that falls does not prove it, for it
 * falls when tombstones are collected, too. An entry proves it that is now as it was before what we have read: while
 * Consul only goes forward, no entry returns to a lower index.
 */
import type { Row } from '@/lib/providers/consul/client/wire';

/** An entry that proves it, `null` without one. Both lists are sorted by key; `index`: the one of the earlier list. */
export function rowPutBack(before: readonly Row[], index: string, after: readonly Row[]): Row | null {
  let at = 0;
  for (const row of after) {
    while (at < before.length && (before[at] as Row).key < row.key) at += 1;
    const was = before[at]?.key === row.key ? before[at] : undefined;
    // One that was made anew, in an empty Consul, has another beginning.
    if (was !== undefined && was.createIndex !== row.createIndex) continue;
    // It was not there although it was written before that: it had been deleted since.
    const knownTo = was === undefined ? index : was.modifyIndex;
    const isLower = BigInt(row.modifyIndex) < BigInt(knownTo);
    if (isLower || (was === undefined && row.modifyIndex === knownTo)) return row;
  }
  return null;
}
