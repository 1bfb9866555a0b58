import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { rowOf } from '@/lib/providers/consul/fixture/rows';
import { rowPutBack } from './restore-detection';

const row = (key: string, createIndex: string, modifyIndex: string): KvRow => ({
  ...rowOf(key),
  createIndex,
  modifyIndex,
});
const before = [row('a', '10', '20'), row('c', '12', '12')];

test('an entry at a lower index than before proves that Consul was put back', () => {
  expect(rowPutBack(before, '20', [row('a', '10', '15'), row('c', '12', '12')])?.key).toBe('a');
});

test('so does an entry that is there again although it was written before it was read as gone', () => {
  expect(rowPutBack(before, '20', [...before, row('d', '11', '14')])?.key).toBe('d');
});

test.each([
  ['nothing but the index fell, as by a collection of tombstones', before],
  ['an entry was written since', [row('a', '10', '25'), row('c', '12', '12')]],
  ['an entry was deleted', [row('c', '12', '12')]],
  ['an entry is new', [row('a', '10', '20'), row('b', '25', '25'), row('c', '12', '12')]],
  ['another Consul has begun from nothing, with the same key', [row('a', '7', '7')]],
])('it is not proven where %s', (_what, after) => {
  expect(rowPutBack(before, '20', after)).toBeNull();
});
