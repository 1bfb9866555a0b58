import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Portion, portionOf } from './render-portion';

const row = fc.integer({ min: 0, max: 99 });

test('rows come in portions, those in the window first; present rows stay, and the focused one does not wait', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { minLength: 1, maxLength: 60 }),
      fc.uniqueArray(row),
      row,
      fc.nat(20),
      (wanted, drawn, from, size) => {
        const indexes = wanted.sort((a, b) => a - b);
        const pinned = indexes[indexes.length >> 1] ?? -1;
        const there = new Set(drawn);
        const now = portionOf({ indexes, from, pinned, isThere: (i) => there.has(i) }, size);
        expect(now).toEqual(indexes.filter((i) => now.includes(i)));
        expect(now).toContain(pinned);
        const fresh = (list: readonly number[]) => list.filter((i) => !there.has(i) && i !== pinned);
        expect(now.length - fresh(now).length).toBe(indexes.length - fresh(indexes).length);
        expect(fresh(now).length).toBe(Math.min(size, fresh(indexes).length));
        const late = fresh(indexes).filter((i) => !now.includes(i));
        const far = (i: number) => (i >= from ? i - from : 1_000 + from - i);
        for (const later of late) for (const i of fresh(now)) expect(far(i)).toBeLessThan(far(later));
      },
    ),
  );
});

test('a portion is as large as the machine is quick, and never so small that the list would not get on', () => {
  const slow = new Portion();
  const quick = new Portion();
  for (let n = 0; n < 20; n += 1) {
    slow.took(slow.size, slow.size * 40);
    quick.took(quick.size, quick.size * 0.1);
  }
  expect([slow.size, quick.size]).toEqual([6, 60]);
  // One row, laid out with the whole page, proves nothing about rows.
  quick.took(1, 80);
  expect(quick.size).toBe(60);
});
