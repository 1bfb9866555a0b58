/** Lists that are sorted by a unique name, in code unit order: a change of a few rows costs those, and one copy. */

import { finish, type Steps } from './steps';

const runsAtOnceMax = 10_000;

/** Where `name` is, or would be, in `rows`, of which it is not before `from`. */
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

/** The row of this name, if there is one. */
export function find<T>(rows: readonly T[], name: string, nameOf: (row: T) => string): T | undefined {
  const row = rows[placeOf(rows, name, nameOf)];
  return row !== undefined && nameOf(row) === name ? row : undefined;
}

/**
 * `rows` with other rows for some names; `null` takes one out. Rows that are not named keep their place and identity, and
 * the list itself is returned when nothing would change.
 */
export function withRows<T>(
  rows: readonly T[],
  changes: ReadonlyMap<string, T | null>,
  nameOf: (row: T) => string,
): readonly T[] {
  const next: T[][] = [];
  let taken = 0;
  for (const name of [...changes.keys()].sort()) {
    const row = changes.get(name) ?? null;
    const place = placeOf(rows, name, nameOf, taken);
    const was = rows[place];
    const exists = was !== undefined && nameOf(was) === name;
    if (exists ? was === row : row === null) continue;
    next.push(rows.slice(taken, place));
    if (row !== null) next.push([row]);
    taken = exists ? place + 1 : place;
  }
  if (next.length === 0) return rows;
  next.push(rows.slice(taken));
  // Whole runs are copied at once; a hundred thousand arguments are more than a call takes.
  return next.length > runsAtOnceMax ? next.flat() : ([] as T[]).concat(...next);
}

/**
 * How many rows are the same objects in both lists, from here on. Apart from the generators that need it: V8 compiles the loop of
 * a plain function while it runs, and not theirs, where two hundred thousand rows took ten milliseconds.
 */
export function sameRun<T>(before: readonly T[], i: number, after: readonly T[], j: number): number {
  const most = Math.min(before.length - i, after.length - j);
  let run = 0;
  while (run < most && before[i + run] === after[j + run]) run += 1;
  return run;
}

/**
 * Calls `tell` for every name that is not the same object in both lists, in order: `null` for a row that one list does
 * not have. Costs one comparison for a row that both share.
 */
export const compare = <T>(...of: Parameters<typeof comparing<T>>): void => finish(comparing<T>(...of));

/** As `compare`. */
export function* comparing<T>(
  before: readonly T[],
  after: readonly T[],
  nameOf: (row: T) => string,
  tell: (was: T | null, is: T | null) => void,
): Steps<void> {
  if (before === after) return;
  let i = 0;
  let j = 0;
  for (;;) {
    const same = sameRun(before, i, after, j);
    i += same;
    j += same;
    if (i === before.length && j === after.length) return;
    const [was, is] = [before[i], after[j]];
    const [a, b] = [was === undefined ? null : nameOf(was), is === undefined ? null : nameOf(is)];
    const order = a === null ? 1 : b === null ? -1 : a < b ? -1 : a > b ? 1 : 0;
    if (order <= 0) i += 1;
    if (order >= 0) j += 1;
    tell(order <= 0 ? (was as T) : null, order >= 0 ? (is as T) : null);
    yield 1;
  }
}
