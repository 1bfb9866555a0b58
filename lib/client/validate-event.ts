/**
 * Checks the parts of a stream's message that could make a page fail or show a wrong world: the tables, every edit, and
 * a name on every row. A schema library would be slow for tens of thousands of rows.
 */
import type { Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';

const names = { locks: 'key', semaphores: 'prefix', sessions: 'id', findings: 'id', renewals: 'id' } as const;
const tables = Object.keys(names) as (keyof typeof names)[];

type Anything = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Anything =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isVersion = (value: unknown): value is number => Number.isSafeInteger(value);
const isSource = (value: unknown) =>
  isObject(value) && typeof value.state === 'string' && Array.isArray(value.renewals);

const rowsNamed = (rows: unknown, name: string) =>
  Array.isArray(rows) && rows.every((row) => isObject(row) && typeof row[name] === 'string');
const allNames = (list: unknown) => Array.isArray(list) && list.every((name) => typeof name === 'string');

const isPlace = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const eachOf = (value: unknown, sound: (member: unknown) => boolean) =>
  isObject(value) && Object.values(value).every(sound);

/** Far deeper than any row. */
const depthMax = 50;

/**
 * A malformed nested edit would fail where it is applied. The depth is bounded, as running out of stack here would go
 * unnoticed.
 */
const isEdit = (value: unknown, depth: number): boolean => {
  if (!isObject(value) || depth > depthMax) return false;
  const isPart = (part: unknown) => isListPart(part, depth + 1);
  if (value.list !== undefined) return Array.isArray(value.list) && value.list.every(isPart);
  return (
    (value.set === undefined || isObject(value.set)) &&
    (value.drop === undefined || allNames(value.drop)) &&
    (value.in === undefined || eachOf(value.in, (inner) => isEdit(inner, depth + 1)))
  );
};
/** By the same signs as `apply`, which would fail on a mistaken one. */
const isListPart = (part: unknown, depth: number): boolean => {
  if (!isObject(part) || 'put' in part) return isObject(part);
  return 'edit' in part
    ? isPlace(part.at) && isEdit(part.edit, depth)
    : isPlace(part.from) && isPlace(part.count);
};
const rowEdits = (edits: unknown) =>
  Array.isArray(edits) &&
  edits.every(
    (edit) => isObject(edit) && typeof edit.of === 'string' && edit.list === undefined && isEdit(edit, 0),
  );

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut short or spoiled on its way.
    return null;
  }
}

export function readSnapshot(text: string): Snapshot | null {
  const value = json(text);
  if (!isObject(value) || !isVersion(value.version) || typeof value.asOfMs !== 'number') return null;
  const whole = tables.every(
    (table) => (table === 'renewals' && value[table] === undefined) || rowsNamed(value[table], names[table]),
  );
  return whole && isSource(value.source) ? (value as unknown as Snapshot) : null;
}

/** A `patch` or `status` event. */
export function readPatch(text: string): Patch | null {
  const value = json(text);
  if (!isObject(value) || !isVersion(value.from) || !isVersion(value.to) || value.to <= value.from)
    return null;
  const { put, edit, remove, source, asOfMs } = value;
  if (typeof asOfMs !== 'number' || !isObject(put) || !isObject(edit) || !isObject(remove)) return null;
  if (source !== undefined && !isSource(source)) return null;
  const sound = tables.every(
    (table) =>
      (put[table] === undefined || rowsNamed(put[table], names[table])) &&
      (edit[table] === undefined || rowEdits(edit[table])) &&
      (remove[table] === undefined || allNames(remove[table])),
  );
  return sound ? (value as unknown as Patch) : null;
}

export const pingTime = (text: string): number | null =>
  Number(/"atMs":(\d{1,15})\b/.exec(text)?.[1]) || null;
export const pingContact = (text: string): number | null =>
  Number(/"contactMs":(\d{1,15})\b/.exec(text)?.[1]) || null;
