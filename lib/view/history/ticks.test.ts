import { describe, expect, test } from 'vitest';
import { formatInstant } from '@/lib/i18n/format/format';
import { ticksOf } from './ticks';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const shownFrom = (fromMs: number, lengthMs: number, zone: string) =>
  ticksOf({ fromMs, toMs: fromMs + lengthMs }, zone).map(({ atMs }) => formatInstant(atMs, zone));

describe('ticks of days stand at the beginning of a day of the reader', () => {
  const fromMs = Date.UTC(2026, 9, 22, 20, 17);
  for (const zone of ['UTC', 'Asia/Shanghai', 'America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Kiritimati'])
    test(zone, () => {
      const days = shownFrom(fromMs, 5 * dayMs, zone);
      expect(days).toHaveLength(5);
      expect(days.every((text) => text.endsWith(' 00:00:00'))).toBe(true);
      expect(new Set(days).size).toBe(5);
      expect(shownFrom(fromMs, 7 * dayMs, zone).every((text) => text.endsWith(' 00:00:00'))).toBe(true);
    });
});

test('a day of 25 or 23 hours moves no later tick off its midnight', () => {
  expect(shownFrom(Date.UTC(2026, 9, 23, 12), 4 * dayMs, 'Europe/Berlin')).toEqual([
    '2026-10-24 00:00:00',
    '2026-10-25 00:00:00',
    '2026-10-26 00:00:00',
    '2026-10-27 00:00:00',
  ]);
  expect(shownFrom(Date.UTC(2026, 2, 27, 12), 4 * dayMs, 'Europe/Berlin')).toEqual([
    '2026-03-28 00:00:00',
    '2026-03-29 00:00:00',
    '2026-03-30 00:00:00',
    '2026-03-31 00:00:00',
  ]);
});

test('a day without a midnight has its tick where it begins', () => {
  // The clocks of Cairo go from 23:59:59 on to 01:00:00.
  expect(shownFrom(Date.UTC(2026, 3, 22, 12), 4 * dayMs, 'Africa/Cairo')).toEqual([
    '2026-04-23 00:00:00',
    '2026-04-24 01:00:00',
    '2026-04-25 00:00:00',
    '2026-04-26 00:00:00',
  ]);
});

test('the ticks of 24 hours are round hours of the reader', () => {
  expect(shownFrom(Date.UTC(2026, 10, 21, 1), dayMs, 'Asia/Kolkata').map((text) => text.slice(11))).toEqual([
    '12:00:00',
    '18:00:00',
    '00:00:00',
    '06:00:00',
  ]);
});

test('years of five digits have no ticks, and do not hang the page', () => {
  expect(shownFrom(Date.UTC(12_026, 0), dayMs, 'Europe/Berlin')).toEqual([]);
});

test('a tick has its place in the range, and one at each end is in it', () => {
  const range = { fromMs: 0, toMs: hourMs };
  const ticks = ticksOf(range, 'Asia/Shanghai');
  expect(ticks.map(({ at }) => at)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  expect(ticks.map(({ isDay }) => isDay)).toEqual(Array(5).fill(false));
  expect(ticksOf({ fromMs: 0, toMs: 7 * dayMs }, 'UTC').every(({ isDay }) => isDay)).toBe(true);
  expect(ticksOf({ fromMs: 0, toMs: 31 * dayMs }, 'UTC').length).toBeLessThanOrEqual(6);
});
