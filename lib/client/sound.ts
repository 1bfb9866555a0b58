/**
 * Whether what came down the stream is what it says it is, as far as a page would fail or show a wrong world by it: the
 * right shape of the tables, and a name on every row. Rows themselves are the server's word. No schema library: a page
 * would load it for this alone, and tens of thousands of rows come at a time.
 */
import type { Patch } from '@/lib/domain/change';
import type { Snapshot } from '@/lib/domain/snapshot';

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

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut short or spoiled on its way: like any other that is not sound.
    return null;
  }
}

/** The data of a `snapshot` event, or `null` when it is not one. */
export function readSnapshot(text: string): Snapshot | null {
  const value = json(text);
  if (!isObject(value) || !isVersion(value.version) || typeof value.asOfMs !== 'number') return null;
  const whole = tables.every(
    (table) => (table === 'renewals' && value[table] === undefined) || rowsNamed(value[table], names[table]),
  );
  return whole && isSource(value.source) ? (value as unknown as Snapshot) : null;
}

/** The data of a `patch` or `status` event, or `null` when it is not one. */
export function readPatch(text: string): Patch | null {
  const value = json(text);
  if (!isObject(value) || !isVersion(value.from) || !isVersion(value.to) || value.to <= value.from)
    return null;
  const { upsert, remove, source, asOfMs } = value;
  if (typeof asOfMs !== 'number' || !isObject(upsert) || !isObject(remove)) return null;
  if (source !== undefined && !isSource(source)) return null;
  const sound = tables.every(
    (table) =>
      (upsert[table] === undefined || rowsNamed(upsert[table], names[table])) &&
      (remove[table] === undefined || allNames(remove[table])),
  );
  return sound ? (value as unknown as Patch) : null;
}
