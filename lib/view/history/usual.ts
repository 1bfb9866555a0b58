/** How long holds and waits of one subject usually last, those that are only counted included. Pure. */
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { lastedMs, wasSeenWhole } from '@/lib/domain/history/episode';

/** In milliseconds, of those that were seen from their beginning to their end. */
export interface Usual {
  readonly n: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** Some are only known by the figures of their hour, so that percentiles are estimates. */
  readonly counted: boolean;
}

/** Some that are known by their figures alone, or one. */
interface Part {
  readonly n: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/** Of fewer nothing is usual. */
const usualMin = 5;

/** From 0 to 1: where a length stands between two others. */
const between = (ms: number, fromMs: number, toMs: number): number =>
  ms >= toMs ? 1 : ms <= fromMs ? 0 : (ms - fromMs) / (toMs - fromMs);

/** How many of a part last at most so long: evenly spread between its figures. */
const countedUntil = ({ n, p50Ms, p95Ms, maxMs }: Part, ms: number): number =>
  n === 1
    ? Number(ms >= maxMs)
    : n * (0.5 * between(ms, 0, p50Ms) + 0.45 * between(ms, p50Ms, p95Ms) + 0.05 * between(ms, p95Ms, maxMs));

/** Halving often enough for a millisecond in a month. */
const halvings = 32;

function percentileOf(parts: readonly Part[], n: number, share: number, maxMs: number): number {
  let [low, high] = [0, maxMs];
  for (let i = 0; i < halvings && high - low > 0.5; i += 1) {
    const middle = (low + high) / 2;
    // A rounding must not take the next longer one for the middle of an even number.
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

/** `null`: of so few nothing is usual. */
export function usualOfDay({ episodes, waits, hours }: Pick<HistoryAnswer, 'episodes' | 'waits' | 'hours'>): {
  readonly holds: Usual | null;
  readonly waits: Usual | null;
} {
  const lengths = (rows: HistoryAnswer['episodes'] | HistoryAnswer['waits']) =>
    rows.filter(wasSeenWhole).map((row) => one(lastedMs(row, 0)));
  const counted = hours.flatMap(({ holds: n, holdP50Ms: p50Ms, holdP95Ms: p95Ms, holdMaxMs: maxMs }) =>
    // None of them was seen whole.
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
