import { expect, test } from 'vitest';
import { lockOf, snapshotOf } from '@/components/fixture/world';
import { rowsOf } from '@/lib/view/board-rows';
import { searchRows } from './find';

test.each([
  ['a word many times over', `${'a…'.repeat(40)}z`, `z/${'a'.repeat(240)}`],
  ['very many words', `${[...'abcdefghijklmnop'].join('…')}…z`, `z/${'abcdefghijklmnop'.repeat(15)}`],
  ['few words, and a name of thousands of signs', 'ab…cd…ef…gh…zq', `zq/${'abcdefgh'.repeat(900)}`],
  ['as many words as are looked for together', 'ab…cd…ef…gh…ij…zq', `zq/${'abcdefghij'.repeat(24)}`],
])('a search ends for any text in any names: %s', (_what, text, key) => {
  const rows = rowsOf(snapshotOf({ locks: [lockOf(key), lockOf('orders/ledger')], semaphores: [] }));
  expect(searchRows(text, rows)).toBeDefined();
});
