/**
 * The session of a release, which locks nothing any more, kept for a moment for whoever of this process wants the same key
 * next. To end one and to make another are two writes, and they would reach Consul just when the release has woken those
 * who wait elsewhere, and stand before the write by which one of them takes the key.
 *
 * Who comes back to a key by such a session is faster than they are. So a lock gives way (`giveWayMs`), and what it reads may
 * still tell of its last hold (`mayBeOf`). A semaphore does neither: it has a queue that keeps their places, or makes a new
 * session where somebody waits whom it would pass (`contend.ts`); and all that it reads is confirmed by a quorum.
 */
import type { ConsulClient, SessionRequest } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import type { Row } from '@/lib/providers/consul/client/wire';
import { type KeptSession, rememberEnding } from './session';

/** How long a key may stay in one process before it is free for everybody. */
export const amongUsMs = 100;
/** The others hear of a release when it is answered, and as long again takes the write of one of them. */
const releases = 2;
/** Consul answers late. */
const wayMsMax = 50;
/** Where somebody waits in this process, who asks for it as soon as it is their turn. */
const nextMs = 1_000;

/** Monotonic milliseconds: when one of us won the key from everybody, and when its release was asked for and made. */
export interface Left {
  readonly sinceMs: number;
  readonly askedMs: number;
  readonly leftMs: number;
}

export interface Spare extends Left {
  readonly session: KeptSession;
  /** It was left to somebody who waited for the same key in this process. */
  readonly waits: boolean;
  /** Whether somebody else had the key, or was faster, when that session won it. */
  readonly met: boolean;
  /** The key as that session held it. */
  readonly row: Row;
}

interface Kept extends Spare {
  readonly kind: string;
  readonly taken: AbortController;
}

/** How long after a release nothing of ours that can wait goes to Consul. */
const wayMs = ({ askedMs, leftMs }: Left) => Math.min(wayMsMax, releases * (leftMs - askedMs));

const kept = new WeakMap<ConsulClient, Map<string, Kept>>();

/**
 * Keeps a session that locks nothing any more and whose writes have all been answered, and ends it where nobody takes it.
 * False: there is one already, or this one is lost.
 */
export function keepSpare(
  client: ConsulClient,
  key: string,
  { request, ...spare }: Spare & { readonly request: SessionRequest },
): boolean {
  const ofClient = kept.get(client) ?? new Map<string, Kept>();
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
      // It is somebody's again.
    },
  );
  rememberEnding(client, ending);
  return true;
}

/** A session that was kept for this key and is what was asked for; `null`: there is none. */
export function takeSpare(client: ConsulClient, key: string, request: SessionRequest): Spare | null {
  const spare = kept.get(client)?.get(key);
  if (spare === undefined || spare.session.lost.aborted || spare.kind !== JSON.stringify(request))
    return null;
  kept.get(client)?.delete(key);
  // With a reason, since to make one costs more than all of this.
  spare.taken.abort('taken');
  return spare;
}

/**
 * How long to leave a key to others: 0 to some milliseconds. Nothing where nobody else was met, for as long as the
 * key has not been among us for long: then there may be somebody whom we have not seen. And nothing for who waited
 * here: somebody has the key, or they are woken as all others are.
 */
export function giveWayMs(left: Left & Pick<Spare, 'waits' | 'met'>, nowMs: number): number {
  if (left.waits || (!left.met && nowMs - left.sinceMs <= amongUsMs)) return 0;
  return Math.max(0, left.leftMs + wayMs(left) - nowMs);
}

/**
 * Whether what was read of a key that a session locks may be of an earlier hold by it, the last of which was `last`: a
 * server that has just become the leader answers before it has heard of the release. A later hold has a greater LockIndex,
 * until the key is deleted or written plainly; then this is true of it, too.
 */
export function mayBeOf(last: Row, row: Row): boolean {
  const isLater = (of: 'modifyIndex' | 'lockIndex') => Number(row[of]) > Number(last[of]);
  return !isLater('modifyIndex') || !isLater('lockIndex');
}
