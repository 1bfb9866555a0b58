/** What a book of findings keeps of one process to the next, and what findings of one look have in common. */
import { expect, test } from 'vitest';
import type { Finding } from '@/lib/domain/findings/finding';
import { holder, lock, world } from '@/lib/domain/fixture/world';
import type { FindingEpisode } from '@/lib/domain/history/episode';
import { findingsOf } from '@/lib/domain/rules/table';
import { FindingBook } from './finding-book';

/** A lock's finding as the rules make it, but for its severity. */
function finding(key: string, severity: Finding['severity'] = 'warning', source = 'consul'): Finding {
  const [made] = findingsOf(world({ locks: [lock({ source, key, holder: holder('x', 'suspect') })] }));
  if (made === undefined) throw new Error('A suspect holder has a finding.');
  return { ...made, severity };
}

function bookOf() {
  let n = 0;
  const rows: FindingEpisode[] = [];
  const book = new FindingBook(
    () => `r${++n}`,
    (row) => rows.push(row),
  );
  return {
    book,
    take: (one: Finding, nowMs: number, watched = true) => book.take(one, { watched, nowMs }),
    clear: (one: Finding, nowMs: number, watched = true) =>
      book.clear(one, { watched, nowMs }, () => ({ cleared: 'client', deed: null })),
    left: (source: string, present: readonly Finding[]) => book.leftBehind(source, present),
    taken: () => rows.splice(0),
  };
}

/** The open findings of an earlier process, as the store gives them back. */
function earlier(): FindingEpisode[] {
  const { take, taken } = bookOf();
  take(finding('a'), 1_000);
  take(finding('b'), 1_000);
  take(finding('c', 'warning', 'redis'), 1_000);
  return JSON.parse(JSON.stringify(taken()));
}

test('after a restart a finding that is still there goes on under its id, and one that is not is left behind once', () => {
  const { book, take, clear, left, taken } = bookOf();
  book.resume(earlier());
  take(finding('a'), 5_000);
  expect(taken()).toEqual([]);
  const gone = left('consul', [finding('a')]);
  expect(gone.map(({ id }) => id)).toEqual(['r2']);
  expect(left('consul', [])).toEqual([]);
  expect(left('redis', []).map(({ id }) => id)).toEqual(['r3']);
  for (const one of gone) book.clear(one, { watched: false, nowMs: 5_000 }, () => expect.fail());
  expect(taken()).toMatchObject([{ id: 'r2', cleared: 'not-watched', to: { basis: 'at-most' } }]);
  take(finding('a', 'urgent'), 6_000);
  const severities = [
    { severity: 'warning', atMs: 1_000 },
    { severity: 'urgent', atMs: 6_000 },
  ];
  expect(taken()).toMatchObject([{ id: 'r1', from: { atMs: 1_000, basis: 'observed' }, severities }]);
  clear(finding('a', 'urgent'), 7_000);
  clear(finding('a', 'urgent'), 7_500);
  expect(taken()).toMatchObject([{ id: 'r1', severities, cleared: 'client', to: { atMs: 7_000 } }]);
  take(finding('a'), 8_000);
  expect(taken()).toMatchObject([{ from: { atMs: 8_000 }, severities: [{ atMs: 8_000 }] }]);
});

test('findings of one look share when they began, and each keeps its own severity and what is known of its source', () => {
  const { take, taken } = bookOf();
  take(finding('a'), 1_000);
  take(finding('b'), 1_000);
  take(finding('c', 'urgent'), 1_000);
  take(finding('d'), 1_000, false);
  take(finding('e'), 2_000);
  const rows = taken();
  expect(rows.map(({ from, severities }) => [from.atMs, from.basis, ...severities])).toEqual([
    [1_000, 'observed', { severity: 'warning', atMs: 1_000 }],
    [1_000, 'observed', { severity: 'warning', atMs: 1_000 }],
    [1_000, 'observed', { severity: 'urgent', atMs: 1_000 }],
    [1_000, 'at-least', { severity: 'warning', atMs: 1_000 }],
    [2_000, 'observed', { severity: 'warning', atMs: 2_000 }],
  ]);
  expect(rows[0]?.severities).toBe(rows[1]?.severities);
});
