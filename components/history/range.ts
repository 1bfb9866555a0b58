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

/** This page, with this range in its address. */
export function linkTo({ fromMs, toMs }: TimeRange): string {
  const url = new URL(window.location.href);
  url.searchParams.set('from', String(Math.round(fromMs)));
  url.searchParams.set('to', String(Math.round(toMs)));
  return url.href;
}
