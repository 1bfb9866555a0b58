/** A history as JSON lines for programs, and its holds as CSV for spreadsheets. */
import type { History, Hold } from '@/lib/domain/history/episode';
import { subjectId } from '@/lib/domain/model';
import { csvCell } from '@/lib/server/audit/export';

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
];

const csvLine = (cells: readonly (string | number)[]) => `${cells.map(csvCell).join(',')}\r\n`;

const forms = {
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    text: ({ episodes }: History) =>
      [columns.map(([name]) => name), ...episodes.map((hold) => columns.map(([, cell]) => cell(hold)))]
        .map(csvLine)
        .join(''),
  },
  jsonl: {
    type: 'application/jsonl; charset=utf-8',
    text: ({ episodes, waits, findings, limits, gaps }: History) =>
      Object.entries({ episode: episodes, wait: waits, finding: findings, limit: limits, gap: gaps })
        .flatMap(([kind, rows]) => rows.map((row) => `${JSON.stringify({ kind, ...row })}\n`))
        .join(''),
  },
} as const;

export function exported(history: History, format: keyof typeof forms): Response {
  const { type, text } = forms[format];
  return new Response(text(history), {
    headers: {
      'content-type': type,
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="signalbox-history.${format}"`,
    },
  });
}
