import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Places } from './places';

test('each row begins where those before it end, and is found there, after any measurements and moves', () => {
  const measured = fc.array(fc.tuple(fc.nat(19), fc.integer({ min: 1, max: 200 })), { maxLength: 30 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), measured, fc.boolean(), (count, heights, turned) => {
      const keyOf = (index: number) => `row ${index}`;
      const places = new Places(36);
      places.set(count, keyOf);
      const known = new Map<string, number>();
      for (const [index, height] of heights) {
        if (index >= count) continue;
        places.measure(index, height);
        known.set(keyOf(index), height);
      }
      // The old places must not count for the new rows.
      places.start(count);
      const keyNow = turned ? (index: number) => keyOf(count - 1 - index) : keyOf;
      places.set(count, keyNow);
      let end = 0;
      for (let index = 0; index < count; index += 1) {
        expect(places.start(index)).toBe(end);
        expect(places.at(end)).toBe(index);
        end += known.get(keyNow(index)) ?? 36;
        expect(places.at(end - 1)).toBe(index);
      }
      expect(places.start(count)).toBe(end);
      expect(places.at(-500)).toBe(0);
      expect(places.at(end + 500)).toBe(count - 1);
    }),
  );
});

const many = 10_000;

test('rows that are measured together, in any order, cost a few looks at each row of the list and not as many as they are', () => {
  let looks = 0;
  const places = new Places(36);
  places.set(many, (index) => {
    looks += 1;
    return index;
  });
  places.measure(0, 40);
  const rows = Array.from({ length: 50 }, (_, i) => ({ index: 149 - i, height: 100 }));
  // The window begins in row 120, whose top is 20 pixels higher.
  const topPx = places.start(120) + 20;
  looks = 0;
  const { any, above } = places.measureAll(rows, topPx);
  expect(places.start(200)).toBe(4 + 150 * 36 + 50 * 64 + 50 * 36);
  expect(looks).toBeLessThan(2 * many);
  // In order: the first row that is too high pushes the others down, out of the part above.
  expect([any, above]).toEqual([true, aboveOneByOne(rows, topPx)]);
  expect(places.measureAll(rows, topPx)).toEqual({ any: false, above: 0 });
});

function aboveOneByOne(rows: readonly { index: number; height: number }[], topPx: number): number {
  const places = new Places(36);
  places.set(many, (index) => index);
  places.measure(0, 40);
  let above = 0;
  for (const { index, height } of [...rows].sort((a, b) => a.index - b.index)) {
    if (places.start(index) < topPx) above += height - 36;
    places.measure(index, height);
  }
  return above;
}

test('unmeasured rows count as high as the first measured ones, without a scroll', () => {
  const places = new Places(36);
  places.set(many, (index) => index);
  const rows = Array.from({ length: 30 }, (_, i) => ({ index: 500 + i, height: i % 5 === 0 ? 100 : 80 }));
  // A browser scrolled here before the reload: to the present row 225, at any guess.
  expect(places.measureAll(rows, 500 * 36)).toEqual({ any: true, above: 0 });
  expect(places.at(500 * 36)).toBe(225);
  expect(places.start(500)).toBe(500 * 80);
  expect(places.start(many)).toBe(many * 80 + 6 * 20);
  expect(places.known).toBe(6);
  // Once: later rows are measured one by one, and the others keep their heights.
  expect(places.measureAll([{ index: 0, height: 50 }], 500 * 80)).toEqual({ any: true, above: -30 });
  expect(places.start(many)).toBe(many * 80 + 6 * 20 - 30);
});

test('rows with a new look are measured again, and the first visible one still is', () => {
  const places = new Places(32);
  places.set(many, (index) => index);
  const measured = (height: number) => Array.from({ length: 30 }, (_, i) => ({ index: 500 + i, height }));
  // Nothing was measured: nothing to turn.
  places.turn(500 * 32);
  expect(places.measureAll(measured(80), 500 * 80)).toEqual({ any: true, above: 0 });
  places.turn(500 * 80);
  expect(places.measureAll(measured(32), 500 * 80)).toEqual({ any: true, above: 500 * (32 - 80) });
  expect(places.start(many)).toBe(many * 32);
  expect(places.known).toBe(0);
});

test('heights of rows that are gone are not kept for ever, those of rows that are there are', () => {
  const places = new Places(36);
  for (let day = 0; day < 100; day += 1) {
    places.set(100, (index) => `row ${day} ${index}`);
    for (let index = 0; index < 100; index += 1) places.measure(index, 100);
    expect(places.start(100)).toBe(10_000);
  }
  expect(places.known).toBeLessThan(2_000);
});
