import { expect, test } from 'vitest';
import { holdOf, waitOf } from '@/lib/domain/history/fixture/episodes';
import type { Hold, HoldEnd, Wait } from './episode';
import { cellMsOf, FiguresBook, type FiguresKept, type FiguresOrder, groupsMax, partOfName } from './figures';
import { emptyHour, withHold } from './hour-book';

const hour = 3_600_000;
let n = 0;
const lockNamed = (key: string) => ({ source: 'consul', kind: 'lock', key }) as const;
function hold(key: string, fromMs: number, toMs: number | null, end: HoldEnd | null = 'released'): Hold {
  n += 1;
  return holdOf(fromMs, toMs, {
    id: `h${n}`,
    subject: lockNamed(key),
    end: toMs === null ? null : end,
  });
}
const wait = (key: string, fromMs: number, toMs: number, end: Wait['end'] = 'got-in'): Wait =>
  waitOf(fromMs, toMs, { subject: lockNamed(key), end });
const book = (prefix = '', kept: Partial<FiguresKept> = {}) =>
  new FiguresBook(prefix, { fromMs: 0, toMs: 24 * hour }, { gaps: [], writtenUntilMs: 24 * hour, ...kept });

test('a hold counts into each hour as far as it falls into it, also one that began before or still holds', () => {
  const figures = book();
  figures.hold(hold('jobs/a', hour / 2, 2 * hour + hour / 4));
  figures.hold(hold('jobs/b', -hour, hour / 4));
  figures.hold(hold('jobs/c', 23 * hour, null));
  expect(figures.groups().groups[0]?.cells).toEqual([
    { atMs: 0, heldMs: hour / 2 + hour / 4, lost: 0 },
    { atMs: hour, heldMs: hour, lost: 0 },
    { atMs: 2 * hour, heldMs: hour / 4, lost: 0 },
    { atMs: 23 * hour, heldMs: hour, lost: 0 },
  ]);
});

test('a hold counts only while its source was watched, and only as far as is written', () => {
  const gaps = [
    { source: 'consul', fromMs: hour, toMs: 6 * hour },
    { source: 'consul', fromMs: 5 * hour, toMs: 6.5 * hour },
    { source: 'redis', fromMs: 0, toMs: null },
  ];
  const figures = book('', { gaps, writtenUntilMs: 8 * hour });
  figures.hold(hold('a', hour / 2, 6 * hour, 'not-watched'));
  figures.hold(hold('b', 6 * hour, null));
  const cells = Object.fromEntries(figures.groups().groups.map(({ name, cells }) => [name, cells]));
  expect(cells).toEqual({
    a: [{ atMs: 0, heldMs: hour / 2, lost: 0 }],
    b: [
      { atMs: 6 * hour, heldMs: hour / 2, lost: 0 },
      { atMs: 7 * hour, heldMs: hour, lost: 0 },
    ],
  });
});

test('only what was seen to be lost is lost, and only what was seen whole has a length', () => {
  const figures = book();
  figures.hold(hold('jobs/a', 0, 1_000));
  figures.hold(hold('jobs/a', 0, 2_000, 'session-ended'));
  figures.hold(hold('jobs/a', 0, 3_000, 'not-watched'));
  figures.hold({ ...hold('jobs/a', 0, 60_000), from: { atMs: 0, basis: 'at-least' } });
  figures.wait(wait('jobs/a', 0, 500));
  figures.wait(wait('jobs/a', 10, 90_000, 'not-watched'));
  const {
    groups: [group],
  } = figures.groups();
  expect(group).toMatchObject({
    name: 'jobs/',
    lost: 1,
    holds: { n: 2, maxMs: 2_000 },
    waits: { n: 1, maxMs: 500 },
  });
});

test('holds that are only counted are part of their hour, of its losses and of the lengths', () => {
  const figures = book();
  const [one, two] = [hold('jobs/a', 0, 4_000), hold('jobs/a', 0, 8_000, 'session-ended')];
  figures.hour(withHold(withHold(emptyHour(one.subject, 0), one), two));
  expect(figures.groups().groups).toMatchObject([
    { heldMs: 12_000, lost: 1, holds: { n: 2, maxMs: 8_000 }, cells: [{ atMs: 0, heldMs: 12_000, lost: 1 }] },
  ]);
});

test('of holds that are only counted, those that were not seen whole have no length and are not lost', () => {
  const figures = book();
  const [whole, cut] = [hold('jobs/a', 0, 4_000), hold('jobs/a', 0, 900_000, 'not-watched')];
  figures.hour(withHold(withHold(emptyHour(whole.subject, 0), whole), cut));
  expect(figures.groups().groups).toMatchObject([
    { heldMs: 904_000, lost: 0, holds: { n: 1, maxMs: 4_000 } },
  ]);
});

test('the most held parts have a row of their own, and nothing of the others is lost', () => {
  const figures = book('a/');
  for (let i = 0; i < 40; i += 1) figures.hold(hold(`a/b${i}/x`, 0, 1_000 * (i + 1)));
  const { groups, groupsMore } = figures.groups();
  expect(groupsMore).toBe(40 - (groupsMax - 1));
  expect(groups).toHaveLength(groupsMax);
  expect(groups[0]?.name).toBe('a/b39/');
  expect(groups.at(-1)?.name).toBe(null);
  expect(groups.reduce((sum, { heldMs }) => sum + heldMs, 0)).toBe((1_000 * 40 * 41) / 2);
});

test('a part names the sources in which it was seen', () => {
  const figures = book();
  figures.hold(hold('jobs/a', 0, 1_000));
  figures.wait({ ...wait('jobs/b', 0, 500), subject: { ...lockNamed('jobs/b'), source: 'redis' } });
  expect(figures.groups().groups.map(({ sources }) => sources)).toEqual([['consul', 'redis']]);
});

test('by losses, the part that lost the most comes first, however briefly it was held', () => {
  const figures = book();
  figures.hold(hold('calm/a', 0, hour));
  figures.hold(hold('nightly/a', 0, 1_000, 'session-ended'));
  const names = (order: FiguresOrder) => figures.groups(order).groups.map(({ name }) => name);
  expect(names('held')).toEqual(['calm/', 'nightly/']);
  expect(names('lost')).toEqual(['nightly/', 'calm/']);
});

test('names too many to tell apart are not counted as others', () => {
  const figures = book();
  for (let i = 0; i < 5_001; i += 1) figures.hold(hold(`k${i}`, 0, 1));
  expect(figures.groups().groupsMore).toBeNull();
});

test('a name is cut at the next separator of its backend, and a month has few cells', () => {
  expect(['jobs/a/b', 'job:nightly', 'leader'].map((name) => partOfName(name))).toEqual([
    'jobs/',
    'job:',
    'leader',
  ]);
  expect(partOfName('/locks/a/b')).toBe('/locks/');
  expect(partOfName('jobs/a/b', 'jobs/')).toBe('jobs/a/');
  expect([1, 24, 7 * 24, 31 * 24].map((hours) => cellMsOf(hours * hour) / hour)).toEqual([1, 1, 3, 24]);
});
