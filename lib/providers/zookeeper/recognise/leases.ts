/**
 * Finds the held leases of a Curator semaphore. A client takes the inner mutex (`locks`), makes its lease, waits until
 * the leases fit its limit, and releases the mutex (`InterProcessSemaphoreV2`). So at most one lease is pending: the
 * newest one, of the first in `locks`.
 *
 * A pending lease whose place in `locks` was deleted is stuck. Its client keeps waiting, the next in line adds a lease,
 * and each counts the other's, until enough holders let go for all of them.
 */
import type { ZkNode } from '@/lib/providers/zookeeper/client/node';
import { byCreation, byTurn, type Entry } from './entry';

/** A lease pending for this long has only one explanation left: all permits are out. */
export const pendingMinMs = 2_000;

/** The leases of one semaphore as seen so far. Names of nodes never recur, so a sighting stays true through outages. */
export interface Sighting {
  readonly leases: ReadonlySet<string>;
  /** Leases without a grant, with the largest limit that their client may have. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The limit that a wait implies, while a client waits. */
  readonly inferred: number | null;
  /** When a lease was last seen to go, after which the next in line may enter. */
  readonly lostMs: number;
}

/** The sighting beside hidden leases. They count towards the limit, and any may have gone until now. */
export const unseenLoss = (sighting: Sighting | null, nowMs: number): Sighting => ({
  ...(sighting ?? { leases: new Set(), waiting: new Map(), inferred: null }),
  lostMs: nowMs,
});

export interface Leases {
  /** In the order of their creation. */
  readonly held: readonly Entry[];
  readonly stuck: readonly Entry[];
  readonly pending: Entry | null;
  /** The inner mutex, in the order of the queue. */
  readonly queue: readonly Entry[];
  readonly sighting: Sighting;
  /**
   * The leases whose presence proves that this one was not granted. They were there when it was seen to wait, and with
   * it they exceed its client's limit. `null`: it may have been granted.
   */
  guardsOf(lease: Entry): readonly Entry[] | null;
  /** From this instant on the same nodes say more. `null`: never. */
  readonly againMs: number | null;
}

/** A shared count has four bytes, the high one first (`SharedCount`). `null`: other data. */
export const countOf = ({ data }: ZkNode): number | null => (data.length === 4 ? data.readInt32BE(0) : null);

interface Given {
  readonly leases: readonly Entry[];
  readonly locks: readonly Entry[];
  /** The node with the semaphore's limit. `undefined`: none is configured. `null`: it is missing. */
  readonly count: ZkNode | null | undefined;
  readonly before: Sighting | null;
  readonly nowMs: number;
}

const isNewer = (a: Entry, b: Entry) => byCreation(a, b) > 0;

function pendingIn(leases: readonly Entry[], first: Entry | undefined, limit: number | null): Entry | null {
  const last = leases.at(-1);
  if (first === undefined || last === undefined) return null;
  const isItsOwn = last.node.stat.ephemeralOwner === first.node.stat.ephemeralOwner && isNewer(last, first);
  // When all leases fit, the client is about to release the mutex.
  return isItsOwn && (limit === null || leases.length > limit) ? last : null;
}

export function judgeLeases({ leases: all, locks, count, before, nowMs }: Given): Leases {
  const leases = [...all].sort(byCreation);
  const queue = [...locks].sort(byTurn);
  const limit = count == null ? null : countOf(count);
  const pending = pendingIn(leases, queue[0], limit);
  const common = leases.filter(({ node }) => before?.leases.has(node.path) === true).length;
  const lostMs = before !== null && common < before.leases.size ? nowMs : (before?.lostMs ?? 0);

  /**
   * The limit of a lease that was never granted: since its wait was seen, the leases exceeded that limit throughout.
   */
  const stillWaits = (path: string): number | null => {
    const max = before?.waiting.get(path);
    if (max === undefined) return null;
    const now = Math.max(max, limit ?? max);
    return common > now ? now : null;
  };
  /**
   * True for a lease that cannot have been granted, as it was made under this limit beside enough older leases. A
   * client learns a new limit a moment late.
   */
  const cameTooLate = (lease: Entry, place: number): boolean =>
    limit !== null &&
    count != null &&
    place >= Math.max(limit, 0) &&
    lease.node.stat.ctimeMs - count.stat.mtimeMs >= pendingMinMs;

  const stuck = leases.filter(
    (one, place) => one !== pending && (stillWaits(one.node.path) !== null || cameTooLate(one, place)),
  );
  const held = leases.filter((one) => one !== pending && !stuck.includes(one));

  const changedMs = Math.max(lostMs, count?.stat.mtimeMs ?? 0);
  const sinceMs = pending === null ? 0 : Math.max(pending.node.stat.ctimeMs, changedMs) + pendingMinMs;
  const waits = pending !== null && nowMs >= sinceMs;
  const waiting = new Map<string, number>();
  for (const one of stuck) {
    const { path } = one.node;
    waiting.set(path, stillWaits(path) ?? limit ?? held.length);
  }
  if (pending !== null) {
    const { path } = pending.node;
    const known = stillWaits(path);
    const most = waits ? (limit ?? Math.min(known ?? leases.length, leases.length - 1)) : known;
    if (most !== null) waiting.set(path, most);
  }
  const sighting: Sighting = {
    leases: new Set(leases.map(({ node }) => node.path)),
    waiting,
    inferred: inferredOf({ held, stuck, pending, waits, waiting, before }),
    lostMs,
  };
  const againMs = pending !== null && !waits ? sinceMs : null;
  const guardsOf = (lease: Entry) => {
    const max = waiting.get(lease.node.path);
    const others = leases.filter(
      (one) => one !== lease && (isNewer(lease, one) || before?.leases.has(one.node.path) === true),
    );
    return max === undefined || others.length < max ? null : others.slice(0, Math.max(max, 0));
  };
  return { held, stuck, pending, queue, sighting, guardsOf, againMs };
}

interface Inferring extends Pick<Leases, 'held' | 'stuck' | 'pending'> {
  readonly waits: boolean;
  readonly waiting: ReadonlyMap<string, number>;
  readonly before: Sighting | null;
}

/** The number that hold while another waits. A stuck lease keeps the limit of its own wait. */
function inferredOf({ held, stuck, pending, waits, waiting, before }: Inferring): number | null {
  if (stuck.length > 0) return Math.min(...stuck.map(({ node }) => waiting.get(node.path) ?? held.length));
  if (pending === null) return null;
  if (waits) return held.length;
  const known = before?.inferred ?? null;
  return known !== null && held.length <= known ? known : null;
}
