/** Ranges of time that people choose, and those that an address names. */
import type { TimeRange } from '@/lib/view/history/timeline';

const hourMs = 60 * 60 * 1_000;
export const rangeNames = ['hour', 'sixHours', 'day', 'week'] as const;
export const rangeLengths = {
  hour: hourMs,
  sixHours: 6 * hourMs,
  day: 24 * hourMs,
  week: 7 * 24 * hourMs,
} as const;

/** Epoch milliseconds; `null`: they name no range. */
export function rangeOf(from: string | null, to: string | null): TimeRange | null {
  const [fromMs, toMs] = [Number(from ?? Number.NaN), Number(to ?? Number.NaN)];
  return Number.isSafeInteger(fromMs) && Number.isSafeInteger(toMs) && fromMs < toMs
    ? { fromMs, toMs }
    : null;
}
