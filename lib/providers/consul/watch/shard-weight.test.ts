import { expect, test } from 'vitest';
import { readRows } from '@/lib/providers/consul/client/wire';
import { rowOf } from '@/lib/providers/consul/fixture/rows';
import { weightOf } from './shard-keys';

const mb = 1024 * 1024;
const listed = (key: string, bytes: number, session?: string) => ({
  LockIndex: session === undefined ? 0 : 1,
  Key: key,
  Flags: 0,
  Value: Buffer.alloc(bytes, 'x').toString('base64'),
  ...(session === undefined ? {} : { Session: session }),
  CreateIndex: 10,
  ModifyIndex: 10,
});

test('a locked row weighs what is shown of it, and names weigh more than the text that they stand in', () => {
  const weigh = (...rows: object[]) => weightOf(readRows(rows));
  expect(weigh(listed('a', 30, 's'))).toBeGreaterThan(weigh(listed('a', 30)) + 500);
  expect(weigh(listed('a/.lock', 30_000))).toBeGreaterThan(5 * weigh(listed('a/lock', 30_000)));
  expect(weigh(listed('a', 9), listed('b', 9))).toBe(2 * weigh(listed('a', 9)));
});

test('250,000 locks with names of 40 characters weigh less than the default bound', () => {
  const one = weightOf(readRows([listed('x'.repeat(40), 30, '0a0a0a0a-1111-2222-3333-444444444444')]));
  expect(250_000 * one).toBeLessThan(384 * mb);
});

test('a row that was read alone weighs as much as one of a list', () => {
  const value = Buffer.alloc(300, 'x');
  expect(weightOf([rowOf('a', { value })])).toBe(weightOf(readRows([listed('a', 300)])));
});
