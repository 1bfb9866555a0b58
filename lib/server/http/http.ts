/** The edge of the API: origins, sizes, and how a `Problem` travels (RFC 9457). */
import { isIPv6 } from 'node:net';
import type { Problem, ProblemCode } from '@/lib/domain/problem';
import { ProblemError } from '@/lib/domain/problem';
import type { Env } from '@/lib/server/process/env';
import type { ActionsAllowed } from './access';
import { spokenProblem } from './english';
import { answersTo, isLoopbackName, parseHost } from './host';

/** The status is for intermediaries; clients go by the code. */
export const statusOf: Readonly<Record<ProblemCode, number>> = {
  stale: 409,
  'not-held': 409,
  'not-found': 404,
  'conflict-in-use': 409,
  forbidden: 403,
  'signed-out': 401,
  invalid: 400,
  unwritable: 422,
  'read-only': 403,
  busy: 503,
  unavailable: 503,
  'no-leader': 503,
  'unknown-result': 502,
};

/** A problem with a status more precise than its code: 413 for a large body, 415 for a wrong type. */
export class HttpProblem extends ProblemError {
  /** Checks by shape, for the reason given at `ProblemError`. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof ProblemError && 'httpStatus' in value && typeof value.httpStatus === 'number';
  }
  constructor(
    problem: Problem,
    readonly httpStatus: number,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(problem);
  }
}

/** `application/problem+json`, never cached. */
export function problemResponse(
  problem: Problem,
  status: number = statusOf[problem.code],
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(
    { type: 'about:blank', title: problem.code, status, ...spokenProblem(problem) },
    {
      status,
      headers: { ...headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    },
  );
}

/** Characters: a key or prefix of `keyLengthMax` fits, with a page's other parameters. */
export const addressLengthMax = 8_192;

/** Throws 421 for a foreign host name (see `host.ts`), 414 for a long address. */
export function requireSoundAddress(
  { headers, url }: Pick<Request, 'headers' | 'url'>,
  env: Pick<Env, 'url' | 'loopback'>,
): void {
  if (!answersTo(headers.get('host'), env))
    throw new HttpProblem({ code: 'forbidden', why: { code: 'other-host', facts: {} } }, 421);
  if (url.length > addressLengthMax)
    throw new HttpProblem(
      { code: 'invalid', why: { code: 'address-too-long', facts: { lengthMax: addressLengthMax } } },
      414,
    );
}

/**
 * Throws `forbidden` for a request from another site's page. Browsers send `Sec-Fetch-Site`, which no script can set,
 * or at least `Origin`. A program sends neither, and its request has no cookie. A followed link is safe: the linking
 * page learns nothing.
 */
export function requireSameOrigin(
  { headers, method }: Pick<Request, 'headers' | 'method'>,
  env: Pick<Env, 'url'>,
): void {
  const site = headers.get('sec-fetch-site');
  const refuse = () => {
    throw new HttpProblem({ code: 'forbidden', why: { code: 'other-site', facts: {} } }, 403);
  };
  const followed =
    (method === 'GET' || method === 'HEAD') &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-dest') === 'document';
  if (site !== null && site !== 'same-origin' && site !== 'none' && !followed) refuse();
  const origin = headers.get('origin');
  if (origin === null || (followed && origin === 'null')) return;
  // A proxy may rewrite `Host`, so the configured address counts too.
  const ownHosts = [headers.get('host'), env.url?.host];
  if (!URL.canParse(origin) || !ownHosts.includes(new URL(origin).host)) refuse();
  if (env.url !== null && new URL(origin).host === env.url.host && origin !== env.url.origin) refuse();
}

/**
 * Reads at most `bytesMax` bytes. Throws an `HttpProblem`: 415 for another type (a form posts across sites without a
 * preflight), 413 for a larger body, 400 for invalid JSON.
 */
export async function readJsonBody(request: Request, bytesMax: number): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new HttpProblem({ code: 'invalid', why: { code: 'wrong-type', facts: {} } }, 415);
  const tooLarge = new HttpProblem({ code: 'invalid', why: { code: 'too-large', facts: { bytesMax } } }, 413);
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge;
  // `content-length` may be missing or wrong.
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
 * The only gate for writes. Where only this machine may act, the request must name this machine. A local proxy may
 * rewrite `Host`, so the page's origin and the `address` from a trusted proxy must be local too. Throws `read-only`.
 */
export function requireWriter(
  { headers }: Pick<Request, 'headers'>,
  { writes, address }: { readonly writes: ActionsAllowed; readonly address: string | null },
): void {
  if (!writes.allowed) throw new ProblemError({ code: 'read-only', why: writes.reason });
  if (writes.hosts === 'any') return;
  const origin = headers.get('origin');
  const names = [
    parseHost(headers.get('host'))?.hostname,
    ...(origin === null ? [] : [URL.canParse(origin) ? new URL(origin).hostname : undefined]),
    ...(address === null ? [] : [isIPv6(address) ? `[${address}]` : address]),
  ];
  if (!names.every((name) => name !== undefined && isLoopbackName(name)))
    throw new ProblemError({ code: 'read-only', why: { code: 'this-machine-only', facts: {} } });
}

/** Rethrows bugs. */
export async function answering(run: () => Promise<Response>): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HttpProblem) return problemResponse(error.problem, error.httpStatus, error.headers);
    if (error instanceof ProblemError) return problemResponse(error.problem);
    throw error;
  }
}
