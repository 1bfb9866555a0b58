/**
 * Detects that Consul was put back to an earlier state. A falling index is no proof, because Consul also collects
 * tombstones. An entry that returns with a lower index than Signalbox has read is one.
 */
import type { KvRow } from '@/lib/providers/consul/client/wire';

/** The entry that proves a restore, or `null`. Both lists are sorted by key. `index`: the index of the earlier list. */
export function rowPutBack(before: readonly KvRow[], index: string, after: readonly KvRow[]): KvRow | null {
  let at = 0;
  for (const row of after) {
    while (at < before.length && (before[at] as KvRow).key < row.key) at += 1;
    const was = before[at]?.key === row.key ? before[at] : undefined;
    // In an empty Consul an entry is created again, with another create index.
    if (was !== undefined && was.createIndex !== row.createIndex) continue;
    // The earlier list lacked it although its write is no later, so it had been deleted.
    const knownTo = was === undefined ? index : was.modifyIndex;
    const isLower = BigInt(row.modifyIndex) < BigInt(knownTo);
    if (isLower || (was === undefined && row.modifyIndex === knownTo)) return row;
  }
  return null;
}
