/**
 * Removes old rows, and short holds of hot locks, in small steps by the process with the pen. The transaction that
 * removes holds and waits adds them to their hour, so that each counts exactly once.
 */
import type { Kysely } from 'kysely';
import type { HistoryRow, Hold, Wait } from '@/lib/domain/history/episode';
import { hourLengthMs } from '@/lib/domain/history/hour-book';
import type { Tables } from '@/lib/server/store/tables';
import type { HistoryLog } from './history-log';
import { intoHours } from './hours';
import { rowFrom, subjectColumn, tableOf } from './rows';
import { shrink } from './size-bound';

export interface Retention {
  /** Takes rows as they are written, and counts ends. */
  saw(rows: readonly HistoryRow[]): void;
  /** Runs one transaction. False: nothing more to do for now. Throws `NotWriter`. */
  step(): Promise<boolean>;
}

export interface RetentionOptions {
  readonly log: Pick<HistoryLog, 'tidy'>;
  /** Days for which each hold is kept; the figures of its hour stay three times as long. */
  readonly days: number;
  /** Most bytes of the record, approximately. */
  readonly bytes: number;
  readonly now: () => number;
}

const dayMs = 24 * hourLengthMs;
const hoursTimes = 3;
/** Rows of one transaction, which takes a few milliseconds. */
const stepRows = 200;
/** Most ended holds in one minute. A hotter lock keeps only figures of its short holds. */
export const hotHolds = 60;
export const shortMs = 10_000;
const minuteMs = 60_000;
/** The recorder may still change a hold that has just ended, when its action arrives late. */
export const settledMs = 30_000;
/** Most subjects that are counted in one minute, and most hot minutes to fold. Further holds stay unfolded. */
const subjectsMax = 20_000;
const hotMax = 1_000;
const restMs = 60_000;

interface Hot {
  readonly subject: string;
  readonly minute: number;
  /** Earlier holds are done. */
  afterMs: number;
  afterId: string;
}

/** Columns that each table has. */
type Plain = 'signalbox_history_gaps';

export function createRetention({ log, days, bytes, now }: RetentionOptions): Retention {
  const counts = new Map<string, number>();
  const hot: Hot[] = [];
  let countedMinute = 0;
  let restUntilMs = 0;
  let wasHot = false;
  const minuteOf = (ms: number) => Math.floor(ms / minuteMs);

  const fold = async (db: Kysely<Tables>, one: Hot): Promise<boolean> => {
    const fromMs = one.minute * minuteMs;
    const found = await db
      .selectFrom(tableOf.hold)
      .select(['id', 'from_ms', 'body'])
      .where('subject', '=', one.subject)
      .where('from_ms', '>=', one.afterMs)
      .where('from_ms', '<', fromMs + minuteMs)
      .where((where) => where.or([where('from_ms', '>', one.afterMs), where('id', '>', one.afterId)]))
      .orderBy('from_ms')
      .orderBy('id')
      .limit(stepRows)
      .execute();
    const holds = found
      .map((row) => rowFrom<Hold>(row))
      .filter((hold) => isDull(hold) && hold.end === 'released');
    const last = found.at(-1);
    const more = found.length === stepRows;
    const waits = await db
      .selectFrom(tableOf.wait)
      .select('body')
      .where('subject', '=', one.subject)
      .where('from_ms', '>=', one.afterMs)
      .where('from_ms', '<', more && last !== undefined ? Number(last.from_ms) : fromMs + minuteMs)
      .limit(stepRows)
      .execute();
    const short = waits
      .map((row) => rowFrom<Wait>(row))
      .filter((wait) => isDull(wait) && (wait.end === 'got-in' || wait.end === 'left'));
    await intoHours(db, holds, short);
    await remove(db, 'hold', holds);
    await remove(db, 'wait', short);
    if (last !== undefined) {
      one.afterMs = Number(last.from_ms);
      one.afterId = last.id;
    }
    return more;
  };

  const age = async (db: Kysely<Tables>): Promise<boolean> => {
    const untilMs = now() - days * dayMs;
    let all = 0;
    for (const kind of ['hold', 'wait', 'finding', 'limit', 'gap'] as const) {
      const rows = await db
        .selectFrom(tableOf[kind] as Plain)
        .select(['id', 'body'])
        .where('to_ms', '<', untilMs)
        .orderBy('to_ms')
        .limit(stepRows - all)
        .execute();
      const old = rows.map((row) => rowFrom<Hold & Wait>(row));
      if (kind === 'hold') await intoHours(db, old, []);
      if (kind === 'wait') await intoHours(db, [], old);
      await remove(db, kind, rows);
      all += rows.length;
      if (all >= stepRows) return true;
    }
    const hours = await db
      .selectFrom('signalbox_history_hours')
      .select(['subject', 'hour_ms'])
      .where('hour_ms', '<', now() - hoursTimes * days * dayMs)
      .orderBy('hour_ms')
      .limit(stepRows)
      .execute();
    for (const { subject, hour_ms } of hours)
      await db
        .deleteFrom('signalbox_history_hours')
        .where('subject', '=', subject)
        .where('hour_ms', '=', Number(hour_ms))
        .execute();
    if (hours.length === stepRows) return true;
    const nowMs = now();
    return shrink(db, { bytesMax: bytes, rows: stepRows, nowMs, settledMs: nowMs - settledMs });
  };

  return {
    saw(rows) {
      const minute = minuteOf(now());
      if (minute !== countedMinute) {
        for (const [subject, n] of counts)
          if (n > hotHolds && hot.length < hotMax)
            hot.push({
              subject,
              minute: countedMinute,
              afterMs: countedMinute * minuteMs - shortMs,
              afterId: '',
            });
        counts.clear();
        countedMinute = minute;
      }
      for (const { kind, row } of rows) {
        if (kind !== 'hold' || row.end === null) continue;
        const subject = subjectColumn(row.subject);
        if (counts.has(subject) || counts.size < subjectsMax)
          counts.set(subject, (counts.get(subject) ?? 0) + 1);
      }
    },
    async step() {
      const [first] = hot;
      const isHot = first !== undefined && (first.minute + 1) * minuteMs + settledMs < now();
      const isResting = now() < restUntilMs;
      // Takes turns. Otherwise many hot locks would keep old rows forever, even beyond the bound.
      wasHot = isHot && (isResting || !wasHot);
      if (wasHot && first !== undefined) {
        const more = await log.tidy((db) => fold(db, first));
        if (!more) hot.shift();
        return true;
      }
      if (isResting) return false;
      const more = await log.tidy(age);
      if (!more) restUntilMs = now() + restMs;
      return more || isHot;
    },
  };
}

/** True for a short one without an action. Only its length matters later. */
const isDull = ({ from, to, deed }: Hold | Wait): boolean =>
  to !== null && deed === null && to.atMs - from.atMs < shortMs;

const remove = async (
  db: Kysely<Tables>,
  kind: HistoryRow['kind'],
  rows: readonly { readonly id: string }[],
): Promise<void> => {
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await db
    .deleteFrom(tableOf[kind] as Plain)
    .where('id', 'in', ids)
    .execute();
};
