/**
 * The differences between two lists of rows. Unchanged rows keep their identity (`keepRows`), so both lists are walked
 * side by side by `===`.
 */

import { finish, type Steps } from '@/lib/domain/sliced-work';
import { sameRun, spansOf } from '@/lib/domain/sorted';
import type { KvRow } from '@/lib/providers/consul/client/wire';

/** Nearly always at most one row before and one now; see `changedRows`. */
export interface ChangedRow {
  readonly key: string;
  readonly before: readonly KvRow[];
  readonly after: readonly KvRow[];
}

const noRows: readonly KvRow[] = [];
const byKey = (a: KvRow, b: KvRow) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Code unit order. Consul sorts by bytes, which differs beyond the first plane. */
export function inKeyOrder(rows: readonly KvRow[]): readonly KvRow[] {
  const isOrdered = rows.every((row, i) => i === 0 || (rows[i - 1] as KvRow).key <= row.key);
  return isOrdered ? rows : [...rows].sort(byKey);
}

/** All rows of one key, of rows in order; nearly always one or none. */
export function rowsAt(rows: readonly KvRow[], key: string): readonly KvRow[] {
  const at = placeOf(rows, key);
  if (rows[at]?.key !== key) return noRows;
  return rows.slice(at, endOf(rows, at, key));
}

/** The last row of one key, of rows in order. A map by keys would weigh a quarter of the rows. */
export function rowAt(rows: readonly KvRow[], key: string): KvRow | undefined {
  const at = placeOf(rows, key);
  return rows[at]?.key === key ? rows[endOf(rows, at, key) - 1] : undefined;
}

/** `prefix`: a string prefix; `rows` in order. */
export function rowsUnder(rows: readonly KvRow[], prefix: string): readonly KvRow[] {
  const start = placeOf(rows, prefix);
  let end = start;
  while (rows[end]?.key.startsWith(prefix) === true) end += 1;
  return rows.slice(start, end);
}

/** Where the first row of this key is, or would be. */
function placeOf(rows: readonly KvRow[], key: string): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as KvRow).key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the rows of the key at `at` begin. */
function startOf(rows: readonly KvRow[], at: number, key: string): number {
  let start = at;
  while (start > 0 && rows[start - 1]?.key === key) start -= 1;
  return start;
}

function endOf(rows: readonly KvRow[], at: number, key: string): number {
  let end = at;
  while (rows[end]?.key === key) end += 1;
  return end;
}

/**
 * The changed keys, in order. Both lists are sorted by `inKeyOrder`. Keys that differ only in bytes that are no UTF-8
 * share one name, so a name may have several rows; all of them are named then.
 */
export const changedRows = (before: readonly KvRow[], after: readonly KvRow[]): ChangedRow[] =>
  finish(changingRows(before, after));

/** The cost of a row that differs and is only noted, in judged rows. */
export const noted = 0.1;

/** As `changedRows`. */
export function* changingRows(before: readonly KvRow[], after: readonly KvRow[]): Steps<ChangedRow[]> {
  const changed: ChangedRow[] = [];
  if (before === after) return changed;
  let i = 0;
  let j = 0;
  for (const { from, to, fromAfter, toAfter } of spansOf(before, after)) {
    // The rows of one name may have led beyond the span before, in both lists alike.
    const beyond = Math.max(0, i - from);
    i = from + beyond;
    j = fromAfter + beyond;
    for (;;) {
      const same = sameRun(before, i, after, j, Math.min(to - i, toAfter - j));
      i += same;
      j += same;
      if (i >= to && j >= toAfter) break;
      const was = i < to ? before[i] : undefined;
      const is = j < toAfter ? after[j] : undefined;
      const key = is === undefined || (was !== undefined && was.key < is.key) ? (was as KvRow).key : is.key;
      const [fromBefore, fromNow] = [startOf(before, i, key), startOf(after, j, key)];
      [i, j] = [endOf(before, i, key), endOf(after, j, key)];
      changed.push({ key, before: before.slice(fromBefore, i), after: after.slice(fromNow, j) });
      yield noted;
    }
  }
  return changed;
}

/** The shown one of the rows of one name: the held one, if any. */
export function shownRow(rows: readonly KvRow[]): KvRow | undefined {
  return rows.length < 2 ? rows[0] : (rows.find(({ session }) => session !== null) ?? rows.at(-1));
}
