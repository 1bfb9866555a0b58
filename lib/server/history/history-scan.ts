/** Holds and waits of some time in pages, newest first, for figures of more of them than one answer lists. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Hold, Wait } from '@/lib/domain/history/episode';
import type { HourBook } from '@/lib/domain/history/hour-book';
import type { Store } from '@/lib/server/store/store';
import { type HistoryOf, isOf, longestMs } from './history-query';
import { rowFrom, tableOf } from './rows';

export interface HistoryPages {
  /** Each page, until there are no more or `rowsMax` are read. */
  holds(page: (rows: readonly Hold[]) => Promise<void>): Promise<Scanned>;
  waits(page: (rows: readonly Wait[]) => Promise<void>): Promise<Scanned>;
  hours(page: (rows: readonly HourBook[]) => Promise<void>): Promise<Scanned>;
}

export interface Scanned {
  /** What began, or is of an hour, before it was not read; `null`: all was. */
  readonly readFromMs: number | null;
}

export interface HistoryScan {
  scan(of: HistoryOf, range: { readonly fromMs: number; readonly toMs: number }): HistoryPages;
}

/** Parsing a page takes a few milliseconds. */
const pageRows = 1_000;
/** Some 20 MB of rows, none of which is kept. */
export const rowsMax = 20_000;
const hourMs = 60 * 60 * 1_000;

const all: Scanned = { readFromMs: null };

export function createHistoryScan({ store }: { readonly store: Pick<Store, 'db' | 'migrate'> }): HistoryScan {
  const { db } = store;
  return {
    scan(of, { fromMs, toMs }) {
      const episodes = async <R>(
        table: (typeof tableOf)['hold' | 'wait'],
        page: (rows: readonly R[]) => Promise<void>,
      ): Promise<Scanned> => {
        await store.migrate();
        // As a sum it has no index: few of all rows are asked for.
        const began = sql<number>`from_ms + 0`;
        const query = () =>
          db
            .selectFrom(table)
            .select(['id', 'from_ms', 'body'])
            .where((where) => isOf(where as Parameters<typeof isOf>[0], of))
            .where((where) => where.or([where('to_ms', 'is', null), where('to_ms', '>=', fromMs)]));
        const read = async (rows: readonly { readonly body: string }[]) => {
          await page(rows.map((row) => rowFrom<R>(row)));
          await yieldToEventLoop();
        };
        let [beforeMs, beforeId] = [toMs + 1, ''];
        for (let n = 0; n < rowsMax; n += pageRows) {
          const rows = await query()
            .where(began, '<=', beforeMs)
            .where(began, '>=', fromMs - longestMs)
            .where((where) => where.or([where(began, '<', beforeMs), where('id', '<', beforeId)]))
            .orderBy(began, 'desc')
            .orderBy('id', 'desc')
            .limit(pageRows)
            .execute();
          await read(rows);
          const last = rows.at(-1);
          if (last === undefined || rows.length < pageRows) return all;
          [beforeMs, beforeId] = [Number(last.from_ms), last.id];
        }
        // Those that began before and reach into what is counted.
        const reaching = await query()
          .where(began, '<', beforeMs)
          .where((where) => where.or([where('to_ms', 'is', null), where('to_ms', '>=', beforeMs)]))
          .limit(pageRows)
          .execute();
        await read(reaching);
        return { readFromMs: beforeMs };
      };
      return {
        holds: (page) => episodes<Hold>(tableOf.hold, page),
        waits: (page) => episodes<Wait>(tableOf.wait, page),
        async hours(page) {
          await store.migrate();
          const rows = await db
            .selectFrom('signalbox_history_hours')
            .select(['hour_ms', 'body'])
            .where((where) => isOf(where as unknown as Parameters<typeof isOf>[0], of))
            .where('hour_ms', '>', fromMs - hourMs)
            .where('hour_ms', '<=', toMs)
            .orderBy('hour_ms', 'desc')
            .limit(rowsMax)
            .execute();
          for (let at = 0; at < rows.length; at += pageRows) {
            await page(rows.slice(at, at + pageRows).map((row) => rowFrom<HourBook>(row)));
            await yieldToEventLoop();
          }
          const last = rows.at(-1);
          return rows.length < rowsMax || last === undefined ? all : { readFromMs: Number(last.hour_ms) };
        },
      };
    },
  };
}
