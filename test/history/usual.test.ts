/** How long holds of a lock usually last: of what is listed and of what is only counted, and of nobody with too few. */
import { describe, expect, test } from 'vitest';
import type { Hold } from '@/lib/domain/history/episode';
import { holdOf } from '@/lib/domain/history/fixture/episodes';
import { emptyHour, hourOf, withHold } from '@/lib/domain/history/hour-book';
import { createHistoryLog } from '@/lib/server/history/history-log';
import { writeHours } from '@/lib/server/history/hours';
import { createUsualQuery } from '@/lib/server/history/usual-query';
import { storesHere } from '@/test/support/stores';

const kinds = await storesHere();
const nowMs = 1_700_000_000_000;
const dayMs = 86_400_000;
const lock = (key: string) => ({ source: 'consul', kind: 'lock', key }) as const;
const holds = (key: string, n: number, fromMs: number, ms: number): Hold[] =>
  Array.from({ length: n }, (_, i) =>
    holdOf(fromMs + i * 10_000, fromMs + i * 10_000 + ms, {
      id: `${key} ${fromMs} ${i}`,
      subject: lock(key),
    }),
  );

describe.each(kinds)('$name', (kind) => {
  test('a lock has a figure from 100 holds on that were seen in time, listed or counted, and keeps it for some minutes', async () => {
    const store = kind.open(await kind.place());
    const log = createHistoryLog({ store, writer: 'one', now: Date.now });
    await log.hold();
    const write = (rows: readonly Hold[]) =>
      log.write(
        rows.map((row) => ({ kind: 'hold', row })),
        null,
      );
    const recent = nowMs - dayMs;
    await write([
      ...holds('enough', 120, recent, 900),
      ...holds('few', 60, recent, 900),
      ...holds('few', 60, nowMs - 40 * dayMs, 900),
      ...holds('hot', 30, recent, 20_000),
    ]);
    const hour = holds('hot', 4_000, recent, 200).reduce(withHold, emptyHour(lock('hot'), hourOf(recent)));
    const pastMs = nowMs - 15 * dayMs;
    await write(holds('was-hot', 120, pastMs, 20_000));
    const was = holds('was-hot', 4_000, pastMs, 200).reduce(
      withHold,
      emptyHour(lock('was-hot'), hourOf(pastMs)),
    );
    await log.tidy((db) => writeHours(db, [hour, was]));
    let atMs = nowMs;
    const { usual } = createUsualQuery({ store, now: () => atMs });
    const asked = ['enough', 'few', 'hot', 'none'].map(lock);
    const first = await usual(asked);
    expect(first).toMatchObject([
      { subject: lock('enough'), n: 120, p99Ms: 900 },
      { subject: lock('hot'), n: 4_030 },
    ]);
    expect(first[1]?.p99Ms).toBeLessThan(250);
    expect(await usual([lock('was-hot')])).toMatchObject([{ n: 4_120 }]);
    await write(holds('few', 50, recent + dayMs / 2, 900));
    expect(await usual(asked)).toEqual(first);
    atMs += 11 * 60_000;
    expect((await usual(asked)).map(({ subject }) => subject.kind === 'lock' && subject.key)).toContain(
      'few',
    );
  });
});
