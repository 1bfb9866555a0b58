/** Converts rows of the recorder to rows of the store, and back. */
import { randomUUID } from 'node:crypto';
import type { FindingEpisode, Gap, HistoryRow, Hold, LimitChange, Wait } from '@/lib/domain/history/episode';
import { type Subject, subjectId } from '@/lib/domain/model';

/**
 * Encodes NUL, which Postgres refuses: one such name would stop all writes. U+FFFE is no character. The body keeps the
 * name unchanged.
 */
const plain = (text: string): string => text.replaceAll('\ufffe', '\ufffe1').replaceAll('\0', '\ufffe0');

/** The subject as the columns contain it. */
export const subjectColumn = (subject: Subject): string => plain(subjectId(subject));

/**
 * A unique id that sorts by its time (epoch milliseconds), with 74 random bits. New rows are neighbours in the index,
 * so a transaction changes fewer pages.
 */
export const orderedId = (atMs: number): string =>
  // A template would keep both parts in memory beside the id, and each open hold of the world keeps its id.
  [Math.max(0, Math.trunc(atMs)).toString(16).padStart(12, '0'), randomUUID().slice(13)].join('');

interface Columns {
  readonly id: string;
  readonly source: string;
  readonly from_ms: number;
  readonly to_ms: number | null;
  readonly body: string;
}

const about = (row: Hold | Wait | FindingEpisode): Columns & { readonly subject: string } => ({
  id: row.id,
  source: row.subject.source,
  subject: subjectColumn(row.subject),
  from_ms: row.from.atMs,
  to_ms: row.to?.atMs ?? null,
  body: JSON.stringify(row),
});

export const tableOf = {
  hold: 'signalbox_history_holds',
  wait: 'signalbox_history_waits',
  finding: 'signalbox_history_findings',
  limit: 'signalbox_history_limits',
  gap: 'signalbox_history_gaps',
} as const satisfies Record<HistoryRow['kind'], string>;

const party = (row: Hold | Wait) => ({ ...about(row), party: plain(row.who.id) });

const limit = (row: LimitChange) => ({
  id: row.id,
  source: row.subject.source,
  subject: subjectColumn(row.subject),
  from_ms: row.at.atMs,
  to_ms: row.at.atMs,
  body: JSON.stringify(row),
});

const gap = (row: Gap): Columns => ({
  id: row.id,
  source: row.source,
  from_ms: row.fromMs,
  to_ms: row.toMs,
  body: JSON.stringify(row),
});

/** Values for the insert of one row. */
export function valuesOf(one: HistoryRow) {
  switch (one.kind) {
    case 'hold':
    case 'wait':
      return party(one.row);
    case 'finding':
      return { ...about(one.row), code: one.row.code };
    case 'limit':
      return limit(one.row);
    case 'gap':
      return gap(one.row);
  }
}

export const rowFrom = <R>({ body }: { readonly body: string }): R => JSON.parse(body) as R;
