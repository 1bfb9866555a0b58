/**
 * The list for a query, updated from the last one where only some rows changed, as several of ten thousand do every
 * second.
 */

import type { BoardRow } from '@/lib/view/board-rows';
import type { Hit } from '@/lib/view/search/match';
import {
  type BoardQuery,
  compareBy,
  filterRows,
  isSelected,
  isShown,
  type Options,
  optionsOf,
  orderOf,
  orderRows,
  type Show,
  sameSelects,
  shows,
} from './query';

export interface Listed {
  readonly rows: readonly BoardRow[];
  /** The number of rows that each chip would show. */
  readonly counts: Readonly<Record<Show, number>>;
  readonly options: Options;
}

interface Made extends Listed {
  readonly from: readonly BoardRow[];
  readonly query: BoardQuery;
  readonly hits: readonly Hit<BoardRow>[] | null;
}

/** With more changes than this, a full rebuild costs no more. */
const changesMax = 300;

/** Makes lists, each from the one before. Every board has its own. */
export function createLister() {
  let last: Made | null = null;
  return (rows: readonly BoardRow[], query: BoardQuery, hits: readonly Hit<BoardRow>[] | null): Listed => {
    const changes = last === null ? null : changesOf(last.from, rows);
    const options =
      last !== null && changes?.every(([was, is]) => offersSame(was, is)) === true
        ? last.options
        : optionsOf(rows);
    const known = last !== null && last.hits === hits && sameQuery(last.query, query) ? last : null;
    // The same hits are the same rows, whatever changed in others.
    const updated =
      hits === null && known !== null && changes !== null ? stepped(known, changes, query) : null;
    const list = updated ?? (hits === null ? null : known) ?? freshList(rows, query, hits);
    last = { rows: list.rows, counts: list.counts, options, from: rows, query, hits };
    return last;
  };
}

type Change = readonly [was: BoardRow, is: BoardRow];

/** Place by place; `null` when rows were added or removed, or too many changed. */
function changesOf(was: readonly BoardRow[], is: readonly BoardRow[]): readonly Change[] | null {
  if (was.length !== is.length) return null;
  const changes: Change[] = [];
  for (let at = 0; at < is.length; at += 1) {
    const [a, b] = [was[at], is[at]];
    if (a === b || a === undefined || b === undefined) continue;
    if (a.id !== b.id || changes.length === changesMax) return null;
    changes.push([a, b]);
  }
  return changes;
}

const sameTexts = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((text, i) => text === b[i]);

const offersSame = (a: BoardRow, b: BoardRow) =>
  a.layout === b.layout && sameTexts(a.verdicts, b.verdicts) && sameTexts(a.nodes, b.nodes);

/** Groups are not compared: a grouped list is always rebuilt. */
function sameQuery(a: BoardQuery, b: BoardQuery): boolean {
  return !a.group && !b.group && orderOf(a) === orderOf(b) && a.show === b.show && sameSelects(a, b);
}

function freshList(rows: readonly BoardRow[], query: BoardQuery, hits: readonly Hit<BoardRow>[] | null) {
  const { rows: filtered, counts } = filterRows(rows, query, hits);
  return { rows: orderRows(filtered, query, hits), counts };
}

function stepped(last: Listed, changes: readonly Change[], query: BoardQuery) {
  if (changes.length === 0) return { rows: last.rows, counts: last.counts };
  const order = orderOf(query);
  const compare = compareBy(order === 'match' ? 'needs' : order);
  const rows = [...last.rows];
  const counts = { ...last.counts };
  const placeOf = (row: BoardRow) => {
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(rows[middle] as BoardRow, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const note = (row: BoardRow, by: 1 | -1): boolean => {
    if (!isSelected(row, query)) return false;
    for (const show of shows) if (isShown(row, show)) counts[show] += by;
    return isShown(row, query.show);
  };
  for (const [was, is] of changes) {
    const wasListed = note(was, -1);
    const isListed = note(is, 1);
    const place = wasListed ? placeOf(was) : -1;
    if (wasListed && isListed && compare(was, is) === 0) rows[place] = is;
    else {
      if (wasListed) rows.splice(place, 1);
      if (isListed) rows.splice(placeOf(is), 0, is);
    }
  }
  return { rows, counts };
}
