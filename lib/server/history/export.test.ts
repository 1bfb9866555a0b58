/** What a download of a history has: every row, and whether it is all of it. */
import { expect, test } from 'vitest';
import { holdOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { emptyHour, figuresOf } from '@/lib/domain/history/hour-book';
import { exported } from './export';
import type { HistoryRead } from './history-query';

const hold = holdOf(1_000, 2_000, { who: whoOf('a', { name: 'worker' }), delayMs: 15_000, token: '7' });
const history: HistoryRead = {
  episodes: [hold],
  waits: [],
  findings: [],
  limits: [],
  gaps: [],
  hours: [figuresOf(emptyHour(hold.subject, 0))],
  more: false,
  moreHolds: false,
};
const lines = async (of: HistoryRead) =>
  (await exported(of, 'jsonl').text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('JSON lines have hours as well, and a last line where the oldest rows are left out', async () => {
  expect((await lines(history)).map(({ kind }) => kind)).toEqual(['episode', 'hour']);
  expect((await lines({ ...history, more: true })).at(-1)).toEqual({ kind: 'more' });
  expect(exported({ ...history, more: true }, 'jsonl').headers.get('signalbox-more')).toBe('true');
});

test('a spreadsheet has the name of the session and the lock-delay of each hold', async () => {
  const [head = '', row = ''] = (await exported(history, 'csv').text()).split('\r\n');
  const cells = Object.fromEntries(head.split(',').map((name, i) => [name, row.split(',')[i]]));
  expect(cells).toMatchObject({ holder: 'a', session_name: 'worker', lock_delay_ms: '15000', token: '7' });
});

test('a spreadsheet is cut where holds are left out, not where only rows that it has no place for are', () => {
  const saysMore = (moreHolds: boolean) =>
    exported({ ...history, more: true, moreHolds }, 'csv').headers.get('signalbox-more');
  expect([saysMore(true), saysMore(false)]).toEqual(['true', 'false']);
});
