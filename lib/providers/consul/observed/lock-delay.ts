/**
 * Which keys are under a lock-delay. Derived, never probed: only an invalidation sets one. Ending a session frees (or
 * deletes) its keys in the same Raft entry, while a release leaves the session alive. Between two looks, indexes
 * distinguish that from a client that releases and at once destroys its session.
 *
 * The delay belongs to the key's name: it outlives the key, and ends only by time. Authority: Consul's state store
 * (`deleteSessionTxn`, agent/consul/state/delay.go) and `kvsPreApply`.
 */

import type { LockDelay } from '@/lib/domain/model';
import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Look } from './look';

/** `row`: the entry as last seen locked, the only record of the owner once it is deleted. */
export interface Delayed {
  readonly delay: LockDelay;
  readonly row: KvRow;
}

export interface Before {
  /** In order. */
  readonly rows: Iterable<KvRow>;
  readonly sessions: ReadonlyMap<string, { readonly row: SessionRow }> | null;
  readonly delayed: ReadonlyMap<string, Delayed>;
}

/** Each lasts at most 60 s, so more mean a mass expiry that no operator reads. */
const delaysMax = 20_000;
/** Patroni and consul-template ask for 1 ms: it ends before an operator can read it. */
const shownMsMin = 100;

/**
 * An entry that no other client asks for: a semaphore contender's, or one named after its session that is gone. While
 * the latter exists it may be a lock, and must not show as free.
 */
function isPrivate(row: KvRow, now: KvRow | undefined): boolean {
  return row.flags === semaphoreFlags || (now === undefined && row.key.endsWith(`/${row.session}`));
}

/**
 * Whether the end of its session freed the key, both in one Raft entry. The list's index names the last event only. If
 * several sessions came or went between the looks, the delay is assumed: showing a refused key as free is the worse
 * mistake. If only this session ended, a later index is mostly its own end right after a release; with more than one
 * entry between, a delay stays possible.
 */
function basisOf(
  now: KvRow | undefined,
  look: Look,
  ended: SessionRow,
  changes: number,
): LockDelay['basis'] | null {
  const { sessionsIndex } = look;
  // Its holder had no time to release.
  const here = look.ends?.has(ended.id) === true ? 'likely' : null;
  if (now === undefined) {
    if (ended.behavior !== 'delete') return here;
    return sessionsIndex !== null && look.rowsIndexes.includes(sessionsIndex) ? 'seen' : 'likely';
  }
  if (now.session !== null) return null;
  if (sessionsIndex === null) return 'likely';
  if (now.modifyIndex === sessionsIndex) return 'seen';
  if (here !== null) return here;
  const between = BigInt(sessionsIndex) - BigInt(now.modifyIndex);
  if (between < 0n) return null;
  return changes > 1 ? 'likely' : between > 1n ? 'possible' : null;
}

/** `null`: no end was seen. */
function endedSince(before: Before, look: Look) {
  if (look.afterGap || look.sessions === null || before.sessions === null) return null;
  const known = before.sessions;
  const alive = new Set(look.sessions.map((session) => session.id));
  const ended = new Map<string, SessionRow>();
  for (const { row } of known.values()) if (!alive.has(row.id)) ended.set(row.id, row);
  if (ended.size === 0) return null;
  return { ended, changes: ended.size + look.sessions.filter((session) => !known.has(session.id)).length };
}

/** The running delays after one more look; the same map if they are the same. Pure. */
export function delaysAfter(
  before: Before,
  look: Look,
  rowAt: (key: string) => KvRow | undefined,
): ReadonlyMap<string, Delayed> {
  const isOver = ([key, { delay, row }]: [string, Delayed]) => {
    const now = rowAt(key);
    return delay.untilMs <= look.nowMs || (now?.session ?? null) !== null || isPrivate(row, now);
  };
  const running = [...before.delayed].filter((one) => !isOver(one));
  const since = endedSince(before, look);
  if (since === null && running.length === before.delayed.size) return before.delayed;
  const delayed = new Map(running);
  if (since === null) return delayed;
  for (const row of before.rows) {
    const session = row.session === null ? undefined : since.ended.get(row.session);
    if (session === undefined || session.lockDelayMs < shownMsMin) continue;
    const now = rowAt(row.key);
    if (isPrivate(row, now)) continue;
    if (delayed.size >= delaysMax) break;
    const basis = basisOf(now, look, session, since.changes);
    if (basis === null) continue;
    const delay: LockDelay = {
      sessionId: session.id,
      sessionName: session.name,
      node: session.node,
      seenAtMs: look.nowMs,
      lengthMs: session.lockDelayMs,
      untilMs: look.nowMs + session.lockDelayMs,
      basis,
    };
    delayed.set(row.key, { delay, row });
  }
  return delayed;
}
