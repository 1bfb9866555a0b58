/** What the page of the audit shows: a page of deeds, or why there is none. */

import type { AuditShown } from '@/lib/domain/actions/deed';
import { ProblemError } from '@/lib/domain/problem';
import type { Audit } from '@/lib/server/audit/audit';
import type { Cursors } from '@/lib/server/audit/cursor';
import { readable } from './answer';
import { readDeeds } from './page';
import { readAuditQuery } from './query';
import { type AuditCaller, auditViewerOf } from './view';

const deedsShown = 50;
const readMs = 15_000;

export async function auditShown(
  asked: Parameters<typeof readAuditQuery>[0],
  caller: AuditCaller,
  runtime: { readonly audit: Audit; readonly auditCursors: Cursors; readonly now: () => number },
): Promise<AuditShown> {
  const signal = AbortSignal.timeout(readMs);
  try {
    const viewer = await auditViewerOf(caller, runtime, signal);
    const { below, limit: _limit, format: _format, ...filter } = readAuditQuery(asked);
    const place = below === null ? null : viewer.open(below);
    const audit = readable(runtime.audit);
    const scan = { audit, viewer, filter, below: place, nowMs: runtime.now(), signal };
    const { of: deeds, older } = await readDeeds(scan, deedsShown);
    return { deeds, older, all: viewer.all, cut: older !== null && deeds.length < deedsShown };
  } catch (error) {
    if (signal.aborted) return { failed: 'store' };
    if (!(error instanceof ProblemError)) throw error;
    const { code } = error.problem;
    if (code === 'invalid') return { failed: 'query' };
    if (code === 'signed-out') return { failed: 'sign-in' };
    return { failed: 'store' };
  }
}
