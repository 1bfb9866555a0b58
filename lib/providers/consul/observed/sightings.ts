/**
 * Events that Signalbox saw and Consul does not store: the start of holds, waits and sessions, lock-delays, changes of
 * hands, and limit changes. The memory starts over with the process and marks such instants (`at-least`, or `null`).
 * Each look updates it by the differences from the last look.
 */

import type { LockDelay, Since, Turnover } from '@/lib/domain/model';
import { finish, type Steps } from '@/lib/domain/sliced-work';
import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import {
  type ChangedRow,
  changingRows,
  listsOf,
  noted,
  type RowLists,
  rowAt,
  rowsIn,
  shownRow,
} from '@/lib/providers/consul/rows/changed-rows';
import { coordinationName, isSessionId, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { reading } from '@/lib/providers/consul/rows/folders';
import { noteLocker, type Remembered } from '@/lib/providers/consul/rows/remembered';
import { missEntry, missHolders, type RecordedSlots } from './absent-entries';
import { type LimitChange, type LimitChanges, limitChangesAfter, type Moved } from './limit-change';
import { type Delayed, delaysAfter } from './lock-delay';
import type { Look } from './look';
import { adoptOrphans, type Orphans, takeInOrphans } from './orphans';
import { heldBefore, type KeyHold, slotsBefore, type WatchHistory } from './server-history';
import { acquisitions, createTurnovers, type Turnovers } from './turnover';

export interface Sightings extends Remembered {
  /** `null`: no known lock-delay. */
  delay(key: string): LockDelay | null;
  /** Deleted keys under a lock-delay, sorted by key. */
  readonly delayedWithoutEntry: readonly Delayed[];
  /** A session has locked this key since the watch began. */
  wasLock(key: string): boolean;
  /** `name`: a lock's key, or a semaphore's prefix without slash. */
  turnover(name: string): Turnover | null;
  /** Set when the limit of its semaphore changed while this contender entry waited. */
  limitChange(entryKey: string): LimitChange | null;
  /** Keys and prefixes whose answers changed although none of their rows did: a delay ended, a count fell. */
  readonly touched?: ReadonlySet<string>;
  readonly look?: number;
}

interface Memory {
  list: RowLists;
  /** Keys that were seen locked, each with its present holder; `null`: free. */
  readonly locks: Map<string, KeyHold | null>;
  /** The keys of `locks` named after another session than their present or last locker. */
  readonly misnamed: Set<string>;
  /** The slots by prefix, without slash. */
  readonly slots: Map<string, RecordedSlots>;
  readonly orphans: Orphans;
  /** Absent entries of recorded holders, by key with their prefix: released, dead, or unreadable. */
  readonly missed: Map<string, string>;
  readonly foreign: Map<string, RecordedSlots['holders']>;
  readonly turnovers: Turnovers;
  sessionList: readonly SessionRow[] | null;
  sessions: ReadonlyMap<string, { readonly row: SessionRow; readonly since: Since }> | null;
  delayed: ReadonlyMap<string, Delayed>;
  delayedWithoutEntry: readonly Delayed[];
  limitChanges: LimitChanges;
  endsSeenSinceMs: number | null;
  looks: number;
}

/** The next look mutates this state, so these answers change with it. */
export interface Observed extends Sightings {
  readonly memory: Memory;
  /** Absent entries of recorded holders, by key with their prefix. */
  readonly missed: ReadonlyMap<string, string>;
  /** Unlisted sessions recorded under other flags than Go's. */
  readonly unlisted: () => ReadonlySet<string>;
  /** As `unlisted`, in steps. */
  readonly unlisting: () => Steps<ReadonlySet<string>>;
  readonly touched: ReadonlySet<string>;
  readonly look: number;
  /** The instant since which no end of a session was missed; `null`: the session list cannot be read. */
  readonly endsSeenSinceMs: number | null;
  /** The instant of the next look without news from Consul, when a lock-delay ends or a turnover falls. */
  readonly wakeAtMs: number | null;
}

const emptyMemory = (): Memory => ({
  list: [],
  locks: new Map(),
  misnamed: new Set(),
  slots: new Map(),
  orphans: new Map(),
  missed: new Map(),
  foreign: new Map(),
  turnovers: createTurnovers(),
  sessionList: null,
  sessions: null,
  delayed: new Map(),
  delayedWithoutEntry: [],
  limitChanges: new Map(),
  endsSeenSinceMs: null,
  looks: 0,
});

interface RowChanges {
  /** The number of holds that began, by name. */
  readonly moved: ReadonlyMap<string, number>;
  readonly limits: readonly Moved[];
  /** Names whose subject is gone. Another subject may take the name, and its count starts over. */
  readonly gone: readonly string[];
}

const prefixOf = (key: string) =>
  key.endsWith(`/${coordinationName}`) ? key.slice(0, -coordinationName.length - 1) : null;

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function slotsOf(
  row: KvRow,
  before: RecordedSlots | undefined,
  sinceOf: (id: string) => Since,
): RecordedSlots {
  const { holders, coordination } = reading(row);
  // A map with other flags belongs to a client that may accept the stored limit.
  const ofGo = coordination?.shape === 'map' && row.flags === semaphoreFlags;
  return {
    holders: new Map((holders ?? []).map((id) => [id, before?.holders.get(id) ?? sinceOf(id)])),
    limit: ofGo ? coordination.limit : null,
  };
}

/**
 * Takes in the changed rows. `memory.list` already belongs to this look. `elder`: knows entries that existed before.
 */
function* takeIn(
  memory: Memory,
  changed: readonly ChangedRow[],
  fresh: Since,
  elder: WatchHistory | null,
): Steps<RowChanges> {
  const { list, slots, missed, foreign, locks, turnovers } = memory;
  const gone: string[] = [];
  const forget = (name: string) => {
    turnovers.gone(name);
    gone.push(name);
  };
  const isFirst = memory.looks === 0;
  const moved = new Map<string, number>();
  const limits: Moved[] = [];
  const lockedNow = new Map<string, KeyHold>();
  const heldBy = (session: string): KeyHold => {
    const known = lockedNow.get(session);
    if (known !== undefined) return known;
    const hold = { session, since: fresh };
    lockedNow.set(session, hold);
    return hold;
  };
  const readSlots = function* (prefix: string, row: KvRow): Steps<void> {
    const before = slots.get(prefix);
    const known = slotsBefore(elder, prefix, row);
    const now = slotsOf(row, before, (id) => known?.get(id) ?? fresh);
    slots.set(prefix, now);
    if (row.flags === semaphoreFlags) foreign.delete(prefix);
    else foreign.set(prefix, now.holders);
    // The cost of parsing the entry.
    yield now.holders.size;
    yield* missHolders(memory, prefix, before, now);
    let began = 0;
    for (const id of now.holders.keys()) if (before?.holders.has(id) !== true) began += 1;
    if (began > 0) moved.set(prefix, began);
    const [from, to] = [before?.limit ?? null, now.limit];
    if (from !== null && to !== null && from !== to) limits.push({ prefix, from, to, atMs: fresh.atMs });
  };
  for (const { key, before, after } of changed) {
    yield noted;
    const now = after.at(-1);
    const shown = shownRow(after);
    const session = shown?.session ?? null;
    const prefix = prefixOf(key);
    if (now === undefined) {
      locks.delete(key);
      memory.misnamed.delete(key);
      // A lock and a semaphore may share this name and its count.
      if (!slots.has(key)) forget(key);
      missEntry(memory, key);
    } else missed.delete(key);
    // The same session may have released and taken the lock again between two looks, which the lock index shows.
    const isTaken =
      locks.get(key)?.session !== session ||
      (before.length > 0 && shown === now && shown !== undefined && acquisitions(before.at(-1), shown) > 0);
    if (shown !== undefined && session !== null && isTaken)
      locks.set(key, heldBefore(elder, shown) ?? heldBy(session));
    else if (session === null && locks.has(key)) locks.set(key, null);
    if (session !== null) noteLocker(memory.misnamed, key, session);
    if (prefix !== null && now?.session === null) yield* readSlots(prefix, now);
    else {
      if (prefix !== null && slots.has(prefix)) {
        yield* missHolders(memory, prefix, slots.get(prefix), null);
        slots.delete(prefix);
        foreign.delete(prefix);
        if (rowAt(list, prefix) === undefined) forget(prefix);
      }
      if (now === undefined || isFirst || key.endsWith(`/${now.session}`)) continue;
      const times = acquisitions(before.at(-1), now);
      if (times > 0) moved.set(key, times);
    }
  }
  return { moved, limits, gone };
}

/** The sessions after one more look; the same map for the same list. */
function sessionsAfter(
  memory: Memory,
  list: readonly SessionRow[] | null,
  sinceOf: (id: string) => Since,
): Memory['sessions'] {
  if (list === null || list === memory.sessionList) return list === null ? null : memory.sessions;
  return new Map(
    list.map((row) => [row.id, { row, since: memory.sessions?.get(row.id)?.since ?? sinceOf(row.id) }]),
  );
}

function differing<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  onChange: (name: string) => void,
) {
  if (a === b) return;
  for (const [name, value] of a) if (b.get(name) !== value) onChange(name);
  for (const name of b.keys()) if (!a.has(name)) onChange(name);
}

/**
 * The sightings after one more look. Consumes `previous`, which is `null` for the first. The cost depends on the
 * changes. Only an ended session or a changed limit requires a walk over the rows.
 */
export const observe = (previous: Observed | null, look: Look): Observed => finish(observing(previous, look));

/** As `observe`, in steps. */
export function* observing(previous: Observed | null, look: Look): Steps<Observed> {
  const { nowMs, afterGap } = look;
  const memory = previous?.memory ?? emptyMemory();
  const basis: Since['basis'] = previous === null || afterGap ? 'at-least' : 'observed';
  const fresh: Since = { atMs: nowMs, basis };
  // After this look, each watch sees new entries itself.
  const elder = basis === 'at-least' ? (look.elder ?? null) : null;
  const touched = new Set<string>();
  const touch = (name: string) => touched.add(name);

  const before = {
    lists: memory.list,
    sessions: look.sessions === memory.sessionList ? null : memory.sessions,
  };
  memory.list = listsOf(look);
  const changed = yield* changingRows(before.lists, memory.list);
  /** Walked only when a session has ended or a limit has changed. */
  const rows = rowsIn(before.lists);
  const { list, locks, slots, turnovers } = memory;
  const at = (key: string) => rowAt(list, key);
  const { moved, limits, gone } = yield* takeIn(memory, changed, fresh, elder);
  yield* takeInOrphans(memory.orphans, changed, before.lists, at);
  if (elder !== null) adoptOrphans(memory.orphans, elder.orphans, at, touch);
  gone.forEach(touch);
  const exists = (name: string) => slots.has(name) || at(name) !== undefined;
  turnovers.add(moved, { nowMs, afterGap, exists }, touch);

  const { delayed, limitChanges } = memory;
  if (previous !== null) {
    memory.delayed = delaysAfter({ ...before, rows, delayed }, look, at);
    memory.limitChanges = limitChangesAfter(
      { rows, limitChanges },
      limits,
      at,
      (prefix, sessionId) =>
        locks.get(prefix)?.session === sessionId || slots.get(prefix)?.holders.has(sessionId) === true,
    );
  }
  differing(delayed, memory.delayed, touch);
  differing(limitChanges, memory.limitChanges, (key) => touch(key.slice(0, key.lastIndexOf('/'))));
  if (delayed !== memory.delayed || (delayed.size > 0 && changed.some(({ key }) => delayed.has(key))))
    memory.delayedWithoutEntry = [...memory.delayed.values()]
      .filter(({ row, delay }) => at(row.key) === undefined && delay.basis !== 'possible')
      .sort((a, b) => (a.row.key < b.row.key ? -1 : 1));
  // Sessions that come into view with the list may be older.
  const isListNew = memory.sessions === null;
  const freshSession: Since = isListNew ? { atMs: nowMs, basis: 'at-least' } : fresh;
  const elderSessions = (isListNew ? look.elder : elder)?.sessions;
  memory.sessions = sessionsAfter(
    memory,
    look.sessions,
    // The id of a session is never used again.
    (id) => elderSessions?.get(id)?.since ?? freshSession,
  );
  memory.sessionList = look.sessions;
  memory.endsSeenSinceMs =
    memory.sessions === null ? null : ((afterGap ? null : memory.endsSeenSinceMs) ?? nowMs);
  memory.looks += 1;
  return answers(memory, touched);
}

function* unlisting({ foreign, sessions }: Memory): Steps<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const holders of foreign.values())
    for (const id of holders.keys()) {
      if (sessions?.has(id) !== true && isSessionId(id)) ids.add(id);
      yield noted;
    }
  return ids;
}

function delayEndsMs({ delayed }: Memory): number | null {
  let endsMs: number | null = null;
  for (const { delay } of delayed.values()) endsMs = earlier(endsMs, delay.untilMs);
  return endsMs;
}

function answers(memory: Memory, touched: ReadonlySet<string>): Observed {
  const { slots, locks, turnovers } = memory;
  return {
    memory,
    missed: memory.missed,
    unlisted: () => finish(unlisting(memory)),
    unlisting: () => unlisting(memory),
    touched,
    look: memory.looks,
    endsSeenSinceMs: memory.endsSeenSinceMs,
    wakeAtMs: earlier(delayEndsMs(memory), turnovers.wakeAtMs()),
    heldSince: (name, sessionId) => {
      const lock = locks.get(name);
      return lock?.session === sessionId ? lock.since : (slots.get(name)?.holders.get(sessionId) ?? null);
    },
    waitingSince: (entryKey) => locks.get(entryKey)?.since ?? null,
    sessionSince: (id) => memory.sessions?.get(id)?.since ?? null,
    delay: (key) => memory.delayed.get(key)?.delay ?? null,
    delayedWithoutEntry: memory.delayedWithoutEntry,
    wasLock: (key) => locks.has(key),
    wasSemaphore: (prefix) => memory.orphans.has(prefix),
    wasOthersLock: (key) => memory.misnamed.has(key),
    turnover: turnovers.of,
    limitChange: (entryKey) => memory.limitChanges.get(entryKey)?.change ?? null,
  };
}
