/**
 * Finds the keys under a lock-delay. This is derived, never probed, because only an invalidation sets a lock-delay. The
 * end of a session frees (or deletes) its keys in the same Raft entry, while a release leaves the session alive.
 * Between two looks, indexes distinguish that end from a client that releases and at once destroys its session.
 *
 * The delay belongs to the name of the key. It outlives the key, and ends only by time. Authority: Consul's state store
 * (`deleteSessionTxn`, agent/consul/state/delay.go) and `kvsPreApply`.
 */

import type { LockDelay } from '@/lib/domain/model';
import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Look } from './look';

/** A lock-delay. `row`: the entry as last seen locked, the only record of the owner once it is deleted. */
export interface Delayed {
  readonly delay: LockDelay;
  readonly row: KvRow;
}

export interface Before {
  /** Sorted by key. */
  readonly rows: Iterable<KvRow>;
  readonly sessions: ReadonlyMap<string, { readonly row: SessionRow }> | null;
  readonly delayed: ReadonlyMap<string, Delayed>;
}

/** Most delays. Each lasts at most 60 s, so more mean a mass expiry. */
const delaysMax = 20_000;
/** Shorter delays end before an operator can read them. Patroni and consul-template ask for 1 ms. */
const shownMsMin = 100;

/**
 * True for an entry that no other client takes: a semaphore contender's, or an absent one with the name of its session.
 * A present one may be a lock, and must not show as free.
 */
function isPrivate(row: KvRow, now: KvRow | undefined): boolean {
  return row.flags === semaphoreFlags || (now === undefined && row.key.endsWith(`/${row.session}`));
}

/**
 * The evidence that the end of its session freed the key, both in one Raft entry; `null`: none. The list's index names
 * only the last event.
 *
 * If several sessions came or went between the looks, the delay is assumed, because a refused key that shows as free is
 * the worse mistake. If only this session ended, a later index is mostly its own end right after a release. With more
 * than one entry between, a delay stays possible.
 */
function basisOf(
  now: KvRow | undefined,
  look: Look,
  ended: SessionRow,
  changes: number,
): LockDelay['basis'] | null {
  const { sessionsIndex } = look;
  // Signalbox ended this session, so its holder had no time to release.
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

/** The sessions that ended between the looks; `null`: none was seen to end. */
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
