import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compare, withRows } from './sorted';

interface Row {
  readonly name: string;
  readonly value: number;
}
const nameOf = ({ name }: Row) => name;
const byName = (a: Row, b: Row) => (a.name < b.name ? -1 : 1);
const rowsOf = (values: ReadonlyMap<string, number>): Row[] =>
  [...values].map(([name, value]) => ({ name, value })).sort(byName);
const values = fc
  .array(fc.tuple(fc.stringMatching(/^[a-d]{1,2}$/), fc.nat(3)), { maxLength: 12 })
  .map((pairs) => new Map(pairs));

test('a list with other rows for some names equals a new sort, and reports the differences in order', () => {
  fc.assert(
    fc.property(values, values, (before, after) => {
      const rows = rowsOf(before);
      const changes = new Map<string, Row | null>();
      for (const name of before.keys()) if (!after.has(name)) changes.set(name, null);
      for (const [name, value] of after) if (before.get(name) !== value) changes.set(name, { name, value });
      const next = withRows(rows, changes, nameOf);
      expect(next).toEqual(rowsOf(after));
      expect(next === rows).toBe(changes.size === 0);
      const told: string[] = [];
      compare(rows, next, nameOf, (was, is) => told.push((was ?? (is as Row)).name));
      expect(told).toEqual([...changes.keys()].sort());
    }),
  );
});

test('of a hundred thousand rows each can change', () => {
  const rows = rowsOf(new Map(Array.from({ length: 100_000 }, (_, n) => [`n${n}`, n])));
  const changes = new Map(rows.map(({ name }) => [name, { name, value: -1 }]));
  const next = withRows(rows, changes, nameOf);
  expect(next).toHaveLength(rows.length);
  expect(next.every(({ value }) => value === -1)).toBe(true);
});
