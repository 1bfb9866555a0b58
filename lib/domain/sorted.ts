/** Lists sorted by a unique name, in code unit order: a change of a few rows costs those rows and one copy. */

import { finish, type Steps } from './sliced-work';

const runsAtOnceMax = 10_000;

/** Where `name` is, or would be; it must not be before `from`. */
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

export function find<T>(rows: readonly T[], name: string, nameOf: (row: T) => string): T | undefined {
  const row = rows[placeOf(rows, name, nameOf)];
  return row !== undefined && nameOf(row) === name ? row : undefined;
}

/** `null` removes a row. Other rows keep their place and identity, and an unchanged list is returned as it is. */
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
  // A hundred thousand arguments are more than a call takes.
  return next.length > runsAtOnceMax ? next.flat() : ([] as T[]).concat(...next);
}

/**
 * How many rows from here on are the same objects in both lists. Apart from the generators that need it: V8 compiles
 * its loop while it runs, but not a generator's.
 */
export function sameRun<T>(before: readonly T[], i: number, after: readonly T[], j: number): number {
  const most = Math.min(before.length - i, after.length - j);
  let run = 0;
  while (run < most && before[i + run] === after[j + run]) run += 1;
  return run;
}

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
