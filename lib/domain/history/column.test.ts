/** The last hour of a lock as one path. */
import { expect, test } from 'vitest';
import { type ColumnFacts, columnHeight, columnOf } from './column';

const minuteMs = 60_000;
/** A whole hour, so that counted hours are easy to place. */
const atMs = 100 * 60 * minuteMs;
const startMs = atMs - 60 * minuteMs;
const hold = (fromMin: number, toMin: number | null, waitersMax: number | null = null) => ({
  from: { atMs: startMs + fromMin * minuteMs, basis: 'observed' as const },
  to: toMin === null ? null : { atMs: startMs + toMin * minuteMs, basis: 'observed' as const },
  waitersMax,
});
const gap = (fromMin: number, toMin: number | null) => ({
  fromMs: startMs + fromMin * minuteMs,
  toMs: toMin === null ? null : startMs + toMin * minuteMs,
});
const column = (facts: Partial<ColumnFacts>) =>
  columnOf({ holds: [], gaps: [], hours: [], fromMs: 0, untilMs: atMs, ...facts }, atMs);

test('a lock that nobody held is a line, and one that was held all the hour is full', () => {
  expect(column({})).toMatchObject({ path: 'M0 16V15H60V16Z', heldShare: 0, seenMs: 60 * minuteMs });
  expect(column({ holds: [hold(-90, null)] })).toMatchObject({ path: 'M0 16V0H60V16Z', heldShare: 1 });
});

test('the share is of the time that it was held by anybody, however many held at once', () => {
  const { heldShare, path } = column({ holds: [hold(0, 30), hold(10, 30), hold(30, 45)] });
  expect(heldShare).toBeCloseTo(0.75);
  expect(path).toBe('M0 16V0H45V16ZM45 16V15H60V16Z');
});

test('a hold that is shorter than a minute can be seen', () => {
  expect(column({ holds: [hold(5, 5.01)] }).path).toBe('M0 16V15H5V16ZM5 16V14H6V16ZM6 16V15H60V16Z');
});

test('what was not seen has no path and is not counted as idle', () => {
  const { path, heldShare, seenMs } = column({ holds: [hold(0, 60)], gaps: [gap(20, 40)] });
  expect(path).toBe(`M0 16V0H20V${columnHeight}ZM40 16V0H60V${columnHeight}Z`);
  expect([heldShare, seenMs]).toEqual([1, 40 * minuteMs]);
  expect(column({ gaps: [gap(-100, null)] })).toMatchObject({ path: '', heldShare: null, seenMs: 0 });
  expect(column({ fromMs: startMs + 50 * minuteMs }).path).toBe('M50 16V15H60V16Z');
  expect(column({ untilMs: startMs + 50 * minuteMs }).path).toBe('M0 16V15H50V16Z');
});

test('holds that are only counted are spread over their hour', () => {
  const hours = [{ hourMs: startMs, heldMs: 30 * minuteMs, holds: 900 }];
  expect(column({ hours })).toMatchObject({ path: 'M0 16V8H60V16Z', heldShare: 0.5, counted: true });
});

test('the most that waited is that of the holds of this hour, and unknown where no hold tells', () => {
  expect(column({ holds: [hold(-30, -10, 9), hold(0, 10, 3), hold(10, 20, 1)] }).waitersMax).toBe(3);
  expect(column({ holds: [hold(0, 10)] }).waitersMax).toBeNull();
});
