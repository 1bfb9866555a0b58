/** Selects rows of the history, as conditions of the store. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '@/lib/server/store/tables';

export type HistoryOf =
  /** A complete `subjectId`. */
  | { readonly by: 'subject'; readonly subject: string }
  /** A party of one source, by its id. */
  | { readonly by: 'party'; readonly source: string; readonly party: string }
  /** Locks and semaphores by prefix. Each span goes from one `subjectId` to before another. */
  | { readonly by: 'prefix'; readonly spans: readonly (readonly [from: string, to: string])[] }
  | { readonly by: 'source'; readonly sources: readonly string[] };

export interface HistoryRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** Most rows of each kind; the newest are kept. */
  readonly limit: number;
  /**
   * `lost`: only holds and waits that ended in this time otherwise than by a release or by getting in, sorted by their
   * ends. Unseen ends and waits that were given up do not count.
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

/**
 * Like `isOf`, without the index of names, because a sum matches no index. One subject has few rows, and keeps the
 * index.
 */
export function isAmong(where: Where, of: HistoryOf): Expression<SqlBool> {
  if (of.by === 'source') return sql<SqlBool>`(source || '') in (${sql.join(of.sources)})`;
  if (of.by !== 'prefix') return isOf(where, of);
  const name = sql<string>`(subject || '')`;
  return where.or(of.spans.map(([from, to]) => sql<SqlBool>`(${name} >= ${from} and ${name} < ${to})`));
}

/**
 * The beginning as a sum, which matches no index. SQLite would choose the index of beginnings where that of ends finds
 * fewer rows.
 */
export const begun = sql<number>`(from_ms + 0)`;

/** Like `isOf`, for a row that was read. */
export const covers = (
  of: ScanOf,
  { source, subject }: { readonly source: string; readonly subject: string },
): boolean =>
  of.by === 'source'
    ? of.sources.includes(source)
    : // Not by `to`: strings here sort by UTF-16, those of the database by UTF-8.
      of.spans.some(([from]) => subject.startsWith(from));
