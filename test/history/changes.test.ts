/** Steps from one change to the next meet each change once, whichever index finds it, and tell nothing of what may not be read. */
import { describe, expect, test } from 'vitest';
import type { HistoryRow } from '@/lib/domain/history/episode';
import { holdOf, waitOf } from '@/lib/domain/history/fixture/episodes';
import { emptyHour, hourOf } from '@/lib/domain/history/hour-book';
import { ofPrefix, ofSubject } from '@/lib/server/history/asked';
import { type ChangesAsked, createChangeQuery } from '@/lib/server/history/change-query';
import { createHistoryLog } from '@/lib/server/history/history-log';
import type { HistoryOf } from '@/lib/server/history/history-of';
import { writeHours } from '@/lib/server/history/hours';
import type { Store } from '@/lib/server/store/store';
import { storesHere } from '@/test/support/stores';

const kinds = await storesHere();
const startMs = 1_700_000_000_000;
const endMs = startMs + 1_000_000;
/** So many that those of one prefix, and of each lock below it, are found by time, and those of the other by name. */
const many = 5_600;
const at = (n: number) => startMs + n;
const subject = (key: string) => ({ source: 'consul', kind: 'lock', key }) as const;

const rows: readonly HistoryRow[] = [
  ...Array.from({ length: many }, (_, n): HistoryRow => {
    // Several begin and end at the same instant, across the borders of pages.
    const atMs = at(10 * Math.floor(n / 3));
    const row = holdOf(atMs, n % 50 === 0 ? null : atMs + 25, {
      id: `h${n}`,
      subject: subject(`many/${n % 2}`),
    });
    return { kind: 'hold', row };
  }),
  { kind: 'hold', row: holdOf(at(401), at(9_007), { id: 'few', subject: subject('few/a') }) },
  { kind: 'wait', row: waitOf(at(777), at(888), { id: 'wait', subject: subject('few/b') }) },
  {
    kind: 'finding',
    row: {
      id: 'f',
      code: 'flapping',
      subject: subject('few/a'),
      from: { atMs: at(5_555), basis: 'observed' },
      to: { atMs: at(6_666), basis: 'observed' },
      severities: [],
      cleared: 'client',
      deed: null,
    },
  },
  {
    kind: 'finding',
    row: {
      id: 'of-session',
      code: 'flapping',
      subject: { source: 'consul', kind: 'session', id: 's' },
      from: { atMs: at(3_333), basis: 'observed' },
      to: null,
      severities: [],
      cleared: null,
      deed: null,
    },
  },
  {
    kind: 'gap',
    row: { id: 'g', source: 'consul', fromMs: at(12_003), toMs: at(12_004), why: 'outage' },
  },
  { kind: 'gap', row: { id: 'g2', source: 'redis', fromMs: at(2_001), toMs: at(2_002), why: 'outage' } },
];

const gaps = [12_003, 12_004];
const few = [401, 777, 888, 5_555, 6_666, 9_007, ...gaps].map(at);
const withMany = (others: readonly number[], is: (n: number) => boolean = () => true) =>
  [
    ...new Set([
      ...others,
      ...Array.from({ length: many }, (_, n) => n)
        .filter(is)
        .flatMap((n) => {
          const ms = at(10 * Math.floor(n / 3));
          return n % 50 === 0 ? [ms] : [ms, ms + 25];
        }),
    ]),
  ].sort((a, b) => a - b);
const all = withMany(few);

describe.each(kinds)('$name', (kind) => {
  const kept = async (): Promise<Store> => {
    const store = kind.open(await kind.place());
    const log = createHistoryLog({ store, writer: 'one', now: Date.now });
    await log.hold();
    for (let i = 0; i < rows.length; i += 700) await log.write(rows.slice(i, i + 700), null);
    return store;
  };
  const stepping = (store: Store, of: HistoryOf, over: Partial<ChangesAsked> = {}) => {
    const { changes } = createChangeQuery(store);
    return (atMs: number) =>
      changes(of, {
        atMs,
        sources: ['consul'],
        keptSinceMs: startMs - 1_000,
        writtenUntilMs: endMs,
        readable: null,
        ...over,
      });
  };

  test('steps forwards and backwards meet each change once, in their order, and end', async () => {
    const store = await kept();
    const questions: readonly (readonly [HistoryOf, readonly number[]])[] = [
      [ofPrefix('', ['consul']), all],
      [ofPrefix('many/', ['consul']), all.filter((ms) => !few.includes(ms) || gaps.map(at).includes(ms))],
      [ofPrefix('few/', ['consul']), few],
      [ofSubject('lock:few/a', ['consul']), [401, 5_555, 6_666, 9_007, ...gaps].map(at)],
      [ofSubject('lock:many/1', ['consul']), withMany(gaps.map(at), (n) => n % 2 === 1)],
      [ofPrefix('none/', ['consul']), gaps.map(at)],
    ];
    for (const [of, expected] of questions) {
      const ask = stepping(store, of);
      // All of a short list; of a long one its ends and a part.
      const some = expected.length < 20 ? expected : [...expected.slice(0, 8), ...expected.slice(-8)];
      for (const ms of some) {
        const i = expected.indexOf(ms);
        const what = `${JSON.stringify(of)} at ${ms - startMs}`;
        expect(await ask(ms), what).toEqual({
          previous: { atMs: expected[i - 1] ?? null, complete: true },
          next: { atMs: expected[i + 1] ?? null, complete: true },
        });
      }
    }
  }, 60_000);

  test('what is not kept or not written yet is no step, and from before it the first that is kept is the next', async () => {
    const store = await kept();
    const ask = stepping(store, ofPrefix('few/', ['consul']), {
      keptSinceMs: at(800),
      writtenUntilMs: at(6_000),
    });
    expect(await ask(startMs - 90_000)).toMatchObject({ previous: { atMs: null }, next: { atMs: at(888) } });
    expect(await ask(at(888))).toMatchObject({ previous: { atMs: null }, next: { atMs: at(5_555) } });
    expect(await ask(at(5_555))).toMatchObject({ previous: { atMs: at(888) }, next: { atMs: null } });
    expect(await ask(endMs)).toMatchObject({ previous: { atMs: at(5_555) }, next: { atMs: null } });
  });

  test('an end is not told where some is only counted, or where not all is written yet', async () => {
    const store = await kept();
    const counted = subject('few/a');
    const ask = stepping(store, ofPrefix('few/', ['consul']));
    const from = at(20_000);
    expect(await ask(from)).toMatchObject({
      previous: { complete: true },
      next: { atMs: null, complete: true },
    });
    const hour = emptyHour(counted, hourOf(from));
    await createHistoryLog({ store, writer: 'one', now: Date.now }).tidy((db) => writeHours(db, [hour]));
    expect(await ask(from)).toMatchObject({
      previous: { atMs: at(12_004), complete: false },
      next: { atMs: null, complete: false },
    });
    const late = stepping(store, ofPrefix('many/', ['consul']), { writtenUntilMs: at(13_000) });
    expect(await late(from)).toMatchObject({
      previous: { complete: false },
      next: { atMs: null, complete: true },
    });
  });

  test('what may not be read is passed over, and an end is not told from what was not looked at', async () => {
    const store = await kept();
    const reads = (name: string) =>
      stepping(store, ofPrefix('', ['consul']), {
        readable: async () => (id: string) => id.startsWith(`lock:${name}`),
      });
    expect(await reads('few/')(at(500))).toEqual({
      previous: { atMs: at(401), complete: false },
      next: { atMs: at(777), complete: false },
    });
    const gapsAlone = {
      previous: { atMs: null, complete: false },
      next: { atMs: at(12_003), complete: false },
    };
    expect(await reads('none/')(at(500))).toEqual(gapsAlone);
    // A source that is not recorded for the caller has no changes.
    expect(await stepping(store, ofPrefix('', ['consul']), { sources: [] })(at(500))).toEqual({
      previous: { atMs: null, complete: true },
      next: { atMs: null, complete: true },
    });
  });
});
