/** The table that says whether a server stayed flat. */
import { expect, test } from 'vitest';
import { flatness, flatTable, grown, type Sample } from './soak';

const minute = 60_000;
const sample = (n: number, over: Partial<Sample> = {}): Sample => ({
  atMs: n * minute,
  pid: 1,
  rss: 200,
  heap: 100,
  external: 10,
  timers: 8,
  sockets: 20 + (n % 3),
  files: 20,
  threads: 11,
  children: 0,
  ...over,
});
const of = (samples: readonly Sample[], measure: string) =>
  flatness(samples).find((one) => one.measure === measure);

test('changing figures are flat, and one socket a minute more is sixty an hour', () => {
  const flat = Array.from({ length: 30 }, (_, n) => sample(n));
  expect(of(flat, 'heap')).toEqual({ measure: 'heap', first: 100, middle: 100, last: 100, perHour: 0 });
  expect(Math.abs(of(flat, 'sockets')?.perHour ?? 99)).toBeLessThan(2);
  const leaks = Array.from({ length: 30 }, (_, n) => sample(n, { sockets: 20 + n }));
  expect(of(leaks, 'sockets')).toMatchObject({ first: 25, middle: 35, last: 45 });
  expect(of(leaks, 'sockets')?.perHour).toBeCloseTo(60);
});

test('a restarted process does not hide the growth of the one before', () => {
  const samples = [
    ...Array.from({ length: 12 }, (_, n) => sample(n, { heap: 100 + n })),
    ...Array.from({ length: 3 }, (_, n) => sample(12 + n, { pid: 2, heap: 10 })),
  ];
  expect(of(samples, 'heap')).toMatchObject({ first: 102, last: 110 });
  expect(flatTable(samples)).toContain('| heap |');
});

const run = (over: (n: number) => Partial<Sample>, minutes = 30) =>
  Array.from({ length: minutes }, (_, n) => sample(n, { sockets: 20, ...over(n) }));
const leaksOf = (samples: readonly Sample[]) => grown(samples).map(({ measure }) => measure);

test('a third that is more than a twentieth above the one before it is a leak, and one that warms up is none', () => {
  expect(leaksOf(run(() => ({})))).toEqual([]);
  expect(leaksOf(run((n) => ({ heap: 100 + n })))).toEqual(['heap']);
  expect(leaksOf(run((n) => ({ rss: 200 + 2 * n, sockets: 20 + n })))).toEqual(['rss', 'sockets']);
  expect(leaksOf(run((n) => ({ heap: Math.min(100, 50 + n * 5) })))).toEqual([]);
  expect(leaksOf(run((n) => ({ heap: 100 + n * 0.3 })))).toEqual([]);
  // A process that gives memory back does not leak it.
  expect(leaksOf(run((n) => ({ rss: 300 - n * 5 })))).toEqual([]);
});

test('a run that is too short for thirds is not judged, and says so', () => {
  const short = run((n) => ({ heap: 100 + n * 10 }), 14);
  expect(leaksOf(short)).toEqual([]);
  expect(flatTable(short)).toContain('not asserted below 15 minutes');
  expect(flatTable(run((n) => ({ heap: 100 + n })))).toMatch(/\| heap .*\*\*grew\*\* \|/);
});
