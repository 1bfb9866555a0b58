import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { rowOf as row } from '@/lib/providers/consul/fixture/rows';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { cut, outside, type Part, tears } from './shard-keys';

const inOrder = (keys: Iterable<string>) => [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
const rowsOf = (keys: Iterable<string>) => inOrder(new Set(keys)).map((key) => row(key));
const covers = ({ prefix, exact }: Part, key: string) => (exact ? key === prefix : key.startsWith(prefix));

const segment = fc.string({
  minLength: 0,
  maxLength: 3,
  unit: fc.constantFrom('a', 'b', '1', '-', 'é', '😀', '.', '\ufffd', ' '),
});
const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const keys = fc.array(
  key.filter((name) => name !== ''),
  { minLength: 2, maxLength: 60 },
);

test('however the keys are, each lies in exactly one part, in the order of the rows, and there are no more parts than allowed', () => {
  fc.assert(
    fc.property(keys, fc.integer({ min: 2, max: 12 }), (names, partsMax) => {
      const rows = rowsOf(names);
      const pieces = cut(rows, '', { partsMax, rowsMax: 3 });
      if (pieces === null) return;
      expect(pieces.flatMap((piece) => piece.rows)).toEqual(rows);
      expect(pieces.length).toBeLessThanOrEqual(partsMax);
      for (const { key: name } of rows) expect(pieces.filter((piece) => covers(piece, name))).toHaveLength(1);
      expect(outside(names, pieces)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('no part is named so that Consul would read something else', () => {
  fc.assert(
    fc.property(keys, (names) => {
      for (const { prefix } of cut(rowsOf(names), '', { partsMax: 30, rowsMax: 1 }) ?? []) {
        expect(prefix).not.toMatch(/\/\/|^\/|(^|\/)\.{1,2}(\/|$)|[ \ufffd]/);
        expect(prefix.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

test('a key that appears outside of all parts gets one that has no key in common with another', () => {
  fc.assert(
    fc.property(keys, keys, (names, more) => {
      const pieces = cut(rowsOf(names), '', { partsMax: 30, rowsMax: 2 });
      if (pieces === null) return;
      const added = outside(inOrder(new Set([...names, ...more])), pieces);
      if (added === null) return;
      for (const name of [...names, ...more])
        expect([...pieces, ...added].filter((part) => covers(part, name))).toHaveLength(1);
    }),
    { numRuns: 500 },
  );
});

test('the largest piece is cut first, and along what its keys have in common', () => {
  const many = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${prefix}${n % 10}/${n}`);
  const pieces = cut(rowsOf([...many('jobs/nightly-', 500), ...many('locks/', 40), 'other']), '', {
    partsMax: 14,
    rowsMax: 50,
  });
  expect(pieces?.map(({ prefix }) => prefix)).toEqual([
    ...Array.from({ length: 10 }, (_, n) => `jobs/nightly-${n}`),
    'l',
    'o',
  ]);
});

test('a folder that has the entries of a semaphore is not cut, at any of its characters', () => {
  const below = Array.from({ length: 40 }, (_, n) => `pool/${n % 4}/${n}`);
  const within = (more: KvRow) => [...rowsOf(below), more].sort((a, b) => (a.key < b.key ? -1 : 1));
  const limit = { partsMax: 30, rowsMax: 10 };
  expect(cut(rowsOf(below), '', limit)).toHaveLength(4);
  expect(cut(within(row('pool/.lock')), '', limit)).toBeNull();
  // Where names begin alike, the name of a part is not the obstacle.
  const alike = rowsOf(['pool/.lock', ...below.map((name) => name.replace('pool/', 'pool/.lot/'))]);
  expect(cut(alike, '', limit)).toBeNull();
  expect(cut(within(row('pool/2x', { flags: semaphoreFlags })), '', limit)).toBeNull();
  expect(cut(within(row('pool/2x', { session: '2x' })), '', limit)).toBeNull();
  // A semaphore in one folder does not prevent a cut of the folder above.
  expect(cut(within(row('pool/2/.lock')), '', limit)).toHaveLength(4);
  expect(cut(within(row('pool/2/x', { flags: semaphoreFlags })), '', limit)).toHaveLength(4);
});

test('a part shows that its folder has become a semaphore', () => {
  const part = { prefix: 'pool/2', exact: false };
  expect(tears(part, [row('pool/20'), row('pool/2/.lock')])).toBe(false);
  expect(tears(part, [row('pool/2x', { session: '2x' })])).toBe(true);
  expect(tears(part, [row('pool/2x', { flags: semaphoreFlags })])).toBe(true);
  expect(tears({ prefix: 'pool/', exact: false }, [row('pool/.lock')]), 'all of the folder').toBe(false);
});

test("an entry whose key begins the others' is a part of its own", () => {
  const pieces = cut(rowsOf(['jobs/', 'jobs/a', 'jobs/b']), 'jobs', { partsMax: 5, rowsMax: 1 });
  expect(pieces?.map(({ prefix, exact }) => [prefix, exact])).toEqual([
    ['jobs/', true],
    ['jobs/a', false],
    ['jobs/b', false],
  ]);
  expect(outside(['jobs/', 'jobs/a1', 'jobs/c'], pieces ?? [])).toEqual([{ prefix: 'jobs/c', exact: false }]);
});

test('a name without a possible part is reported', () => {
  expect(outside(['a/.lock'], [{ prefix: 'a/1', exact: false }])).toBeNull();
  expect(outside(['a/\ufffd'], [{ prefix: 'a/1', exact: false }])).toBeNull();
});
