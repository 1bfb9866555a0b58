/**
 * Keeps the session of a release for a moment, for the next client of this process that wants the same key. Its end and
 * a new session are two writes. They would reach Consul just when the release has woken other waiters, and delay their
 * writes.
 *
 * A client that reuses such a session is faster than those waiters. So a lock gives way (`giveWayMs`), and its reads
 * may still show its last hold (`mayBeOf`). A semaphore needs neither. Its queue keeps places, or it makes a new
 * session where it would pass a waiter (`contend.ts`), and a quorum confirms all its reads.
 */
import type { ConsulClient, SessionRequest } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { type KeptSession, rememberEnding } from './session';

/** The longest time for a key in one process before it is free for all. */
export const amongUsMs = 100;
/** Other processes learn of a release with its answer, and one of their writes takes as long again. */
const releases = 2;
/** The limit for a Consul that answers late. */
const wayMsMax = 50;
/** The time for a waiter of this process, which asks as soon as its turn comes. */
const nextMs = 1_000;

/**
 * Monotonic milliseconds: the instant at which this process won the key from others, and those of the request for its
 * release and of the answer.
 */
export interface Left {
  readonly sinceMs: number;
  readonly askedMs: number;
  readonly leftMs: number;
}

export interface Spare extends Left {
  readonly session: KeptSession;
  /** A waiter of this process for the same key is to take the session. */
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

/** The time after a release for which our delayable requests stay away from Consul. */
const wayMs = ({ askedMs, leftMs }: Left) => Math.min(wayMsMax, releases * (leftMs - askedMs));

const kept = new WeakMap<ConsulClient, Map<string, SpareEntry>>();

/**
 * Keeps a session that locks nothing and has no open write, and ends it if no client takes it. False: there is one
 * already, or this one is lost.
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
      // The session has an owner again.
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
  // The reason is a text, because an error would cost more than all of this.
  spare.taken.abort('taken');
  return spare;
}

/**
 * The time to leave a key to others: 0 to some milliseconds. 0 without rivals while the key is new to this process,
 * because later there may be unseen ones. 0 for a waiter of the line, because another client has the key, or all are
 * woken alike.
 */
export function giveWayMs(left: Left & Pick<Spare, 'waits' | 'met'>, nowMs: number): number {
  if (left.waits || (!left.met && nowMs - left.sinceMs <= amongUsMs)) return 0;
  return Math.max(0, left.leftMs + wayMs(left) - nowMs);
}

/**
 * True when a read of a key may show an earlier hold by its session, the last of which was `last`. A new leader answers
 * before it knows of the release. A later hold has a greater LockIndex, unless the key was deleted or written plainly;
 * then this is true of it, too.
 */
export function mayBeOf(last: KvRow, row: KvRow): boolean {
  const isLater = (of: 'modifyIndex' | 'lockIndex') => Number(row[of]) > Number(last[of]);
  return !isLater('modifyIndex') || !isLater('lockIndex');
}
