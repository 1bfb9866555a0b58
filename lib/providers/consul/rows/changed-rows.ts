/**
 * Rows as they are read, list after list, and the differences between two such sets. One joined list would be copied
 * for each change. Unchanged lists and rows keep their identity (`keepRows`), so a walk compares them by `===`.
 */

import { finish, type Steps } from '@/lib/domain/sliced-work';
import { sameRun } from '@/lib/domain/sorted';
import type { KvRow } from '@/lib/providers/consul/client/wire';

/** The rows of one key, nearly always at most one before and one after; see `changedRows`. */
export interface ChangedRow {
  readonly key: string;
  readonly before: readonly KvRow[];
  readonly after: readonly KvRow[];
}

/** Each list is sorted by key, and follows the list before. All rows of one name are in one list. */
export type RowLists = readonly (readonly KvRow[])[];

export interface ListedRows {
  readonly rows: readonly KvRow[];
  /** Absent: `rows` is the only list. */
  readonly lists?: RowLists;
}

/** The lists. Touches `rows` only where there are none, because that list may have to be made. */
export const listsOf = (listed: ListedRows): RowLists => listed.lists ?? [listed.rows];

/** The rows of all lists, for any number of walks. */
export const rowsIn = (lists: RowLists): Iterable<KvRow> => ({
  *[Symbol.iterator]() {
    for (const rows of lists) yield* rows;
  },
});

const noRows: readonly KvRow[] = [];
const byKey = (a: KvRow, b: KvRow) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Code unit order. Consul sorts by bytes, which differs beyond the first plane. */
export function inKeyOrder(rows: readonly KvRow[]): readonly KvRow[] {
  const isOrdered = rows.every((row, i) => i === 0 || (rows[i - 1] as KvRow).key <= row.key);
  return isOrdered ? rows : [...rows].sort(byKey);
}

/** The index of the last list that begins at or before this key. */
function placeOfList(lists: RowLists, key: string): number {
  let found = 0;
  let low = 0;
  let high = lists.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // An empty list has no first key to compare.
    let at = middle;
    while (at > low && lists[at]?.length === 0) at -= 1;
    const first = lists[at]?.[0];
    if (first === undefined) low = middle + 1;
    else if (first.key <= key) {
      found = at;
      low = middle + 1;
    } else high = at;
  }
  return found;
}

/** All rows of one key; nearly always one or none. */
export function rowsAt(lists: RowLists, key: string): readonly KvRow[] {
  const rows = lists[placeOfList(lists, key)] ?? noRows;
  const at = placeOf(rows, key);
  return rows[at]?.key === key ? rows.slice(at, endOf(rows, at, key)) : noRows;
}

/** The last row of one key. A map by keys would weigh a quarter of the rows. */
export function rowAt(lists: RowLists, key: string): KvRow | undefined {
  const rows = lists[placeOfList(lists, key)] ?? noRows;
  const at = placeOf(rows, key);
  return rows[at]?.key === key ? rows[endOf(rows, at, key) - 1] : undefined;
}

/** The rows whose keys begin with `prefix`, a string prefix. */
export function rowsUnder(lists: RowLists, prefix: string): readonly KvRow[] {
  const rowsUnder: KvRow[] = [];
  for (let of = placeOfList(lists, prefix); of < lists.length; of += 1) {
    const rows = lists[of] ?? noRows;
    let at = placeOf(rows, prefix);
    for (; rows[at]?.key.startsWith(prefix) === true; at += 1) rowsUnder.push(rows[at] as KvRow);
    if (at < rows.length) break;
  }
  return rowsUnder;
}

/** The index of the first row of this key, or of its place. */
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

/** The index of the first row of the key at `at`. */
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

/** The changed keys of two lists, in order, as `changingRows`. */
export const changedRows = (before: readonly KvRow[], after: readonly KvRow[]): ChangedRow[] =>
  finish(changingRows([before], [after]));

/** The cost of a row that differs and is only noted, relative to a judged row. */
export const noted = 0.1;

/** Pairs of lists that differ. Neighbours become one pair, because a row may have moved between them. */
function differingPairs(
  before: RowLists,
  after: RowLists,
): (readonly [readonly KvRow[], readonly KvRow[]])[] {
  if (before.length !== after.length) return [[before.flat(), after.flat()]];
  const pairs: [readonly KvRow[], readonly KvRow[]][] = [];
  let isNeighbour = false;
  for (const [i, is] of after.entries()) {
    const was = before[i] ?? noRows;
    if (was === is) {
      if (is.length > 0) isNeighbour = false;
      continue;
    }
    const last = pairs.at(-1);
    if (isNeighbour && last !== undefined)
      pairs[pairs.length - 1] = [last[0].concat(was), last[1].concat(is)];
    else pairs.push([was, is]);
    isNeighbour = true;
  }
  return pairs;
}

/**
 * The changed keys, in order. Keys that differ only in bytes outside of UTF-8 share one name, so a name may have
 * several rows. A change of one names them all.
 */
export function* changingRows(before: RowLists, after: RowLists): Steps<ChangedRow[]> {
  const changed: ChangedRow[] = [];
  if (before === after) return changed;
  for (const [was, is] of differingPairs(before, after)) yield* changingIn(was, is, changed);
  return changed;
}

function* changingIn(before: readonly KvRow[], after: readonly KvRow[], changed: ChangedRow[]): Steps<void> {
  let i = 0;
  let j = 0;
  for (;;) {
    const same = sameRun(before, i, after, j, Math.min(before.length - i, after.length - j));
    i += same;
    j += same;
    const [was, is] = [before[i], after[j]];
    if (was === undefined && is === undefined) return;
    const key = is === undefined || (was !== undefined && was.key < is.key) ? (was as KvRow).key : is.key;
    const [fromBefore, fromAfter] = [startOf(before, i, key), startOf(after, j, key)];
    [i, j] = [endOf(before, i, key), endOf(after, j, key)];
    changed.push({ key, before: before.slice(fromBefore, i), after: after.slice(fromAfter, j) });
    yield noted;
  }
}

/** The row that stands for its name: the held one, if any. */
export function shownRow(rows: readonly KvRow[]): KvRow | undefined {
  return rows.length < 2 ? rows[0] : (rows.find(({ session }) => session !== null) ?? rows.at(-1));
}
