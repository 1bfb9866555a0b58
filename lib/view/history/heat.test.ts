import { expect, test } from 'vitest';
import { heatOf } from './heat';

const hour = 3_600_000;
const range = { from: hour / 2, to: 4 * hour, cellMs: hour, countedFromMs: hour / 2, gaps: [] };
const group = { name: 'a/', sources: ['consul'], cells: [], heldMs: 0, lost: 0, holds: null, waits: null };

test('a cell is as strong as its row was held then, beside the most held cell of that row, and keeps its losses', () => {
  const rare = {
    ...group,
    cells: [
      { atMs: hour, heldMs: 10, lost: 0 },
      { atMs: 3 * hour, heldMs: 5, lost: 2 },
    ],
  };
  const always = { ...group, name: 'b/', cells: [{ atMs: 0, heldMs: hour, lost: 0 }] };
  const { rows } = heatOf({ ...range, groups: [rare, always] });
  expect(rows.map(({ cells }) => cells.map(({ strength }) => strength))).toEqual([
    [0, 1, 0, 0.5],
    [1, 0, 0, 0],
  ]);
  expect(rows[0]?.cells[3]).toEqual({ heldMs: 5, lost: 2, strength: 0.5, unseenMs: 0 });
});

test('each column of the range is there, cut to it, and a cell says how much of it was not watched', () => {
  const gap = { id: 'g', source: 'consul', why: 'outage' as const };
  const gaps = [
    { ...gap, fromMs: 2.75 * hour, toMs: 3.25 * hour },
    { ...gap, fromMs: 3 * hour, toMs: 3.5 * hour },
  ];
  const { columns, rows } = heatOf({ ...range, countedFromMs: 1.5 * hour, gaps, groups: [group] });
  expect(columns).toEqual([
    { fromMs: hour / 2, toMs: hour },
    { fromMs: hour, toMs: 2 * hour },
    { fromMs: 2 * hour, toMs: 3 * hour },
    { fromMs: 3 * hour, toMs: 4 * hour },
  ]);
  expect(rows[0]?.cells.map(({ unseenMs }) => unseenMs)).toEqual([hour / 2, hour / 2, hour / 4, hour / 2]);
});

test('a gap that goes on reaches to the end, and hides only what its own source has', () => {
  const gaps = [{ id: 'g', source: 'redis', fromMs: 3 * hour, toMs: null, why: 'outage' as const }];
  const unseen = (sources: string[]) =>
    heatOf({ ...range, gaps, groups: [{ ...group, sources }] }).rows[0]?.cells.map(
      ({ unseenMs }) => unseenMs,
    );
  expect(unseen(['redis'])).toEqual([0, 0, 0, hour]);
  expect(unseen(['consul', 'redis'])).toEqual([0, 0, 0, hour / 2]);
  expect(unseen(['consul'])).toEqual([0, 0, 0, 0]);
});
