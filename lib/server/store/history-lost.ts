/** The condition by which the database finds lost rows of the history. They are few among the released ones. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables';

/** No text of a row has an unescaped quote, so none looks like its end. */
const isNot = (...ends: readonly string[]) =>
  ['to_ms is not null', ...ends.map((end) => `body not like '%"end":"${end}"%'`)].join(' and ');

/**
 * The conditions of the indexes below, word for word; with other words no index answers a question. The indexes are
 * released, so other words need new ones. A hold is lost by `wasLost` (`lib/domain/history/episode.ts`), a wait when it
 * was removed or its session ended.
 */
export const lostIn = {
  signalbox_history_holds: isNot('released', 'not-watched'),
  signalbox_history_waits: isNot('got-in', 'left', 'not-watched'),
} as const;

/** Indexes by name, and by time alone. Each has the columns that decide whether a row is read. */
export async function historyLost(db: Kysely<Tables>): Promise<void> {
  for (const [table, lost] of Object.entries(lostIn))
    for (const [name, columns] of [
      ['subject', 'subject, to_ms, id'],
      ['time', 'to_ms, id, subject, source'],
    ])
      await sql.raw(`create index ${table}_lost_${name} on ${table} (${columns}) where ${lost}`).execute(db);
}
