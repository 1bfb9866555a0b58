/** `GET /api/v1/audit` and `GET /api/v1/audit/chain`, from a request to a response. */

import type { AuditShown } from '@/lib/domain/actions/deed';
import { ProblemError } from '@/lib/domain/problem';
import { HttpProblem } from '@/lib/server/http/http';
import type { Audit } from './audit';
import type { ChainCheck } from './check';
import type { Cursors } from './cursor';
import { exportAudit } from './export';
import { readDeeds, readRows } from './page';
import { readAuditQuery } from './query';
import { type AuditCaller, auditViewerOf } from './view';

type AuditRuntime = {
  readonly audit: Audit;
  readonly auditChain: ChainCheck;
  readonly auditCursors: Cursors;
  readonly now: () => number;
};

const noStore = { 'cache-control': 'no-store' };

/**
 * Newest first. `part`: this caller sees only some rows, and learns neither the number of others nor the places of
 * their own.
 */
export async function answerAudit(
  request: Request,
  caller: AuditCaller,
  runtime: AuditRuntime,
): Promise<Response> {
  const { signal } = request;
  const { below, limit, format, ...filter } = readAuditQuery(
    Object.fromEntries(new URL(request.url).searchParams),
  );
  const viewer = await auditViewerOf(caller, runtime, signal);
  const place = below === null ? null : viewer.open(below);
  const scan = { audit: readable(runtime.audit), viewer, filter, below: place, nowMs: runtime.now(), signal };
  if (format !== 'json') return exportAudit(scan, format);
  const { of: rows, older } = await readRows(scan, limit);
  return Response.json({ rows, older, part: !viewer.all }, { headers: noStore });
}

/** Only for callers who see all rows, as the count covers hidden rows. */
export async function answerChain(
  request: Request,
  caller: AuditCaller,
  runtime: AuditRuntime,
): Promise<Response> {
  const viewer = await auditViewerOf(caller, runtime, request.signal);
  if (!viewer.all)
    throw new HttpProblem({ code: 'forbidden', why: { code: 'audit-in-part', facts: {} } }, 403);
  const state = await runtime.auditChain.check().catch(notRead);
  return Response.json(state, { headers: noStore });
}

const notRead = (cause: unknown): never => {
  throw new ProblemError({ code: 'unavailable', why: { code: 'audit-not-read', facts: {} } }, { cause });
};

/** Store failures become `Problem`s. */
export const readable = (audit: Pick<Audit, 'read'>): Pick<Audit, 'read'> => ({
  read: (query) => audit.read(query).catch(notRead),
});

const deedsShown = 50;
const readMs = 15_000;

export async function auditShown(
  query: Parameters<typeof readAuditQuery>[0],
  caller: AuditCaller,
  runtime: { readonly audit: Audit; readonly auditCursors: Cursors; readonly now: () => number },
): Promise<AuditShown> {
  const signal = AbortSignal.timeout(readMs);
  try {
    const viewer = await auditViewerOf(caller, runtime, signal);
    const { below, limit: _limit, format: _format, ...filter } = readAuditQuery(query);
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
