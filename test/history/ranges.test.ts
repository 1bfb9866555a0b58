/** Which rows an answer has, however they are looked for: the newest of those that a range touches. */

import { describe, expect, test } from 'vitest';
import type { HistoryRow, Hold } from '@/lib/domain/history/episode';
import { holdOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { emptyHour, hourOf } from '@/lib/domain/history/hour-book';
import type { Subject } from '@/lib/domain/model';
import { createHistoryLog } from '@/lib/server/history/history-log';
import type { HistoryOf } from '@/lib/server/history/history-of';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { writeHours } from '@/lib/server/history/hours';
import { storeKinds } from '@/test/support/stores';

const kinds = await storeKinds();
const minuteMs = 60_000;
const fromMs = 1_700_000_000_000;
const at = (n: number) => fromMs + n * minuteMs;
/** So many that a question for all of them goes by time, and one for a few by name. */
const many = 5_400;

/** The `n`th begins in minute `n`; most last a minute, some a day, and some go on. */
const hold = (n: number): Hold =>
  holdOf(at(n), n % 700 === 5 ? null : at(n + (n % 100 === 7 ? 1_440 : 1)), {
    id: `row-${String(n).padStart(5, '0')}`,
    subject: { source: 'consul', kind: 'lock', key: n % 50 === 0 ? `few/${n}` : `many/${n % 20}` },
    who: whoOf(`s${n}`),
  });
const all = Array.from({ length: many }, (_, n) => hold(n));
const prefix = (name: string): HistoryOf => ({
  by: 'prefix',
  spans: [[`lock:${name}`, `lock:${name}\uffff`]],
});

const finding = (id: string, subject: Subject): HistoryRow => ({
  kind: 'finding',
  row: {
    id,
    code: 'flapping',
    subject,
    from: { atMs: at(1), basis: 'observed' },
    to: null,
    severities: [{ severity: 'warning', atMs: at(1) }],
    cleared: null,
    deed: null,
  },
});

describe.for(kinds)('$name', ({ missing, place, open }) => {
  test.skipIf(missing !== null)('of a session are what it held and the findings about itself', async () => {
    const store = open(await place());
    const log = createHistoryLog({ store, writer: 'one', now: Date.now });
    await log.hold();
    await log.write(
      [
        { kind: 'hold', row: hold(1) },
        finding('its', { source: 'consul', kind: 'session', id: 's1' }),
        finding('other', { source: 'consul', kind: 'session', id: 's2' }),
        finding('away', { source: 'dr', kind: 'session', id: 's1' }),
        finding('lock', hold(1).subject),
      ],
      null,
    );
    const { read } = createHistoryQuery({ store, days: 30, now: Date.now });
    const found = await read(
      { by: 'party', source: 'consul', party: 's1' },
      { fromMs, toMs: at(9), limit: 10 },
    );
    expect(found.episodes.map(({ id }) => id)).toEqual([hold(1).id]);
    expect(found.findings.map(({ id }) => id)).toEqual(['its']);
    // Hours are of whoever held, and leave nothing of a session out.
    const hours = [0, 1, 2].map((n) => emptyHour(hold(1).subject, hourOf(at(60 * n))));
    await log.tidy((db) => writeHours(db, hours));
    const { more } = await read(
      { by: 'party', source: 'consul', party: 's1' },
      { fromMs, toMs: at(180), limit: 1 },
    );
    expect(more).toBe(false);
  });

  test.skipIf(missing !== null)('the newest that a range touches are answered, in their order', async () => {
    const store = open(await place());
    const log = createHistoryLog({ store, writer: 'one', now: Date.now });
    await log.hold();
    for (let n = 0; n < many; n += 600)
      await log.write(
        all.slice(n, n + 600).map((row) => ({ kind: 'hold', row })),
        null,
      );
    const { read } = createHistoryQuery({ store, days: 30, now: Date.now });
    const questions: readonly [HistoryOf, (hold: Hold) => boolean][] = [
      [{ by: 'source', sources: ['consul'] }, () => true],
      [{ by: 'source', sources: ['other'] }, () => false],
      [prefix('many/'), ({ id }) => Number(id.slice(4)) % 50 !== 0],
      [prefix('few/'), ({ id }) => Number(id.slice(4)) % 50 === 0],
    ];
    for (const [of, isIts] of questions)
      for (const [first, last, limit] of [
        [2_000, 2_030, 1_000],
        [2_000, 4_000, 20],
        [0, many, 5_000],
        [many + 500, many + 900, 1_000],
      ] as const) {
        const range = { fromMs: at(first), toMs: at(last), limit };
        const touched = all.filter(
          (one) =>
            isIts(one) && one.from.atMs <= range.toMs && (one.to === null || one.to.atMs >= range.fromMs),
        );
        const found = await read(of, range);
        const what = `${JSON.stringify(of)} ${first} to ${last}`;
        expect(
          found.episodes.map(({ id }) => id),
          what,
        ).toEqual(touched.slice(-limit).map(({ id }) => id));
        expect(found.more, what).toBe(touched.length > limit);
      }
  });
});
