/**
 * A value after an edit, as patches of `/api/v1/events` carry them. It has no imports, so that programs may copy it. A
 * test compares it with `lib/domain/world/edit.ts`.
 */

/** @typedef {import('../../lib/domain/world/edit').Edit} Edit */
/** @typedef {import('../../lib/domain/world/edit').ListPart} ListPart */

/**
 * `undefined`: the edit is not about such a value, so a whole snapshot is needed.
 * @param {any} value
 * @param {Edit} edit
 * @returns {any}
 */
export function edited(value, edit) {
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== 'list' in edit)
    return undefined;
  if ('list' in edit) {
    const pieces = edit.list.map((part) => piece(value, part));
    return pieces.includes(undefined) ? undefined : pieces.flat(1);
  }
  const has = (/** @type {string} */ name) => Object.hasOwn(value, name);
  const inner = Object.entries(edit.in ?? {}).map(([name, one]) => [
    name,
    has(name) ? edited(value[name], one) : undefined,
  ]);
  const drop = new Set(edit.drop ?? []);
  if (inner.some(([, after]) => after === undefined) || ![...drop].every(has)) return undefined;
  const after = { ...value, ...edit.set, ...Object.fromEntries(inner) };
  return Object.fromEntries(Object.entries(after).filter(([name]) => !drop.has(name)));
}

/**
 * Items of the new list.
 * @param {any[]} list
 * @param {ListPart} part
 * @returns {any[] | undefined}
 */
function piece(list, part) {
  if ('put' in part) return [part.put];
  if ('count' in part)
    return part.from + part.count > list.length ? undefined : list.slice(part.from, part.from + part.count);
  const after = part.at < list.length ? edited(list[part.at], part.edit) : undefined;
  return after === undefined ? undefined : [after];
}
