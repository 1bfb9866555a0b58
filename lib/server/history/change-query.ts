/**
 * The nearest change of the past board: a hold, a wait or a finding began or ended, or watching stopped or began again.
 * Beginnings and ends are read in pages along their indexes, no further than the nearest change so far.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import type { PastChange } from '@/lib/domain/history/past';
import type { SourceId } from '@/lib/domain/source';
import { subjectOfId } from '@/lib/domain/subject';
import type { Store } from '@/lib/server/store/store';
import { covers, type HistoryOf, isOf, type Where } from './history-of';
import { hoursOf } from './history-query';
import { tableOf } from './rows';

export interface ChangesAsked {
  readonly atMs: number;
  /** Only changes of these sources count. */
  readonly sources: readonly SourceId[];
  /** Earlier changes, and changes after `writtenUntilMs`, are not shown. */
  readonly keptSinceMs: number;
  readonly writtenUntilMs: number;
  /** Finds the subjects that the caller may read; `null`: all. */
  readonly readable: ((subjects: readonly string[]) => Promise<(subject: string) => boolean>) | null;
}

export interface ChangeQuery {
  changes(
    of: HistoryOf,
    asked: ChangesAsked,
  ): Promise<{ readonly previous: PastChange; readonly next: PastChange }>;
}

type Table = (typeof tableOf)['hold' | 'wait' | 'finding'];
type Column = 'from_ms' | 'to_ms';

const tables: readonly Table[] = [tableOf.hold, tableOf.wait, tableOf.finding];
const columns: readonly Column[] = ['from_ms', 'to_ms'];
const pageRows = 200;
/** Rows per table, column and side. Fewer when the provider answers for each right. */
const lookedMax = { all: 5_000, some: 2_000 } as const;
/** Below this number, all rows are read by their name. */
const fewRows = 2_000;

interface Row {
  readonly id: string;
  readonly source: string;
  readonly subject: string;
  readonly ms: number | string | null;
}

/** Findings of a session are on no row of the board. */
const isShown = (subject: string): boolean => subjectOfId(subject)?.kind !== 'session';

export function createChangeQuery(store: Pick<Store, 'db' | 'migrate'>): ChangeQuery {
  const { db } = store;
  // Each table has these columns, but TypeScript cannot infer them from the name.
  const rowsOf = (table: Table) => db.selectFrom(table as 'signalbox_history_holds');

  const isFew = async (table: Table, of: HistoryOf): Promise<boolean> => {
    if (of.by === 'party') return true;
    if (of.by === 'source') return false;
    // Reads only the index.
    const some = await rowsOf(table)
      .select('from_ms')
      .where((where) => isOf(where, of))
      .limit(fewRows)
      .execute();
    return some.length < fewRows;
  };

  /** The index of names holds the beginnings of one subject in order. */
  const isOrdered = (of: HistoryOf, column: Column): boolean => of.by === 'subject' && column === 'from_ms';

  /** The nearest change of one column between two instants. */
  const nearest = async (
    { table, column, byName }: { table: Table; column: Column; byName: boolean },
    of: HistoryOf,
    { sources, readable }: ChangesAsked,
    { edgeMs, limitMs }: { edgeMs: number; limitMs: number },
  ): Promise<PastChange> => {
    const isNext = limitMs > edgeMs;
    // A sum matches no index of times, so the database uses the index of names.
    const at =
      byName && !isOrdered(of, column)
        ? sql<number>`${sql.ref(column)} + 0`
        : sql<number>`${sql.ref(column)}`;
    let last: Row | null = null;
    for (let looked = 0; looked < lookedMax[readable === null ? 'all' : 'some']; looked += pageRows) {
      const from: Row | null = last;
      const rows: readonly Row[] = await rowsOf(table)
        .select(['id', 'source', 'subject', at.as('ms')])
        .$if(byName, (query) => query.where((where: Where) => isOf(where, of)))
        .where(
          from === null
            ? isNext
              ? sql<boolean>`${at} > ${edgeMs}`
              : sql<boolean>`${at} < ${edgeMs}`
            : isNext
              ? sql<boolean>`${at} >= ${Number(from.ms)} and (${at}, id) > (${Number(from.ms)}, ${from.id})`
              : sql<boolean>`${at} <= ${Number(from.ms)} and (${at}, id) < (${Number(from.ms)}, ${from.id})`,
        )
        .where(at, isNext ? '<=' : '>=', limitMs)
        .orderBy(at, isNext ? 'asc' : 'desc')
        .orderBy('id', isNext ? 'asc' : 'desc')
        .limit(pageRows)
        .execute();
      const own = rows.filter(
        (row) =>
          isShown(row.subject) &&
          sources.includes(row.source) &&
          (byName ||
            (of.by === 'subject' ? row.subject === of.subject : of.by !== 'party' && covers(of, row))),
      );
      const may = readable === null ? null : await readable(own.map(({ subject }) => subject));
      const hit = own.find(({ subject }) => may === null || may(subject));
      if (hit !== undefined) return { atMs: Number(hit.ms), complete: true };
      last = rows.at(-1) ?? null;
      if (rows.length < pageRows) return { atMs: null, complete: true };
      await yieldToEventLoop();
    }
    return { atMs: null, complete: false };
  };

  /** The nearest gap of these sources. The answer names them even for a caller without readable rows. */
  const nearestGap = async (
    column: Column,
    { sources }: ChangesAsked,
    { edgeMs, limitMs }: { edgeMs: number; limitMs: number },
  ): Promise<number | null> => {
    const isNext = limitMs > edgeMs;
    const gap = await db
      .selectFrom(tableOf.gap)
      .select(column)
      .where('source', 'in', sources)
      .where(column, isNext ? '>' : '<', edgeMs)
      .where(column, isNext ? '<=' : '>=', limitMs)
      .orderBy(column, isNext ? 'asc' : 'desc')
      .limit(1)
      .executeTakeFirst();
    return gap === undefined || gap[column] === null ? null : Number(gap[column]);
  };

  /** True when holds are only counted here, because their instants are lost. */
  const isCounted = async (of: HistoryOf, aMs: number, bMs: number): Promise<boolean> => {
    const range = { fromMs: Math.min(aMs, bMs), toMs: Math.max(aMs, bMs), limit: 0 };
    return (await hoursOf(store, of, range)).length > 0;
  };

  return {
    async changes(of, asked) {
      await store.migrate();
      const { atMs, sources, keptSinceMs, writtenUntilMs, readable } = asked;
      const none: PastChange = { atMs: null, complete: readable === null };
      if (sources.length === 0) return { previous: none, next: none };
      const byName = new Map<Table, boolean>();
      for (const table of tables) byName.set(table, await isFew(table, of));
      const towards = async (edgeMs: number, endMs: number): Promise<PastChange> => {
        let limitMs = endMs;
        let found: number | null = null;
        // The answer must not reveal how many rows of others exist.
        let complete = readable === null;
        const take = (ms: number | null) => {
          if (ms !== null) [found, limitMs] = [ms, ms];
        };
        for (const column of columns) take(await nearestGap(column, asked, { edgeMs, limitMs }));
        for (const table of tables)
          for (const column of columns) {
            const part = { table, column, byName: isOrdered(of, column) || (byName.get(table) ?? false) };
            const one = await nearest(part, of, asked, { edgeMs, limitMs });
            complete &&= one.complete;
            take(one.atMs);
          }
        // Complete only from the instant itself, within the time that is kept and written.
        complete &&= edgeMs === atMs && !(await isCounted(of, edgeMs, limitMs));
        return { atMs: found, complete };
      };
      const [fromMs, toMs] = [Math.max(atMs, keptSinceMs - 1), Math.min(atMs, writtenUntilMs + 1)];
      return {
        previous: toMs > keptSinceMs ? await towards(toMs, keptSinceMs) : none,
        next: fromMs < writtenUntilMs ? await towards(fromMs, writtenUntilMs) : none,
      };
    },
  };
}
