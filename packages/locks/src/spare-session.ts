/**
 * The session of a release, kept for a moment for the next client of this process that wants the same key. Ending it
 * and making another are two writes, which would reach Consul just when the release has woken waiters elsewhere, and
 * delay their writes.
 *
 * A client that reuses such a session is faster than they are. So a lock gives way (`giveWayMs`), and its reads may
 * still show its last hold (`mayBeOf`). A semaphore needs neither: its queue keeps places, or it makes a new session
 * where it would pass a waiter (`contend.ts`); and all its reads are confirmed by a quorum.
 */
import type { ConsulClient, SessionRequest } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { type KeptSession, rememberEnding } from './session';

/** How long a key may stay in one process before it is free for all. */
export const amongUsMs = 100;
/** Other processes learn of a release with its answer, and one of their writes takes as long again. */
const releases = 2;
/** Consul answers late. */
const wayMsMax = 50;
/** Where a waiter of this process asks for it as soon as its turn comes. */
const nextMs = 1_000;

/**
 * Monotonic milliseconds: when one of us won the key from other processes, and when its release was asked for and made.
 */
export interface Left {
  readonly sinceMs: number;
  readonly askedMs: number;
  readonly leftMs: number;
}

export interface Spare extends Left {
  readonly session: KeptSession;
  /** It was left to a waiter of this process for the same key. */
  readonly waits: boolean;
  /** A rival had the key, or was faster, when that session won it. */
  readonly met: boolean;
  /** The key as that session held it. */
  readonly row: KvRow;
}

interface SpareEntry extends Spare {
  readonly kind: string;
  readonly taken: AbortController;
}

/** How long after a release none of our delayable requests goes to Consul. */
const wayMs = ({ askedMs, leftMs }: Left) => Math.min(wayMsMax, releases * (leftMs - askedMs));

const kept = new WeakMap<ConsulClient, Map<string, SpareEntry>>();

/**
 * Keeps a session that locks nothing and whose writes have all been answered, and ends it if it is not taken. False:
 * there is one already, or this one is lost.
 */
export function keepSpare(
  client: ConsulClient,
  key: string,
  { request, ...spare }: Spare & { readonly request: SessionRequest },
): boolean {
  const ofClient = kept.get(client) ?? new Map<string, SpareEntry>();
  kept.set(client, ofClient);
  if (ofClient.has(key) || spare.session.lost.aborted) return false;
  const taken = new AbortController();
  ofClient.set(key, { ...spare, kind: JSON.stringify(request), taken });
  const ending = pause(spare.waits ? nextMs : wayMs(spare), taken.signal).then(
    () => {
      ofClient.delete(key);
      return spare.session.end();
    },
    () => {
      // It has an owner again.
    },
  );
  rememberEnding(client, ending);
  return true;
}

/** A session kept for this key that fits the request; `null`: none. */
export function takeSpare(client: ConsulClient, key: string, request: SessionRequest): Spare | null {
  const spare = kept.get(client)?.get(key);
  if (spare === undefined || spare.session.lost.aborted || spare.kind !== JSON.stringify(request))
    return null;
  kept.get(client)?.delete(key);
  // With a reason, since making an error costs more than all of this.
  spare.taken.abort('taken');
  return spare;
}

/**
 * How long to leave a key to others: 0 to some milliseconds. 0 without rivals, while the key has not been among us for
 * long (later there may be unseen ones). 0 for a waiter of the line: another client has the key, or all are woken
 * alike.
 */
export function giveWayMs(left: Left & Pick<Spare, 'waits' | 'met'>, nowMs: number): number {
  if (left.waits || (!left.met && nowMs - left.sinceMs <= amongUsMs)) return 0;
  return Math.max(0, left.leftMs + wayMs(left) - nowMs);
}

/**
 * Whether a read of a key may show an earlier hold by its session, the last of which was `last`: a new leader answers
 * before it knows of the release. A later hold has a greater LockIndex, unless the key was deleted or written plainly;
 * then this is true of it, too.
 */
export function mayBeOf(last: KvRow, row: KvRow): boolean {
  const isLater = (of: 'modifyIndex' | 'lockIndex') => Number(row[of]) > Number(last[of]);
  return !isLater('modifyIndex') || !isLater('lockIndex');
}
