import { expect, test } from 'vitest';
import { holdOf, waitOf } from '@/lib/domain/history/fixture/episodes';
import type { Hold, Wait } from './episode';
import { emptyHour, figuresOf, hourLengthMs, hourOf, withHold, withWait } from './hour-book';

const subject = { source: 'consul', kind: 'lock', key: 'a' } as const;
const atMs = 1_700_000_000_000;
const hold = (ms: number, end: Hold['end'] = 'released'): Hold => holdOf(atMs - ms, atMs, { subject, end });
const wait = (ms: number): Wait => waitOf(atMs - ms, atMs, { subject });

test('counts, sums and the longest are exact; percentiles are at most 5 % off', () => {
  const lengths = Array.from({ length: 1_000 }, (_, i) => (i + 1) * 37);
  const hour = lengths.reduce((book, ms) => withHold(book, hold(ms)), emptyHour(subject, hourOf(atMs)));
  const figures = figuresOf(hour);
  expect(figures).toMatchObject({
    subject,
    holds: 1_000,
    heldMs: 37 * 500_500,
    holdMaxMs: 37_000,
    lost: 0,
    waits: 0,
    waitP50Ms: null,
    waitP95Ms: null,
    waitMaxMs: null,
  });
  expect(Math.abs(figures.holdP50Ms / (37 * 500) - 1)).toBeLessThan(0.05);
  expect(Math.abs(figures.holdP95Ms / (37 * 950) - 1)).toBeLessThan(0.05);
});

test('whatever was seen to end otherwise than by a release is lost, and a hold of no time has no length', () => {
  const hour = [hold(0), hold(0, 'session-ended'), hold(0, 'evicted-here')].reduce(
    withHold,
    emptyHour(subject, hourOf(atMs)),
  );
  expect(figuresOf(hour)).toMatchObject({ holds: 3, lost: 2, holdP95Ms: 0, holdMaxMs: 0 });
});

test('what was not seen whole is counted, and has no part in the lengths', () => {
  const cut: Hold = { ...hold(90_000), from: { atMs: atMs - 90_000, basis: 'at-least' } };
  const hour = [hold(1_000), hold(60_000, 'not-watched'), cut].reduce(
    withHold,
    emptyHour(subject, hourOf(atMs)),
  );
  expect(figuresOf(hour)).toMatchObject({ holds: 3, heldMs: 151_000, holdMaxMs: 1_000, lost: 0 });
  expect(figuresOf(hour).holdP95Ms).toBeLessThanOrEqual(1_000);
});

test('waits are counted beside the holds, and a percentile is never above the longest', () => {
  const figures = figuresOf(withWait(emptyHour(subject, 0), wait(1_000)));
  expect(figures).toMatchObject({ holds: 0, waits: 1, waitMaxMs: 1_000 });
  expect(figures.waitP95Ms).toBeLessThanOrEqual(1_000);
  expect(figures.waitP95Ms).toBeGreaterThan(950);
});

test('the hour is the one in which it ended', () => {
  expect(hourOf(3 * hourLengthMs)).toBe(3 * hourLengthMs);
  expect(hourOf(4 * hourLengthMs - 1)).toBe(3 * hourLengthMs);
});
