import { expect, test } from 'vitest';
import { createOthers } from './others';

test('as many as one half are known round after round, whatever comes and goes beside them', () => {
  const others = createOthers(1_000);
  const there = Array.from({ length: 500 }, (_, i) => `there-${i}`);
  for (const name of there) others.add(name, 1);
  for (let round = 0; round < 20; round += 1) {
    for (let i = 0; i < 400; i += 1) others.add(`brief-${round}-${i}`, round);
    expect(there.filter((name) => !others.met(name))).toEqual([]);
  }
  expect(others.readMs('brief-0-0')).toBeUndefined();
  expect(others.readMs('there-0')).toBe(1);
});

test('one that was read anew, or became ours, is not known by its earlier reading', () => {
  const others = createOthers(2);
  for (const name of ['a', 'b', 'c']) others.add(name, 1);
  others.add('a', 2);
  expect(others.readMs('a')).toBe(2);
  others.delete('a');
  others.delete('b');
  expect([others.met('a'), others.met('b'), others.met('c')]).toEqual([false, false, true]);
  others.clear();
  expect(others.met('c')).toBe(false);
});
