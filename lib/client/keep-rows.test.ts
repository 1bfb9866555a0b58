import { expect, test } from 'vitest';
import { lockOf, semaphoreOf, snapshotOf } from '@/components/fixture/world';
import { keptSnapshot } from './keep-rows';

const names = ['a', 'c', 'd', 'e'];
const before = snapshotOf({ locks: names.map((name) => lockOf(name)), semaphores: [semaphoreOf('s')] });
const whole = (...keys: string[]) =>
  structuredClone({ ...before, version: 2, locks: keys.map((key) => lockOf(key)) });

test.each([
  ['appears', ['a', 'b', 'c', 'd', 'e'], 4],
  ['is gone', ['a', 'd', 'e'], 3],
  ['takes the place of another', ['a', 'b', 'd', 'e'], 3],
])('a lock that %s makes no other one look changed', (_, keys, keptCount) => {
  const after = keptSnapshot(before, whole(...keys));
  expect(after.locks.map(({ key }) => key)).toEqual(keys);
  expect(after.locks.filter((lock) => before.locks.includes(lock))).toHaveLength(keptCount);
});

test('a lock that appears in one source makes no lock of another source look changed', () => {
  const second = (key: string) => lockOf(key, { source: 'second' });
  const both = snapshotOf({ locks: [lockOf('a'), lockOf('d'), second('a'), second('b'), second('e')] });
  const next = [lockOf('a'), lockOf('d'), lockOf('z'), second('a'), second('b'), second('e')];
  const after = keptSnapshot(both, structuredClone({ ...both, locks: next }));
  expect(after.locks).toEqual(next);
  expect(after.locks.filter((lock) => both.locks.includes(lock))).toHaveLength(5);
});

test('lists in which nothing changed stay the same lists', () => {
  const after = keptSnapshot(before, whole(...names));
  expect(after.locks).toBe(before.locks);
  expect(after.semaphores).toBe(before.semaphores);
  expect(after.source).toBe(before.source);
  expect(after.version).toBe(2);
});

test('a lock that changed is the one that came', () => {
  const came = whole(...names);
  const changed = {
    ...came,
    locks: came.locks.map((l) => (l.key === 'c' ? { ...l, modifyIndex: '99' } : l)),
  };
  const after = keptSnapshot(before, changed);
  expect(after).toEqual(changed);
  expect(after.locks[1]).toBe(changed.locks[1]);
});
