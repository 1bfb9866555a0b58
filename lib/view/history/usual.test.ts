import { expect, test } from 'vitest';
import type { HourFigures } from '@/lib/domain/history/episode';
import { holdOf as hold, waitOf as wait } from '@/lib/domain/history/fixture/episodes';
import { usualOfDay } from './usual';

const hour = (over: Partial<HourFigures>): HourFigures => ({
  subject: { source: 'consul', kind: 'lock', key: 'leader' },
  hourMs: 0,
  holds: 0,
  heldMs: 0,
  holdP50Ms: 0,
  holdP95Ms: 0,
  holdMaxMs: 0,
  waits: 0,
  waitP50Ms: null,
  waitP95Ms: null,
  waitMaxMs: null,
  lost: 0,
  ...over,
});
const none = { waits: [], hours: [] };

test('what is usual is of holds whose length is known, and is not claimed from a few', () => {
  const holds = [1, 2, 3, 4, 100].map((s) => hold(0, s * 1_000));
  expect(usualOfDay({ ...none, episodes: holds }).holds).toEqual({
    n: 5,
    p50Ms: 3_000,
    p95Ms: 100_000,
    maxMs: 100_000,
    counted: false,
  });
  expect(usualOfDay({ ...none, episodes: holds.slice(1) }).holds).toBeNull();
  const unseen = hold(0, 9_000, { end: 'not-watched' });
  expect(usualOfDay({ ...none, episodes: [...holds.slice(1), unseen] }).holds).toBeNull();
  const even = [1, 1, 1, 9, 9, 9].map((s) => hold(0, s * 1_000));
  expect(usualOfDay({ ...none, episodes: even }).holds?.p50Ms).toBe(1_000);
});

test('of a hot lock the thousands that are only counted say what is usual, not its few exceptions', () => {
  const exceptions = [60, 70, 80, 90, 1_020].map((s) => hold(0, s * 1_000));
  const counted = hour({ holds: 1_200, holdP50Ms: 40, holdP95Ms: 120, holdMaxMs: 900 });
  const { holds } = usualOfDay({ waits: [], episodes: exceptions, hours: [counted, counted] });
  expect(holds).toMatchObject({ n: 2_405, maxMs: 1_020_000, counted: true });
  expect(Math.abs((holds?.p50Ms ?? 0) - 40)).toBeLessThan(3);
  expect(holds?.p95Ms).toBeGreaterThan(100);
  expect(holds?.p95Ms).toBeLessThan(200);
});

test('waits have figures of their own where they are kept, and an hour of which none was seen whole says nothing', () => {
  const waits = [1, 2, 3, 4, 5].map((s) => wait(0, s * 1_000));
  const unseen = hour({ holds: 900 });
  expect(usualOfDay({ episodes: [], waits, hours: [unseen] })).toMatchObject({
    holds: null,
    waits: { n: 5, p50Ms: 3_000, maxMs: 5_000, counted: false },
  });
  const counted = hour({ waits: 50, waitP50Ms: 10, waitP95Ms: 20, waitMaxMs: 30 });
  expect(usualOfDay({ episodes: [], waits: [], hours: [counted] }).waits).toMatchObject({
    n: 50,
    p50Ms: 10,
    maxMs: 30,
  });
});
