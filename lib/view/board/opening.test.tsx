import { expect, test, vi } from 'vitest';
import { itemsOf } from '@/components/board/table';
import { holderOf, lockOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { findingsOf } from '@/lib/domain/rules/table';
import { en } from '@/lib/i18n/messages';
import { boardSentence, factsSentence } from '@/lib/i18n/sentences';
import type { AddressQuery } from '@/lib/view/board/parameters';
import { filterRows, orderRows } from '@/lib/view/board/query';
import { rowsOf } from '@/lib/view/board-rows';
import { openingOf, type Shows } from './opening';

const large = snapshotOf({
  locks: Array.from({ length: 900 }, (_, i) =>
    lockOf(`jobs/team-${i % 3}/lock-${String(i).padStart(3, '0')}`),
  ),
  semaphores: Array.from({ length: 100 }, (_, i) =>
    semaphoreOf(`pools/pool-${i}`, { holders: [holderOf(i, i % 10 === 0 ? 'ghost' : 'alive')] }),
  ),
  sessions: Array.from({ length: 50 }, (_, i) => sessionOf(i)),
});
const boardOf = (asked: AddressQuery): Shows => ({ what: 'board', asked });
const namesOf = (snapshot: typeof large) => rowsOf(snapshot).map(({ name }) => name);

test('a small world stands in the document as a whole', () => {
  const small = snapshotOf({ locks: [lockOf('a')] });
  expect(openingOf(small, boardOf({}))).toEqual({ snapshot: small, ahead: null });
});

test.each([{}, { sort: 'name' }, { show: 'semaphores' }, { prefix: 'jobs/team-2' }, { q: 'team-1' }])(
  'the rows of a large one are those that %j shows first, in the same order',
  (asked) => {
    const { snapshot, ahead } = openingOf(large, boardOf(asked));
    const query = ahead?.board?.query;
    if (query === undefined) throw new Error('nothing is ahead');
    const all = rowsOf(large).filter((row) => query.q === '' || row.name.includes(query.q));
    const hits = query.q === '' ? null : all.map((of) => ({ of, closeness: 'part-of-name' as const }));
    const wanted = orderRows(filterRows(all, query, hits).rows, query, hits).map(({ name }) => name);
    expect(namesOf(snapshot)).toHaveLength(60);
    expect(new Set(namesOf(snapshot))).toEqual(new Set(wanted.slice(0, 60)));
    expect(ahead?.board?.matching).toBe(wanted.length);
  },
);

test("the board's numbers are true of the whole world", () => {
  const { ahead } = openingOf(large, boardOf({ show: 'locks' }));
  const board = ahead?.board;
  if (board == null) throw new Error('nothing is ahead');
  expect(factsSentence(board.facts, en)).toEqual(boardSentence(large, en));
  expect(board.counts).toMatchObject({ all: 1000, locks: 900, semaphores: 100 });
  expect(board).toMatchObject({ rows: 1000, matching: 900 });
});

test('a group of which only some rows are there is counted as a whole', () => {
  const { snapshot, ahead } = openingOf(
    large,
    boardOf({ group: 'true', prefix: 'jobs/', closed: 'jobs/team-0/' }),
  );
  const rows = rowsOf(snapshot).map((row) => ({ row, gone: false, placed: row }));
  const heads = itemsOf(rows, true, new Set(['jobs/team-0/']), ahead?.board?.groups).flatMap((item) =>
    item.kind === 'group' ? [[item.group.name, item.group.rows]] : [],
  );
  expect(heads).toEqual([
    ['jobs/team-0/', 300],
    ['jobs/team-1/', 300],
  ]);
});

test('a page that shows nothing of the world gets nothing of it', () => {
  const { snapshot, ahead } = openingOf(large, { what: 'nothing' });
  expect(namesOf(snapshot)).toEqual([]);
  expect(ahead?.board).toBeNull();
});

test('one semaphore with thousands of holders makes a large world', () => {
  const holders = Array.from({ length: 4_000 }, (_, i) => holderOf(i));
  const { snapshot, ahead } = openingOf(snapshotOf({ semaphores: [semaphoreOf('pool', { holders })] }), {
    what: 'nothing',
  });
  expect(ahead).not.toBeNull();
  expect(snapshot.semaphores).toEqual([]);
});

test('a page that draws everything waits for it, and gets nothing of it before', () => {
  const { snapshot, ahead } = openingOf(large, { what: 'all' });
  expect(ahead?.waits).toBe(true);
  expect(namesOf(snapshot)).toEqual([]);
});

test('the page of findings gets all of them and no row', () => {
  const found = { ...large, findings: findingsOf(large) };
  const { snapshot, ahead } = openingOf(found, { what: 'findings' });
  expect(snapshot.findings).toEqual(found.findings);
  expect(snapshot.findings.length).toBeGreaterThan(0);
  expect(namesOf(snapshot)).toEqual([]);
  expect(ahead?.waits).toBe(false);
});

test('a server keeps nothing of a board that it has drawn', async () => {
  vi.stubEnv('NEXT_RUNTIME', 'nodejs');
  vi.resetModules();
  try {
    const server = await import('@/lib/view/board-rows');
    const [row] = server.rowsOf(large);
    expect(server.rowsOf(large)[0]).toEqual(row);
    expect(server.rowsOf(large)[0]).not.toBe(row);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(rowsOf(large)[0]).toBe(rowsOf(large)[0]);
});

test('of a world too large for a browser each look finds what a search of all of it finds, and says that the rest never comes', () => {
  const kept = { made: null };
  const room = { page: '/', rowsMax: 500, kept: () => kept };
  const id = large.sessions[3]?.id ?? '';
  for (const q of [
    '',
    'lock-007',
    'team-1',
    id,
    `error: lock "jobs/team-1/lock-004" is held`,
    'no such thing',
  ]) {
    const { ahead, snapshot } = openingOf(large, boardOf(q === '' ? {} : { q }), room);
    const all = openingOf(large, boardOf(q === '' ? {} : { q }));
    expect(ahead?.large).toEqual({ rows: 1_050, page: '/' });
    expect(all.ahead?.large).toBeNull();
    expect([q, namesOf(snapshot).sort()]).toEqual([q, namesOf(all.snapshot).sort()]);
    expect(ahead?.board).toEqual(all.ahead?.board);
  }
  const more = openingOf(large, boardOf({ rows: '300' }), room);
  expect(namesOf(more.snapshot)).toHaveLength(300);
  expect(namesOf(openingOf(large, boardOf({ rows: '300' })).snapshot)).toHaveLength(60);
  expect(openingOf(large, { what: 'all' }, room).ahead).toMatchObject({
    waits: true,
    large: { rows: 1_050 },
  });
});

test('a change in such a world is in the next look', () => {
  const kept = { made: null };
  const room = { page: '/', rowsMax: 500, kept: () => kept };
  openingOf(large, boardOf({}), room);
  const locks = large.locks.map((one, n) =>
    n === 7 ? { ...one, state: 'free' as const, holder: null } : one,
  );
  const next = openingOf({ ...large, version: 2, locks }, boardOf({ q: locks[7]?.key ?? '' }), room);
  expect(next.snapshot.locks.map(({ state }) => state)).toEqual(['free']);
});
