/** CSV (RFC 4180) for spreadsheets, JSON lines for programs and for checking the chain. */
import { detailList, type ShownRow } from '@/lib/domain/actions/deed';
import { type Whom, whomIn } from '@/lib/domain/actions/whom';
import { type Scan, scanAudit } from './scan';

/** Spreadsheets run a cell with such a start as a formula; some accept the wide forms of East Asia too. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

/** A formula gets an apostrophe in front, so the chain is checked on JSON lines. */
export function csvCell(value: string | number): string {
  const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value);
  // Where decimals use a comma, spreadsheets separate cells with semicolons.
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The clients that the action hit, and those that came or left after it. */
function whomLines({ detail }: ShownRow): string {
  const came = detailList(detail, 'subjects').flatMap((one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) ? whomIn(one as ShownRow['detail']) : [],
  );
  return [...whomIn(detail), ...came].map(whomLine).join('\n');
}

const whomLine = ({ label, session, verdict, node }: Whom): string =>
  [label, session, verdict, node === null ? null : `@${node}`].filter((part) => part !== null).join(' ');

type Column = readonly [name: string, cell: (row: ShownRow) => string | number];

const columns: readonly Column[] = [
  ['at', (row) => new Date(row.atMs).toISOString()],
  ['kind', (row) => row.kind],
  ['thread', (row) => row.thread],
  ['who', (row) => row.who.kind],
  ['id', (row) => (row.who.kind === 'token' ? row.who.id : '')],
  ['name', (row) => (row.who.kind === 'anonymous' ? '' : row.who.name)],
  ['address', (row) => row.address ?? ''],
  ['action', (row) => row.action ?? ''],
  ['subjects', (row) => row.subjects.join('\n')],
  ['reason', (row) => row.reason],
  ['detail', (row) => JSON.stringify(row.detail)],
  ['replica', (row) => row.replica],
  ['whom', whomLines],
];

const chainColumns: readonly Column[] = [
  ['seq', (row) => row.seq ?? ''],
  ['before', (row) => row.before ?? ''],
  ['digest', (row) => row.digest ?? ''],
];

const csvLine = (cells: readonly (string | number)[]) => `${cells.map(csvCell).join(',')}\r\n`;

const forms = {
  csv: (all: boolean) => {
    const shown = all ? [...columns, ...chainColumns] : columns;
    return {
      head: csvLine(shown.map(([name]) => name)),
      line: (row: ShownRow) => csvLine(shown.map(([, cell]) => cell(row))),
    };
  },
  jsonl: () => ({ head: '', line: (row: ShownRow) => `${JSON.stringify(row)}\n` }),
} as const;

export type ExportFormat = keyof typeof forms;

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
};

async function* textOf(scan: Scan, format: ExportFormat): AsyncGenerator<string> {
  const { viewer } = scan;
  const { head, line } = forms[format](viewer.all);
  if (head !== '') yield head;
  for await (const { rows } of scanAudit(scan))
    if (rows.length > 0) yield rows.map((row) => line(viewer.show(row))).join('');
}

/** Newest first, read at the client's pace. */
export async function exportAudit(scan: Scan, format: ExportFormat): Promise<Response> {
  const texts = textOf(scan, format);
  // An early failure is a problem with a status, not a truncated file.
  const first = await texts.next();
  let begun = false;
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = begun ? await texts.next() : first;
        begun = true;
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      cancel: async () => {
        await texts.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
  const day = new Date(scan.nowMs).toISOString().slice(0, 10);
  return new Response(body, {
    headers: {
      'content-type': mediaTypes[format],
      'content-disposition': `attachment; filename="signalbox-audit-${day}.${format}"`,
      'cache-control': 'no-store',
    },
  });
}
