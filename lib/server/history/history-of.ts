/** Which rows of the history are asked for, as conditions of the store. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '@/lib/server/store/tables';

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
  /**
   * `lost`: of holds and waits only those that ended in this time otherwise than by being released or getting in, in the order of
   * their ends. What ended unseen is none of them, nor is a wait that was given up.
   */
  readonly ends?: 'all' | 'lost';
}

export type ScanOf = Extract<HistoryOf, { readonly by: 'prefix' | 'source' }>;

export type Where = ExpressionBuilder<Tables, 'signalbox_history_holds'>;

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

/** The same, without the index of names: as a sum the name has none. One subject has few rows. */
export function isAmong(where: Where, of: HistoryOf): Expression<SqlBool> {
  if (of.by === 'source') return sql<SqlBool>`(source || '') in (${sql.join(of.sources)})`;
  if (of.by !== 'prefix') return isOf(where, of);
  const name = sql<string>`(subject || '')`;
  return where.or(of.spans.map(([from, to]) => sql<SqlBool>`(${name} >= ${from} and ${name} < ${to})`));
}

/** The beginning without its indexes, as a sum has none: for where the end finds fewer rows. SQLite takes the index of beginnings otherwise. */
export const begun = sql<number>`(from_ms + 0)`;

/** The same of a row that was read. */
export const covers = (
  of: ScanOf,
  { source, subject }: { readonly source: string; readonly subject: string },
): boolean =>
  of.by === 'source'
    ? of.sources.includes(source)
    : // Not by `to`: strings here sort by UTF-16, those of the database by UTF-8.
      of.spans.some(([from]) => subject.startsWith(from));
