/** A store of an earlier version, with a history in it, gets what later versions keep beside the rows. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { holdOf } from '@/lib/domain/history/fixture/episodes';
import { emptyHour } from '@/lib/domain/history/hour-book';
import { createHistoryLog } from '@/lib/server/history/history-log';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { writeHours } from '@/lib/server/history/hours';
import type { Store } from '@/lib/server/store/store';
import { storesHere } from '@/test/support/stores';

const kinds = await storesHere();
const later = ['0011-history-hours-size', '0012-history-lost'];

/** As a store was before these. */
async function undo({ db, dialect }: Store): Promise<void> {
  const changes = ['insert', 'delete', 'update'];
  const hours = 'signalbox_history_hours';
  const statements = [
    ...changes.map((change) =>
      dialect === 'sqlite'
        ? `drop trigger ${hours}_hours_size_${change}`
        : `drop function signalbox_history_hours_size_${change} cascade`,
    ),
    'alter table signalbox_history_size drop column hours_bytes',
    ...['holds', 'waits'].flatMap((table) =>
      ['subject', 'time'].map((name) => `drop index signalbox_history_${table}_lost_${name}`),
    ),
    `delete from signalbox_migrations where name in (${later.map((name) => `'${name}'`).join(', ')})`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

describe.each(kinds)('$name', ({ place, open }) => {
  test('what hours take is counted from the rows that are there, and what was lost is found among them', async () => {
    const where = await place();
    const before = open(where);
    const log = createHistoryLog({ store: before, writer: 'one', now: Date.now });
    await log.hold();
    const lost = holdOf(1, 2, { id: 'lost', end: 'session-ended' });
    await log.write(
      [holdOf(1, 2, { id: 'released' }), lost].map((row) => ({ kind: 'hold', row })),
      null,
    );
    const hour = (atMs: number) => emptyHour(lost.subject, atMs);
    await writeHours(before.db, [hour(0), hour(3_600_000)]);
    await undo(before);
    await before.close();

    const after = open(where);
    const query = createHistoryQuery({ store: after, days: 30, now: Date.now });
    const range = { fromMs: 0, toMs: 9, limit: 10, ends: 'lost' } as const;
    const { episodes } = await query.read({ by: 'source', sources: ['consul'] }, range);
    expect(episodes.map(({ id }) => id)).toEqual(['lost']);
    const size = async () =>
      Number(
        (await after.db.selectFrom('signalbox_history_size').select('hours_bytes').executeTakeFirstOrThrow())
          .hours_bytes,
      );
    const two = await size();
    expect(two).toBeGreaterThan(700);
    await writeHours(after.db, [hour(7_200_000)]);
    expect(await size()).toBeGreaterThan(two);
    await after.db.deleteFrom('signalbox_history_hours').execute();
    expect(await size()).toBe(0);
  });
});
