import { expect, test } from 'vitest';
import { mostHeldMs, stripOf, unseenIn } from './strip';

const hour = 3_600_000;
const range = { from: 0, to: 4 * hour, cellMs: hour };
const group = {
  cells: [
    { atMs: hour, heldMs: hour / 2, lost: 0 },
    { atMs: 3 * hour, heldMs: 0, lost: 2 },
  ],
};

test('a bar is as high as its cell is held, beside the most held cell of all, and a loss stands where it happened', () => {
  const most = { ...group, name: 'a/', heldMs: hour, lost: 0, holds: null, waits: null };
  expect(mostHeldMs({ groups: [most, { ...most, cells: [{ atMs: 0, heldMs: hour, lost: 0 }] }] })).toBe(hour);
  expect(stripOf(group, range, hour)).toEqual({
    bars: [{ from: 0.25, to: 0.5, height: 0.5 }],
    lost: [0.875],
  });
});

test('what was not seen is a span of its own, and the present end of a gap that goes on is the end of the range', () => {
  const gap = { id: 'g', source: 'consul', why: 'outage' as const };
  const gaps = [
    { ...gap, fromMs: 3 * hour, toMs: null },
    { ...gap, fromMs: -hour, toMs: -1 },
  ];
  expect(unseenIn({ ...range, countedFromMs: 2 * hour, gaps })).toEqual([
    { from: 0, to: 0.5 },
    { from: 0.75, to: 1 },
  ]);
});
