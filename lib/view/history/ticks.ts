/** The ticks below a drawn timeline, at round times of the reader's clock. Pure. */
import { formatInstant } from '@/lib/i18n/format/format';
import type { TimeRange } from './timeline';

export interface Tick {
  /** A share of the width. */
  readonly at: number;
  readonly atMs: number;
  /** The beginning of a day, among ticks that are all such. Its date says it all. */
  readonly isDay: boolean;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
const steps = [
  1_000,
  5_000,
  15_000,
  minuteMs,
  5 * minuteMs,
  15 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
  12 * hourMs,
  dayMs,
  3 * dayMs,
  weekMs,
];
const ticksMax = 6;

/** What a clock in the zone is ahead of UTC at an instant, in milliseconds. */
function aheadMs(atMs: number, zone: string): number {
  const shown = Date.parse(`${formatInstant(atMs, zone).replace(' ', 'T')}Z`);
  return shown - Math.floor(atMs / 1_000) * 1_000;
}

/**
 * The instant at which a clock in the zone shows `clockMs`, counted as if it were UTC. The first of two, when the clock
 * goes back. Where the clock skips this time, the instant of the skip.
 */
function instantOf(clockMs: number, zone: string): number {
  const [before, after] = [clockMs - dayMs, clockMs + dayMs].map((ms) => clockMs - aheadMs(ms, zone)) as [
    number,
    number,
  ];
  const shows = (ms: number) => ms + aheadMs(ms, zone) === clockMs;
  return !shows(before) && shows(after) ? after : before;
}

/** Steps of several hours and more follow the clock of the zone, also where it goes back or forward. */
export function ticksOf({ fromMs, toMs }: TimeRange, zone: string): readonly Tick[] {
  const stepMs = steps.find((ms) => (toMs - fromMs) / ms <= ticksMax) ?? weekMs;
  const isLocal = stepMs > hourMs;
  const ticks: Tick[] = [];
  const firstMs = isLocal ? fromMs + aheadMs(fromMs, zone) : fromMs;
  // No clock is a day ahead. An address may name years that have no date, and then there are no ticks.
  for (let clockMs = Math.floor(firstMs / stepMs) * stepMs; clockMs <= toMs + dayMs; clockMs += stepMs) {
    const atMs = isLocal ? instantOf(clockMs, zone) : clockMs;
    if (atMs >= fromMs && atMs <= toMs)
      ticks.push({ at: (atMs - fromMs) / (toMs - fromMs), atMs, isDay: stepMs >= dayMs });
  }
  return ticks;
}
