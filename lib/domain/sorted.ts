/** Lists that are sorted by a unique name, in code unit order: a change of a few rows costs those, and one copy. */

import { finish, type Steps } from './steps';

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
  const next: T[] = [];
  let taken = 0;
  let differs = false;
  for (const name of [...changes.keys()].sort()) {
    const row = changes.get(name) ?? null;
    const place = placeOf(rows, name, nameOf, taken);
    const was = rows[place];
    const exists = was !== undefined && nameOf(was) === name;
    if (exists ? was === row : row === null) continue;
    differs = true;
    // Not by spreading: a hundred thousand arguments are more than a call takes.
    for (let at = taken; at < place; at += 1) next.push(rows[at] as T);
    if (row !== null) next.push(row);
    taken = exists ? place + 1 : place;
  }
  if (!differs) return rows;
  for (let at = taken; at < rows.length; at += 1) next.push(rows[at] as T);
  return next;
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
  while (i < before.length || j < after.length) {
    const was = before[i];
    const is = after[j];
    if (was !== undefined && was === is) {
      i += 1;
      j += 1;
      continue;
    }
    const [a, b] = [was === undefined ? null : nameOf(was), is === undefined ? null : nameOf(is)];
    const order = a === null ? 1 : b === null ? -1 : a < b ? -1 : a > b ? 1 : 0;
    if (order <= 0) i += 1;
    if (order >= 0) j += 1;
    tell(order <= 0 ? (was as T) : null, order >= 0 ? (is as T) : null);
    yield 1;
  }
}
