import { expect, test } from 'vitest';
import type { History } from '@/lib/domain/history/episode';
import { holdOf as hold, waitOf } from '@/lib/domain/history/fixture/episodes';
import { keptPart, knownOf, panned, timelineOf, zoomed } from './timeline';

const wait = (fromMs: number, toMs: number | null) => waitOf(fromMs, toMs, { end: null });
const history = (over: Partial<History>): History => ({
  episodes: [],
  waits: [],
  findings: [],
  limits: [],
  gaps: [],
  ...over,
});
const range = { fromMs: 0, toMs: 1_000 };

test('holds that overlap have lanes of their own, and a free lane is taken again', () => {
  const { bars, lanes } = timelineOf(
    history({ episodes: [hold(0, 500), hold(100, 900), hold(600, null)] }),
    range,
    1_000,
  );
  expect(bars.map(({ lane }) => lane)).toEqual([0, 1, 0]);
  expect(lanes).toBe(2);
  expect(bars[2]).toMatchObject({ from: 0.6, to: 1 });
});

test('a bar has a part for each verdict, and what lies outside of the range is not drawn', () => {
  const verdicts = [
    { verdict: 'alive', atMs: 100 },
    { verdict: 'overdue', atMs: 400 },
  ] as const;
  const { bars } = timelineOf(
    history({ episodes: [hold(100, 800, { verdicts }), hold(2_000, 3_000)] }),
    range,
    5_000,
  );
  expect(bars).toHaveLength(1);
  expect(bars[0]?.parts).toEqual([
    { verdict: 'alive', from: 0.1, to: 0.4 },
    { verdict: 'overdue', from: 0.4, to: 0.8 },
  ]);
});

test('the number of waiters rises and falls with who comes and goes', () => {
  const { waiting, waitingMax } = timelineOf(
    history({ waits: [wait(100, 500), wait(200, null)] }),
    range,
    1_000,
  );
  expect(waiting).toEqual([
    { at: 0.1, count: 1 },
    { at: 0.2, count: 2 },
    { at: 0.5, count: 1 },
  ]);
  expect(waitingMax).toBe(2);
});

test('an action that ended several holds has one flag', () => {
  const deed = { seq: 1, by: 'ana', type: 'session.destroy', reason: null, atMs: 500 };
  const { deeds } = timelineOf(
    history({ episodes: [hold(0, 500, { deed }), hold(1, 500, { deed })] }),
    range,
    1_000,
  );
  expect(deeds).toEqual([{ at: 0.5, deed }]);
});

test('a zoom keeps the place under the pointer, and neither it nor a move looks beyond now', () => {
  expect(zoomed({ fromMs: 100_000, toMs: 200_000 }, 0.5, 0.5, 1_000_000)).toEqual({
    fromMs: 125_000,
    toMs: 175_000,
  });
  expect(zoomed({ fromMs: 100_000, toMs: 200_000 }, 2, 1, 200_000)).toEqual({ fromMs: 0, toMs: 200_000 });
  expect(panned({ fromMs: 100_000, toMs: 200_000 }, 0.5, 210_000)).toEqual({
    fromMs: 110_000,
    toMs: 210_000,
  });
});

test('what was not kept, left out or not read yet is never drawn as idle', () => {
  const base = { from: 1_000, to: 101_000, keptSinceMs: null, more: false, episodes: [] };
  const range = { fromMs: 1_000, toMs: 101_000 };
  const unread = (known: Parameters<typeof knownOf>[0], shown = range) =>
    timelineOf(
      { episodes: [], waits: [], findings: [], limits: [], gaps: [] },
      shown,
      200_000,
      knownOf(known),
    ).unread;
  expect(unread(base)).toEqual([]);
  expect(unread({ ...base, keptSinceMs: 51_000 })).toEqual([{ from: 0, to: 0.5 }]);
  expect(unread(base, { fromMs: -99_000, toMs: 101_000 })).toEqual([{ from: 0, to: 0.5 }]);
  expect(unread(base, { fromMs: 1_000, toMs: 201_000 })).toEqual([{ from: 0.5, to: 1 }]);
});

test('of a day of which minutes are kept those minutes are shown, and of one that is kept all of it', () => {
  const minute = 60_000;
  const day = { fromMs: 0, toMs: 1_440 * minute };
  expect(keptPart(day, 1_400 * minute)).toEqual({ fromMs: 1_399 * minute, toMs: day.toMs });
  expect(keptPart(day, 1_439 * minute).fromMs).toBe(1_430 * minute);
  expect(keptPart(day, -minute)).toEqual(day);
  expect(keptPart(day, null)).toEqual(day);
});
