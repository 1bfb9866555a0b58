/** The rows of all roots as one list, and where it differs from the one before. */

import { noteSpans, type Span, sameRun } from '@/lib/domain/sorted';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import type { Readings } from './readings';

/** One list of them all. Each is sorted, and sorted roots share no row. `flatMap` is far slower here. */
const flat = (lists: readonly (readonly KvRow[])[]): readonly KvRow[] => ([] as KvRow[]).concat(...lists);

/** Where `lists` differ from the earlier ones, as spans of the rows of all. */
function spansBetween(
  before: readonly (readonly KvRow[])[],
  lists: readonly (readonly KvRow[])[],
): readonly Span[] {
  const spans: Span[] = [];
  let [at, atAfter] = [0, 0];
  for (const [i, list] of lists.entries()) {
    const was = before[i] ?? [];
    const most = Math.min(was.length, list.length);
    const start = was === list ? most : sameRun(was, 0, list, 0, most);
    let end = 0;
    while (end < most - start && was[was.length - 1 - end] === list[list.length - 1 - end]) end += 1;
    if (start + end < Math.max(was.length, list.length))
      spans.push({
        from: at + start,
        to: at + was.length - end,
        fromAfter: atAfter + start,
        toAfter: atAfter + list.length - end,
      });
    at += was.length;
    atAfter += list.length;
  }
  return spans;
}

/**
 * Gives the rows of all roots as one list, which is the same while no root has changed. It notes where two lists differ
 * (`noteSpans`): walking a large world takes longer than the change.
 */
export function createRowsOf(): (readings: Pick<Readings, 'roots'>) => readonly KvRow[] {
  let before: readonly (readonly KvRow[])[] = [];
  let rows: readonly KvRow[] = [];
  return ({ roots }) => {
    const lists = roots.map(({ value }) => value ?? []);
    const isCutAlike = lists.length === before.length;
    if (isCutAlike && lists.every((list, i) => list === before[i])) return rows;
    const [only] = lists;
    const next = lists.length === 1 && only !== undefined ? only : flat(lists);
    if (isCutAlike) noteSpans(rows, next, spansBetween(before, lists));
    before = lists;
    rows = next;
    return rows;
  };
}
