/**
 * Turns a failed call to Consul into a `Problem`. The raw body may name keys, token accessors and addresses, so it
 * stays on the server.
 */

import { z } from 'zod';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';
import { LargeBody } from './large-body';
import { readJson } from './wire';

export class ConsulError extends ProblemError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof ProblemError && 'status' in value && 'body' in value;
  }
  constructor(
    problem: Problem,
    /** `null` if no response came. */
    readonly status: number | null,
    /** The response's text, for this server only. */
    readonly body: string,
    options?: { cause?: unknown },
  ) {
    super(problem, options);
  }

  /**
   * `util.inspect` prints an error in full, as the framework does when a page throws. The package's error holds the
   * request's headers with the token, so this prints less.
   */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.stack ?? String(this);
  }
}

/** True when ACLs are off, which only this answer proves. */
export const isControlOff = ({ status, body }: ConsulError): boolean =>
  status === 401 && body.includes('ACL support disabled');

/** Errors of the `consul` package (papi). */
interface PackageError {
  readonly message?: string;
  readonly code?: string;
  readonly statusCode?: number;
  readonly isTimeout?: boolean;
  readonly isAbort?: boolean;
  /** Set by `sockets.ts`: the connection was new and had brought nothing. */
  readonly opening?: boolean;
  /** Set by `sockets.ts`: the limit that the answer exceeded. */
  readonly bytes?: number;
  readonly response?: { readonly body?: unknown };
}

/** The request cannot have reached Consul, so a write was surely not made. */
const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EACCES',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // This process or its machine has no more file descriptors.
  'EMFILE',
  'ENFILE',
]);

/** Names of OpenSSL and Node for a refused certificate, or a side without TLS. Consul carried out no request. */
const noTls = /CERT|LEAF_SIGNATURE|_ALERT_|WRONG_VERSION/;

/**
 * Requests at fault that Consul answers with status 500 (agent/kvs_endpoint.go, agent/session_endpoint.go, the state
 * store).
 */
const refusals =
  /invalid session|Invalid Session|session lookup|Session TTL|UUID|ParseUint|invalid key name|invalid duration|Missing node|Unknown behavior|Failed to parse|Unable to parse|must be between/i;

function bodyText(error: PackageError): string {
  const body = error.response?.body;
  if (typeof body === 'string') return body.trim();
  if (body === undefined || body === null) return error.statusCode === undefined ? '' : (error.message ?? '');
  const bytes = body instanceof LargeBody ? body.bytes : body;
  if (Buffer.isBuffer(bytes)) return bytes.toString('utf8').trim();
  return JSON.stringify(body);
}

interface Failed {
  readonly name: string;
  readonly write: boolean;
  readonly timeoutMs: number;
  /** The datacenter that the agent passes the call on to; absent: the agent's own. */
  readonly remote?: string | null;
}

type Verdict = readonly [code: Problem['code'], why: Why];

const nothing = {} as const;

/** `lost`: the code for a write that may have been made. */
function withoutAnswer(error: PackageError, { name, timeoutMs }: Failed, lost: Problem['code']): Verdict {
  if (error.code === 'ANSWER_TOO_LARGE')
    return [lost, { code: 'answer-too-large', facts: { bytes: error.bytes ?? 0 } }];
  if (error.isTimeout) return [lost, { code: 'no-answer', facts: { timeoutMs } }];
  // Node reports EPROTO for any protocol fault; OpenSSL's message names this one.
  const errno = /wrong version number/i.test(error.message ?? '') ? 'WRONG_VERSION_NUMBER' : error.code;
  if (errno !== undefined && (neverSent.has(errno) || noTls.test(errno)))
    return ['unavailable', { code: 'not-reached', facts: { errno } }];
  if (error.code !== undefined || error.isAbort || /socket hang up|aborted/.test(error.message ?? ''))
    return [lost, { code: error.opening ? 'connection-not-taken' : 'connection-broke', facts: nothing }];
  return [lost, { code: 'answer-not-readable', facts: { call: name } }];
}

/**
 * Consul's limits are requests per second (since 1.15), and connections from one address (429 since 1.9; Consul 1.8
 * resets them, which is `connection-not-taken`). Any other 503 comes from a proxy.
 */
function limited(status: number, body: string): Verdict | null {
  if (status === 429)
    return /concurrent connections/i.test(body)
      ? ['busy', { code: 'connections-capped', facts: nothing }]
      : ['busy', { code: 'rate-limited', facts: nothing }];
  if (status === 503 && /rate limit/i.test(body))
    return ['busy', { code: 'leader-rate-limited', facts: nothing }];
  return null;
}

/**
 * The agent does not reach the other datacenter. Without a path or a connection it passed nothing on, but a stream that
 * closed may have carried a write.
 */
function notPassedOn(body: string, { remote = null }: Failed, lost: Problem['code']): Verdict | null {
  if (remote === null) return null;
  const why = { code: 'datacenter-away', facts: { datacenter: remote } } as const;
  if (/No path to datacenter|failed to get conn|Remote DC has no server/i.test(body))
    return ['unavailable', why];
  return /stream closed|session shutdown|connection reset|i\/o (deadline|timeout)|broken pipe/.test(body)
    ? [lost, why]
    : null;
}

/** A failure from Consul, or from a proxy before it. */
function serverFailure(status: number, body: string, call: Failed, lost: Problem['code']): Verdict {
  const { name } = call;
  if (body.includes('No cluster leader')) return ['no-leader', { code: 'no-leader-now', facts: nothing }];
  // A client agent that has lost every server never passed the call on.
  if (body.includes('No known Consul servers'))
    return ['no-leader', { code: 'no-server-known', facts: nothing }];
  const away = notPassedOn(body, call, lost);
  if (away !== null) return away;
  // Consul checks these before it proposes a log entry, so nothing was written. Another status comes from a proxy,
  // which may have passed the write on.
  if (status === 500 && refusals.test(body))
    return ['invalid', { code: 'call-refused', facts: { call: name, status } }];
  if (/rpc error|leadership lost|not the leader|EOF/.test(body))
    return [lost, { code: 'leader-lost', facts: nothing }];
  // A proxy's 502 or 504, a deadline, or a new case: a write may have been made.
  return [lost, { code: 'call-failed', facts: { call: name, status } }];
}

function verdictOf(error: PackageError, body: string, call: Failed): Verdict {
  const status = error.statusCode ?? null;
  const lost = call.write ? 'unknown-result' : 'unavailable';
  if (status === null) return withoutAnswer(error, call, lost);
  // Consul forwards to its leader, so the text may carry an "rpc error making call: " prefix.
  if (status === 403)
    return body.includes('ACL not found')
      ? ['signed-out', { code: 'token-unknown', facts: nothing }]
      : ['forbidden', { code: 'token-refused', facts: nothing }];
  const limit = limited(status, body);
  if (limit !== null) return limit;
  if (status === 400 && body.includes('HTTP request to an HTTPS server'))
    return ['unavailable', { code: 'not-reached', facts: { errno: 'HTTPS_WANTED' } }];
  if (status === 400 && body.startsWith('Invalid key in transaction'))
    return ['unwritable', { code: 'key-refused', facts: nothing }];
  if (status === 404) return ['not-found', { code: 'name-unknown', facts: nothing }];
  if (status === 413) return ['invalid', { code: 'write-too-large', facts: { bytes: null } }];
  if (status >= 500) return serverFailure(status, body, call, lost);
  return ['invalid', { code: 'call-refused', facts: { call: call.name, status } }];
}

/** The problem of a failed call. `write`: a lost answer leaves the result unknown. */
export function toConsulError(thrown: unknown, call: Failed): ConsulError {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as PackageError;
  const body = bodyText(error);
  const [code, why] = verdictOf(error, body, call);
  return new ConsulError({ code, why }, error.statusCode ?? null, body, { cause: thrown });
}

const txnErrorSchema = z.object({
  Errors: z.array(z.object({ OpIndex: z.number().int(), What: z.string() })).nullish(),
});

/** The operations at fault in a refused transaction, each with Consul's reason. */
export function readTxnErrors(body: unknown): { readonly op: number; readonly what: string }[] {
  const { Errors } = txnErrorSchema.parse(readJson(Buffer.from(String(body))));
  return (Errors ?? []).map(({ OpIndex, What }) => ({ op: OpIndex, what: What }));
}
