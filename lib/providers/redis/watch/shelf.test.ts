import { expect, test } from 'vitest';
import { lock } from '@/lib/domain/fixture/world';
import { spansOf } from '@/lib/domain/sorted';
import { createShelf } from './shelf';

test('a world says where it differs from the one before, so that nobody walks all of its rows', () => {
  const shelf = createShelf(1_000_000);
  for (const key of ['d', 'b', 'a', 'c']) shelf.put(key, lock({ key }));
  const before = shelf.world();
  shelf.put('b', null);
  shelf.put('d', lock({ key: 'd', state: 'unknown' }));
  expect(shelf.changed).toBe(true);
  const after = shelf.world();
  expect(after.locks.map(({ key, state }) => `${key} ${state}`)).toEqual(['a held', 'c held', 'd unknown']);
  expect(spansOf(before.locks, after.locks)).toEqual([
    { from: 1, to: 2, fromAfter: 1, toAfter: 1 },
    { from: 3, to: 4, fromAfter: 2, toAfter: 3 },
  ]);
  expect(shelf.changed).toBe(false);
  expect(shelf.world().locks).toBe(after.locks);
});
