import { expect, test, vi } from 'vitest';
import { holderOf, lockOf, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import { en } from '@/lib/words/en/messages';
import { boardSentence, factsSentence } from '@/lib/words/sentences';
import { openingOf } from './opening';
import { filterRows, orderRows } from './query';
import { rowsOf } from './rows';
import { itemsOf } from './table';

const large = snapshotOf({
  locks: Array.from({ length: 900 }, (_, i) =>
    lockOf(`jobs/team-${i % 3}/lock-${String(i).padStart(3, '0')}`),
  ),
  semaphores: Array.from({ length: 100 }, (_, i) =>
    semaphoreOf(`pools/pool-${i}`, { holders: [holderOf(i, i % 10 === 0 ? 'ghost' : 'alive')] }),
  ),
  sessions: Array.from({ length: 50 }, (_, i) => sessionOf(i)),
});
const namesOf = (snapshot: typeof large) => rowsOf(snapshot).map(({ name }) => name);

test('a small world stands in the document as a whole', () => {
  const small = snapshotOf({ locks: [lockOf('a')] });
  expect(openingOf(small, {})).toEqual({ snapshot: small, ahead: null });
});

test.each([{}, { sort: 'name' }, { show: 'semaphores' }, { prefix: 'jobs/team-2' }, { q: 'team-1' }])(
  'the rows of a large one are those that %j shows first, in the same order',
  (asked) => {
    const { snapshot, ahead } = openingOf(large, asked);
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

test('what the board says in numbers is true of the whole world', () => {
  const { ahead } = openingOf(large, { show: 'locks' });
  const board = ahead?.board;
  if (board == null) throw new Error('nothing is ahead');
  expect(factsSentence(board.facts, en)).toEqual(boardSentence(large, en));
  expect(board.counts).toMatchObject({ all: 1000, locks: 900, semaphores: 100 });
  expect(board).toMatchObject({ rows: 1000, matching: 900 });
});

test('a group of which only some rows are there is counted as a whole', () => {
  const { snapshot, ahead } = openingOf(large, { group: 'true', prefix: 'jobs/', closed: 'jobs/team-0/' });
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
  const { snapshot, ahead } = openingOf(large, null);
  expect(namesOf(snapshot)).toEqual([]);
  expect(ahead?.board).toBeNull();
});

test('a server keeps nothing of a board that it has drawn', async () => {
  vi.stubEnv('NEXT_RUNTIME', 'nodejs');
  vi.resetModules();
  try {
    const server = await import('./rows');
    const [row] = server.rowsOf(large);
    expect(server.rowsOf(large)[0]).toEqual(row);
    expect(server.rowsOf(large)[0]).not.toBe(row);
  } finally {
    vi.unstubAllEnvs();
  }
  expect(rowsOf(large)[0]).toBe(rowsOf(large)[0]);
});
