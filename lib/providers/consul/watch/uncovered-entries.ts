/**
 * Finds entries that existed before the token could read them. Consul resolves rights at the start of a query, and a
 * change of rights wakes none. So such entries mostly come with other news, under a higher index, and look new. But an
 * entry was hidden if an earlier answer lacks it, although its write is no later than that answer's index.
 */
import { covers, type Stretch } from '@/lib/providers/consul/client/sorted-names';
import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';

/** The index up to which every write of an absent key was read; `null`: unknown. */
export type AbsentTo = (key: string) => string | null;

const isWithin = (written: string, index: string | null) =>
  index !== null && BigInt(written) <= BigInt(index);

/** True when some row was hidden before. Both lists are sorted by key, and share the objects of unchanged rows. */
export function uncoversRow(before: readonly KvRow[], after: readonly KvRow[], absentTo: AbsentTo): boolean {
  let at = 0;
  while (at < after.length && after[at] === before[at]) at += 1;
  let [end, endBefore] = [after.length, before.length];
  while (end > at && endBefore > at && after[end - 1] === before[endBefore - 1]) {
    end -= 1;
    endBefore -= 1;
  }
  for (const row of after.slice(at, end)) {
    while (at < endBefore && (before[at] as KvRow).key < row.key) at += 1;
    if (before[at]?.key !== row.key && isWithin(row.modifyIndex, absentTo(row.key))) return true;
  }
  return false;
}

/** True when some session was hidden before. `index`: of the earlier list. */
export function uncoversSession(
  before: readonly SessionRow[],
  index: string | null,
  after: readonly SessionRow[],
): boolean {
  if (before === after) return false;
  const known = new Set(before.map(({ id }) => id));
  return after.some(({ id, createIndex }) => !known.has(id) && isWithin(createIndex, index));
}

/** The parts stand for one whole. `outsideTo`: for keys in no part. */
export function absentFrom(
  parts: readonly { readonly part: Stretch; readonly absentTo: AbsentTo }[],
  outsideTo: string | null,
): AbsentTo {
  return (key) => {
    const within = parts.find(({ part }) => covers(part, key));
    return within === undefined ? outsideTo : within.absentTo(key);
  };
}
