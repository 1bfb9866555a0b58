/**
 * What Signalbox has seen happen and Consul does not store: since when a session holds, waits or exists, and which
 * keys are under a lock-delay. Memory of one process: it starts anew with it, and says so (`at-least`).
 *
 * A lock-delay is derived, never probed. Only an invalidation sets one: destroying a session frees its keys in the
 * same Raft entry, while a release leaves the session alive. A client that releases and then destroys its session
 * at once looks alike between two looks; the indexes tell the two apart (`invalidated`).
 */
import type { Since } from '@/lib/domain/model';
import { coordinationName, readCoordination } from './coordination';
import type { Row, SessionRow } from './wire';

/** The questions that the recogniser may ask. */
export interface Sightings {
  /** Since when this session holds this lock (a key), or a slot of this semaphore (a prefix without slash). */
  heldSince(name: string, sessionId: string): Since | null;
  /** Since when the contender entry is locked by the session that locks it now. */
  waitingSince(entryKey: string): Since | null;
  /** Since when the session has been seen; `null` for one that is not visible. */
  sessionSince(id: string): Since | null;
  /** Until when Consul refuses this key, in epoch milliseconds; `null` when no lock-delay is known to run. */
  delayedUntilMs(key: string): number | null;
  /** A session locked this key at some time since we began to look (or locks it now). */
  wasLock(key: string): boolean;
}

/** One look at everything in view. */
export interface Look {
  /** Sorted by key. */
  readonly rows: readonly Row[];
  /** `null`: the session list could not be read; then no lock-delay can be derived. */
  readonly sessions: readonly SessionRow[] | null;
  /** Index of the session list: the Raft entry that last created or ended a session. `null`: not known. */
  readonly sessionsIndex: string | null;
  readonly nowMs: number;
  /** The first look, or the first one after an outage: what is new may have been there for longer. */
  readonly afterGap: boolean;
}

interface Slots {
  readonly row: Row;
  readonly holders: readonly string[];
}

/** Sightings with what the next look needs. Treat it as a value: `observe` returns a new one. */
export interface Observed extends Sightings {
  readonly locked: ReadonlyMap<string, string>;
  readonly held: ReadonlyMap<string, Since>;
  readonly sessions: ReadonlyMap<string, { readonly row: SessionRow; readonly since: Since }> | null;
  readonly sessionsIndex: string | null;
  readonly slots: ReadonlyMap<string, Slots>;
  readonly delays: ReadonlyMap<string, number>;
  readonly locks: ReadonlySet<string>;
  /** When the first of the lock-delays ends: the world changes then without a word from Consul. */
  readonly nextDelayEndMs: number | null;
}

/** Most lock-delays remembered. Each lasts 60 s at the longest, so more mean a mass expiry that nobody reads. */
const delaysMax = 20_000;

const pair = (name: string, sessionId: string) => `${name}\u0000${sessionId}`;

function holdersOf(row: Row, before: Observed | null): Slots {
  const known = before?.slots.get(row.key);
  // Rows keep their identity while they do not change, so each coordination entry is parsed once.
  if (known?.row === row) return known;
  return { row, holders: readCoordination(row.value).holders ?? [] };
}

/**
 * Whether a key that lost its session was freed by the end of that session. The entry of the session's end and the
 * one that freed the key are one and the same then, so the indexes are equal. When several sessions came or went
 * between the two looks, the list's index names the last of these events only, and the benefit of the doubt goes
 * to the delay: to call a key free that Consul refuses is the worse mistake.
 */
function invalidated(row: Row, look: Look, sessionChanges: number): boolean {
  if (look.sessionsIndex === null || row.modifyIndex === look.sessionsIndex) return true;
  return sessionChanges > 1 && BigInt(row.modifyIndex) < BigInt(look.sessionsIndex);
}

function delaysAfter(before: Observed, look: Look, rowOf: ReadonlyMap<string, Row>): Map<string, number> {
  const delays = new Map([...before.delays].filter(([, untilMs]) => untilMs > look.nowMs));
  for (const row of rowOf.values()) if (row.session !== null) delays.delete(row.key);
  if (look.afterGap || look.sessions === null || before.sessions === null) return delays;

  const alive = new Set(look.sessions.map((session) => session.id));
  const ended = [...before.sessions.values()].filter(({ row }) => !alive.has(row.id));
  if (ended.length === 0) return delays;
  const known = before.sessions;
  const began = look.sessions.filter((session) => !known.has(session.id)).length;
  const delayOf = new Map(ended.map(({ row }) => [row.id, row]));
  for (const [key, sessionId] of before.locked) {
    const session = delayOf.get(sessionId);
    if (session === undefined || session.lockDelayMs <= 0 || delays.size >= delaysMax) continue;
    const row = rowOf.get(key);
    const freed =
      row === undefined
        ? session.behavior === 'delete'
        : row.session === null && invalidated(row, look, ended.length + began);
    if (freed) delays.set(key, look.nowMs + session.lockDelayMs);
  }
  return delays;
}

/** What is known after one more look. Pure; costs one pass over the rows. `previous` is `null` for the first. */
export function observe(previous: Observed | null, look: Look): Observed {
  const basis: Since['basis'] = previous === null || look.afterGap ? 'at-least' : 'observed';
  const fresh: Since = { atMs: look.nowMs, basis };
  const rowOf = new Map<string, Row>();
  const locked = new Map<string, string>();
  const held = new Map<string, Since>();
  const slots = new Map<string, Slots>();
  const locks = new Set<string>();
  const keep = (name: string, sessionId: string) => {
    const id = pair(name, sessionId);
    held.set(id, previous?.held.get(id) ?? fresh);
  };
  for (const row of look.rows) {
    rowOf.set(row.key, row);
    if (row.session !== null) {
      locked.set(row.key, row.session);
      locks.add(row.key);
      keep(row.key, row.session);
    } else if (previous?.locks.has(row.key)) locks.add(row.key);
    if (row.session === null && row.key.endsWith(`/${coordinationName}`)) {
      const entry = holdersOf(row, previous);
      slots.set(row.key, entry);
      const prefix = row.key.slice(0, -coordinationName.length - 1);
      for (const sessionId of entry.holders) keep(prefix, sessionId);
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
  const delays = previous === null ? new Map<string, number>() : delaysAfter(previous, look, rowOf);
  const ends = [...delays.values()];
  return {
    locked,
    held,
    sessions,
    sessionsIndex: look.sessionsIndex,
    slots,
    delays,
    locks,
    nextDelayEndMs: ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b)),
    heldSince: (name, sessionId) => held.get(pair(name, sessionId)) ?? null,
    waitingSince: (entryKey) => {
      const sessionId = locked.get(entryKey);
      return sessionId === undefined ? null : (held.get(pair(entryKey, sessionId)) ?? null);
    },
    sessionSince: (id) => sessions?.get(id)?.since ?? null,
    delayedUntilMs: (key) => delays.get(key) ?? null,
    wasLock: (key) => locks.has(key),
  };
}
