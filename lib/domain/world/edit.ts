/**
 * The difference between two values that JSON can carry. `edited(a, editOf(a, b))` equals `b`, also over the wire:
 * `null`, absent and empty stay apart. Unnamed parts keep their identity, by which the browser renders.
 */

/** The edit of an object. Unnamed members stay. */
export interface ObjectEdit {
  /** New values, in place of the old ones or beside them. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Names that are gone. */
  readonly drop?: readonly string[];
  /** Members that stay in part. */
  readonly in?: Readonly<Record<string, Edit>>;
}

/** The resulting list, piece by piece. */
export interface ListEdit {
  readonly list: readonly ListPart[];
}

export type ListPart =
  /** This many items of the old list, from this place on. */
  | { readonly from: number; readonly count: number }
  /** The old item at this place, edited. */
  | { readonly at: number; readonly edit: Edit }
  /** A new item. */
  | { readonly put: unknown };

export type Edit = ObjectEdit | ListEdit;

type Members = Readonly<Record<string, unknown>>;
type List = readonly unknown[];

const isList = (value: unknown): value is List => Array.isArray(value);
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members that identify an item of a list. Two items taken for one make an edit longer, never wrong. */
const knownBy = ['sessionId', 'id', 'key', 'prefix', 'code', 'name'] as const;

function nameOf(item: unknown): unknown {
  if (isList(item)) return null;
  if (!isMembers(item)) return item;
  for (const field of knownBy) if (typeof item[field] === 'string') return item[field];
  return isMembers(item.subject) ? nameOf(item.subject) : null;
}

const memberOf = (value: Members, name: string) => (Object.hasOwn(value, name) ? value[name] : undefined);

/** `null`: they are equal. `'all'`: nothing of `was` is of use to its reader. */
export function editOf(was: unknown, is: unknown): Edit | 'all' | null {
  if (was === is) return null;
  if (isList(was) && isList(is)) return listEdit(was, is);
  if (isMembers(was) && isMembers(is)) return objectEdit(was, is);
  return 'all';
}

/** A member that is `undefined` counts as absent, as on the wire. */
export function objectEdit(was: object, is: object): ObjectEdit | 'all' | null {
  const [before, after] = [was as Members, is as Members];
  const [had, has] = [Object.keys(before), Object.keys(after)];
  const set: [string, unknown][] = [];
  const inner: [string, Edit][] = [];
  let unchanged = 0;
  /** Nearly always both have the same members in the same order. */
  let alike = had.length === has.length;
  for (let at = 0; at < has.length; at += 1) {
    const name = has[at] as string;
    const value = after[name];
    const inPlace = had[at] === name;
    const old = inPlace || Object.hasOwn(before, name) ? before[name] : undefined;
    alike &&= inPlace && value !== undefined && old !== undefined;
    if (value === undefined) continue;
    const edit = old === undefined ? 'all' : editOf(old, value);
    if (edit === null) unchanged += 1;
    else if (edit === 'all') set.push([name, value]);
    else inner.push([name, edit]);
  }
  const isGone = (name: string) => before[name] !== undefined && memberOf(after, name) === undefined;
  const drop = alike ? [] : had.filter(isGone);
  if (set.length + inner.length + drop.length === 0) return null;
  if (unchanged + inner.length === 0) return 'all';
  return {
    // Not by assignment: a member may be called `__proto__`.
    ...(set.length === 0 ? {} : { set: Object.fromEntries(set) }),
    ...(drop.length === 0 ? {} : { drop }),
    ...(inner.length === 0 ? {} : { in: Object.fromEntries(inner) }),
  };
}

function listEdit(was: List, is: List): ListEdit | 'all' | null {
  let start = 0;
  while (start < was.length && start < is.length && editOf(was[start], is[start]) === null) start += 1;
  if (start === was.length && start === is.length) return null;
  const parts: ListPart[] = start === 0 ? [] : [{ from: 0, count: start }];
  let places: Map<unknown, number> | null = null;
  const placeOf = (name: unknown) => {
    places ??= new Map(was.map((item, at) => [nameOf(item), at]));
    return places.get(name) ?? -1;
  };
  const copy = (from: number) => {
    const last = parts.at(-1);
    if (last !== undefined && 'count' in last && last.from + last.count === from)
      parts[parts.length - 1] = { from: last.from, count: last.count + 1 };
    else parts.push({ from, count: 1 });
  };
  /** The place of the next item if it follows the one before, as most do. */
  let next = start;
  let used = start > 0;
  for (const item of start === 0 ? is : is.slice(start)) {
    const name = nameOf(item);
    const at = next < was.length && nameOf(was[next]) === name ? next : placeOf(name);
    const edit = at === -1 ? 'all' : editOf(was[at], item);
    if (edit === 'all') parts.push({ put: item });
    else {
      used = true;
      if (edit === null) copy(at);
      else parts.push({ at, edit });
    }
    if (at !== -1) next = at + 1;
  }
  return used ? { list: parts } : 'all';
}

/** `undefined` when the edit does not fit. Nothing is applied in part then. */
export function edited(value: unknown, edit: Edit): unknown {
  if ('list' in edit) return isList(value) ? editedList(value, edit) : undefined;
  return isMembers(value) ? editedObject(value, edit) : undefined;
}

function editedObject(
  value: Members,
  { set = {}, drop = [], in: inner = {} }: ObjectEdit,
): Members | undefined {
  const changed: [string, unknown][] = [];
  for (const [name, edit] of Object.entries(inner)) {
    const after = Object.hasOwn(value, name) ? edited(value[name], edit) : undefined;
    if (after === undefined) return undefined;
    changed.push([name, after]);
  }
  if (!drop.every((name) => Object.hasOwn(value, name))) return undefined;
  const next = { ...value, ...set, ...Object.fromEntries(changed) };
  if (drop.length === 0) return next;
  const gone = new Set(drop);
  return Object.fromEntries(Object.entries(next).filter(([name]) => !gone.has(name)));
}

function editedList(value: List, { list }: ListEdit): List | undefined {
  const next: unknown[] = [];
  for (const part of list) {
    if ('put' in part) next.push(part.put);
    else if ('edit' in part) {
      const after = part.at < value.length ? edited(value[part.at], part.edit) : undefined;
      if (after === undefined) return undefined;
      next.push(after);
    } else {
      if (part.from + part.count > value.length) return undefined;
      for (let at = part.from; at < part.from + part.count; at += 1) next.push(value[at]);
    }
  }
  return next;
}
