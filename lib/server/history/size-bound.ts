/**
 * The bound in bytes. The oldest rows of any kind go first, and holds and waits become figures of their hour. Hours
 * fill at most a part of the room, or they would displace all single rows.
 */
import type { Kysely } from 'kysely';
import type { Hold, Wait } from '@/lib/domain/history/episode';
import { hourLengthMs } from '@/lib/domain/history/hour-book';
import type { Tables } from '@/lib/server/store/tables';
import { intoHours } from './hours';
import { rowFrom, tableOf } from './rows';

/** Each table has these columns, but TypeScript cannot infer them from the name. */
type Plain = 'signalbox_history_gaps';

const ended = Object.values(tableOf) as readonly Plain[];

/** The share of the bound that hours may fill while other rows need the rest. */
const hoursPart = 0.5;

interface Oldest {
  readonly table: Plain;
  readonly endMs: number;
}

async function oldestRow(db: Kysely<Tables>, settledMs: number): Promise<Oldest | null> {
  let oldest: Oldest | null = null;
  for (const table of ended) {
    const row = await db
      .selectFrom(table)
      .select('to_ms')
      .where('to_ms', '<', settledMs)
      .orderBy('to_ms')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) continue;
    const endMs = Number(row.to_ms);
    if (oldest === null || endMs < oldest.endMs) oldest = { table, endMs };
  }
  return oldest;
}

/** Start of the oldest hour that is over. Removing the present hour would end the record until the hour is over. */
async function oldestHour(db: Kysely<Tables>, nowMs: number): Promise<number | null> {
  const hour = await db
    .selectFrom('signalbox_history_hours')
    .select('hour_ms')
    .orderBy('hour_ms')
    .limit(1)
    .executeTakeFirst();
  return hour !== undefined && Number(hour.hour_ms) + hourLengthMs <= nowMs ? Number(hour.hour_ms) : null;
}

interface Bound {
  readonly bytesMax: number;
  /** Most rows of one step. */
  readonly rows: number;
  readonly nowMs: number;
  /** Rows that ended later may be written again, and would count twice. */
  readonly settledMs: number;
}

/**
 * Removes at most `rows` of the oldest, from at most an hour of one kind, when the record exceeds `bytesMax`. False:
 * nothing to remove, or nothing of it is over.
 */
export async function shrink(
  db: Kysely<Tables>,
  { bytesMax, rows, nowMs, settledMs }: Bound,
): Promise<boolean> {
  const size = await db
    .selectFrom('signalbox_history_size')
    .select(['bytes', 'hours_bytes'])
    .executeTakeFirst();
  if (size === undefined || Number(size.bytes) <= bytesMax) return false;
  const [hour, row] = [await oldestHour(db, nowMs), await oldestRow(db, settledMs)];
  const isHour = hour !== null && (row === null || Number(size.hours_bytes) > bytesMax * hoursPart);
  if (!isHour && row === null) return false;
  const lastMs = isHour
    ? await removeHours(db, hour, rows)
    : row === null
      ? 0
      : await fold(db, row, { rows, settledMs });
  await db
    .updateTable('signalbox_history_size')
    .set({ kept_from_ms: lastMs })
    .where('kept_from_ms', '<', lastMs)
    .execute();
  return true;
}

/** Returns the end of that hour. */
async function removeHours(db: Kysely<Tables>, hourMs: number, rows: number): Promise<number> {
  const some = await db
    .selectFrom('signalbox_history_hours')
    .select('subject')
    .where('hour_ms', '=', hourMs)
    .limit(rows)
    .execute();
  await db
    .deleteFrom('signalbox_history_hours')
    .where('hour_ms', '=', hourMs)
    .where(
      'subject',
      'in',
      some.map(({ subject }) => subject),
    )
    .execute();
  return hourMs + hourLengthMs;
}

/** Returns the latest end of a removed row. */
async function fold(
  db: Kysely<Tables>,
  { table, endMs }: Oldest,
  { rows, settledMs }: Pick<Bound, 'rows' | 'settledMs'>,
): Promise<number> {
  const some = await db
    .selectFrom(table)
    .select(['id', 'to_ms', 'body'])
    .where('to_ms', '<', Math.min(settledMs, endMs + hourLengthMs))
    .orderBy('to_ms')
    .limit(rows)
    .execute();
  const isOf = (name: string) => name === table;
  if (isOf(tableOf.hold))
    await intoHours(
      db,
      some.map((row) => rowFrom<Hold>(row)),
      [],
    );
  if (isOf(tableOf.wait))
    await intoHours(
      db,
      [],
      some.map((row) => rowFrom<Wait>(row)),
    );
  await db
    .deleteFrom(table)
    .where(
      'id',
      'in',
      some.map(({ id }) => id),
    )
    .execute();
  return Number(some.at(-1)?.to_ms ?? endMs);
}
