/** How long holds of one lock or semaphore usually last, of all that was seen of it, and which hold is unusually long. Pure. */
import { type HeldSubject, type Hold, lastedMs, wasSeenWhole } from './episode';
import { bucketed, type HourBook, noSpread, percentile, spreadOf, wholeIn } from './hour-book';

export interface UsualLength {
  readonly subject: HeldSubject;
  /** Holds that were seen from their beginning to their end, listed or only counted; at least `usualMin`. */
  readonly n: number;
  /** At most 5 % off. */
  readonly p99Ms: number;
}

/** Of fewer the p99 is the longest of them: none that was seen whole could be beyond it. */
export const usualMin = 100;
/** One in a hundred is beyond the p99 of even the most regular lock. */
const longBy = 1.5;

/** `null`: too few were seen whole. */
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

/** It lasted, or lasts, far longer than nearly all others of its subject. */
export const isLong = (hold: Pick<Hold, 'from' | 'to'>, { p99Ms }: UsualLength, nowMs: number): boolean =>
  lastedMs(hold, nowMs) > p99Ms * longBy;
