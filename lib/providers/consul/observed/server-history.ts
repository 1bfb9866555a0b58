/**
 * Knowledge of the server's own watch from before a sign-in. A user's watch begins with its first viewer, and alone
 * would date everything to that moment.
 *
 * It answers only about rows and sessions that the token has read. An age describes the row as the token sees it, so a
 * row that the server has not read yet, or no longer reads, has none.
 */

import type { Since } from '@/lib/domain/model';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { type RowLists, rowAt } from '@/lib/providers/consul/rows/changed-rows';

/** Written by the watch of the server's own credential, and read by the others. */
export interface ServerHistory {
  /** `null` before its first look. */
  seen: WatchHistory | null;
  /** `null`: unknown. A token without the right to read the agent takes the datacenter from here. */
  datacenter: string | null;
  /** Epoch milliseconds; `null`: never. */
  restoredAtMs: number | null;
}

export interface WatchHistory {
  readonly list: RowLists;
  /** Keys that were seen locked, each with its present holder; `null`: free. */
  readonly locks: ReadonlyMap<string, KeyHold | null>;
  /** The slots by prefix (without slash), then by session. */
  readonly slots: ReadonlyMap<string, { readonly holders: ReadonlyMap<string, Since> }>;
  /** Semaphores whose coordination entry was seen to go, with the contender entries left. */
  readonly orphans: ReadonlyMap<string, ReadonlySet<string>>;
  /** `null`: the session list cannot be read. */
  readonly sessions: ReadonlyMap<string, { readonly since: Since }> | null;
}

/** The hold of a key. Keys that a session locked by one look share one object. */
export interface KeyHold {
  readonly session: string;
  readonly since: Since;
}

export const createServerHistory = (): ServerHistory => ({
  seen: null,
  datacenter: null,
  restoredAtMs: null,
});

/**
 * True when this row was seen in this state or a later one. A later one may describe a later hold, so an instant may be
 * too late but never too early.
 */
function hasSeen({ list }: WatchHistory, { key, modifyIndex }: KvRow): boolean {
  const recorded = rowAt(list, key);
  return recorded !== undefined && BigInt(recorded.modifyIndex) >= BigInt(modifyIndex);
}

/** The hold of this row; `null` if another session holds it there, or it was not seen. */
export function heldBefore(seen: WatchHistory | null, row: KvRow): KeyHold | null {
  const hold = seen?.locks.get(row.key) ?? null;
  return seen !== null && hold?.session === row.session && hasSeen(seen, row) ? hold : null;
}

/** The earlier slots, by session. */
export function slotsBefore(
  seen: WatchHistory | null,
  prefix: string,
  row: KvRow,
): ReadonlyMap<string, Since> | undefined {
  return seen !== null && hasSeen(seen, row) ? seen.slots.get(prefix)?.holders : undefined;
}
