/**
 * What Signalbox has seen happen and Consul does not store: since when a session holds, waits or exists, which keys
 * are under a lock-delay, how often things change hands, and who waited while a limit changed. Memory of one process:
 * it starts anew with it, and says so (`at-least`, or `null`).
 */
import type { LockDelay, Since, Turnover } from '@/lib/domain/model';
import { coordinationName, readCoordination, semaphoreFlags } from './coordination';
import { type LimitChange, type LimitChanges, limitChangesAfter, type Moved } from './limit-change';
import { type Delayed, delaysAfter } from './lock-delay';
import type { Look } from './look';
import { acquisitions, type Turnovers, turnoverOf, turnoversAfter, turnoverWakeMs } from './turnover';
import type { Row, SessionRow } from './wire';

/** The questions that the recogniser may ask. */
export interface Sightings {
  /** Since when this session holds this lock (a key), or a slot of this semaphore (a prefix without slash). */
  heldSince(name: string, sessionId: string): Since | null;
  /** Since when the contender entry is locked by the session that locks it now. */
  waitingSince(entryKey: string): Since | null;
  /** Since when the session has been seen; `null` for one that is not visible. */
  sessionSince(id: string): Since | null;
  /** Why Consul refuses this key; `null` when no lock-delay is known to run. */
  delay(key: string): LockDelay | null;
  /** Keys under a lock-delay that are gone, each with its entry as it was last seen locked. Sorted by key. */
  readonly delayedWithoutEntry: readonly Delayed[];
  /** A session locked this key at some time since we began to look (or locks it now). */
  wasLock(key: string): boolean;
  /** How often this lock (a key) or semaphore (a prefix without slash) changed hands lately. */
  turnover(name: string): Turnover | null;
  /** The limit of its semaphore changed while this contender entry was waiting. */
  limitChange(entryKey: string): LimitChange | null;
}

interface Slots {
  readonly row: Row;
  readonly holders: readonly string[];
  /** Of an entry with Go's flags and shape, whose clients give up when it changes; `null` for any other. */
  readonly limit: number | null;
}

/** Sightings with what the next look needs. Treat it as a value: `observe` returns a new one. */
export interface Observed extends Sightings {
  readonly rows: ReadonlyMap<string, Row>;
  readonly held: ReadonlyMap<string, Since>;
  readonly sessions: ReadonlyMap<string, { readonly row: SessionRow; readonly since: Since }> | null;
  readonly slots: ReadonlyMap<string, Slots>;
  readonly delayed: ReadonlyMap<string, Delayed>;
  readonly locks: ReadonlySet<string>;
  readonly turnovers: Turnovers;
  readonly limitChanges: LimitChanges;
  /** Since when no end of a session was missed; `null`: the list of sessions cannot be read. */
  readonly endsSeenSinceMs: number | null;
  /** When to look again, although Consul will say nothing: a lock-delay is over, or a turnover has fallen. */
  readonly wakeAtMs: number | null;
}

const pair = (name: string, sessionId: string) => `${name}\u0000${sessionId}`;

function slotsOf(row: Row, before: Observed | null): Slots {
  const known = before?.slots.get(row.key);
  // Rows keep their identity while they do not change, so each coordination entry is parsed once.
  if (known?.row === row) return known;
  const { holders, coordination } = readCoordination(row.value);
  // A map with other flags is somebody else's, who may well take the stored limit as it comes.
  const ofGo = coordination?.shape === 'map' && row.flags === semaphoreFlags;
  return { row, holders: holders ?? [], limit: ofGo ? coordination.limit : null };
}

/** The earlier of two instants that may not be. */
function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** What is known after one more look. Pure; costs one pass over the rows. `previous` is `null` for the first. */
export function observe(previous: Observed | null, look: Look): Observed {
  const { nowMs, afterGap } = look;
  const basis: Since['basis'] = previous === null || afterGap ? 'at-least' : 'observed';
  const fresh: Since = { atMs: nowMs, basis };
  const rows = new Map<string, Row>();
  const held = new Map<string, Since>();
  const slots = new Map<string, Slots>();
  const locks = new Set<string>();
  const moved = new Map<string, number>();
  const limits: Moved[] = [];
  /** True when the session was not known to hold it. */
  const keep = (name: string, sessionId: string): boolean => {
    const id = pair(name, sessionId);
    const since = previous?.held.get(id);
    held.set(id, since ?? fresh);
    return since === undefined;
  };
  const readSlots = (row: Row) => {
    const entry = slotsOf(row, previous);
    const before = previous?.slots.get(row.key);
    slots.set(row.key, entry);
    const prefix = row.key.slice(0, -coordinationName.length - 1);
    let began = 0;
    for (const sessionId of entry.holders) if (keep(prefix, sessionId)) began += 1;
    if (began > 0) moved.set(prefix, began);
    const [from, to] = [before?.limit ?? null, entry.limit];
    if (from !== null && to !== null && from !== to) limits.push({ prefix, from, to, atMs: nowMs });
  };
  for (const row of look.rows) {
    rows.set(row.key, row);
    const before = previous?.rows.get(row.key);
    if (row.session !== null) {
      locks.add(row.key);
      keep(row.key, row.session);
    } else if (previous?.locks.has(row.key)) locks.add(row.key);
    if (row.session === null && row.key.endsWith(`/${coordinationName}`)) readSlots(row);
    else if (previous !== null && row !== before && !row.key.endsWith(`/${row.session}`)) {
      const times = acquisitions(before, row);
      if (times > 0) moved.set(row.key, times);
    }
  }
  const sessions =
    look.sessions === null
      ? null
      : new Map(
          look.sessions.map((row) => [
            row.id,
            { row, since: previous?.sessions?.get(row.id)?.since ?? fresh },
          ]),
        );
  const delayed = previous === null ? new Map<string, Delayed>() : delaysAfter(previous, look, rows);
  const turnovers = turnoversAfter(previous?.turnovers ?? null, moved, {
    nowMs,
    afterGap,
    exists: (name) => rows.has(name) || slots.has(`${name}/${coordinationName}`),
  });
  const holds = (prefix: string, sessionId: string) => held.has(pair(prefix, sessionId));
  const limitChanges: LimitChanges =
    previous === null ? new Map() : limitChangesAfter(previous, limits, rows, holds);
  let delayEndsMs: number | null = null;
  for (const { delay } of delayed.values()) delayEndsMs = earlier(delayEndsMs, delay.untilMs);
  return {
    rows,
    held,
    sessions,
    slots,
    delayed,
    locks,
    turnovers,
    limitChanges,
    endsSeenSinceMs: sessions === null ? null : ((afterGap ? null : previous?.endsSeenSinceMs) ?? nowMs),
    wakeAtMs: earlier(delayEndsMs, turnoverWakeMs(turnovers, nowMs)),
    heldSince: (name, sessionId) => held.get(pair(name, sessionId)) ?? null,
    waitingSince: (entryKey) => {
      const sessionId = rows.get(entryKey)?.session ?? null;
      return sessionId === null ? null : (held.get(pair(entryKey, sessionId)) ?? null);
    },
    sessionSince: (id) => sessions?.get(id)?.since ?? null,
    delay: (key) => delayed.get(key)?.delay ?? null,
    delayedWithoutEntry: [...delayed.values()]
      .filter(({ row, delay }) => !rows.has(row.key) && delay.basis !== 'possible')
      .sort((a, b) => (a.row.key < b.row.key ? -1 : 1)),
    wasLock: (key) => locks.has(key),
    turnover: (name) => turnoverOf(turnovers, name, nowMs),
    limitChange: (entryKey) => limitChanges.get(entryKey)?.change ?? null,
  };
}
