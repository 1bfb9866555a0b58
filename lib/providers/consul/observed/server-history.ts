/**
 * What the server's own watch knows from before somebody signed in. The watch of their token begins with its first viewer, so
 * all that it could say by itself is that everything has been there for some seconds; the server has seen for longer.
 *
 * It is asked only about rows and sessions that the token has read itself: since when they are so, and whether they contend for a
 * semaphore whose entry is gone. The former is said of the row as the token sees it: of a row that the server has not read yet, or
 * not any more, nothing is known from it.
 */

import type { Since } from '@/lib/domain/model';
import type { Row } from '@/lib/providers/consul/client/wire';
import { rowAt } from '@/lib/providers/consul/rows/changed-rows';

/** Filled by the watch of the server's own credential, read by those of others. */
export interface ServerHistory {
  /** `null` before its first look. */
  seen: WatchHistory | null;
  /** `null`: not known. A token without the right to read the agent is not told. */
  datacenter: string | null;
  /** When Consul was last found put back to an earlier state, in epoch milliseconds; `null`: that was not seen. */
  restoredAtMs: number | null;
}

/** What one watch has seen, as the next look keeps it up. */
export interface WatchHistory {
  /** Of its last look, in the order of keys. */
  readonly list: readonly Row[];
  /** Keys that were seen locked, each with who locks it now; `null`: nobody does. */
  readonly locks: ReadonlyMap<string, KeyHold | null>;
  /** By prefix, without slash: since when each session is recorded. */
  readonly slots: ReadonlyMap<string, { readonly holders: ReadonlyMap<string, Since> }>;
  /** Semaphores whose coordination entry was seen to go, each with the contender entries that are left of that time. */
  readonly orphans: ReadonlyMap<string, ReadonlySet<string>>;
  /** `null`: the list of sessions cannot be read. */
  readonly sessions: ReadonlyMap<string, { readonly since: Since }> | null;
}

/** A session that locks a key. What it came to lock at one look is one object. */
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
 * Whether this row was seen as it is, or as it became later. Where it is later, who is in it both times may have let go and come
 * again in between: what is said is then of the later time, too late and never too early.
 */
function hasSeen({ list }: WatchHistory, { key, modifyIndex }: Row): boolean {
  const theirs = rowAt(list, key);
  return theirs !== undefined && BigInt(theirs.modifyIndex) >= BigInt(modifyIndex);
}

/** Who locks this row, as it was seen; `null` where it is somebody else's there, or nothing was seen. */
export function heldBefore(seen: WatchHistory | null, row: Row): KeyHold | null {
  const held = seen?.locks.get(row.key) ?? null;
  return seen !== null && held?.session === row.session && hasSeen(seen, row) ? held : null;
}

/** By session, since when it is recorded in this coordination entry. */
export function slotsBefore(
  seen: WatchHistory | null,
  prefix: string,
  row: Row,
): ReadonlyMap<string, Since> | undefined {
  return seen !== null && hasSeen(seen, row) ? seen.slots.get(prefix)?.holders : undefined;
}
