/**
 * Turns Consul's data into locks, semaphores and sessions. No key or value makes it throw, because one such key would
 * blind the console.
 *
 * A recogniser takes view after view, and remakes only subjects that may change: those of changed rows, those whose
 * lookups changed (`reads.ts`), and those that the sightings touched. All others stay the same objects, so later stages
 * find the differences by `===`.
 */

import type { Lock, Semaphore, Session, World } from '@/lib/domain/model';
import { finish, type Steps } from '@/lib/domain/sliced-work';
import { find, withRows } from '@/lib/domain/sorted';
import { same } from '@/lib/domain/world/change';
import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import type { Delayed } from '@/lib/providers/consul/observed/lock-delay';
import { type ChangedRow, listsOf, noted } from '@/lib/providers/consul/rows/changed-rows';
import { createFolders } from '@/lib/providers/consul/rows/folders';
import { sameBasis } from './basis';
import { isLock, lock, lockWithoutEntry } from './locks';
import { createPossessions } from './possessions';
import { createReads, type Reader, readOf } from './reads';
import { semaphore } from './semaphores';
import { lockOfInfo } from './terraform';
import { type ConsulView, createIndex, sourceIn, type ViewIndex } from './view';

export type { ConsulView } from './view';

interface Due {
  readonly locks: Set<string>;
  readonly semaphores: Set<string>;
  readonly sessions: Set<string>;
}

const keyOf = ({ key }: Lock) => key;
const prefixOf = ({ prefix }: Semaphore) => prefix;
const idOf = ({ id }: Session) => id;

const noWorld: World = { locks: [], semaphores: [], sessions: [] };
const noSessions: readonly SessionRow[] = [];
const noPrefixes: ReadonlySet<string> = new Set();
const noSessionIds: ReadonlySet<string> = new Set();

function apart(a: ReadonlySet<string>, b: ReadonlySet<string>, onChange: (one: string) => void): void {
  for (const one of a) if (!b.has(one)) onChange(one);
  for (const one of b) if (!a.has(one)) onChange(one);
}

const lockersOf = (rows: readonly KvRow[]): ReadonlySet<string> =>
  rows.every(({ session }) => session === null)
    ? noSessionIds
    : new Set(rows.flatMap(({ session }) => session ?? []));

const timedOf = new WeakMap<readonly SessionRow[], readonly SessionRow[]>();

/** The sessions with a TTL. Cached, because a list never changes. */
function timed(sessions: readonly SessionRow[]): readonly SessionRow[] {
  const known = timedOf.get(sessions) ?? sessions.filter(({ ttlMs }) => ttlMs !== null);
  timedOf.set(sessions, known);
  return known;
}

/** A recogniser for the views of one watch, in their order. */
export function createRecogniser(): (view: ConsulView) => World {
  const recognise = createSlicedRecogniser();
  return (view) => finish(recognise(view));
}

/** As `createRecogniser`, in steps. Finish one view before the next. */
export function createSlicedRecogniser(): (view: ConsulView) => Steps<World> {
  const index = createIndex();
  const reads = createReads(index);
  const folders = createFolders(index.row, () => index.view.sightings);
  const possessions = createPossessions(() => sourceIn(index));
  /** Subjects made from lookups: a few locks, and every semaphore. */
  const readers = { lock: new Map<string, Reader>(), semaphore: new Map<string, Reader>() };
  /** The flags of each coordination entry, which decide the entries of its semaphore; `null`: none. */
  const coordinated = new Map<string, string | null>();
  /** The sign of each session's renewals when its subjects were made. */
  const signs = new Map<string, string>();
  let world = noWorld;

  const wake = (due: Due, of: string) => {
    for (const { kind, name } of reads.readers(of)) due[kind === 'lock' ? 'locks' : 'semaphores'].add(name);
  };

  const wakeReaders = (due: Due, id: string) => {
    wake(due, readOf.session(id));
    wake(due, readOf.locksOf(id));
  };

  const wakeSession = (due: Due, id: string) => {
    for (const key of index.locked(id)) due.locks.add(key);
    wakeReaders(due, id);
  };

  const changeRows = function* (due: Due, rows: readonly ChangedRow[]): Steps<void> {
    /** Sessions whose locks changed. A session that ends may release thousands of keys. */
    const sessions = new Set<string>();
    for (const row of rows) {
      yield noted;
      due.locks.add(row.key);
      const informed = lockOfInfo(row.key);
      if (informed !== null) due.locks.add(informed);
      wake(due, readOf.row(row.key));
      const [before, after] = [lockersOf(row.before), lockersOf(row.after)];
      apart(before, after, (session) => sessions.add(session));
      const prefix = folders.change(row);
      if (prefix !== null) due.semaphores.add(prefix);
    }
    for (const session of sessions) wake(due, readOf.locksOf(session));
  };

  const changeSessions = (due: Due, changed: ReadonlySet<string>) => {
    for (const id of changed) {
      due.sessions.add(id);
      wakeSession(due, id);
    }
  };

  /** A renewal, or its absence, seldom changes a verdict. The sign shows when. */
  const changeRenewals = (due: Due, { renewals, nowMs, sessions }: ConsulView) => {
    for (const { id } of timed(sessions ?? noSessions)) {
      const sign = renewals?.sign(id, nowMs ?? 0) ?? '';
      if (signs.get(id) === sign) continue;
      signs.set(id, sign);
      wakeSession(due, id);
    }
    if (signs.size > (sessions?.length ?? 0))
      for (const id of signs.keys()) if (index.session(id) === null) signs.delete(id);
  };

  const changeScope = (due: Due, before: ConsulView, now: ConsulView) => {
    apart(before.unread ?? noPrefixes, now.unread ?? noPrefixes, (prefix) => due.semaphores.add(prefix));
    apart(before.ended ?? noSessionIds, now.ended ?? noSessionIds, (id) => wakeReaders(due, id));
    const isRuled = before.enforcesKeyRule === now.enforcesKeyRule;
    if (!isRuled || !same(before.roots, now.roots))
      for (const prefix of folders.prefixes()) due.semaphores.add(prefix);
    if (!isRuled) for (const { key } of world.locks) due.locks.add(key);
  };

  const changeSightings = (due: Due, { sightings: before }: ConsulView, now: ConsulView) => {
    const { sightings } = now;
    const { touched } = sightings;
    if (touched !== undefined && sightings.look === (before.look ?? 0) + 1) {
      for (const name of touched) {
        due.locks.add(name);
        due.semaphores.add(name);
      }
      return;
    }
    // A look is missing, so anything may have changed.
    for (const list of listsOf(now)) for (const { key } of list) due.locks.add(key);
    for (const { row } of sightings.delayedWithoutEntry) due.locks.add(row.key);
    for (const { key } of world.locks) due.locks.add(key);
    for (const prefix of folders.prefixes()) due.semaphores.add(prefix);
    for (const { id } of world.sessions) due.sessions.add(id);
  };

  const forget = (kind: Reader['kind'], name: string) => {
    const reader = readers[kind].get(name);
    if (reader !== undefined) reads.forget(reader);
    readers[kind].delete(name);
  };

  /** The subject made again, or `was` if nothing changed. */
  const remade = function* <T extends Lock | Semaphore>(
    was: T | null,
    { kind, name, owner = null }: Pick<Reader, 'kind' | 'name'> & { readonly owner?: string | null },
    make: (tracked: ViewIndex) => Steps<T>,
  ): Steps<T> {
    const reader = readers[kind].get(name) ?? { kind, name, read: [] };
    const fresh = yield* reads.noting(reader, owner, make);
    if (reader.read.length > 0) readers[kind].set(name, reader);
    else readers[kind].delete(name);
    return was !== null && same(was, fresh) && sameBasis(was, fresh) ? was : fresh;
  };

  const makeSemaphore = function* (due: Due, prefix: string, was: Semaphore | null): Steps<Semaphore | null> {
    const entries = folders.entries(prefix);
    // An entry of a semaphore is no lock, and vice versa.
    const flags = entries === null ? undefined : (entries.coordination?.flags ?? null);
    if (coordinated.get(prefix) !== flags) for (const key of folders.keys(prefix)) due.locks.add(key);
    if (entries === null || flags === undefined) {
      coordinated.delete(prefix);
      forget('semaphore', prefix);
      return null;
    }
    coordinated.set(prefix, flags);
    const make = (tracked: ViewIndex) => semaphore(tracked, entries);
    return yield* remade(was, { kind: 'semaphore', name: prefix }, make);
  };

  const makeLock = function* (
    key: string,
    delayed: ReadonlyMap<string, Delayed>,
    was: Lock | null,
  ): Steps<Lock | null> {
    const rows = index.rowsAt(key).filter((row) => !folders.takes(row) && isLock(index, row));
    // Two keys that differ only in bytes outside of UTF-8 have one name here.
    const row = rows.find(({ session }) => session !== null) ?? rows.at(-1);
    const without = delayed.get(key) ?? null;
    if (row === undefined && without === null) {
      forget('lock', key);
      return null;
    }
    const make = function* (tracked: ViewIndex): Steps<Lock> {
      yield noted;
      return row === undefined ? lockWithoutEntry(tracked, without as Delayed) : lock(tracked, row);
    };
    return yield* remade(was, { kind: 'lock', name: row?.key ?? key, owner: row?.session ?? null }, make);
  };

  const makeSession = (id: string): Session | null => {
    const known = index.session(id);
    if (known === null) return null;
    const { row, nodeStatus, checks } = known;
    const fresh: Session = {
      source: sourceIn(index),
      id: row.id,
      name: row.name,
      node: row.node,
      ttlMs: row.ttlMs,
      behavior: row.behavior,
      lockDelayMs: row.lockDelayMs,
      checks,
      nodeStatus,
      holds: possessions.holds(id),
      wants: possessions.wants(id),
      since: index.view.sightings.sessionSince(row.id) ?? { atMs: 0, basis: 'at-least' },
      createIndex: row.createIndex,
    };
    const was = find(world.sessions, id, idOf);
    return was !== undefined && same(was, fresh) ? was : fresh;
  };

  const whatIsDue = function* (view: ConsulView): Steps<Due> {
    const before = index.view;
    const due: Due = { locks: new Set(), semaphores: new Set(), sessions: new Set() };
    const differences = yield* index.take(view);
    yield* changeRows(due, differences.rows);
    changeSessions(due, differences.sessions);
    changeRenewals(due, view);
    changeScope(due, before, view);
    changeSightings(due, before, view);
    return due;
  };

  return function* (view) {
    const due = yield* whatIsDue(view);
    const changed = {
      semaphores: new Map<string, Semaphore | null>(),
      locks: new Map<string, Lock | null>(),
      sessions: new Map<string, Session | null>(),
    };
    const isDue = (id: string) => due.sessions.add(id);
    for (const prefix of due.semaphores) {
      const was = find(world.semaphores, prefix, prefixOf) ?? null;
      const now = yield* makeSemaphore(due, prefix, was);
      yield 1 + (now?.recorded ?? 0) + (now?.waiters.length ?? 0);
      if (was === now) continue;
      changed.semaphores.set(prefix, now);
      possessions.semaphore(was, now, isDue);
    }
    const delayed = new Map(view.sightings.delayedWithoutEntry.map((one) => [one.row.key, one]));
    for (const key of due.locks) {
      const was = find(world.locks, key, keyOf) ?? null;
      const now = yield* makeLock(key, delayed, was);
      yield now === null ? noted : 1;
      if (was === now) continue;
      changed.locks.set(key, now);
      possessions.lock(was, now, isDue);
    }
    for (const id of due.sessions) {
      const now = makeSession(id);
      changed.sessions.set(id, now);
      yield 1 + noted * (now?.holds.length ?? 0);
    }
    world = {
      locks: withRows(world.locks, changed.locks, keyOf),
      semaphores: withRows(world.semaphores, changed.semaphores, prefixOf),
      sessions: withRows(world.sessions, changed.sessions, idOf),
      scope: view.roots.includes('') && view.isWhole !== false ? 'whole' : 'part',
    };
    return world;
  };
}

/** Recognises one view. Lists are sorted by key, prefix and id, in code unit order. */
export function recognise(view: ConsulView): World {
  return createRecogniser()(view);
}
