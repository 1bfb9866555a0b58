/** The record of one instant: all rows that had begun and not ended. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FindingEpisode, Gap, Hold, LimitChange, Wait } from '@/lib/domain/history/episode';
import { figuresOf, type HourBook } from '@/lib/domain/history/hour-book';
import type { KeptTime } from '@/lib/domain/history/past';
import { subjectId } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import type { Store } from '@/lib/server/store/store';
import { type HistoryOf, isAmong, isOf } from './history-of';
import { endSteps, gapsOf, type HistoryRead, hoursOf, type Table, writtenUntilOf } from './history-query';
import { rowFrom, tableOf } from './rows';

export interface PastRead extends HistoryRead, Pick<KeptTime, 'writtenUntilMs' | 'known' | 'unbroken'> {
  /** The changes around the instant, in order of time, for the subjects of the answer. */
  readonly limitChanges: readonly LimitChange[];
}

export interface PastAsked {
  readonly atMs: number;
  /** Sources whose watching is to be checked. */
  readonly sources: readonly SourceId[];
  /** Most rows of each kind. */
  readonly limit: number;
}

export interface PastQuery {
  at(of: HistoryOf, asked: PastAsked): Promise<PastRead>;
}

/** Most gaps on each side of the instant that are searched for one that made limits unknown. */
const gapsMax = 200;

type Body = { readonly body: string };

export function createPastQuery(store: Pick<Store, 'db' | 'migrate'>): PastQuery {
  const { db } = store;
  const bodies = (table: Table) => db.selectFrom(table as 'signalbox_history_holds').select('body');

  /** Rows that are open, and rows that ended later. */
  const across = async (table: Table, of: HistoryOf, { atMs, limit }: PastAsked, untilMs: number) => {
    const begun = bodies(table)
      .where((where) => isAmong(where, of))
      .where('from_ms', '<=', atMs);
    const rows: Body[] = await begun
      .where('to_ms', 'is', null)
      .limit(limit + 1)
      .execute();
    for (const [afterMs, toMs] of endSteps(atMs, untilMs)) {
      if (rows.length > limit) break;
      rows.push(
        ...(await begun
          .where('to_ms', '>', afterMs)
          .where('to_ms', '<=', toMs)
          .limit(limit + 1 - rows.length)
          .execute()),
      );
      await yieldToEventLoop();
    }
    return rows;
  };

  /** The nearest `limit` changes on each side, in order of time. */
  const limitsAround = async (of: HistoryOf, { atMs, limit }: PastAsked): Promise<LimitChange[]> => {
    const changes = bodies(tableOf.limit).where((where) => isOf(where, of));
    const before = await changes.where('to_ms', '<=', atMs).orderBy('to_ms', 'desc').limit(limit).execute();
    const after = await changes.where('to_ms', '>', atMs).orderBy('to_ms').limit(limit).execute();
    return [...before.reverse(), ...after].map((row) => rowFrom<LimitChange>(row));
  };

  /**
   * The time around the instant in which limits stay known. A new process does not know the limits of the one before.
   */
  const unbrokenAt = async ({ atMs, sources }: PastAsked): Promise<KeptTime['unbroken']> => {
    const gaps = db.selectFrom(tableOf.gap).select('body').limit(gapsMax);
    const [before, after] = await Promise.all([
      gaps.where('from_ms', '<=', atMs).orderBy('from_ms', 'desc').execute(),
      gaps.where('from_ms', '>', atMs).orderBy('from_ms').execute(),
    ]);
    const [earlier, later] = [before, after].map((rows) => rows.map((row) => rowFrom<Gap>(row)));
    const breaks = (source: SourceId) => (gap: Gap) => gap.source === source && gap.why !== 'outage';
    const edge = (rows: readonly Gap[] | undefined, unlimited: number) =>
      rows?.length === gapsMax ? (rows.at(-1)?.fromMs ?? unlimited) : unlimited;
    return new Map(
      sources.map((source) => [
        source,
        {
          fromMs: earlier?.find(breaks(source))?.toMs ?? edge(earlier, 0),
          toMs: later?.find(breaks(source))?.fromMs ?? edge(later, Number.MAX_SAFE_INTEGER),
        },
      ]),
    );
  };

  const wasKnown = async (source: SourceId, atMs: number): Promise<boolean> => {
    const gap = await db
      .selectFrom(tableOf.gap)
      .select('id')
      .where('source', '=', source)
      .where('from_ms', '<=', atMs)
      .orderBy('from_ms')
      .limit(1)
      .executeTakeFirst();
    if (gap !== undefined) return true;
    // Holds of any name count, because the answer must not depend on the query. A client may write an earlier beginning
    // itself.
    for (const from of [
      subjectId(lockSubject({ source, key: '' })),
      subjectId(semaphoreSubject({ source, prefix: '' })),
    ]) {
      const hold = await db
        .selectFrom(tableOf.hold)
        .select('id')
        .where('subject', '>=', from)
        .where('subject', '<', `${from}\u{10ffff}`)
        .where('from_ms', '<=', atMs)
        .where('body', 'not like', '%"basis":"value"%')
        .limit(1)
        .executeTakeFirst();
      if (hold !== undefined) return true;
    }
    return false;
  };

  return {
    async at(of, asked) {
      await store.migrate();
      const { atMs, sources, limit } = asked;
      const writtenUntilMs = await writtenUntilOf(store);
      const holds = await across(tableOf.hold, of, asked, writtenUntilMs);
      const waits = await across(tableOf.wait, of, asked, writtenUntilMs);
      const findings = await across(tableOf.finding, of, asked, writtenUntilMs);
      const instant = { fromMs: atMs, toMs: atMs, limit };
      const [limitChanges, gaps, hours, unbroken] = await Promise.all([
        limitsAround(of, asked),
        gapsOf(store, instant),
        hoursOf(store, of, instant),
        unbrokenAt(asked),
      ]);
      const known = new Set<SourceId>();
      for (const source of sources) if (await wasKnown(source, atMs)) known.add(source);
      return {
        episodes: kept<Hold>(holds, limit),
        waits: kept<Wait>(waits, limit),
        findings: kept<FindingEpisode>(findings, limit),
        limits: [],
        limitChanges,
        gaps: gaps.map((row) => rowFrom<Gap>(row)),
        hours: hours.slice(0, limit).map((row) => figuresOf(rowFrom<HourBook>(row))),
        more: [holds, waits, findings, hours].some((rows) => rows.length > limit),
        moreHolds: holds.length > limit,
        writtenUntilMs,
        known,
        unbroken,
      };
    },
  };
}

const kept = <R extends { readonly from: { readonly atMs: number } }>(
  rows: readonly Body[],
  limit: number,
): R[] =>
  rows
    .slice(0, limit)
    .map((row) => rowFrom<R>(row))
    .sort((a, b) => a.from.atMs - b.from.atMs);
