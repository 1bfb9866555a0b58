/**
 * Judges a storm on Redis by what clients of Redisson say and by what the judge read itself of replicas. It knows nothing of
 * Signalbox but what an operator was told.
 */
import { type Deed, type Hold, type Span, touches } from './history';

/** A master was killed: from before that until another one served. */
export interface Failover extends Span {
  /** What it had. */
  readonly places: ReadonlySet<string>;
  /** Every hold that its replica had once its master was gone, and so has since: `<place> <who>`. */
  readonly had: ReadonlySet<string>;
  /** What its replica had free of each plain semaphore. */
  readonly free: ReadonlyMap<string, number>;
}

export interface RedisHistory {
  readonly holds: readonly Hold[];
  readonly deeds: readonly Deed[];
  readonly failovers: readonly Failover[];
  /** Of a permit; locks are renewed. */
  readonly leaseMs: number;
}

export interface RedisVerdict {
  readonly wrong: readonly string[];
  /** Holds that Redis itself lost, or brought back, as it copies to replicas afterwards, or that the library took twice. */
  readonly byFailover: number;
  /** Evictions that were lost holds, one for one. */
  readonly matched: number;
}

/**
 * Redisson repeats a call that is not answered for so long (its `timeout`), and waits for no lock or permit for as long in a storm.
 */
export const repeatMs = 3_000;

/**
 * It repeats a call whose connection was closed sooner: after half a second at least (`EqualJitterDelay` of `BaseConfig`), beside
 * the second for which a client of a storm waits at most.
 */
export const reconnectedMs = 1_500;
/** Sentinels close the connections of the old master's clients so late. */
const closedMs = 15_000;

const nameOf = ({ place, who }: { place: string; who: string }) => `${place} ${who}`;

/** One of its calls was under way while its master was gone, or took so long that the library has repeated it: it may have been done twice. */
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

/** It was held throughout, and the replica did not have it. */
const isDropped = (hold: Hold, failovers: readonly Failover[]): boolean =>
  failovers.some(
    (one) =>
      one.places.has(hold.place) &&
      (hold.fromMs ?? hold.endMs) < one.fromMs &&
      hold.letMs > one.fromMs &&
      !one.had.has(nameOf(hold)),
  );

/** Redis had it again after a failover, whatever was told before. */
const isBack = (name: string, place: string, byMs: number, failovers: readonly Failover[]): boolean =>
  failovers.some((one) => one.places.has(place) && one.fromMs <= byMs && one.had.has(name));

/**
 * It was taken away before its client was told of it, and the library may have asked again, under the same name: then its client has it,
 * and lets it go, or loses it, like any other.
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

/** What a call that was done twice leaves behind stays for a lease at most. */
const leftMs = 30_000;
/** A killed client's hold lasts until its lease ends; one that was given up without an answer may be there for a lease. */
const spanOf = ({ askedMs, fromMs, endMs, end }: Hold): Span => ({
  fromMs: askedMs,
  toMs:
    end === 'unsure' && fromMs === null
      ? endMs + leftMs
      : end === 'killed' || end === 'unsure'
        ? Number.POSITIVE_INFINITY
        : endMs,
});
/** Nobody was told of it, but it may have come to be after its client gave up. */
const isGivenUp = ({ end, fromMs }: Hold): boolean => end === 'unsure' && fromMs === null;

const whileLeft = ({ askedMs, endMs }: Hold): Span => ({ fromMs: askedMs, toMs: endMs + leftMs });

/** How far two clocks' readings of one moment are apart, rounding included. */
const slackMs = 2;

/** Who was told to hold while another one was, and neither eviction nor a failover parts them. */
function crowded(holds: readonly Hold[], cut: (hold: Hold) => number, excused: (hold: Hold) => boolean) {
  const wrong: string[] = [];
  const places = new Map<string, Hold[]>();
  for (const hold of holds)
    if (hold.fromMs !== null) places.set(hold.place, [...(places.get(hold.place) ?? []), hold]);
  for (const [place, all] of places) {
    const open: Hold[] = [];
    for (const hold of all.sort((a, b) => (a.fromMs ?? 0) - (b.fromMs ?? 0))) {
      const fromMs = hold.fromMs ?? 0;
      // It was taken away before its client could say that it had it.
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
  /** Permits that no client learned of: as many as acquisitions whose answer was lost. */
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
      // Who was told to hold all the while, and let it go, is not the one that nobody was told of.
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
        // It may not have happened.
      } else if (
        isBack(name, deed.place, deed.toMs, failovers) ||
        (byName.get(name) ?? []).some((one) => isTakenAgain(one, deed, failovers)) ||
        (byName.get(name) ?? []).some(
          (one) => !isGivenUp(one) && isBlurred(one, failovers) && touches(deed, whileLeft(one)),
        ) ||
        failovers.some((one) => one.places.has(deed.place) && touches(one, deed)) ||
        // Redis copies within a moment, so that what was taken right before is what a failover brings back.
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
        // What it had is gone then: it notices at the next thing that it does.
        hold.endMs - (hold.fromMs ?? hold.endMs) <= leftMs,
    );
    if (isOfEarlier || isDropped(hold, failovers) || isBlurred(hold, failovers)) byFailover += 1;
    else wrong.push(`${nameOf(hold)} was lost, and nobody evicted it`);
  }

  // Its client reckons the end before it asks.
  for (const { kind, told, who, place, toMs } of deeds)
    for (const permit of kind === 'sweep' && told !== 'refused' ? who : [])
      for (const hold of byName.get(nameOf({ place, who: permit })) ?? [])
        if (hold.askedMs + (hold.leaseMs ?? leaseMs) > toMs)
          wrong.push(`${nameOf(hold)} was swept before its end`);

  wrong.push(
    ...crowded(
      holds.filter(({ who, shared }) => who !== '' && !shared),
      // The server lets the next one in after it took the deed, which was sent after it began.
      (hold) => Math.min(hold.letMs, evictedBy.get(hold)?.fromMs ?? Number.POSITIVE_INFINITY),
      (hold) => isBlurred(hold, failovers) || isDropped(hold, failovers),
    ),
  );
  return { wrong, byFailover, matched };
}
