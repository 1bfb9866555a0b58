/**
 * The difference between two snapshots, and how to apply it. `apply(a, diff(a, b))` equals `b`; a patch names
 * the version it starts from, so that a reader that missed one asks for a snapshot instead of guessing.
 */
import type { Finding } from './finding';
import type { Lock, Renewal, Semaphore, Session, Source } from './model';
import type { Snapshot } from './snapshot';
import { compare, withRows } from './sorted';

/** What differs from version `from` to version `to`. Only rows that changed are in it. */
export interface Patch {
  readonly from: number;
  readonly to: number;
  readonly asOfMs: number;
  /** Present only when it changed. */
  readonly source?: Source;
  readonly upsert: {
    readonly locks?: readonly Lock[];
    readonly semaphores?: readonly Semaphore[];
    readonly sessions?: readonly Session[];
    readonly findings?: readonly Finding[];
    readonly renewals?: readonly Renewal[];
  };
  /** Keys, prefixes and ids that are gone. */
  readonly remove: {
    readonly locks?: readonly string[];
    readonly semaphores?: readonly string[];
    readonly sessions?: readonly string[];
    readonly findings?: readonly string[];
    readonly renewals?: readonly string[];
  };
}

interface Rows {
  locks: Lock;
  semaphores: Semaphore;
  sessions: Session;
  findings: Finding;
  renewals: Renewal;
}
type Table = keyof Rows;

/** Each table with the name of its row. Lists in a snapshot are sorted by this name, in code unit order. */
const nameOf: { readonly [T in Table]: (row: Rows[T]) => string } = {
  locks: (row) => row.key,
  semaphores: (row) => row.prefix,
  sessions: (row) => row.id,
  findings: (row) => row.id,
  renewals: (row) => row.id,
};
const tables = Object.keys(nameOf) as Table[];

/** Structural equality for plain data: what JSON can carry. `===` first, so unchanged rows cost nothing. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const aKeys = Object.keys(a);
  if (aKeys.length !== Object.keys(b).length) return false;
  return aKeys.every(
    (key) =>
      Object.hasOwn(b, key) && same((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}

function diffTable<T extends Table>(table: T, before: readonly Rows[T][], after: readonly Rows[T][]) {
  const upsert: Rows[T][] = [];
  const remove: string[] = [];
  compare<Rows[T]>(before, after, nameOf[table], (was, is) => {
    if (is === null) remove.push(nameOf[table](was as Rows[T]));
    else if (was === null || !same(was, is)) upsert.push(is);
  });
  return { upsert, remove };
}

/** The patch from `a` to `b`, or `null` when they say the same. Versions and times alone are no difference. */
export function diff(a: Snapshot, b: Snapshot): Patch | null {
  const upsert: Record<string, unknown> = {};
  const remove: Record<string, readonly string[]> = {};
  for (const table of tables) {
    if (a[table] === b[table]) continue;
    const rows = diffTable(table, (a[table] ?? []) as never, (b[table] ?? []) as never);
    if (rows.upsert.length > 0) upsert[table] = rows.upsert;
    if (rows.remove.length > 0) remove[table] = rows.remove;
  }
  const sourceChanged = !same(a.source, b.source);
  if (!sourceChanged && Object.keys(upsert).length === 0 && Object.keys(remove).length === 0) return null;
  return {
    from: a.version,
    to: b.version,
    asOfMs: b.asOfMs,
    ...(sourceChanged ? { source: b.source } : {}),
    upsert,
    remove,
  };
}

function applyTable<T extends Table>(
  table: T,
  rows: readonly Rows[T][],
  upsert: readonly Rows[T][],
  remove: readonly string[],
): readonly Rows[T][] {
  const changes = new Map<string, Rows[T] | null>(remove.map((name) => [name, null]));
  for (const row of upsert) changes.set(nameOf[table](row), row);
  return withRows(rows, changes, nameOf[table]);
}

/**
 * The snapshot after a patch, or `null` when the patch does not start from it: the reader has missed something
 * and must ask for a whole snapshot. Rows that the patch does not name keep their identity.
 */
export function apply(snapshot: Snapshot, patch: Patch): Snapshot | null {
  if (patch.from !== snapshot.version) return null;
  const next: Record<string, unknown> = {};
  for (const table of tables) {
    const upsert = patch.upsert[table] ?? [];
    const remove = patch.remove[table] ?? [];
    // What a backend does not tell of stays absent: "not looked for" is not "none".
    if (snapshot[table] === undefined && upsert.length === 0) continue;
    next[table] = applyTable(table, (snapshot[table] ?? []) as never, upsert as never, remove);
  }
  return {
    ...snapshot,
    ...next,
    version: patch.to,
    asOfMs: patch.asOfMs,
    source: patch.source ?? snapshot.source,
  };
}
