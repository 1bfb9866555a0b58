/** The figures of hours in the store, for holds and waits that are only counted. */
import type { Kysely } from 'kysely';
import type { Hold, Wait } from '@/lib/domain/history/episode';
import { emptyHour, type HourBook, hourOf, withHold, withWait } from '@/lib/domain/history/hour-book';
import type { Tables } from '@/lib/server/store/tables';
import { rowFrom, subjectColumn } from './rows';

const hourKey = (subject: string, hourMs: number) => `${hourMs} ${subject}`;

/**
 * Adds ended holds and waits to the hours of their ends, in one statement. A statement for each row would block
 * SQLite's callers ten times as long.
 */
export async function intoHours(
  db: Kysely<Tables>,
  holds: readonly Hold[],
  waits: readonly Wait[],
): Promise<void> {
  const adds: { readonly of: Hold | Wait; readonly add: (hour: HourBook) => HourBook }[] = [
    ...holds.map((of) => ({ of, add: (hour: HourBook) => withHold(hour, of) })),
    ...waits.map((of) => ({ of, add: (hour: HourBook) => withWait(hour, of) })),
  ];
  if (adds.length === 0) return;
  const endOf = ({ to, from }: Hold | Wait) => hourOf(to?.atMs ?? from.atMs);
  const before = await db
    .selectFrom('signalbox_history_hours')
    .select('body')
    .where('subject', 'in', [...new Set(adds.map(({ of }) => subjectColumn(of.subject)))])
    .where('hour_ms', 'in', [...new Set(adds.map(({ of }) => endOf(of)))])
    .execute();
  const hours = new Map<string, HourBook>();
  for (const row of before) {
    const hour = rowFrom<HourBook>(row);
    hours.set(hourKey(subjectColumn(hour.subject), hour.hourMs), hour);
  }
  const changed = new Map<string, HourBook>();
  for (const { of, add } of adds) {
    const key = hourKey(subjectColumn(of.subject), endOf(of));
    changed.set(key, add(changed.get(key) ?? hours.get(key) ?? emptyHour(of.subject, endOf(of))));
  }
  await writeHours(db, [...changed.values()]);
}

/** Each hour replaces the row of its subject and hour. */
export const writeHours = async (db: Kysely<Tables>, hours: readonly HourBook[]): Promise<void> => {
  await db
    .insertInto('signalbox_history_hours')
    .values(
      hours.map((hour) => ({
        source: hour.subject.source,
        subject: subjectColumn(hour.subject),
        hour_ms: hour.hourMs,
        body: JSON.stringify(hour),
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['subject', 'hour_ms']).doUpdateSet(({ ref }) => ({ body: ref('excluded.body') })),
    )
    .execute();
};
