/**
 * Which leases of a Curator semaphore are held. A client makes its lease before it is granted: it takes the inner mutex
 * (`locks`), makes the lease, waits until no more leases are there than its limit, and lets go of the mutex
 * (`InterProcessSemaphoreV2`). So at most one lease at a time is pending: the newest one, of the first in `locks`.
 *
 * A lease whose place in `locks` was deleted while it was pending is stuck: its client waits on, the next in line adds a
 * lease, and each counts the other's, until so many holders let go that all of them fit.
 */
import type { ZkNode } from '@/lib/providers/zookeeper/client/node';
import { byCreation, byTurn, type Entry } from './entry';

/** How long a lease must be pending before nothing else explains it than that all permits are out. */
export const pendingMinMs = 2_000;

/** What was seen of the leases of one semaphore: names of nodes never come again, so it holds through every outage. */
export interface Sighting {
  readonly leases: ReadonlySet<string>;
  /** Leases that were not granted, with the largest limit that their client may have. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The limit that follows from somebody's wait, for as long as one waits. */
  readonly inferred: number | null;
  /** When the last lease was seen to go, so that the next in line may be on its way. */
  readonly lostMs: number;
}

export interface Leases {
  /** In the order in which they were made. */
  readonly held: readonly Entry[];
  readonly stuck: readonly Entry[];
  readonly pending: Entry | null;
  /** The inner mutex, in the order of the queue. */
  readonly queue: readonly Entry[];
  readonly sighting: Sighting;
  /**
   * Leases beside which this one cannot have been granted, for as long as all of them are there: they were when it was seen to
   * wait, and with it they are more than its client's limit. `null`: it may have been granted.
   */
  guardsOf(lease: Entry): readonly Entry[] | null;
  /** From this instant on the same nodes say more. `null`: never. */
  readonly againMs: number | null;
}

/** A shared count is four bytes, the high one first (`SharedCount`). `null` for anything else. */
export const countOf = ({ data }: ZkNode): number | null => (data.length === 4 ? data.readInt32BE(0) : null);

interface Given {
  readonly leases: readonly Entry[];
  readonly locks: readonly Entry[];
  /** The node that the semaphore's limit is in. `undefined`: none is configured, `null`: it is not there. */
  readonly count: ZkNode | null | undefined;
  readonly before: Sighting | null;
  readonly nowMs: number;
}

const isNewer = (a: Entry, b: Entry) => byCreation(a, b) > 0;

function pendingIn(leases: readonly Entry[], first: Entry | undefined, limit: number | null): Entry | null {
  const last = leases.at(-1);
  if (first === undefined || last === undefined) return null;
  const isItsOwn = last.node.stat.ephemeralOwner === first.node.stat.ephemeralOwner && isNewer(last, first);
  // With room for all, its client is about to let go of the mutex.
  return isItsOwn && (limit === null || leases.length > limit) ? last : null;
}

export function judgeLeases({ leases: all, locks, count, before, nowMs }: Given): Leases {
  const leases = [...all].sort(byCreation);
  const queue = [...locks].sort(byTurn);
  const limit = count == null ? null : countOf(count);
  const pending = pendingIn(leases, queue[0], limit);
  const common = leases.filter(({ node }) => before?.leases.has(node.path) === true).length;
  const lostMs = before !== null && common < before.leases.size ? nowMs : (before?.lostMs ?? 0);

  /** Never granted: since its client was seen to wait, more leases than its limit were there at every moment. */
  const stillWaits = (path: string): number | null => {
    const max = before?.waiting.get(path);
    if (max === undefined) return null;
    const now = Math.max(max, limit ?? max);
    return common > now ? now : null;
  };
  /**
   * Never granted, whatever was seen: made under this very limit, with as many older ones there still. A client hears of a new
   * limit a moment late.
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

/** As many as hold while another waits. A stuck lease keeps what its own wait said. */
function inferredOf({ held, stuck, pending, waits, waiting, before }: Inferring): number | null {
  if (stuck.length > 0) return Math.min(...stuck.map(({ node }) => waiting.get(node.path) ?? held.length));
  if (pending === null) return null;
  if (waits) return held.length;
  const known = before?.inferred ?? null;
  return known !== null && held.length <= known ? known : null;
}
