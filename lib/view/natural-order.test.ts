import fc from 'fast-check';
import { expect, test } from 'vitest';
import { naturalCompare } from './natural-order';

test('numbers in names are ordered as numbers, the rest by code unit', () => {
  const names = [
    'shard-10',
    'shard-2',
    'shard-2/b',
    'shard-02',
    'shard',
    'a10b2',
    'a10b10',
    'a9',
    'shard-2a',
    'é',
    'b',
  ];
  expect([...names].sort(naturalCompare)).toEqual([
    'a9',
    'a10b2',
    'a10b10',
    'b',
    'shard',
    'shard-02',
    'shard-2',
    'shard-2/b',
    'shard-2a',
    'shard-10',
    'é',
  ]);
});

test('it is a total order, so that a list sorts to one result and a row has one place', () => {
  const name = fc.stringMatching(/^[ab0-2/-]{0,8}$/);
  fc.assert(
    fc.property(name, name, name, (a, b, c) => {
      expect(Math.sign(naturalCompare(a, b))).toBe(-Math.sign(naturalCompare(b, a)) + 0);
      expect(naturalCompare(a, b) === 0).toBe(a === b);
      if (naturalCompare(a, b) <= 0 && naturalCompare(b, c) <= 0)
        expect(naturalCompare(a, c)).toBeLessThanOrEqual(0);
    }),
    { numRuns: 20_000 },
  );
});
