/** Lists sorted by a unique name, in code unit order. A change of a few rows costs those rows and one copy. */

import { finish, type Steps } from './sliced-work';

const runsAtOnceMax = 10_000;
const spansMax = 1_000;

/** Rows `from` to `to` of a list, and rows `fromAfter` to `toAfter` of the list after it. The ends are exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly fromAfter: number;
  readonly toAfter: number;
}

/** The list before each list. The references are weak, or each list would keep all earlier ones in memory. */
const origins = new WeakMap<
  readonly unknown[],
  { readonly before: WeakRef<readonly unknown[]>; readonly spans: readonly Span[] }
>();

/** Spans that touch become one: a row may have gone from one to the other. */
function joinedSpans(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last?.to === span.from && last.toAfter === span.fromAfter)
      joined[joined.length - 1] = { ...last, to: span.to, toAfter: span.toAfter };
    else joined.push(span);
  }
  return joined;
}

/** Notes, in order, the spans outside of which both lists have the same objects. A comparison walks only the spans. */
export function noteSpans<T>(before: readonly T[], after: readonly T[], spans: readonly Span[]): void {
  if (spans.length > spansMax) return;
  origins.set(after, { before: new WeakRef(before), spans: joinedSpans(spans) });
}

/** The spans in which the lists may differ, in order. Without `noteSpans`, one span covers both lists. */
export function spansOf<T>(before: readonly T[], after: readonly T[]): readonly Span[] {
  const origin = origins.get(after);
  return origin?.before.deref() === before
    ? origin.spans
    : [{ from: 0, to: before.length, fromAfter: 0, toAfter: after.length }];
}

/** The place of `name`, or the one that it would have. Rows before `from` are not searched. */
export function placeOf<T>(rows: readonly T[], name: string, nameOf: (row: T) => string, from = 0): number {
  let low = from;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nameOf(rows[middle] as T) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The row of that name. */
export function find<T>(rows: readonly T[], name: string, nameOf: (row: T) => string): T | undefined {
  const row = rows[placeOf(rows, name, nameOf)];
  return row !== undefined && nameOf(row) === name ? row : undefined;
}

interface Change<T> {
  readonly place: number;
  readonly exists: boolean;
  readonly row: T | null;
}

function copyWith<T>(rows: readonly T[], changes: readonly Change<T>[]): readonly T[] {
  if (changes.every(({ exists, row }) => exists && row !== null)) {
    const next = rows.slice();
    for (const { place, row } of changes) next[place] = row as T;
    return next;
  }
  const runs: T[][] = [];
  let taken = 0;
  for (const { place, exists, row } of changes) {
    runs.push(rows.slice(taken, place));
    if (row !== null) runs.push([row]);
    taken = exists ? place + 1 : place;
  }
  runs.push(rows.slice(taken));
  // A hundred thousand arguments are more than a call takes.
  return runs.length > runsAtOnceMax ? runs.flat() : ([] as T[]).concat(...runs);
}

/**
 * A copy of the list with some rows added, replaced or (by `null`) removed. Other rows stay the same objects. Without a
 * change, the list itself is returned.
 */
export function withRows<T>(
  rows: readonly T[],
  changes: ReadonlyMap<string, T | null>,
  nameOf: (row: T) => string,
): readonly T[] {
  const effective: Change<T>[] = [];
  const spans: Span[] = [];
  let at = 0;
  /** The number of rows that the next list has more, up to here. */
  let more = 0;
  for (const name of [...changes.keys()].sort()) {
    const row = changes.get(name) ?? null;
    const place = placeOf(rows, name, nameOf, at);
    const was = rows[place];
    const exists = was !== undefined && nameOf(was) === name;
    if (exists ? was === row : row === null) continue;
    effective.push({ place, exists, row });
    at = exists ? place + 1 : place;
    const fromAfter = place + more;
    const toAfter = fromAfter + (row === null ? 0 : 1);
    spans.push({ from: place, to: at, fromAfter, toAfter });
    more = toAfter - at;
  }
  if (effective.length === 0) return rows;
  const next = copyWith(rows, effective);
  noteSpans(rows, next, spans);
  return next;
}

/**
 * The number of rows from `i` and `j` on, at most `most`, that are the same objects in both lists. This is no part of
 * the generator that calls it, because V8 compiles a running loop in a function, but not in a generator.
 */
export function sameRun<T>(
  before: readonly T[],
  i: number,
  after: readonly T[],
  j: number,
  most: number,
): number {
  let run = 0;
  while (run < most && before[i + run] === after[j + run]) run += 1;
  return run;
}

/** Calls `onChange` for each row that was added (`was`: `null`), removed (`is`: `null`) or replaced, by name. */
export const compare = <T>(...of: Parameters<typeof comparing<T>>): void => finish(comparing<T>(...of));

/** `compare`, in steps of one difference. */
export function* comparing<T>(
  before: readonly T[],
  after: readonly T[],
  nameOf: (row: T) => string,
  onChange: (was: T | null, is: T | null) => void,
): Steps<void> {
  if (before === after) return;
  for (const { from, to, fromAfter, toAfter } of spansOf(before, after)) {
    let i = from;
    let j = fromAfter;
    for (;;) {
      const same = sameRun(before, i, after, j, Math.min(to - i, toAfter - j));
      i += same;
      j += same;
      if (i === to && j === toAfter) break;
      const was = i === to ? null : (before[i] as T);
      const is = j === toAfter ? null : (after[j] as T);
      const [a, b] = [was === null ? null : nameOf(was), is === null ? null : nameOf(is)];
      const order = a === null ? 1 : b === null ? -1 : a < b ? -1 : a > b ? 1 : 0;
      if (order <= 0) i += 1;
      if (order >= 0) j += 1;
      onChange(order <= 0 ? was : null, order >= 0 ? is : null);
      yield 1;
    }
  }
}
