/**
 * The difference between two snapshots, and how to apply it. `apply(a, diff(a, b))` equals `b`; a patch names the
 * version it starts from, so that a reader that missed one asks for a snapshot.
 */

import type { Finding } from '@/lib/domain/findings/finding';
import type { Lock, Renewal, Semaphore, Session, World } from '@/lib/domain/model';
import { finish, type Steps } from '@/lib/domain/sliced-work';
import { comparing, find, withRows } from '@/lib/domain/sorted';
import type { SourceState } from '@/lib/domain/source-state';
import { lockName, renewalName, semaphoreName, sessionName } from '@/lib/domain/subject';
import { edited, type ObjectEdit, objectEdit } from './edit';
import { type EditedRow, editedName, editedRow, type Removal, removal, removedIn } from './row-names';
import type { Snapshot } from './snapshot';

/** The difference between version `from` and version `to`: new rows whole, and the edits of others. */
export interface Patch extends Removal {
  readonly from: number;
  readonly to: number;
  readonly asOfMs: number;
  /** Present only when it changed. */
  readonly source?: SourceState;
  /** Rows to add, or to put in the place of those of the same name. */
  readonly put: {
    readonly locks?: readonly Lock[];
    readonly semaphores?: readonly Semaphore[];
    readonly sessions?: readonly Session[];
    readonly findings?: readonly Finding[];
    readonly renewals?: readonly Renewal[];
  };
  /** Rows that the reader has and that stay in part. */
  readonly edit: {
    readonly locks?: readonly RowEdit[];
    readonly semaphores?: readonly RowEdit[];
    readonly sessions?: readonly RowEdit[];
    readonly findings?: readonly RowEdit[];
  };
}

/** The edit of one row. */
export type RowEdit = ObjectEdit & EditedRow;

/** `null` for a row that is absent on that side. */
export interface Moved<R> {
  readonly was: R | null;
  readonly is: R | null;
  /** `'all'`: nothing of the old row is left. */
  readonly edit: ObjectEdit | 'all';
}

/**
 * A patch with both sides of the rows that a reader of a part may gain or lose. A lock's key and a semaphore's prefix
 * decide for good whether it is in the part.
 */
export interface WorldStep {
  readonly patch: Patch;
  readonly sessions: readonly Moved<Session>[];
  readonly findings: readonly Moved<Finding>[];
}

interface Rows {
  locks: Lock;
  semaphores: Semaphore;
  sessions: Session;
  findings: Finding;
  renewals: Renewal;
}
type Table = keyof Rows;

/** Lists in a snapshot are sorted by this name, in code unit order. */
const nameOf: { readonly [T in Table]: (row: Rows[T]) => string } = {
  locks: lockName,
  semaphores: semaphoreName,
  sessions: sessionName,
  findings: (row) => row.id,
  renewals: renewalName,
};
const tables = Object.keys(nameOf) as Table[];

/** Compares plain data, as JSON carries it. `===` comes first, so unchanged rows cost nothing. */
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

const none: readonly [] = [];

/** At least one side is there. `null`: they are equal. */
function movedRow<R extends object>(was: R | null, is: R | null): Moved<R> | null {
  if (was === null || is === null) return { was, is, edit: 'all' };
  const edit = objectEdit(was, is);
  return edit === null ? null : { was, is, edit };
}

function* movedRows<T extends Table>(
  table: T,
  before: readonly Rows[T][] = none,
  after: readonly Rows[T][] = none,
): Steps<readonly Moved<Rows[T]>[]> {
  const moved: Moved<Rows[T]>[] = [];
  yield* comparing<Rows[T]>(before, after, nameOf[table], (was, is) => {
    // An edit of a renewal would be longer than the renewal.
    const whole = table === 'renewals' && was !== null && is !== null && !same(was, is);
    const one = whole ? { was, is, edit: 'all' as const } : movedRow(was, is);
    if (one !== null) moved.push(one);
  });
  return moved;
}

/** The part of a patch about one table. `remove`: names of rows. */
export function saidOf<R>(moved: readonly Moved<R>[], nameOfRow: (row: R) => string) {
  const put: R[] = [];
  const edits: RowEdit[] = [];
  const remove: string[] = [];
  for (const { was, is, edit } of moved) {
    if (is === null) {
      if (was !== null) remove.push(nameOfRow(was));
    } else if (was === null || edit === 'all') put.push(is);
    else edits.push({ ...editedRow(nameOfRow(is)), ...edit });
  }
  return { put, edit: edits, remove };
}

/** Without findings and renewals. */
export interface MovedWorld {
  readonly locks: readonly Moved<Lock>[];
  readonly semaphores: readonly Moved<Semaphore>[];
  readonly sessions: readonly Moved<Session>[];
}

export function* movingWorld(a: World, b: World): Steps<MovedWorld> {
  const locks = yield* movedRows('locks', a.locks, b.locks);
  const semaphores = yield* movedRows('semaphores', a.semaphores, b.semaphores);
  const sessions = yield* movedRows('sessions', a.sessions, b.sessions);
  return { locks, semaphores, sessions };
}

/**
 * `null` when they are equal; versions and times alone are no difference. `findingChanges`: sorted by id, where known;
 * then the findings of the snapshots are not computed. `world`: the differences, where known.
 */
export function stepOf(
  a: Snapshot,
  b: Snapshot,
  findingChanges?: readonly { readonly was: Finding | null; readonly is: Finding | null }[],
  world: MovedWorld = finish(movingWorld(a, b)),
): WorldStep | null {
  const put: Record<string, unknown> = {};
  const edit: Record<string, unknown> = {};
  const gone: { [T in Table]?: readonly string[] } = {};
  const add = <T extends Table>(table: T, rows: readonly Moved<Rows[T]>[]): readonly Moved<Rows[T]>[] => {
    const difference = saidOf(rows, nameOf[table]);
    if (difference.put.length > 0) put[table] = difference.put;
    if (difference.edit.length > 0) edit[table] = difference.edit;
    if (difference.remove.length > 0) gone[table] = difference.remove;
    return rows;
  };
  add('locks', world.locks);
  add('semaphores', world.semaphores);
  const sessions = add('sessions', world.sessions);
  const findings = add(
    'findings',
    findingChanges?.flatMap(({ was, is }) => movedRow(was, is) ?? []) ??
      finish(movedRows('findings', a.findings, b.findings)),
  );
  add('renewals', finish(movedRows('renewals', a.renewals, b.renewals)));
  const source = same(a.source, b.source) ? {} : { source: b.source };
  const patch: Patch = {
    from: a.version,
    to: b.version,
    asOfMs: b.asOfMs,
    ...source,
    put,
    edit,
    ...removal(gone),
  };
  return patch.source === undefined && rowsIn(patch) === 0 ? null : { patch, sessions, findings };
}

/** Rows that a patch says something of. */
export function rowsIn({
  put,
  edit,
  remove,
  removeIn = {},
}: Pick<Patch, 'put' | 'edit' | 'remove' | 'removeIn'>): number {
  const parts = [put, edit, remove, ...Object.values(removeIn)];
  const lists: readonly unknown[][] = parts.flatMap((of) => Object.values(of));
  return lists.reduce((sum, list) => sum + list.length, 0);
}

/** True when a patch names the row of this name (`rowName`). */
export function says<T extends Table>(patch: Patch, table: T, name: string): boolean {
  const { put, edit } = patch;
  const rows = (put[table] ?? []) as readonly Rows[T][];
  const edits = (edit as { readonly [K in Table]?: readonly RowEdit[] })[table] ?? [];
  return (
    rows.some((row) => nameOf[table](row) === name) ||
    edits.some((one) => editedName(one) === name) ||
    removedIn(patch, table).includes(name)
  );
}

export const diff = (a: Snapshot, b: Snapshot): Patch | null => stepOf(a, b)?.patch ?? null;

/** `null` when the patch is about other rows. */
function applyTable<T extends Table>(
  table: T,
  rows: readonly Rows[T][],
  difference: { put: readonly Rows[T][]; edit: readonly RowEdit[]; remove: readonly string[] },
): readonly Rows[T][] | null {
  const changes = new Map<string, Rows[T] | null>(difference.remove.map((name) => [name, null]));
  for (const row of difference.put) changes.set(nameOf[table](row), row);
  for (const { of, source, ...edit } of difference.edit) {
    const name = editedName({ of, source });
    const row = find<Rows[T]>(rows, name, nameOf[table]);
    const after = row === undefined ? undefined : (edited(row, edit) as Rows[T] | undefined);
    // A row that changed its name would stand in the wrong place.
    if (after === undefined || nameOf[table](after) !== name) return null;
    changes.set(name, after);
  }
  return withRows(rows, changes, nameOf[table]);
}

/**
 * `null` when the patch does not start from this snapshot, or names a missing row or part. The reader has missed
 * something and must ask for a whole snapshot. Nothing is applied in part. Unnamed rows and parts keep their identity.
 */
export function apply(snapshot: Snapshot, patch: Patch): Snapshot | null {
  if (patch.from !== snapshot.version) return null;
  const next: Record<string, unknown> = {};
  for (const table of tables) {
    const put = patch.put[table] ?? [];
    const edit = (patch.edit as { readonly [K in Table]?: readonly RowEdit[] })[table] ?? [];
    // A table that a backend does not have stays absent: "not looked for" is not "none".
    if (snapshot[table] === undefined && put.length === 0) continue;
    const rows = applyTable(table, (snapshot[table] ?? []) as never, {
      put: put as never,
      edit,
      remove: removedIn(patch, table),
    });
    if (rows === null) return null;
    next[table] = rows;
  }
  return {
    ...snapshot,
    ...next,
    version: patch.to,
    asOfMs: patch.asOfMs,
    source: patch.source ?? snapshot.source,
  };
}
