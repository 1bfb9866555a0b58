/** What goes from the history and what stays of it, on each store. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { HistoryRow, Hold, Wait } from '@/lib/domain/history/episode';
import { emptyHour, hourOf } from '@/lib/domain/history/hour-book';
import { createHistoryLog, NotWriter } from '@/lib/server/history/history-log';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { writeHours } from '@/lib/server/history/hours';
import { createRetention, hotHolds } from '@/lib/server/history/retention';
import { storeKinds } from '@/test/support/stores';

const kinds = await storeKinds();
const [secondMs, hourMs, dayMs] = [1_000, 3_600_000, 86_400_000];
/** At a full minute. */
const nowMs = 1_700_000_040_000;
const who = { id: 'session', label: 'session', name: null, node: null };
const lock = (key: string) => ({ source: 'consul', kind: 'lock', key }) as const;
let next = 0;
const times = (fromMs: number, toMs: number | null) => ({
  id: `row-${next++}`,
  from: { atMs: fromMs, basis: 'observed' } as const,
  to: toMs === null ? null : ({ atMs: toMs, basis: 'observed' } as const),
});

function hold(key: string, fromMs: number, toMs: number | null, end: Hold['end'] = 'released'): HistoryRow {
  const row = {
    ...times(fromMs, toMs),
    subject: lock(key),
    who,
    mode: null,
    end: toMs === null ? null : end,
    deed: null,
    verdicts: [],
    waitersMax: null,
    delayMs: null,
    token: null,
  };
  return { kind: 'hold', row };
}
function wait(key: string, fromMs: number, toMs: number, end: Wait['end'] = 'got-in'): HistoryRow {
  return { kind: 'wait', row: { ...times(fromMs, toMs), subject: lock(key), who, end, deed: null } };
}
const gap = (fromMs: number, toMs: number): HistoryRow => ({
  kind: 'gap',
  row: { id: `row-${next++}`, source: 'consul', fromMs, toMs, why: 'outage' },
});

describe.for(kinds)('$name', ({ missing, place, open }) => {
  async function kept(rows: readonly HistoryRow[], { days = 1, bytes = 1e9 } = {}) {
    const store = open(await place());
    let clockMs = nowMs;
    const now = () => clockMs;
    const log = createHistoryLog({ store, writer: 'one', now });
    const retention = createRetention({ log, days, bytes, now });
    await log.hold();
    await log.write(rows, null);
    retention.saw(rows);
    return {
      store,
      retention,
      /** Tidies until there is nothing more to do, at that time. Returns the number of steps. */
      tidy: async (atMs = nowMs, most = Number.POSITIVE_INFINITY) => {
        clockMs = atMs;
        retention.saw([]);
        for (let steps = 1; ; steps += 1) if (!(await retention.step()) || steps === most) return steps;
      },
      since: () => createHistoryQuery({ store, days: 30, now: () => nowMs }).since(),
      read: (key: string) =>
        createHistoryQuery({ store, days: 30, now: Date.now }).read(
          { by: 'subject', subject: `lock:${key}` },
          { fromMs: nowMs - 30 * dayMs, toMs: nowMs + dayMs, limit: 5_000 },
        ),
    };
  }

  test.skipIf(missing !== null)('what is older than its days becomes figures of its hour, once', async () => {
    const [old, young] = [nowMs - 2 * dayMs, nowMs - hourMs];
    const { tidy, read } = await kept([
      ...Array.from({ length: 450 }, () => hold('a', old, old + secondMs)),
      hold('a', old - 3 * dayMs, old + 5 * secondMs, 'session-ended'),
      wait('a', old, old + 2 * secondMs),
      gap(old, old + secondMs),
      hold('a', young, young + secondMs),
      hold('a', old, null),
    ]);
    expect(await tidy()).toBeGreaterThan(2);
    const { episodes, waits, gaps, hours } = await read('a');
    expect(episodes.map(({ to }) => to?.atMs ?? null)).toEqual([null, young + secondMs]);
    expect([waits, gaps]).toEqual([[], []]);
    expect(hours).toHaveLength(1);
    expect(hours[0]).toMatchObject({
      subject: lock('a'),
      holds: 451,
      lost: 1,
      holdMaxMs: 3 * dayMs + 5 * secondMs,
      waits: 1,
      waitMaxMs: 2 * secondMs,
    });
    await tidy(nowMs + 2 * 60 * secondMs);
    expect((await read('a')).hours).toEqual(hours);
  });

  test.skipIf(missing !== null)('figures of an hour go after three times as long', async () => {
    const oldMs = nowMs - 1.5 * dayMs;
    const { tidy, read } = await kept([hold('a', oldMs, oldMs + secondMs)]);
    await tidy();
    expect((await read('a')).hours).toHaveLength(1);
    await tidy(nowMs + 2 * dayMs);
    expect((await read('a')).hours).toEqual([]);
  });

  test.skipIf(missing !== null)(
    'of a hot lock the short holds that were released are only counted, and each other stays',
    async () => {
      const hot = Array.from({ length: 300 }, (_, i) => hold('hot', nowMs + i * 100, nowMs + i * 100 + 90));
      const { tidy, read } = await kept([
        ...hot,
        wait('hot', nowMs, nowMs + 50),
        wait('hot', nowMs + 10, nowMs + 60, 'session-ended'),
        hold('hot', nowMs + secondMs, nowMs + 2 * secondMs, 'session-ended'),
        hold('hot', nowMs - 20 * secondMs, nowMs + 2 * secondMs),
        ...Array.from({ length: hotHolds }, (_, i) => hold('calm', nowMs + i * 10, nowMs + i * 10 + 5)),
      ]);
      await tidy(nowMs + 80 * secondMs);
      // An action may still be found to have ended them.
      expect((await read('hot')).episodes).toHaveLength(302);
      await tidy(nowMs + 95 * secondMs);
      const { episodes, waits, hours } = await read('hot');
      expect(episodes.map(({ end }) => end)).toEqual(['released', 'session-ended']);
      expect(waits.map(({ end }) => end)).toEqual(['session-ended']);
      expect(hours).toMatchObject([{ holds: 300, waits: 1, lost: 0, holdMaxMs: 90 }]);
      const calm = await read('calm');
      expect([calm.episodes.length, calm.hours]).toEqual([hotHolds, []]);
    },
  );

  test.skipIf(missing !== null)('many hot locks do not keep what is old', async () => {
    const names = ['hot-0', 'hot-1', 'hot-2'];
    const hot = names.flatMap((key) =>
      Array.from({ length: hotHolds + 10 }, (_, i) => hold(key, nowMs + i * 100, nowMs + i * 100 + 90)),
    );
    const oldMs = nowMs - 2 * dayMs;
    const { tidy, read } = await kept([...hot, hold('old', oldMs, oldMs + secondMs)]);
    await tidy(nowMs + 95 * secondMs, 2);
    expect((await read('old')).episodes).toEqual([]);
    expect((await read('hot-2')).episodes).toHaveLength(hotHolds + 10);
    await tidy(nowMs + 95 * secondMs);
    expect((await read('hot-2')).episodes).toEqual([]);
  });

  test.skipIf(missing !== null)(
    'beyond its bytes the oldest goes first, whatever its kind, is counted into its hour, and it says since when all is kept',
    async () => {
      const from = (n: number) => nowMs - (40 - n) * 60 * secondMs;
      const old = Array.from({ length: 2_000 }, (_, n) =>
        hold('old', from(n / 100), from(n / 100) + secondMs),
      );
      const { store, tidy, read, since } = await kept(
        [...old, wait('old', from(1), from(2)), gap(from(1), from(2)), hold('old', from(0), null)],
        { bytes: 1e6 },
      );
      const size = async () =>
        Number((await store.db.selectFrom('signalbox_history_size').select('bytes').execute())[0]?.bytes);
      const rows = async () => {
        const { episodes, waits, gaps, hours } = await read('old');
        return { episodes, waits, gaps, hours };
      };
      const before = await size();
      expect(before).toBeGreaterThan(1.3e6);
      await sql.raw('update signalbox_history_mark set begun_ms = 0').execute(store.db);
      await tidy();
      expect(await size()).toBeLessThanOrEqual(1e6);
      const { episodes, waits, gaps, hours } = await rows();
      // The open one is the oldest, and stays.
      expect(episodes[0]).toMatchObject({ to: null });
      expect(episodes.length).toBeGreaterThan(900);
      expect([waits, gaps]).toEqual([[], []]);
      const counted = hours.reduce((sum, { holds }) => sum + holds, 0);
      expect(counted).toBeGreaterThan(100);
      expect(counted + episodes.length).toBe(2_001);
      expect(hours.reduce((sum, hour) => sum + hour.waits, 0)).toBe(1);
      const first = episodes[1]?.to?.atMs ?? 0;
      const keptFromMs = (await since()) ?? 0;
      expect(keptFromMs).toBeLessThanOrEqual(first);
      expect(first - keptFromMs).toBeLessThan(60 * secondMs);
      await store.db.deleteFrom('signalbox_history_holds').execute();
      await store.db.deleteFrom('signalbox_history_hours').execute();
      expect(await size()).toBe(0);
    },
  );

  test.skipIf(missing !== null)(
    'beyond its bytes hours go as well, but only beyond half of them, so that holds are kept beside them',
    async () => {
      const fromMs = hourOf(nowMs) - 20 * hourMs;
      const names = Array.from({ length: 100 }, (_, n) => `lock-${n}`);
      const rows = Array.from({ length: 20 }, (_, h) =>
        names.map((key) => hold(key, fromMs + h * hourMs, fromMs + h * hourMs + secondMs)),
      ).flat();
      const { store, tidy, read, since } = await kept(rows, { bytes: 600_000 });
      await sql.raw('update signalbox_history_mark set begun_ms = 0').execute(store.db);
      await tidy();
      const size = await store.db.selectFrom('signalbox_history_size').selectAll().executeTakeFirstOrThrow();
      expect(Number(size.bytes)).toBeLessThanOrEqual(600_000);
      // A step may go beyond by what it removes.
      expect(Number(size.hours_bytes)).toBeGreaterThan(150_000);
      expect(Number(size.hours_bytes)).toBeLessThan(400_000);
      const { rows: measured } = await sql
        .raw<{ bytes: number }>(`select sum(octet_length(body) + 350) as bytes from signalbox_history_hours`)
        .execute(store.db);
      expect(Number(size.hours_bytes)).toBe(Number(measured[0]?.bytes));
      const { episodes, hours } = await read('lock-0');
      expect(episodes.length).toBeGreaterThan(2);
      expect(hours.length).toBeGreaterThan(3);
      // Each is kept whole, is counted, or has gone: in this order of time.
      const keptFromMs = (await since()) ?? 0;
      expect(episodes.every(({ to }) => (to?.atMs ?? 0) >= keptFromMs)).toBe(true);
      expect(hours.every((hour) => hour.hourMs < keptFromMs)).toBe(true);
    },
  );

  test.skipIf(missing !== null)(
    'what has just ended stays, whatever the bytes: it may be written again',
    async () => {
      const { tidy, read } = await kept([hold('a', nowMs - hourMs, nowMs - 10 * secondMs)], { bytes: 1 });
      await tidy();
      expect((await read('a')).episodes).toHaveLength(1);
    },
  );

  test.skipIf(missing !== null)(
    'an hour that goes on stays, and nothing is said to begin in the future',
    async () => {
      const { store, tidy, read, since } = await kept([], { bytes: 1 });
      await sql.raw('update signalbox_history_mark set begun_ms = 0').execute(store.db);
      const hours = [hourOf(nowMs), hourOf(nowMs) - hourMs].map((atMs) => emptyHour(lock('a'), atMs));
      await writeHours(store.db, hours);
      await tidy();
      expect((await read('a')).hours).toMatchObject([{ hourMs: hourOf(nowMs) }]);
      expect(await since()).toBe(hourOf(nowMs));
    },
  );

  test.skipIf(missing !== null)('a name that no column can keep is written, listed and counted', async () => {
    const oldMs = nowMs - 2 * dayMs;
    const { tidy, read } = await kept([
      hold('n\0', nowMs, null),
      ...['n\0', 'n\ufffe'].map((key) => hold(key, oldMs, oldMs + secondMs)),
    ]);
    await tidy();
    const { episodes, hours } = await read('n\ufffe0');
    expect(episodes).toMatchObject([{ subject: lock('n\0'), to: null }]);
    expect(hours).toMatchObject([{ subject: lock('n\0'), holds: 1 }]);
  });

  test.skipIf(missing !== null)('only the process that has the pen removes anything', async () => {
    const oldMs = nowMs - 2 * dayMs;
    const { store, retention, read } = await kept([hold('a', oldMs, oldMs + secondMs)]);
    await store.db.updateTable('signalbox_history_mark').set({ writer: 'two' }).execute();
    await expect(retention.step()).rejects.toThrow(NotWriter);
    expect((await read('a')).episodes).toHaveLength(1);
  });
});
