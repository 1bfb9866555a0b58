/** The usual lengths of holds and waits of one subject, including those that are only counted. Pure. */
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { lastedMs, wasSeenWhole } from '@/lib/domain/history/episode';

/** Lengths in milliseconds, of those that were seen from beginning to end. */
export interface Usual {
  readonly n: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Some are known only by the figures of their hour, so percentiles are estimates. */
  readonly counted: boolean;
}

/** One length, or several that are known only by their figures. */
interface Part {
  readonly n: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/** With fewer lengths, none is usual. */
const usualMin = 5;

/** The place of a length between two others, 0 to 1. */
const between = (ms: number, fromMs: number, toMs: number): number =>
  ms >= toMs ? 1 : ms <= fromMs ? 0 : (ms - fromMs) / (toMs - fromMs);

/** The number of lengths up to `ms`, spread evenly between the figures of the part. */
const countedUntil = ({ n, p50Ms, p95Ms, maxMs }: Part, ms: number): number =>
  n === 1
    ? Number(ms >= maxMs)
    : n * (0.5 * between(ms, 0, p50Ms) + 0.45 * between(ms, p50Ms, p95Ms) + 0.05 * between(ms, p95Ms, maxMs));

/** Enough for a millisecond in a month. */
const halvings = 32;

function percentileOf(parts: readonly Part[], n: number, share: number, maxMs: number): number {
  let [low, high] = [0, maxMs];
  for (let i = 0; i < halvings && high - low > 0.5; i += 1) {
    const middle = (low + high) / 2;
    // A rounding error must not choose the upper middle of an even number.
    if (parts.reduce((sum, part) => sum + countedUntil(part, middle), 0) >= n * share - 1e-6) high = middle;
    else low = middle;
  }
  return Math.round(high);
}

function usualOfParts(all: readonly Part[], counted: boolean): Usual | null {
  const parts = all.filter((part) => part.n > 0);
  const n = parts.reduce((sum, part) => sum + part.n, 0);
  if (n < usualMin) return null;
  const maxMs = Math.max(...parts.map((part) => part.maxMs));
  return {
    n,
    p50Ms: percentileOf(parts, n, 0.5, maxMs),
    p95Ms: percentileOf(parts, n, 0.95, maxMs),
    maxMs,
    counted: counted && parts.some((part) => part.n > 1),
  };
}

const one = (ms: number): Part => ({ n: 1, p50Ms: ms, p95Ms: ms, maxMs: ms });

/** `null`: too few to be usual. */
export function usualOfDay({ episodes, waits, hours }: Pick<HistoryAnswer, 'episodes' | 'waits' | 'hours'>): {
  readonly holds: Usual | null;
  readonly waits: Usual | null;
} {
  const lengths = (rows: HistoryAnswer['episodes'] | HistoryAnswer['waits']) =>
    rows.filter(wasSeenWhole).map((row) => one(lastedMs(row, 0)));
  const counted = hours.flatMap(({ holds: n, holdP50Ms: p50Ms, holdP95Ms: p95Ms, holdMaxMs: maxMs }) =>
    // None was seen whole.
    maxMs === 0 ? [] : [{ n, p50Ms, p95Ms, maxMs }],
  );
  const countedWaits = hours.flatMap(({ waits: n, waitP50Ms, waitP95Ms, waitMaxMs }) =>
    waitP50Ms === null || waitP95Ms === null || waitMaxMs === null
      ? []
      : [{ n, p50Ms: waitP50Ms, p95Ms: waitP95Ms, maxMs: waitMaxMs }],
  );
  return {
    holds: usualOfParts([...lengths(episodes), ...counted], counted.length > 0),
    waits: usualOfParts([...lengths(waits), ...countedWaits], countedWaits.length > 0),
  };
}
