import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '@/lib/domain/sliced-work';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { rowOf } from '@/lib/providers/consul/fixture/rows';
import {
  changedRows,
  changingRows,
  type RowLists,
  rowAt,
  rowsAt,
  rowsIn,
  rowsUnder,
} from '@/lib/providers/consul/rows/changed-rows';
import { rowListsOf, withLists } from './all-rows';
import { newRoot, type Root } from './readings';

const rootOf = (value: readonly KvRow[]): Root =>
  newRoot({ prefix: 'a/', of: 'a/', exact: false }, { value });
const named = (changes: readonly { key: string }[]) => changes.map(({ key }) => key);

test('what is read of all roots can be had as one list, which is made once', () => {
  const roots = [rootOf([rowOf('a/1')]), rootOf([rowOf('a/2'), rowOf('a/3')]), rootOf([])];
  const said = withLists({ nowMs: 1 }, rowListsOf({ roots }));
  expect(named(said.rows)).toEqual(['a/1', 'a/2', 'a/3']);
  expect(said.rows).toBe(said.rows);
  expect(Object.keys(said)).toEqual(['nowMs', 'lists']);
});

test('however rows change and roots are cut, the same differences are found as by walking all rows', () => {
  /** Some names stand for several rows: keys that differ in bytes that are no text. */
  const world = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(2)), { maxLength: 8 });
  const cuts = fc.array(fc.nat(8), { maxLength: 3 });
  const known = new Map<string, KvRow>();
  /** The same row for the same name, number and revision. */
  const madeRow = (key: string, nth: number, revision: number) => {
    const id = `${key} ${nth} ${revision}`;
    const row = known.get(id) ?? rowOf(key, { modifyIndex: String(revision) });
    known.set(id, row);
    return row;
  };
  fc.assert(
    fc.property(fc.array(fc.tuple(world, cuts), { maxLength: 6 }), (looks) => {
      let before: RowLists = [[]];
      for (const [all, places] of looks) {
        const seen = new Map<string, number>();
        const sorted = [...all]
          .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
          .map(([key, revision]) => {
            const nth = seen.get(key) ?? 0;
            seen.set(key, nth + 1);
            return madeRow(key, nth, revision);
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
        // A root that did not change keeps its list.
        const lists = rowListsOf({ roots }).map(
          (list) =>
            before.find((one) => one.length === list.length && one.every((row, n) => row === list[n])) ??
            list,
        );
        expect([...rowsIn(lists)]).toEqual(sorted);
        expect(finish(changingRows(before, lists))).toEqual(changedRows([...rowsIn(before)], sorted));
        for (const key of ['', 'a', 'b', 'c', 'd', 'e', 'f']) {
          const own = sorted.filter((row) => row.key === key);
          expect(rowsAt(lists, key)).toEqual(own);
          expect(rowAt(lists, key)).toBe(own.at(-1));
          expect(rowsUnder(lists, key)).toEqual(sorted.filter((row) => row.key.startsWith(key)));
        }
        before = lists;
      }
    }),
  );
});
