/**
 * What goes, in small steps, by the process that has the pen: what is older than its time, and short holds of locks too
 * hot to keep each. Holds and waits are counted into their hour in the transaction that removes them, so that none is
 * counted twice or not at all.
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
  /** Rows as they are written: it counts what ends. */
  saw(rows: readonly HistoryRow[]): void;
  /** One transaction. False: there is nothing more to do for now. Throws `NotWriter`. */
  step(): Promise<boolean>;
}

export interface RetentionOptions {
  readonly log: Pick<HistoryLog, 'tidy'>;
  /** How long each hold is kept; its hour's figures three times as long. */
  readonly days: number;
  /** Most that it takes, in bytes, about. */
  readonly bytes: number;
  readonly now: () => number;
}

const dayMs = 24 * hourLengthMs;
const hoursTimes = 3;
/** Of one transaction: a few milliseconds. */
const stepRows = 200;
/** More ended holds in one minute than this: only the figures of its short ones are kept. */
export const hotHolds = 60;
export const shortMs = 10_000;
const minuteMs = 60_000;
/** The recorder may still change a hold that has just ended, when an action shows late. */
export const settledMs = 30_000;
/** Subjects counted in one minute, and minutes of hot ones to fold. Beyond them, holds stay as they are. */
const subjectsMax = 20_000;
const hotMax = 1_000;
const restMs = 60_000;

interface Hot {
  readonly subject: string;
  readonly minute: number;
  /** Holds before it were looked at. */
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
    // Their own waits, which are of the same time.
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
      // By turns: many hot locks would keep what is old, and beyond the bound, for good.
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

/** Nothing of it but its length will be asked for. */
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
