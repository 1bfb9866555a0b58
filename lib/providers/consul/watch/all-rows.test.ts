import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { rowOf } from '@/lib/providers/consul/fixture/rows';
import { changedRows } from '@/lib/providers/consul/rows/changed-rows';
import { createRowsOf } from './all-rows';
import { newRoot, type Root } from './readings';

const rootOf = (value: readonly KvRow[]): Root =>
  newRoot({ prefix: 'a/', of: 'a/', exact: false }, { value });
const named = (changes: readonly { key: string }[]) => changes.map(({ key }) => key);

test('the rows of all roots are one list, which stays the same while no root changes', () => {
  const rowsOf = createRowsOf();
  const roots = [rootOf([rowOf('a/1')]), rootOf([rowOf('a/2'), rowOf('a/3')]), rootOf([])];
  const rows = rowsOf({ roots });
  expect(named(rows)).toEqual(['a/1', 'a/2', 'a/3']);
  expect(rowsOf({ roots: [...roots] })).toBe(rows);
});

test('however rows change and roots are cut, the same differences are found as by walking all rows', () => {
  /** Some names stand for several rows: keys that differ in bytes that are no text. */
  const world = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(2)), { maxLength: 8 });
  const cuts = fc.array(fc.nat(8), { maxLength: 3 });
  const known = new Map<string, KvRow>();
  /** The same row for the same name, number and revision. */
  const rowAt = (key: string, nth: number, revision: number) => {
    const id = `${key} ${nth} ${revision}`;
    const row = known.get(id) ?? rowOf(key, { modifyIndex: String(revision) });
    known.set(id, row);
    return row;
  };
  fc.assert(
    fc.property(fc.array(fc.tuple(world, cuts), { maxLength: 6 }), (looks) => {
      const rowsOf = createRowsOf();
      let before: readonly KvRow[] = rowsOf({ roots: [rootOf([])] });
      for (const [all, places] of looks) {
        const seen = new Map<string, number>();
        const sorted = [...all]
          .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
          .map(([key, revision]) => {
            const nth = seen.get(key) ?? 0;
            seen.set(key, nth + 1);
            return rowAt(key, nth, revision);
          });
        const at = [0, ...places.map((place) => place % (sorted.length + 1)).sort(), sorted.length];
        // No part divides the rows of one name.
        const ends = at.map((end) => {
          let moved = end;
          while (moved > 0 && moved < sorted.length && sorted[moved - 1]?.key === sorted[moved]?.key)
            moved += 1;
          return moved;
        });
        const roots = ends.slice(1).map((end, i) => rootOf(sorted.slice(ends[i], end)));
        const rows = rowsOf({ roots });
        expect(rows).toEqual(sorted);
        // Copies, of which nothing was noted.
        expect(changedRows(before, rows)).toEqual(changedRows([...before], [...rows]));
        before = rows;
      }
    }),
  );
});
