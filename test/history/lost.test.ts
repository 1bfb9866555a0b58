/** What was lost below a prefix is found, however much was released there since and whatever others lost. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { HistoryRow, Hold } from '@/lib/domain/history/episode';
import { holdOf, waitOf, whoOf } from '@/lib/domain/history/fixture/episodes';
import { ofPrefix } from '@/lib/server/history/asked';
import { createHistoryLog } from '@/lib/server/history/history-log';
import type { HistoryOf } from '@/lib/server/history/history-of';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { lostIn } from '@/lib/server/store/history-lost';
import { storesHere } from '@/test/support/stores';

const kinds = await storesHere();
const day = { fromMs: 0, toMs: 100_000 };

let n = 0;
const hold = (key: string, toMs: number | null, end: Hold['end'] = 'released'): HistoryRow => {
  n += 1;
  const over = { id: `h${n}`, subject: { source: 'consul', kind: 'lock', key }, end } as const;
  return { kind: 'hold', row: holdOf((toMs ?? 90_000) - 10, toMs, over) };
};
const released = Array.from({ length: 6_000 }, (_, i) => hold(`busy/${i % 9}`, 50_000 + i));
const lost = [
  hold('busy/1', 1_000, 'session-ended'),
  hold('busy/2', 2_000, 'evicted-here'),
  hold('busy/2', 3_000, 'entry-overwritten'),
];
const others = [
  hold('busy/3', 4_000, 'not-watched'),
  hold('busy/4', null),
  hold('busy/5', 100_001, 'session-ended'),
  hold('else/1', 60_000, 'lease-ended'),
];
const subject = { source: 'consul', kind: 'lock', key: 'busy/1' } as const;
const waits = (['got-in', 'left', 'removed-here', 'session-ended', 'not-watched'] as const).map(
  (end, i): HistoryRow => ({ kind: 'wait', row: waitOf(i, 10 + i, { id: end, subject, end }) }),
);

describe.each(kinds)('$name', ({ place, open }) => {
  async function kept(rows: readonly HistoryRow[]) {
    const store = open(await place());
    const log = createHistoryLog({ store, writer: 'one', now: Date.now });
    await log.hold();
    for (let at = 0; at < rows.length; at += 2_000) await log.write(rows.slice(at, at + 2_000), null);
    const { read } = createHistoryQuery({ store, days: 30, now: Date.now });
    return {
      store,
      ask: async (of: HistoryOf, limit: number, range = day) => {
        const answer = await read(of, { ...range, limit, ends: 'lost' });
        return {
          ids: answer.episodes.map(({ id }) => id),
          waits: answer.waits.map(({ id }) => id),
          more: answer.more,
        };
      },
    };
  }
  const ids = (rows: readonly HistoryRow[]) => rows.map(({ row }) => row.id);

  test('thousands of released holds push out none that was lost, however it is asked for', async () => {
    const { ask } = await kept([...lost, ...others, ...released, ...waits]);
    const busy = ofPrefix('busy/', ['consul']);
    const removed = ['removed-here', 'session-ended'];
    expect(await ask(busy, 100)).toEqual({ ids: ids(lost), waits: removed, more: false });
    const all = await ask(ofPrefix('', ['consul']), 100);
    expect(all).toEqual({ ids: [...ids(lost), ...ids(others.slice(3))], waits: removed, more: false });
    expect((await ask(ofPrefix('', ['other']), 100)).ids).toEqual([]);
    expect((await ask({ by: 'subject', subject: 'lock:busy/2' }, 100)).ids).toEqual(ids(lost.slice(1)));
    expect((await ask({ by: 'party', source: 'consul', party: 'a' }, 100)).ids).toEqual(all.ids);
    // The newest by their ends.
    expect(await ask(busy, 2)).toMatchObject({ ids: ids(lost.slice(1)), more: true });
    expect((await ask(busy, 100, { fromMs: 1_500, toMs: 2_500 })).ids).toEqual(ids(lost.slice(1, 2)));
  });

  test('of a prefix with very many, and beside very many of others, the newest are found by time', async () => {
    const many = Array.from({ length: 5_500 }, (_, i) => hold(`busy/${i % 9}`, 10_000 + i, 'session-ended'));
    const theirs = Array.from({ length: 3_000 }, (_, i) => hold('else/1', 20_000 + i, 'session-ended'));
    const { ask } = await kept([...lost, ...many, ...theirs]);
    const answer = await ask(ofPrefix('busy/', ['consul']), 1_000);
    expect(answer).toMatchObject({ ids: ids(many.slice(-1_000)), more: true });
  });

  test('names, times and who it was do not look like an end', async () => {
    const odd = '"end":"released"';
    const [one] = [hold(odd, 1_000, 'session-ended')];
    if (one?.kind !== 'hold') throw new Error('no hold');
    const row = { ...one.row, who: whoOf(odd, { label: odd }) };
    const { ask } = await kept([{ kind: 'hold', row }]);
    expect((await ask(ofPrefix('', ['consul']), 10)).ids).toEqual([row.id]);
  });

  test('no released hold is read for it', async () => {
    const { store } = await kept([]);
    const plan = (rest: string) =>
      store.db.transaction().execute(async (db) => {
        const explain = store.dialect === 'sqlite' ? 'explain query plan' : 'explain';
        // An empty table is read whole where nothing forbids it.
        if (store.dialect === 'postgres') await sql.raw('set local enable_seqscan = off').execute(db);
        const { rows } = await sql
          .raw<Record<string, unknown>>(
            `${explain} select id, to_ms from signalbox_history_holds where ${lostIn.signalbox_history_holds} ${rest}`,
          )
          .execute(db);
        return rows.map((row) => Object.values(row).join(' ')).join('\n');
      });
    expect(await plan('and to_ms >= 1 and to_ms <= 9 order by to_ms desc, id desc')).toContain(
      'signalbox_history_holds_lost_time',
    );
    for (const rest of [
      "and (subject >= 'a' and subject < 'b')",
      "and to_ms >= 1 and to_ms <= 9 and subject = 'a' order by to_ms desc",
    ])
      expect(await plan(rest)).toContain('signalbox_history_holds_lost_');
  });
});
