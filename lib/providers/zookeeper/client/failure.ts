/** Failures of the line and of the server as the domain's `Problem`s. */
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';
import { errors } from './message';

/** The result of a request: its value, the server's error code, or a failure without an answer. */
export type Reply<T> = { readonly value: T } | { readonly error: number } | Problem;

const problem = (code: Problem['code'], why: Why): Problem => ({ code, why });

export const brokeOff = problem('unavailable', { code: 'connection-broke', facts: {} });
/** The server closed the connection without a word: it has no quorum, is behind us, or is full. */
export const notTaken = problem('unavailable', { code: 'zookeeper-not-taken', facts: {} });
export const notServing = problem('no-leader', { code: 'zookeeper-no-quorum', facts: {} });
export const refusedUs = problem('forbidden', { code: 'zookeeper-not-known', facts: {} });

export const silent = (timeoutMs: number): Problem =>
  problem('unavailable', { code: 'no-answer', facts: { timeoutMs } });
export const notUnderstood = (call: string): Problem =>
  problem('unavailable', { code: 'answer-not-readable', facts: { call } });
export const tooLarge = (bytes: number): Problem =>
  problem('unavailable', { code: 'answer-too-large', facts: { bytes } });
export const tooMuch = (nodes: number, bytes: number): Problem =>
  problem('unavailable', { code: 'zookeeper-too-much', facts: { nodes, bytes } });

/** The problem of a socket that never connected. An error without a code of the system or of TLS is a bug. */
export function notReached(error: unknown): Problem {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error;
  // Node reports EPROTO for any fault of TLS; OpenSSL's message names this one.
  const errno = /wrong version number/i.test(error.message) ? 'WRONG_VERSION_NUMBER' : error.code;
  if (errno === 'ECONNRESET') return notTaken;
  return problem('unavailable', { code: 'not-reached', facts: { errno } });
}

/** The line ended during a request, so a write may have been carried out. */
export const lostAnswer = (why: Problem, writes: boolean): Problem =>
  writes ? { ...why, code: 'unknown-result' } : why;

/** The problem behind an error. Errors that are answers, such as a missing node, do not come here. */
export function problemOfError(error: number, call: string, writes: boolean): Problem {
  switch (error) {
    case errors.noAuth:
    case errors.authFailed:
    case errors.saslRequired:
      return refusedUs;
    case errors.connectionLoss:
    case errors.operationTimeout:
      return lostAnswer(brokeOff, writes);
    // Checked before any proposal, so nothing was written.
    case errors.sessionExpired:
    case errors.sessionMoved:
      return brokeOff;
    case errors.notReadOnly:
      return notServing;
    default:
      return problem('invalid', { code: 'call-refused', facts: { call, status: error } });
  }
}

/** The value, `null` for a missing node, or the problem. */
export function valueIn<T>(reply: Reply<T>, call: string): T | null | Problem {
  if (isProblem(reply)) return reply;
  if ('value' in reply) return reply.value;
  return reply.error === errors.noNode ? null : problemOfError(reply.error, call, false);
}
