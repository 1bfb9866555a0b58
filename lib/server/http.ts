/** The edge of the API: who may ask, how much may be said, and how a `Problem` travels (RFC 9457). */
import type { Problem, ProblemCode } from '@/lib/domain/problem';
import { ProblemError } from '@/lib/domain/problem';
import type { ActionsAllowed } from './access';
import { spokenProblem } from './spoken';

/** The one table from code to status. The status is for machines in between; the code is what clients go by. */
export const statusOf: Readonly<Record<ProblemCode, number>> = {
  stale: 409,
  'not-held': 409,
  'not-found': 404,
  'conflict-in-use': 409,
  forbidden: 403,
  'signed-out': 401,
  invalid: 400,
  'read-only': 403,
  busy: 503,
  unavailable: 503,
  'no-leader': 503,
  'unknown-result': 502,
};

/** A problem with a status that says more than its code does: 413 for a body too large, 415 for a wrong type. */
export class HttpProblem extends ProblemError {
  constructor(
    problem: Problem,
    readonly httpStatus: number,
  ) {
    super(problem);
  }
}

/** `application/problem+json`. Never cached. */
export function problemResponse(problem: Problem, status: number = statusOf[problem.code]): Response {
  return Response.json(
    { type: 'about:blank', title: problem.code, status, ...spokenProblem(problem) },
    { status, headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' } },
  );
}

/**
 * Throws `forbidden` for a request that another site's page made. Browsers say so in `Sec-Fetch-Site`, which no
 * script can set; those that do not send it send `Origin`. A program sends neither and is not what this is about:
 * no cookie or other ambient right comes with its request.
 */
function requireSameOrigin(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  const refuse = () => {
    throw new HttpProblem({ code: 'forbidden', why: { code: 'other-site', facts: {} } }, 403);
  };
  if (site !== null) {
    if (site !== 'same-origin' && site !== 'none') refuse();
    return;
  }
  const origin = request.headers.get('origin');
  if (origin === null) return;
  const host = request.headers.get('host');
  if (host === null || !URL.canParse(origin) || new URL(origin).host !== host) refuse();
}

/**
 * Reads a JSON body of at most `bytesMax` bytes. Throws an `HttpProblem`: 415 for another type (a form could be
 * sent across sites without a preflight), 413 for a larger body, 400 for what is no JSON.
 */
export async function readJsonBody(request: Request, bytesMax: number): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new HttpProblem({ code: 'invalid', why: { code: 'wrong-type', facts: {} } }, 415);
  const tooLarge = new HttpProblem({ code: 'invalid', why: { code: 'too-large', facts: { bytesMax } } }, 413);
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge;
  // The header may be missing or lie, so the bytes are counted as they come.
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > bytesMax) {
      await reader.cancel();
      throw tooLarge;
    }
    parts.push(value);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)));
  } catch {
    throw new HttpProblem({ code: 'invalid', why: { code: 'not-json', facts: {} } }, 400);
  }
}

/**
 * The one gate of everything that writes: a page of our own, actions switched on, and a name of this machine where only
 * this machine may act (`ActionsAllowed`). Throws `forbidden` or `read-only`.
 */
export function requireWriter(request: Request, allowed: ActionsAllowed): void {
  requireSameOrigin(request);
  if (!allowed.allowed) throw new ProblemError({ code: 'read-only', why: allowed.reason });
  if (allowed.hosts === 'loopback') requireLoopbackHost(request);
}

/** What `run` answers, or the problem that it threw. A bug is thrown on. */
export async function answering(run: () => Promise<Response>): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HttpProblem) return problemResponse(error.problem, error.httpStatus);
    if (error instanceof ProblemError) return problemResponse(error.problem);
    throw error;
  }
}

/** Throws `read-only` unless the request names this machine as its host: see `ActionsAllowed`. */
function requireLoopbackHost(request: Request): void {
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  if (/^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name)) return;
  throw new ProblemError({ code: 'read-only', why: { code: 'this-machine-only', facts: {} } });
}
