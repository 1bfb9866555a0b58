/** Reads the record of some subjects in a range of time. */
import { sql } from 'kysely';
import type {
  FindingEpisode,
  Gap,
  History,
  Hold,
  HourFigures,
  LimitChange,
  Wait,
} from '@/lib/domain/history/episode';
import { figuresOf, type HourBook, hourLengthMs } from '@/lib/domain/history/hour-book';
import { subjectId } from '@/lib/domain/model';
import { sessionSubject } from '@/lib/domain/subject';
import type { Store } from '@/lib/server/store/store';
import { begun, type HistoryOf, type HistoryRange, isAmong, isOf, type Where } from './history-of';
import { readLost } from './lost-query';
import { rowFrom, tableOf } from './rows';

export interface HistoryRead extends History {
  readonly hours: readonly HourFigures[];
  /** Some rows of a kind were left out. A party's hours do not count, because they are of all holders. */
  readonly more: boolean;
  /** Some holds were left out. */
  readonly moreHolds: boolean;
}

/** Holds that began earlier are not found by their beginning. */
const longestMs = 400 * 24 * 60 * 60 * 1_000;
/** With fewer rows, a prefix is read by name, otherwise by time. */
const fewRows = 5_000;
const gapsMax = 10_000;
const dayMs = 24 * hourLengthMs;

/** Most time that one statement searches. A month at once would block SQLite's callers. */
const stepMaxMs = dayMs;

/** Splits a time into growing steps, each after its first instant and until its last. */
export function* endSteps(fromMs: number, untilMs: number): Generator<readonly [number, number]> {
  let stepMs = hourLengthMs;
  for (let afterMs = fromMs; afterMs < untilMs; ) {
    yield [afterMs, afterMs + stepMs];
    afterMs += stepMs;
    stepMs = Math.min(stepMs * 4, stepMaxMs);
  }
}

export type Table = Exclude<(typeof tableOf)[keyof typeof tableOf], 'signalbox_history_gaps'>;

export interface HistoryQueryOptions {
  readonly store: Pick<Store, 'db' | 'migrate'>;
  readonly days: number;
  readonly now: () => number;
}

export interface HistoryQuery {
  read(of: HistoryOf, range: HistoryRange): Promise<HistoryRead>;
  /**
   * Start of the record of holds; `null`: never kept. A client may write an earlier beginning into a hold, so the
   * oldest hold does not prove it.
   */
  since(): Promise<number | null>;
  /** The record is complete until this instant; 0: nothing is written. */
  writtenUntil(): Promise<number>;
}

export function createHistoryQuery({ store, days, now }: HistoryQueryOptions): HistoryQuery {
  const { db } = store;
  // Each table has these columns, but TypeScript cannot infer them from the name.
  const rowsOf = (table: Table) => db.selectFrom(table as 'signalbox_history_holds');
  /** Reads all rows of these subjects by the index of names. */
  const named = (table: Table, of: HistoryOf, { fromMs, toMs, limit }: HistoryRange) => {
    const began = of.by === 'prefix' ? begun : sql<number>`from_ms`;
    return rowsOf(table)
      .select('body')
      .where((where) => isOf(where, of))
      .where(began, '<=', toMs)
      .where(began, '>=', fromMs - longestMs)
      .where((where) => where.or([where('to_ms', 'is', null), where('to_ms', '>=', fromMs)]))
      .orderBy(began, 'desc')
      .limit(limit + 1)
      .execute();
  };
  /** Reads the newest rows by the indexes of time, and earlier beginnings only when the newest are too few. */
  const timed = async (table: Table, of: HistoryOf, { fromMs, toMs, limit }: HistoryRange) => {
    const all = () => rowsOf(table).where((where) => isAmong(where, of));
    const newest = await all()
      .select('body')
      .where('from_ms', '<=', toMs)
      .where('from_ms', '>=', fromMs)
      .orderBy('from_ms', 'desc')
      .limit(limit + 1)
      .execute();
    const left = limit + 1 - newest.length;
    if (left <= 0) return newest;
    const across = (ends: 'open' | 'ended') =>
      all()
        .select(['body', 'from_ms'])
        .where((where) => (ends === 'open' ? where('to_ms', 'is', null) : where('to_ms', '>=', fromMs)))
        .where(begun, '<', fromMs)
        .orderBy(begun, 'desc')
        .limit(left)
        .execute();
    const earlier = [...(await across('open')), ...(await across('ended'))];
    return [...newest, ...earlier.sort((a, b) => Number(b.from_ms) - Number(a.from_ms)).slice(0, left)];
  };
  const bodies = async (table: Table, of: HistoryOf, range: HistoryRange) => {
    if (of.by === 'subject' || of.by === 'party') return named(table, of, range);
    if (of.by === 'source') return timed(table, of, range);
    const few = await rowsOf(table)
      .select('id')
      .where((where) => isOf(where, of))
      .limit(fewRows)
      .execute();
    return few.length < fewRows ? named(table, of, range) : timed(table, of, range);
  };
  /** Findings name no party, so a session has only findings about itself. */
  const ofSession = ({ source, party }: Extract<HistoryOf, { readonly by: 'party' }>): HistoryOf => ({
    by: 'subject',
    subject: subjectId(sessionSubject({ source, id: party })),
  });
  const none: readonly { readonly body: string }[] = [];
  return {
    async read(of, range) {
      await store.migrate();
      const ended = async (table: typeof tableOf.hold | typeof tableOf.wait) =>
        range.ends === 'lost'
          ? readLost(store, table, of, range)
          : { rows: await bodies(table, of, range), cut: false };
      const [{ rows: holds, cut }, { rows: waits, cut: waitsCut }, findings, limits, gaps, hours] =
        await Promise.all([
          ended(tableOf.hold),
          ended(tableOf.wait),
          bodies(tableOf.finding, of.by === 'party' ? ofSession(of) : of, range),
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
        more:
          cut ||
          waitsCut ||
          [holds, waits, findings, limits, of.by === 'party' ? none : hours].some(
            (rows) => rows.length > range.limit,
          ),
        moreHolds: cut || holds.length > range.limit,
      };
    },
    async writtenUntil() {
      await store.migrate();
      return writtenUntilOf(store);
    },
    async since() {
      await store.migrate();
      const mark = await db.selectFrom('signalbox_history_mark').select('begun_ms').executeTakeFirst();
      if (mark === undefined) return null;
      const size = await db.selectFrom('signalbox_history_size').select('kept_from_ms').executeTakeFirst();
      return Math.max(Number(mark.begun_ms), now() - days * dayMs, Number(size?.kept_from_ms ?? 0));
    },
  };
}

export async function writtenUntilOf({ db }: Pick<Store, 'db'>): Promise<number> {
  const mark = await db.selectFrom('signalbox_history_mark').select('written_until_ms').executeTakeFirst();
  return Number(mark?.written_until_ms ?? 0);
}

/** All gaps, whatever the limit of other rows. Without them, unseen time would look idle. */
export const gapsOf = ({ db }: Pick<Store, 'db'>, { fromMs, toMs }: HistoryRange) =>
  db
    .selectFrom(tableOf.gap)
    .select('body')
    .where('from_ms', '<=', toMs)
    .where((where) => where.or([where('to_ms', 'is', null), where('to_ms', '>=', fromMs)]))
    .orderBy('from_ms', 'desc')
    .limit(gapsMax)
    .execute();

/** Hours by subject; for a party, the hours of its whole source. */
export const hoursOf = ({ db }: Pick<Store, 'db'>, of: HistoryOf, { fromMs, toMs, limit }: HistoryRange) =>
  db
    .selectFrom('signalbox_history_hours')
    .select('body')
    .where((where) =>
      isOf(where as unknown as Where, of.by === 'party' ? { by: 'source', sources: [of.source] } : of),
    )
    .where('hour_ms', '>', fromMs - hourLengthMs)
    .where('hour_ms', '<=', toMs)
    .orderBy('hour_ms', 'desc')
    .limit(limit + 1)
    .execute();
