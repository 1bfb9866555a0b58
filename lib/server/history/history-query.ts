/** What is kept of some subjects in some time. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type {
  FindingEpisode,
  Gap,
  History,
  Hold,
  HourFigures,
  LimitChange,
  Wait,
} from '@/lib/domain/history/episode';
import { figuresOf, type HourBook } from '@/lib/domain/history/hour-book';
import type { Store } from '@/lib/server/store/store';
import type { Tables } from '@/lib/server/store/tables';
import { rowFrom, tableOf } from './rows';

export type HistoryOf =
  /** A complete `subjectId`. */
  | { readonly by: 'subject'; readonly subject: string }
  /** Of one source, as it began to hold or wait. */
  | { readonly by: 'party'; readonly source: string; readonly party: string }
  /** Locks and semaphores whose name begins so: `subjectId`s from one to before the other. */
  | { readonly by: 'prefix'; readonly spans: readonly (readonly [from: string, to: string])[] }
  | { readonly by: 'source'; readonly sources: readonly string[] };

export interface HistoryRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** Most rows of each kind; the newest are kept. */
  readonly limit: number;
}

export interface HistoryRead extends History {
  readonly hours: readonly HourFigures[];
  /** Some rows of a kind were left out. */
  readonly more: boolean;
}

/** A hold that began earlier is not found by its beginning any more. */
const longestMs = 400 * 24 * 60 * 60 * 1_000;
const shortMs = 3 * 24 * 60 * 60 * 1_000;
const gapsMax = 10_000;
const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

type Table = Exclude<(typeof tableOf)[keyof typeof tableOf], 'signalbox_history_gaps'>;

export interface HistoryQueryOptions {
  readonly store: Pick<Store, 'db' | 'migrate'>;
  /** How long each hold is kept. */
  readonly days: number;
  readonly now: () => number;
}

export interface HistoryQuery {
  read(of: HistoryOf, range: HistoryRange): Promise<HistoryRead>;
  /**
   * Since when holds are kept; `null`: never. Not the beginning of the oldest: a client may have written an earlier one itself.
   */
  since(): Promise<number | null>;
}

export function createHistoryQuery({ store, days, now }: HistoryQueryOptions): HistoryQuery {
  const { db } = store;
  const bodies = async (table: Table, of: HistoryOf, { fromMs, toMs, limit }: HistoryRange) => {
    const began = isSparse(of, toMs - fromMs) ? sql<number>`from_ms + 0` : sql<number>`from_ms`;
    // Each table has these columns, which TypeScript cannot follow through the name.
    const query = db
      .selectFrom(table as 'signalbox_history_holds')
      .select('body')
      .where((where) => isOf(where, of))
      .where(began, '<=', toMs)
      .where(began, '>=', fromMs - longestMs)
      .where((where) => where.or([where('to_ms', 'is', null), where('to_ms', '>=', fromMs)]))
      .orderBy(began, 'desc')
      .limit(limit + 1);
    return query.execute();
  };
  const none: readonly { readonly body: string }[] = [];
  return {
    async read(of, range) {
      await store.migrate();
      const [holds, waits, findings, limits, gaps, hours] = await Promise.all([
        bodies(tableOf.hold, of, range),
        bodies(tableOf.wait, of, range),
        of.by === 'party' ? none : bodies(tableOf.finding, of, range),
        of.by === 'party' ? none : bodies(tableOf.limit, of, range),
        gapsOf(store, range),
        hoursOf(store, of, range),
      ]);
      const kept = <R>(rows: readonly { readonly body: string }[]): R[] =>
        rows
          .slice(0, range.limit)
          .map((row) => rowFrom<R>(row))
          .reverse();
      return {
        episodes: kept<Hold>(holds),
        waits: kept<Wait>(waits),
        findings: kept<FindingEpisode>(findings),
        limits: kept<LimitChange>(limits),
        gaps: gaps.map((row) => rowFrom<Gap>(row)).reverse(),
        hours: kept<HourBook>(hours).map(figuresOf),
        more: [holds, waits, findings, limits, hours].some((rows) => rows.length > range.limit),
      };
    },
    async since() {
      await store.migrate();
      const mark = await db.selectFrom('signalbox_history_mark').select('begun_ms').executeTakeFirst();
      return mark === undefined ? null : Math.max(Number(mark.begun_ms), now() - days * dayMs);
    },
  };
}

type Where = ExpressionBuilder<Tables, 'signalbox_history_holds'>;

export function isOf(where: Where, of: HistoryOf): Expression<SqlBool> {
  switch (of.by) {
    case 'subject':
      return where('subject', '=', of.subject);
    case 'party':
      return where.and([where('source', '=', of.source), where('party', '=', of.party)]);
    case 'source':
      return where('source', 'in', of.sources);
    case 'prefix':
      return where.or(
        of.spans.map(([from, to]) => where.and([where('subject', '>=', from), where('subject', '<', to)])),
      );
  }
}

/**
 * Few of the rows of this time are asked for. Without statistics SQLite would read all by their beginning: 240 ms of
 * 200,000 holds, in place of 20. As a sum the beginning has no index.
 */
const isSparse = ({ by }: HistoryOf, lengthMs: number): boolean =>
  by === 'prefix' || (by === 'source' && lengthMs <= shortMs);

/** Whole, whatever the limit of the other rows: without them, what was not seen would look like nothing. */
const gapsOf = ({ db }: Pick<Store, 'db'>, { fromMs, toMs }: HistoryRange) =>
  db
    .selectFrom(tableOf.gap)
    .select('body')
    .where('from_ms', '<=', toMs)
    .where((where) => where.or([where('to_ms', 'is', null), where('to_ms', '>=', fromMs)]))
    .orderBy('from_ms', 'desc')
    .limit(gapsMax)
    .execute();

/** Of whoever held it, for a party. */
const hoursOf = ({ db }: Pick<Store, 'db'>, of: HistoryOf, { fromMs, toMs, limit }: HistoryRange) =>
  db
    .selectFrom('signalbox_history_hours')
    .select('body')
    .where((where) =>
      isOf(where as unknown as Where, of.by === 'party' ? { by: 'source', sources: [of.source] } : of),
    )
    .where('hour_ms', '>', fromMs - hourMs)
    .where('hour_ms', '<=', toMs)
    .orderBy('hour_ms', 'desc')
    .limit(limit + 1)
    .execute();
