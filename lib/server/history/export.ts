/**
 * The history as JSON lines for programs, and its holds as CSV for spreadsheets. Both report when the oldest rows are
 * left out.
 */
import type { Hold } from '@/lib/domain/history/episode';
import { subjectId } from '@/lib/domain/model';
import { csvCell } from '@/lib/server/audit/export';
import type { HistoryRead } from './history-query';

const time = (ms: number | undefined): string => (ms === undefined ? '' : new Date(ms).toISOString());

const columns: readonly (readonly [name: string, cell: (hold: Hold) => string | number])[] = [
  ['subject', ({ subject }) => subjectId(subject)],
  ['holder', ({ who }) => who.id],
  ['label', ({ who }) => who.label],
  ['node', ({ who }) => who.node ?? ''],
  ['from', ({ from }) => time(from.atMs)],
  ['from_basis', ({ from }) => from.basis],
  ['to', ({ to }) => time(to?.atMs)],
  ['to_basis', ({ to }) => to?.basis ?? ''],
  ['end', ({ end }) => end ?? ''],
  ['by', ({ deed }) => (deed === null ? '' : (deed.by ?? 'anonymous'))],
  ['reason', ({ deed }) => deed?.reason ?? ''],
  ['verdicts', ({ verdicts }) => verdicts.map(({ verdict, atMs }) => `${verdict} ${time(atMs)}`).join('\n')],
  ['waiters_max', ({ waitersMax }) => waitersMax ?? ''],
  ['token', ({ token }) => token ?? ''],
  ['session_name', ({ who }) => who.name ?? ''],
  ['lock_delay_ms', ({ delayMs }) => delayMs ?? ''],
];

const csvLine = (cells: readonly (string | number)[]) => `${cells.map(csvCell).join(',')}\r\n`;

const forms = {
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    text: ({ episodes }: HistoryRead) =>
      [columns.map(([name]) => name), ...episodes.map((hold) => columns.map(([, cell]) => cell(hold)))]
        .map(csvLine)
        .join(''),
  },
  jsonl: {
    type: 'application/jsonl; charset=utf-8',
    text: ({ episodes, waits, findings, limits, gaps, hours, more }: HistoryRead) =>
      Object.entries({
        episode: episodes,
        wait: waits,
        finding: findings,
        limit: limits,
        gap: gaps,
        hour: hours,
        // A last line marks a cut file wherever it is kept.
        more: more ? [{}] : [],
      })
        .flatMap(([kind, rows]) => rows.map((row) => `${JSON.stringify({ kind, ...row })}\n`))
        .join(''),
  },
} as const;

/**
 * The header `signalbox-more` is true when the oldest rows were left out. A spreadsheet shows this only in the name of
 * the file.
 */
export function exported(history: HistoryRead, format: keyof typeof forms): Response {
  const { type, text } = forms[format];
  // CSV contains only holds.
  const more = format === 'csv' ? history.moreHolds : history.more;
  return new Response(text(history), {
    headers: {
      'content-type': type,
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="signalbox-history${more ? '-newest' : ''}.${format}"`,
      'signalbox-more': String(more),
    },
  });
}
