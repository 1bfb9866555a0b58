/** Every hold of a range is counted once, by whichever index it is read. */

import { describe, expect, test } from 'vitest';
import type { Hold } from '@/lib/domain/history/episode';
import { holdOf } from '@/lib/domain/history/fixture/episodes';
import { ofPrefix } from '@/lib/server/history/asked';
import { createHistoryLog } from '@/lib/server/history/history-log';
import type { ScanOf } from '@/lib/server/history/history-of';
import { createHistoryScan } from '@/lib/server/history/history-scan';
import type { Store } from '@/lib/server/store/store';
import { storesHere } from '@/test/support/stores';

const kinds = await storesHere();

const hold = (id: string, key: string, fromMs: number, toMs: number | null): Hold =>
  holdOf(fromMs, toMs, { id, subject: { source: 'consul', kind: 'lock', key } });

/** Many end at the same instant, across the borders of pages. */
const holds = [
  ...Array.from({ length: 2_300 }, (_, i) =>
    hold(`h${i}`, `p${i % 2}/k${i % 7}`, i, 10_000 + Math.floor(i / 900)),
  ),
  hold('open', 'p1/open', 5, null),
  hold('long', 'p1/long', 6, 90_000),
  hold('later', 'p1/later', 60_000, 70_000),
  hold('before', 'p1/before', 1, 2),
];

async function idsIn(
  store: Store,
  of: ScanOf,
  range: { fromMs: number; toMs: number },
): Promise<readonly string[]> {
  const ids: string[] = [];
  const scanned = await createHistoryScan({ store })
    .scan(of, range)
    .holds(async (rows) => {
      ids.push(...rows.map(({ id }) => id));
    });
  expect(scanned.readFromMs).toBe(null);
  return ids.sort();
}

describe.each(kinds)('$name', (kind) => {
  const kept = async (rows: readonly Hold[]): Promise<Store> => {
    const store = kind.open(await kind.place());
    const log = createHistoryLog({ store, writer: 'one', now: Date.now });
    await log.hold();
    for (let at = 0; at < rows.length; at += 2_000)
      await log.write(
        rows.slice(at, at + 2_000).map((row) => ({ kind: 'hold', row })),
        null,
      );
    return store;
  };

  test('where too many outlasted a range, nothing of it is counted, and what only came later is none of them', async () => {
    const all: ScanOf = { by: 'source', sources: ['consul'] };
    const range = { fromMs: 9_000, toMs: 50_000 };
    const later = Array.from({ length: 5_500 }, (_, i) => hold(`l${i}`, 'later', 50_001 + i, 60_000 + i));
    const store = await kept([...later, hold('long', 'long', 1, 90_000)]);
    expect(await idsIn(store, all, range)).toEqual(['long']);
    const outlasting = Array.from({ length: 5_001 }, (_, i) => hold(`o${i}`, 'old', i, 70_000 + i));
    const ids: string[] = [];
    const scanned = await createHistoryScan({ store: await kept(outlasting) })
      .scan(all, range)
      .holds(async (rows) => {
        ids.push(...rows.map(({ id }) => id));
      });
    expect([scanned.readFromMs, ids]).toEqual([range.toMs, []]);
  });

  test('a name beyond the first 65,536 characters is among those that begin as it does', async () => {
    const store = await kept([hold('rocket', 'jobs/🚀', 1, 2), hold('other', 'jobsite', 1, 2)]);
    expect(await idsIn(store, ofPrefix('jobs/', ['consul']), { fromMs: 0, toMs: 9 })).toEqual(['rocket']);
  });

  test('each hold of a range once: one that goes on, one that outlasted it, and none of another time', async () => {
    const store = await kept(holds);
    const source: ScanOf = { by: 'source', sources: ['consul'] };
    const range = { fromMs: 9_000, toMs: 50_000 };
    const expected = (prefix: string) =>
      holds
        .filter(
          ({ id, subject }) =>
            subject.kind === 'lock' && subject.key.startsWith(prefix) && id !== 'later' && id !== 'before',
        )
        .map(({ id }) => id)
        .sort();
    expect(await idsIn(store, source, range)).toEqual(expected(''));
    const prefix: ScanOf = { by: 'prefix', spans: [['lock:p1/', 'lock:p1/\uffff']] };
    expect(await idsIn(store, prefix, range)).toEqual(expected('p1/'));
    expect(await idsIn(store, { by: 'source', sources: ['other'] }, range)).toEqual([]);
  });
});
