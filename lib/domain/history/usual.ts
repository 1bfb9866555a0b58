/** The usual length of holds of one lock or semaphore, and its unusually long holds. Pure. */
import { type HeldSubject, type Hold, lastedMs, wasSeenWhole } from './episode';
import { bucketed, type HourBook, noSpread, percentile, spreadOf, wholeIn } from './hour-book';

export interface UsualLength {
  readonly subject: HeldSubject;
  /** Holds that were seen from beginning to end, listed or only counted; at least `usualMin`. */
  readonly n: number;
  /** At most 5 % off. */
  readonly p99Ms: number;
}

/** With fewer holds the p99 is the longest of them, and no hold seen whole could exceed it. */
export const usualMin = 100;
/** Even on the most regular lock, one hold in a hundred exceeds the p99. */
const longBy = 1.5;

/** `null`: too few holds were seen whole. */
export function usualOf(
  subject: HeldSubject,
  holds: readonly Hold[],
  hours: readonly Pick<HourBook, 'holds'>[],
): UsualLength | null {
  const spread = hours.reduce(
    (sum, hour) => spreadOf(sum, hour.holds),
    holds.filter(wasSeenWhole).reduce((sum, hold) => bucketed(sum, lastedMs(hold, 0)), noSpread),
  );
  const n = wholeIn(spread);
  return n < usualMin ? null : { subject, n, p99Ms: percentile(spread, 0.99) };
}

/** True when the hold lasted, or lasts, far longer than nearly all others of its subject. */
export const isLong = (hold: Pick<Hold, 'from' | 'to'>, { p99Ms }: UsualLength, nowMs: number): boolean =>
  lastedMs(hold, nowMs) > p99Ms * longBy;
