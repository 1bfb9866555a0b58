import { expect, test } from 'vitest';
import { holdOf } from '@/lib/domain/history/fixture/episodes';
import { emptyHour, withHold } from './hour-book';
import { isLong, usualOf } from './usual';

const subject = { source: 'consul', kind: 'lock', key: 'leader' } as const;
const holds = (n: number, ms: number) =>
  Array.from({ length: n }, (_, i) => holdOf(i * 1_000, i * 1_000 + ms));

test('of fewer than 100 holds that were seen whole nothing is said, and holds that are only counted are among them', () => {
  expect(usualOf(subject, holds(99, 900), [])).toBeNull();
  const cut = holdOf(0, 900_000, { from: { atMs: 0, basis: 'at-least' } });
  expect(usualOf(subject, [...holds(99, 900), cut], [])).toBeNull();
  const hour = holds(60, 900).reduce(withHold, emptyHour(subject, 0));
  expect(usualOf(subject, holds(40, 900), [hour])).toEqual({ subject, n: 100, p99Ms: 900 });
});

test('of a lock whose short holds are only counted, the long ones that are left are not the usual ones', () => {
  const hour = holds(4_000, 200).reduce(withHold, emptyHour(subject, 0));
  const left = holds(30, 20_000);
  const usual = usualOf(subject, left, [hour]);
  expect(usual).toMatchObject({ n: 4_030 });
  expect(usual?.p99Ms).toBeLessThan(250);
});

test('a hold far beyond the p99 is long, whether over or not; one of the longest in a hundred is not', () => {
  const some = [...holds(990, 1_000), ...holds(10, 1_400)];
  const usual = usualOf(subject, some, []);
  if (usual === null) throw new Error('a figure');
  expect(some.filter((hold) => isLong(hold, usual, 0))).toEqual([]);
  expect(isLong(holdOf(0, 1_600), usual, 0)).toBe(true);
  expect(isLong(holdOf(0, null), usual, 1_600)).toBe(true);
  expect(isLong(holdOf(0, null), usual, 1_200)).toBe(false);
});
