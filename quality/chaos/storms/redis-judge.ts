/**
 * Judges a storm on Redis by the reports of Redisson's clients, and by the judge's own reads of replicas. Of Signalbox
 * it knows only the answers that the operator got.
 */
import { type Deed, type Hold, type Span, touches } from './history';

/** The death of a master: from just before it until another one served. */
export interface Failover extends Span {
  /** The locks and semaphores of that master. */
  readonly places: ReadonlySet<string>;
  /** The holds that its replica had after its death, and so has since: `<place> <who>`. */
  readonly had: ReadonlySet<string>;
  /** The free permits of each plain semaphore at its replica. */
  readonly free: ReadonlyMap<string, number>;
}

export interface RedisHistory {
  readonly holds: readonly Hold[];
  readonly deeds: readonly Deed[];
  readonly failovers: readonly Failover[];
  /** The lease of a permit. Locks are renewed. */
  readonly leaseMs: number;
}

export interface RedisVerdict {
  readonly wrong: readonly string[];
  /** Holds that Redis lost or brought back, as its replicas lag, or that the library took twice. */
  readonly byFailover: number;
  /** Evictions that match a lost hold. */
  readonly matched: number;
}

/**
 * Redisson repeats a call without an answer after this time (its `timeout`). No client of a storm waits that long for a
 * hold.
 */
export const repeatMs = 3_000;

/**
 * Redisson repeats a call sooner when its connection was closed. The rest is at least half a second (`EqualJitterDelay`
 * of `BaseConfig`), beside the second that a client of a storm waits at most.
 */
export const reconnectedMs = 1_500;
/** Sentinels close the connections of the old master's clients up to this late. */
const closedMs = 15_000;

const nameOf = ({ place, who }: { place: string; who: string }) => `${place} ${who}`;

/**
 * True when a call may have been done twice: its master was gone meanwhile, or it took so long that the library
 * repeated it.
 */
const isBlurred = (
  { place, askedMs, fromMs, letMs, endMs }: Hold,
  failovers: readonly Failover[],
): boolean => {
  const calls = [
    { fromMs: askedMs, toMs: fromMs ?? endMs },
    { fromMs: letMs, toMs: endMs },
  ];
  return calls.some(
    (call) =>
      call.toMs - call.fromMs >= repeatMs ||
      failovers.some((one) => one.places.has(place) && touches(one, call)),
  );
};

/** True when the replica lacked the hold, which lasted throughout. */
const isDropped = (hold: Hold, failovers: readonly Failover[]): boolean =>
  failovers.some(
    (one) =>
      one.places.has(hold.place) &&
      (hold.fromMs ?? hold.endMs) < one.fromMs &&
      hold.letMs > one.fromMs &&
      !one.had.has(nameOf(hold)),
  );

/** True when Redis had the hold again after a failover, whatever it answered before. */
const isBack = (name: string, place: string, byMs: number, failovers: readonly Failover[]): boolean =>
  failovers.some((one) => one.places.has(place) && one.fromMs <= byMs && one.had.has(name));

/**
 * True when the hold may have been taken again under the same name, because it was removed before its client had an
 * answer. The client then has it like any other.
 */
const isTakenAgain = (
  { place, askedMs, fromMs }: Hold,
  deed: Deed,
  failovers: readonly Failover[],
): boolean =>
  fromMs !== null &&
  deed.fromMs >= askedMs &&
  deed.toMs <= fromMs &&
  fromMs - askedMs >= reconnectedMs &&
  failovers.some((one) => one.places.has(place) && one.fromMs <= fromMs && askedMs <= one.toMs + closedMs);

/** A call that was done twice leaves a hold for a lease at most. */
const leftMs = 30_000;
/** A killed client's hold lasts until its lease ends. An abandoned request may leave one for a lease. */
const spanOf = ({ askedMs, fromMs, endMs, end }: Hold): Span => ({
  fromMs: askedMs,
  toMs:
    end === 'unsure' && fromMs === null
      ? endMs + leftMs
      : end === 'killed' || end === 'unsure'
        ? Number.POSITIVE_INFINITY
        : endMs,
});
/** True when the client gave up without an answer, and the hold may exist since. */
const isGivenUp = ({ end, fromMs }: Hold): boolean => end === 'unsure' && fromMs === null;

const whileLeft = ({ askedMs, endMs }: Hold): Span => ({ fromMs: askedMs, toMs: endMs + leftMs });

/** Two clocks differ by at most this for one moment, rounding included. */
const slackMs = 2;

/** Holds that overlap another one, without an eviction or a failover between. */
function crowded(holds: readonly Hold[], cut: (hold: Hold) => number, excused: (hold: Hold) => boolean) {
  const wrong: string[] = [];
  const places = new Map<string, Hold[]>();
  for (const hold of holds)
    if (hold.fromMs !== null) places.set(hold.place, [...(places.get(hold.place) ?? []), hold]);
  for (const [place, all] of places) {
    const open: Hold[] = [];
    for (const hold of all.sort((a, b) => (a.fromMs ?? 0) - (b.fromMs ?? 0))) {
      const fromMs = hold.fromMs ?? 0;
      // An eviction removed the hold before its client knew of it.
      if (cut(hold) < fromMs) continue;
      for (let i = open.length - 1; i >= 0; i -= 1)
        if (cut(open[i] as Hold) <= fromMs + slackMs) open.splice(i, 1);
      for (const other of open)
        if (!(hold.shared && other.shared) && !excused(hold) && !excused(other))
          wrong.push(`${place}: ${other.who} holds, and ${hold.who} was let in`);
      open.push(hold);
    }
  }
  return wrong;
}

export function judgeRedis({ holds, deeds, failovers, leaseMs }: RedisHistory): RedisVerdict {
  const wrong: string[] = [];
  let [byFailover, matched] = [0, 0];
  const byName = new Map<string, Hold[]>();
  for (const hold of holds) byName.set(nameOf(hold), [...(byName.get(nameOf(hold)) ?? []), hold]);
  const evictedBy = new Map<Hold, Deed>();
  /** Permits that no client knows: as many as acquisitions whose answer was lost. */
  const unlearned = new Map<string, number>();
  for (const { place, who } of holds) if (who === '') unlearned.set(place, (unlearned.get(place) ?? 0) + 1);

  const evictions = deeds
    .filter(({ kind, told }) => kind === 'evict' && told !== 'refused')
    .sort((a, b) => a.toMs - b.toMs);
  for (const deed of evictions)
    for (const who of deed.who) {
      const name = nameOf({ place: deed.place, who });
      const around = (byName.get(name) ?? []).filter(
        (hold) => !evictedBy.has(hold) && touches(deed, spanOf(hold)) && !isTakenAgain(hold, deed, failovers),
      );
      const lost = around.find(({ end }) => end === 'lost');
      // A client that held throughout and let go is not the unknown one.
      const isHeld = around.some(
        ({ end, fromMs, letMs }) =>
          end === 'released' && fromMs !== null && fromMs <= deed.fromMs && letMs >= deed.toMs,
      );
      const hold =
        lost ??
        around.find((one) => one.end !== 'released' && !isGivenUp(one)) ??
        (isHeld ? undefined : around.find(isGivenUp));
      if (hold !== undefined) {
        evictedBy.set(hold, deed);
        matched += lost === undefined ? 0 : 1;
      } else if (deed.told === 'unknown') {
        // The eviction may not have happened.
      } else if (
        isBack(name, deed.place, deed.toMs, failovers) ||
        (byName.get(name) ?? []).some((one) => isTakenAgain(one, deed, failovers)) ||
        (byName.get(name) ?? []).some(
          (one) => !isGivenUp(one) && isBlurred(one, failovers) && touches(deed, whileLeft(one)),
        ) ||
        failovers.some((one) => one.places.has(deed.place) && touches(one, deed)) ||
        // Redis copies within a moment, so a failover may bring back a hold that was removed just before.
        failovers.some((one) => deed.toMs <= one.fromMs && one.had.has(name))
      )
        byFailover += 1;
      else if (byName.get(name) === undefined && (unlearned.get(deed.place) ?? 0) > 0)
        unlearned.set(deed.place, (unlearned.get(deed.place) ?? 0) - 1);
      else wrong.push(`${name} was told to be evicted, and its client still had it`);
    }

  for (const hold of holds) {
    if (hold.end !== 'lost' || evictedBy.has(hold)) continue;
    const isOfEarlier = evictions.some(
      (deed) =>
        deed.place === hold.place &&
        deed.who.includes(hold.who) &&
        isTakenAgain(hold, deed, failovers) &&
        // The hold is already gone, and its client notices at its next call.
        hold.endMs - (hold.fromMs ?? hold.endMs) <= leftMs,
    );
    if (isOfEarlier || isDropped(hold, failovers) || isBlurred(hold, failovers)) byFailover += 1;
    else wrong.push(`${nameOf(hold)} was lost, and nobody evicted it`);
  }

  // A client counts its lease from before its request.
  for (const { kind, told, who, place, toMs } of deeds)
    for (const permit of kind === 'sweep' && told !== 'refused' ? who : [])
      for (const hold of byName.get(nameOf({ place, who: permit })) ?? [])
        if (hold.askedMs + (hold.leaseMs ?? leaseMs) > toMs)
          wrong.push(`${nameOf(hold)} was swept before its end`);

  wrong.push(
    ...crowded(
      holds.filter(({ who, shared }) => who !== '' && !shared),
      // The server lets the next client in after the deed, which was sent after its start.
      (hold) => Math.min(hold.letMs, evictedBy.get(hold)?.fromMs ?? Number.POSITIVE_INFINITY),
      (hold) => isBlurred(hold, failovers) || isDropped(hold, failovers),
    ),
  );
  return { wrong, byFailover, matched };
}
