/** One page of the audit: as rows for programs, as deeds for people. */
import type { AuditRow } from '@/lib/domain/actions/audit';
import { beginsDeed, type Deed, type ShownRow } from '@/lib/domain/actions/deed';
import { deedFrom, type Scan, scanAudit } from './scan';

export interface PageOf<T> {
  readonly of: readonly T[];
  /** The cursor of the next page; `null`: nothing is older. */
  readonly older: string | null;
}

/** A filter that matches little takes several pages. */
const scannedMax = 10_000;

/** Reads one more than fits, to know whether a next page exists. */
async function pageOf<T>(
  scan: Scan,
  limit: number,
  take: (rows: readonly AuditRow[], seen: readonly AuditRow[]) => AsyncIterable<{ made: T; seq: number }>,
): Promise<PageOf<T>> {
  const { viewer } = scan;
  const visible: T[] = [];
  let last: number | null = null;
  let scanned = 0;
  for await (const { rows, seen, looked, lowest } of scanAudit(scan)) {
    for await (const { made, seq } of take(rows, seen)) {
      if (visible.length === limit) return { of: visible, older: last === null ? null : viewer.seal(last) };
      visible.push(made);
      last = seq;
    }
    scanned += looked;
    if (scanned >= scannedMax) return { of: visible, older: viewer.seal(lowest) };
  }
  return { of: visible, older: null };
}

export function readRows(scan: Scan, limit: number): Promise<PageOf<ShownRow>> {
  return pageOf(scan, limit, async function* (rows) {
    for (const row of rows) yield { made: scan.viewer.show(row), seq: row.seq };
  });
}

/** Deeds, the one begun last first. */
export function readDeeds(scan: Scan, limit: number): Promise<PageOf<Deed>> {
  // Rows of an outcome stand above the row that began it.
  const above = new Map<string, AuditRow[]>();
  return pageOf(scan, limit, async function* (rows, seen) {
    const matching = new Set(rows);
    for (const row of seen) {
      if (!beginsDeed(row)) {
        above.set(row.thread, [...(above.get(row.thread) ?? []), row]);
        continue;
      }
      if (matching.has(row))
        yield { made: await deedFrom(row, above.get(row.thread) ?? [], scan), seq: row.seq };
      above.delete(row.thread);
    }
  });
}
