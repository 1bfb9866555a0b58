/**
 * Holds and waits in pages, for figures of more rows than one answer lists. Each page reads along an index and is
 * short, because the embedded store answers on the event loop.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Hold, Wait } from '@/lib/domain/history/episode';
import { type HourBook, hourLengthMs } from '@/lib/domain/history/hour-book';
import type { Store } from '@/lib/server/store/store';
import { covers, isOf, type ScanOf } from './history-of';
import { endSteps } from './history-query';
import { rowFrom, tableOf } from './rows';

type Page<R> = (rows: readonly R[]) => Promise<void>;

export interface HistoryPages {
  /** Calls `page` until all rows, or enough, are read. */
  holds(page: Page<Hold>): Promise<Scanned>;
  waits(page: Page<Wait>): Promise<Scanned>;
  hours(page: Page<HourBook>): Promise<Scanned>;
}

export interface Scanned {
  /** Rows that ended earlier were not read; `null`: all were read. */
  readonly readFromMs: number | null;
}

export interface HistoryScan {
  scan(of: ScanOf, range: { readonly fromMs: number; readonly toMs: number }): HistoryPages;
}

/** One page takes a few milliseconds. */
const pageRows = 500;
/** Most rows that are counted, and for a large prefix most that are read. */
const countedMax = 20_000;
const seenMax = 100_000;
/** Most open episodes. */
const openMax = 20_000;
/** Most episodes that outlasted a past range. */
const outlastingMax = 5_000;

const all: Scanned = { readFromMs: null };

interface Row {
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly from_ms: number | string;
  readonly to_ms: number | string | null;
  readonly body: string;
}

export function createHistoryScan({ store }: { readonly store: Pick<Store, 'db' | 'migrate'> }): HistoryScan {
  const { db } = store;
  return {
    scan(of, { fromMs, toMs }) {
      /** Reads only the index of times, because most rows that ended later also began later. */
      const outlastingOf = async (table: (typeof tableOf)['hold' | 'wait']) => {
        const found: { readonly id: string }[] = [];
        const last = await db
          .selectFrom(table)
          .select(({ fn }) => fn.max('to_ms').as('ms'))
          .executeTakeFirst();
        for (const [afterMs, untilMs] of endSteps(toMs, Number(last?.ms ?? 0))) {
          if (found.length > outlastingMax) break;
          found.push(
            ...(await db
              .selectFrom(table)
              .select('id')
              .where('to_ms', '>', afterMs)
              .where('to_ms', '<=', untilMs)
              .where('from_ms', '<=', toMs)
              .limit(outlastingMax + 1 - found.length)
              .execute()),
          );
          await yieldToEventLoop();
        }
        return found;
      };
      const episodes = async <R>(
        table: (typeof tableOf)['hold' | 'wait'],
        page: Page<R>,
      ): Promise<Scanned> => {
        await store.migrate();
        const rowsOf = () =>
          db.selectFrom(table).select(['id', 'source', 'subject', 'from_ms', 'to_ms', 'body']);
        const isIn = ({ from_ms, to_ms }: Row) =>
          Number(from_ms) <= toMs && (to_ms === null || Number(to_ms) >= fromMs);
        const take = async (rows: readonly Row[]): Promise<number> => {
          const own = rows.filter((row) => covers(of, row) && isIn(row));
          await page(own.map((row) => rowFrom<R>(row)));
          await yieldToEventLoop();
          return own.length;
        };

        /** Reads all rows by name, for a prefix with few. */
        const bySubject = async (spans: readonly (readonly [string, string])[]): Promise<Scanned> => {
          for (const [from, to] of spans) {
            let after: readonly [subject: string, fromMs: number, id: string] = [from, -1, ''];
            for (;;) {
              const rows = await rowsOf()
                .where('subject', '>=', after[0])
                .where('subject', '<', to)
                .where(sql<boolean>`(subject, from_ms, id) > (${after[0]}, ${after[1]}, ${after[2]})`)
                .orderBy('subject')
                .orderBy('from_ms')
                .orderBy('id')
                .limit(pageRows)
                .execute();
              await take(rows);
              const last = rows.at(-1);
              if (last === undefined || rows.length < pageRows) break;
              after = [last.subject, Number(last.from_ms), last.id];
            }
          }
          return all;
        };

        if (of.by === 'prefix') {
          const few = await db
            .selectFrom(
              db
                .selectFrom(table)
                .select('from_ms')
                .where((where) => isOf(where as Parameters<typeof isOf>[0], of))
                .limit(countedMax + 1)
                .as('some'),
            )
            .select(({ fn }) => fn.countAll().as('n'))
            .executeTakeFirst();
          if (Number(few?.n ?? 0) <= countedMax) return bySubject(of.spans);
        }
        const ids = () => db.selectFrom(table).select('id');
        const open = await ids()
          .where('to_ms', 'is', null)
          .where('from_ms', '<=', toMs)
          .limit(openMax + 1)
          .execute();
        const outlasting = await outlastingOf(table);
        // The rest could have held in any cell.
        if (open.length > openMax || outlasting.length > outlastingMax) return { readFromMs: toMs };
        const apart = [...open, ...outlasting].map(({ id }) => id);
        for (let at = 0; at < apart.length; at += pageRows)
          await take(
            await rowsOf()
              .where('id', 'in', apart.slice(at, at + pageRows))
              .execute(),
          );
        let before: readonly [toMs: number, id: string] = [toMs + 1, ''];
        let counted = 0;
        for (let seen = 0; seen < seenMax && counted < countedMax; seen += pageRows) {
          const rows = await rowsOf()
            .where('to_ms', '>=', fromMs)
            .where('to_ms', '<=', before[0])
            .where(sql<boolean>`(to_ms, id) < (${before[0]}, ${before[1]})`)
            .orderBy('to_ms', 'desc')
            .orderBy('id', 'desc')
            .limit(pageRows)
            .execute();
          counted += await take(rows);
          const last = rows.at(-1);
          if (last === undefined || rows.length < pageRows) return all;
          before = [Number(last.to_ms), last.id];
        }
        return { readFromMs: before[0] };
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
            .where('hour_ms', '>', fromMs - hourLengthMs)
            .where('hour_ms', '<=', toMs)
            .orderBy('hour_ms', 'desc')
            .limit(countedMax)
            .execute();
          for (let at = 0; at < rows.length; at += pageRows) {
            await page(rows.slice(at, at + pageRows).map((row) => rowFrom<HourBook>(row)));
            await yieldToEventLoop();
          }
          const last = rows.at(-1);
          return rows.length < countedMax || last === undefined ? all : { readFromMs: Number(last.hour_ms) };
        },
      };
    },
  };
}
