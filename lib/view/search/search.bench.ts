/**
 * The cost of a letter over 10,000 rows: `npx vitest bench --project unit components/search`. It prints;
 * nothing fails. Each round adds a space at the end, so that no cached answer counts.
 */
import { bench, describe } from 'vitest';
import { holderOf, lockOf, semaphoreOf, snapshotOf, waiterOf } from '@/components/fixture/world';
import { rowsOf } from '@/lib/view/board-rows';
import { searchRows } from './find';

const parts = [
  'billing',
  'orders',
  'gateway',
  'report',
  'shard',
  'tenant',
  'pay',
  'ledger',
  'import',
  'export',
];
const part = (n: number) => parts[n % parts.length];
const value = { encoding: 'text', content: 'x'.repeat(200), bytes: 200, truncated: false } as const;

const rows = rowsOf(
  snapshotOf({
    locks: Array.from({ length: 7000 }, (_, i) =>
      lockOf(`service/${part(i)}/${part(i * 7 + 3)}-${i}/leader`, { holder: holderOf(i), value }),
    ),
    semaphores: Array.from({ length: 3000 }, (_, i) =>
      semaphoreOf(`semaphore/${part(i * 3)}/${part(i)}-${i}`, {
        holders: [holderOf(i), holderOf(i + 1)],
        waiters: [waiterOf(i + 2)],
        value,
      }),
    ),
  }),
);

describe('10,000 rows', () => {
  for (const text of [
    'b',
    'bil',
    'billing leader',
    'billng',
    'semaphore/gatewya/billing-300',
    'worker-4242',
    '00ff0000-0000-4000-8000-0000000000ff',
    '2026-11-21T03:00:10Z [WARN] worker: lost service/billing/report-1230/leader session=00ff0000-0000-4000-8000-0000000000ff',
    'nothing-like-this-at-all',
  ]) {
    let round = 0;
    bench(
      text.length > 40 ? `${text.slice(0, 40)}…` : text,
      () => {
        round += 1;
        searchRows(text + ' '.repeat(round % 50), rows);
      },
      { time: 300, warmupTime: 50 },
    );
  }
});
