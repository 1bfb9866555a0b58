/**
 * What went wrong in a call to Consul, as a `Problem`. The raw body stays on the server (`body`): it may name
 * keys, tokens' accessors and addresses, so only the code and our own sentence travel on.
 */
import { type Problem, ProblemError } from '@/lib/domain/problem';

/** Any failed call to Consul. */
export class ConsulError extends ProblemError {
  constructor(
    problem: Problem,
    /** HTTP status, or `null` when no response came. */
    readonly status: number | null,
    /** The response's text, for code that must tell cases apart and for the server's log. */
    readonly body: string,
    options?: { cause?: unknown },
  ) {
    super(problem, options);
  }
}

/** The shape of what the `consul` package throws (papi's errors). */
interface PackageError {
  readonly message?: string;
  readonly code?: string;
  readonly statusCode?: number;
  readonly isTimeout?: boolean;
  readonly isAbort?: boolean;
  readonly response?: { readonly body?: unknown };
}

/** Failures in which the request cannot have reached Consul, so that a write was surely not made. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EACCES',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * What Consul answers with status 500 although the fault is in the request (agent/kvs_endpoint.go,
 * agent/session_endpoint.go and the state store's checks).
 */
const refusals =
  /invalid session|Invalid Session|session lookup|Session TTL|UUID|ParseUint|invalid key name|invalid duration|Missing node|Unknown behavior|Failed to parse|Unable to parse|must be between/i;

function bodyText(error: PackageError): string {
  const body = error.response?.body;
  if (typeof body === 'string') return body.trim();
  if (body === undefined || body === null) return error.statusCode === undefined ? '' : (error.message ?? '');
  if (Buffer.isBuffer(body)) return body.toString('utf8').trim();
  return JSON.stringify(body);
}

/** Turns whatever the package threw into a `ConsulError`. `write` decides between "not done" and "not known". */
export function toConsulError(
  thrown: unknown,
  call: { name: string; write: boolean; timeoutMs: number },
): ConsulError {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as PackageError;
  const status = error.statusCode ?? null;
  const body = bodyText(error);
  const make = (code: Problem['code'], detail: string) =>
    new ConsulError({ code, detail }, status, body, { cause: thrown });
  const lost = (detail: string) =>
    call.write
      ? make('unknown-result', `${detail} It is not known whether the write was made.`)
      : make('unavailable', detail);

  if (status === null) {
    if (error.isTimeout) return lost(`Consul did not answer within ${call.timeoutMs / 1000} s.`);
    if (error.code !== undefined && neverSent.has(error.code))
      return make('unavailable', `Consul cannot be reached (${error.code}).`);
    if (error.code !== undefined || error.isAbort || /socket hang up|aborted/.test(error.message ?? ''))
      return lost('The connection to Consul broke.');
    return lost(`Consul's answer to ${call.name} could not be read.`);
  }
  // Consul forwards to its leader, so the text may carry an "rpc error making call: " prefix.
  if (status === 403)
    return body.includes('ACL not found')
      ? make('signed-out', 'Consul does not know this token (any more).')
      : make('forbidden', 'Consul refused this call to the token in use.');
  if (status === 429 || status === 503) return make('busy', 'Consul limits the rate of requests right now.');
  if (status === 404) return make('not-found', 'Consul knows nothing by that name.');
  if (status === 413) return make('invalid', 'The write is larger than Consul accepts.');
  if (status >= 500) {
    if (body.includes('No cluster leader'))
      return make('no-leader', 'The Consul cluster has no leader right now.');
    // A client agent that has lost every server: it never passed the call on.
    if (body.includes('No known Consul servers'))
      return make('no-leader', 'The Consul agent knows no server right now.');
    // Checked before anything is proposed to the log, so these are surely not written.
    if (refusals.test(body)) return make('invalid', `Consul refused ${call.name}.`);
    if (/rpc error|leadership lost|not the leader|EOF/.test(body))
      return lost('Consul lost its leader during the call.');
    // A proxy's 502 or 504, a deadline, anything new: a write may have gone through before it.
    return lost(`Consul, or a proxy before it, failed at ${call.name} (${status}).`);
  }
  return make('invalid', `Consul refused ${call.name} (${status}).`);
}
