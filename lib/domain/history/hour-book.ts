/** One hour of one subject. Holds and waits are added in any order. */
import {
  type HeldSubject,
  type Hold,
  type HourFigures,
  lastedMs,
  type Wait,
  wasLost,
  wasSeenWhole,
} from './episode';

/** The spread of lengths, as plain JSON. The maximum and the buckets count only those that were seen whole. */
export interface Spread {
  readonly n: number;
  readonly sumMs: number;
  readonly maxMs: number;
  /** Counts by bucket. Bucket `i` ends at `growth ** i` ms. */
  readonly buckets: Readonly<Record<number, number>>;
}

export interface HourBook {
  readonly subject: HeldSubject;
  readonly hourMs: number;
  readonly holds: Spread;
  readonly waits: Spread;
  readonly lost: number;
}

export const hourLengthMs = 60 * 60 * 1_000;
/** A percentile is off by at most half of this: 5 %. */
const growth = 1.1;

export const noSpread: Spread = { n: 0, sumMs: 0, maxMs: 0, buckets: {} };

/** The hour of an end. */
export const hourOf = (toMs: number): number => Math.floor(toMs / hourLengthMs) * hourLengthMs;

export const emptyHour = (subject: HeldSubject, hourMs: number): HourBook => ({
  subject,
  hourMs,
  holds: noSpread,
  waits: noSpread,
  lost: 0,
});

const bucketOf = (ms: number) => (ms < 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(growth)));

/** Adds one length. */
export function bucketed({ n, sumMs, maxMs, buckets }: Spread, ms: number): Spread {
  const bucket = bucketOf(ms);
  return {
    n: n + 1,
    sumMs: sumMs + ms,
    maxMs: Math.max(maxMs, ms),
    buckets: { ...buckets, [bucket]: (buckets[bucket] ?? 0) + 1 },
  };
}

/** Adds one whose beginning or end was not seen, so that its length is unknown. */
const counted = (spread: Spread, ms: number): Spread => ({
  ...spread,
  n: spread.n + 1,
  sumMs: spread.sumMs + ms,
});

const withOne = (spread: Spread, one: Hold | Wait, hourMs: number): Spread =>
  (wasSeenWhole(one) ? bucketed : counted)(spread, lastedMs(one, hourMs));

/** The number that was seen whole. */
export const wholeIn = ({ buckets }: Spread): number => Object.values(buckets).reduce((sum, n) => sum + n, 0);

export const withHold = (hour: HourBook, hold: Hold): HourBook => ({
  ...hour,
  holds: withOne(hour.holds, hold, hour.hourMs),
  lost: hour.lost + (wasLost(hold) ? 1 : 0),
});

export const withWait = (hour: HourBook, wait: Wait): HourBook => ({
  ...hour,
  waits: withOne(hour.waits, wait, hour.hourMs),
});

/** The sum of both. */
export function spreadOf(a: Spread, b: Spread): Spread {
  const buckets: Record<number, number> = { ...a.buckets };
  for (const [bucket, n] of Object.entries(b.buckets))
    buckets[Number(bucket)] = (buckets[Number(bucket)] ?? 0) + n;
  return { n: a.n + b.n, sumMs: a.sumMs + b.sumMs, maxMs: Math.max(a.maxMs, b.maxMs), buckets };
}

/** A percentile of those that were seen whole, at most 5 % off. `part`: 0 to 1. */
export function percentile(spread: Spread, part: number): number {
  const { maxMs, buckets } = spread;
  let left = Math.ceil(wholeIn(spread) * part);
  const ordered = Object.entries(buckets)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b);
  for (const [bucket, count] of ordered) {
    left -= count;
    if (left <= 0) return bucket === 0 ? 0 : Math.min(maxMs, Math.round(growth ** (bucket - 0.5)));
  }
  return maxMs;
}

export const figuresOf = ({ subject, hourMs, holds, waits, lost }: HourBook): HourFigures => ({
  subject,
  hourMs,
  holds: holds.n,
  heldMs: holds.sumMs,
  holdP50Ms: percentile(holds, 0.5),
  holdP95Ms: percentile(holds, 0.95),
  holdMaxMs: holds.maxMs,
  waits: waits.n,
  waitP50Ms: wholeIn(waits) === 0 ? null : percentile(waits, 0.5),
  waitP95Ms: wholeIn(waits) === 0 ? null : percentile(waits, 0.95),
  waitMaxMs: wholeIn(waits) === 0 ? null : waits.maxMs,
  lost,
});
