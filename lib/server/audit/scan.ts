/** Walks the audit from the newest row down, as one viewer sees it. Only one batch is in memory. */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AuditKind, AuditRow } from '@/lib/domain/actions/audit';
import { type Deed, type DeedState, deedOf } from '@/lib/domain/actions/deed';
import { firstSource, type SourceId } from '@/lib/domain/source';
import { subjectOfId } from '@/lib/domain/subject';
import type { Audit } from './audit';
import type { AuditFilter } from './query';
import type { AuditViewer } from './view';

export interface Scan {
  readonly audit: Pick<Audit, 'read'>;
  readonly viewer: AuditViewer;
  readonly filter: AuditFilter;
  /** Rows with a lower `seq`; `null`: from the newest. */
  readonly below: number | null;
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export interface Batch {
  readonly rows: readonly AuditRow[];
  /** Matching or not. */
  readonly seen: readonly AuditRow[];
  readonly looked: number;
  readonly lowest: number;
}

const batchRows = 500;
const threadRowsMax = 50;
const actionKinds: readonly AuditKind[] = ['intent', 'outcome', 'followed', 'unknown', 'refused'];
const statesMax = 2_000;

/**
 * True when a row is about a source. A row without a source is about the first, because it is from before there were
 * several. The share of a board has no subject, and a sign-in is about no source.
 */
function isAbout({ kind, subjects, detail }: AuditRow, source: SourceId): boolean {
  if (subjects.length > 0) return subjects.some((id) => subjectOfId(id)?.source === source);
  return kind.startsWith('grant') && (detail.source ?? firstSource) === source;
}

/** The name of a subject. No source's id holds a colon. */
const nameIn = (id: string) => id.slice(id.indexOf(':') + 1);

function matcher({ kind, thread, source, subject, person, action, from, to }: AuditFilter) {
  const sought = person?.toLowerCase();
  return (row: AuditRow): boolean => {
    if (kind !== null && row.kind !== kind) return false;
    if (thread !== null && row.thread !== thread) return false;
    if (action !== null && row.action !== action) return false;
    if (from !== null && row.atMs < from) return false;
    if (to !== null && row.atMs > to) return false;
    if (source !== null && !isAbout(row, source)) return false;
    if (subject !== null) {
      const matches =
        subjectOfId(subject) !== null
          ? row.subjects.includes(subject)
          : row.subjects.some((one) => nameIn(one).includes(subject));
      if (!matches) return false;
    }
    if (sought === undefined) return true;
    const { who } = row;
    if (who.kind === 'anonymous') return 'anonymous'.includes(sought);
    return who.name.toLowerCase().includes(sought) || (who.kind === 'token' && who.id === sought);
  };
}

async function threadOf({ audit, viewer, signal }: Scan, thread: string): Promise<readonly AuditRow[]> {
  return viewer.visible(await audit.read({ below: null, limit: threadRowsMax, thread }), signal);
}

function statesOf(scan: Scan) {
  const known = new Map<string, DeedState | null>();
  return async (row: AuditRow): Promise<DeedState | null> => {
    if (!actionKinds.includes(row.kind)) return null;
    if (row.kind === 'refused') return 'refused';
    const before = known.get(row.thread);
    if (before !== undefined) return before;
    const rows = await threadOf(scan, row.thread);
    const head = rows.find(({ kind }) => kind === 'intent');
    const state = head === undefined ? null : deedOf(head, rows, scan.nowMs).state;
    if (known.size >= statesMax) known.clear();
    known.set(row.thread, state);
    return state;
  };
}

export async function* scanAudit(scan: Scan): AsyncGenerator<Batch> {
  const { audit, viewer, filter, signal } = scan;
  const matches = matcher(filter);
  const stateOf = statesOf(scan);
  const { kind, subject, thread } = filter;
  // For a viewer of a part, the duration of a narrow query would reveal hidden rows.
  const narrowed = {
    ...(thread === null ? {} : { thread }),
    ...(filter.from === null ? {} : { fromMs: filter.from }),
    ...(filter.to === null ? {} : { toMs: filter.to }),
    ...(viewer.all && kind !== null ? { kind } : {}),
    ...(subject !== null && subjectOfId(subject) !== null && (await viewer.mayName(subject, signal))
      ? { subject }
      : {}),
  };
  let { below } = scan;
  for (;;) {
    signal.throwIfAborted();
    const read = await audit.read({ below, limit: batchRows, ...narrowed });
    const last = read.at(-1);
    if (last === undefined) return;
    const seen = await viewer.visible(read, signal);
    const rows: AuditRow[] = [];
    for (const row of seen.filter(matches))
      if (filter.outcome === null || (await stateOf(row)) === filter.outcome) rows.push(row);
    yield { rows, seen, looked: read.length, lowest: last.seq };
    if (read.length < batchRows) return;
    // SQLite answers within this turn. Without others, a walk through a million rows would hold up the whole server.
    await yieldToEventLoop();
    below = last.seq;
  }
}

export async function deedFrom(head: AuditRow, above: readonly AuditRow[], scan: Scan): Promise<Deed> {
  const { viewer, nowMs, filter, below } = scan;
  const { kind, subject, to } = filter;
  // The walk skips rows above the start of the page and rows that the store filtered out.
  const partial = head.kind === 'intent' && [below, kind, subject, to].some((narrow) => narrow !== null);
  const rows = partial ? await threadOf(scan, head.thread) : above;
  return deedOf(viewer.show(head), rows.map(viewer.show), nowMs);
}
