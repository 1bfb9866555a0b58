/** The bound in bytes: the oldest rows of all kinds go first, and are not counted into hours, which would take room again. */
import type { Kysely } from 'kysely';
import { hourLengthMs } from '@/lib/domain/history/hour-book';
import type { Tables } from '@/lib/server/store/tables';
import { tableOf } from './rows';

/** Each has these columns, which TypeScript cannot follow through the name. */
type Plain = 'signalbox_history_gaps';

const ended = Object.values(tableOf) as readonly Plain[];

interface Oldest {
  readonly table: Plain | 'hours';
  readonly endMs: number;
}

async function oldestIn(db: Kysely<Tables>, nowMs: number): Promise<Oldest | null> {
  let oldest: Oldest | null = null;
  const offer = (table: Oldest['table'], endMs: number) => {
    if (oldest === null || endMs < oldest.endMs) oldest = { table, endMs };
  };
  for (const table of ended) {
    const row = await db
      .selectFrom(table)
      .select('to_ms')
      .where('to_ms', 'is not', null)
      .orderBy('to_ms')
      .limit(1)
      .executeTakeFirst();
    if (row !== undefined) offer(table, Number(row.to_ms));
  }
  const hour = await db
    .selectFrom('signalbox_history_hours')
    .select('hour_ms')
    .orderBy('hour_ms')
    .limit(1)
    .executeTakeFirst();
  // An hour that goes on ends later than now, and nothing would be said to be kept until then.
  if (hour !== undefined && Number(hour.hour_ms) + hourLengthMs <= nowMs)
    offer('hours', Number(hour.hour_ms) + hourLengthMs);
  return oldest;
}

/**
 * Removes at most `rows` of the oldest, at most an hour of one kind, when all together takes more than `bytesMax`. False: it takes
 * no more, or nothing of it is over.
 */
export async function shrink(
  db: Kysely<Tables>,
  { bytesMax, rows, nowMs }: { readonly bytesMax: number; readonly rows: number; readonly nowMs: number },
): Promise<boolean> {
  const size = await db.selectFrom('signalbox_history_size').select('bytes').executeTakeFirst();
  if (size === undefined || Number(size.bytes) <= bytesMax) return false;
  const oldest = await oldestIn(db, nowMs);
  if (oldest === null) return false;
  const { table, endMs } = oldest;
  let lastMs = endMs;
  if (table === 'hours') {
    const some = await db
      .selectFrom('signalbox_history_hours')
      .select('subject')
      .where('hour_ms', '=', endMs - hourLengthMs)
      .limit(rows)
      .execute();
    await db
      .deleteFrom('signalbox_history_hours')
      .where('hour_ms', '=', endMs - hourLengthMs)
      .where(
        'subject',
        'in',
        some.map(({ subject }) => subject),
      )
      .execute();
  } else {
    const some = await db
      .selectFrom(table)
      .select(['id', 'to_ms'])
      .where('to_ms', '<', endMs + hourLengthMs)
      .orderBy('to_ms')
      .limit(rows)
      .execute();
    lastMs = Number(some.at(-1)?.to_ms ?? endMs);
    await db
      .deleteFrom(table)
      .where(
        'id',
        'in',
        some.map(({ id }) => id),
      )
      .execute();
  }
  await db
    .updateTable('signalbox_history_size')
    .set({ kept_from_ms: lastMs })
    .where('kept_from_ms', '<', lastMs)
    .execute();
  return true;
}
