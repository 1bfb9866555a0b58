/** Episodes in the store. One process of all replicas records at a time, and each may read. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { FindingEpisode, Gap, HistoryRow, Hold, Wait } from '@/lib/domain/history/episode';
import type { Resumed } from '@/lib/domain/history/record/recorder';
import { exclusively } from '@/lib/server/store/exclusively';
import type { Store } from '@/lib/server/store/store';
import type { Tables } from '@/lib/server/store/tables';
import { rowFrom, tableOf, valuesOf } from './rows';

export interface HistoryLog {
  /**
   * Takes the pen for `leaseMs`, and returns the episodes that this or an earlier process left open. `null`: another
   * process has the pen.
   */
  hold(): Promise<Omit<Resumed, 'why'> | null>;
  /**
   * Keeps the pen, and writes in one transaction. Each row replaces the row of its id. `untilMs`: the record is
   * complete until then; `null`: more rows follow. Throws `NotWriter` when another process has the pen.
   */
  write(rows: readonly HistoryRow[], untilMs: number | null): Promise<void>;
  /** Runs `work` on the record in one transaction. Throws `NotWriter` when another process has the pen. */
  tidy<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Releases the pen, so that another replica can begin at once. */
  letGo(): Promise<void>;
}

export interface HistoryLogOptions {
  readonly store: Store;
  readonly writer: string;
  readonly now: () => number;
}

/** The lease is renewed three times as often. Another replica takes over after it ends. */
export const leaseMs = 15_000;
const waitMs = 5_000;
/** Most open episodes that a new process takes over. */
const openMax = 500_000;

const markId = 1;

/** Rows of one statement. SQLite's calls are synchronous and block the event loop. */
const statementRows = 128;

/** Ids in `rows` must be unique. */
const upsert = async (db: Kysely<Tables>, rows: readonly HistoryRow[]): Promise<void> => {
  for (const kind of new Set(rows.map((row) => row.kind))) {
    const all = rows.filter((row) => row.kind === kind);
    for (let at = 0; at < all.length; at += statementRows) {
      if (at > 0) await yieldToEventLoop();
      await db
        // Each table takes the values of its kind, but TypeScript cannot infer this from the name.
        .insertInto(tableOf[kind] as 'signalbox_history_gaps')
        .values(all.slice(at, at + statementRows).map(valuesOf))
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(({ ref }) => ({ to_ms: ref('excluded.to_ms'), body: ref('excluded.body') })),
        )
        .execute();
    }
  }
};

export function createHistoryLog({ store, writer, now }: HistoryLogOptions): HistoryLog {
  const clock = async (db: Kysely<Tables>): Promise<number> => {
    if (store.dialect === 'sqlite') return now();
    const { rows } = await sql
      .raw<{ at_ms: string }>('select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at_ms')
      .execute(db);
    return Number(rows[0]?.at_ms ?? now());
  };
  const open = async <R>(db: Kysely<Tables>, table: (typeof tableOf)[HistoryRow['kind']]): Promise<R[]> => {
    const rows = await db
      .selectFrom(table as 'signalbox_history_gaps')
      .select('body')
      .where('to_ms', 'is', null)
      .limit(openMax)
      .execute();
    return rows.map((row) => rowFrom<R>(row));
  };
  const resumedIn = async (db: Kysely<Tables>, untilMs: number | null): Promise<Omit<Resumed, 'why'>> => ({
    untilMs,
    holds: await open<Hold>(db, tableOf.hold),
    waits: await open<Wait>(db, tableOf.wait),
    findings: await open<FindingEpisode>(db, tableOf.finding),
    gaps: await open<Gap>(db, tableOf.gap),
  });
  const inTurn = async <T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> => {
    await store.migrate();
    return exclusively(store, { lock: 'history', waitMs }, work);
  };
  return {
    hold: () =>
      inTurn(async (db) => {
        const atMs = await clock(db);
        const mark = await db
          .selectFrom('signalbox_history_mark')
          .selectAll()
          .where('id', '=', markId)
          .executeTakeFirst();
        const isOurs = mark?.writer === writer;
        if (mark !== undefined && !isOurs && Number(mark.lease_until_ms) > atMs) return null;
        const lease_until_ms = atMs + leaseMs;
        if (mark === undefined)
          await db
            .insertInto('signalbox_history_mark')
            .values({ id: markId, writer, lease_until_ms, begun_ms: atMs, written_until_ms: 0 })
            .execute();
        else
          await db
            .updateTable('signalbox_history_mark')
            .set({ writer, lease_until_ms })
            .where('id', '=', markId)
            .execute();
        const untilMs = Number(mark?.written_until_ms ?? 0);
        return resumedIn(db, untilMs === 0 ? null : untilMs);
      }),
    write: (rows, untilMs) =>
      inTurn(async (db) => {
        const mark = await db
          .updateTable('signalbox_history_mark')
          .set({
            lease_until_ms: (await clock(db)) + leaseMs,
            ...(untilMs === null ? {} : { written_until_ms: untilMs }),
          })
          .where('id', '=', markId)
          .where('writer', '=', writer)
          .executeTakeFirst();
        // Another replica took over while this one hung, and continues its episodes.
        if (Number(mark.numUpdatedRows) === 0) throw new NotWriter();
        await upsert(db, rows);
      }),
    tidy: (work) =>
      inTurn(async (db) => {
        const mark = await db
          .selectFrom('signalbox_history_mark')
          .select('writer')
          .where('id', '=', markId)
          .executeTakeFirst();
        if (mark?.writer !== writer) throw new NotWriter();
        return work(db);
      }),
    letGo: () =>
      inTurn(async (db) => {
        await db
          .updateTable('signalbox_history_mark')
          .set({ lease_until_ms: 0 })
          .where('id', '=', markId)
          .where('writer', '=', writer)
          .execute();
      }),
  };
}

/** Thrown when another process records. */
export class NotWriter extends Error {}
