/** Failures of Redis and of the way to it, as problems. */
import { type Problem, type ProblemCode, ProblemError } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';

const problem = (code: ProblemCode, why: Why): Problem => ({ code, why });

/** The refusal of an access rule. Redis names the command in a transaction or batch, but never the key. */
function notPermitted(message: string, command: string): Problem {
  if (/access (?:one of the keys|a key)/.test(message))
    return problem('forbidden', { code: 'redis-key-not-permitted', facts: {} });
  const [, named = command] = /run the '([^']+)' command/.exec(message) ?? [];
  const words = named.replaceAll('|', ' ').toUpperCase();
  return problem('forbidden', { code: 'redis-not-permitted', facts: { command: words } });
}

/** The problem behind an error of Redis. Its first word gives the kind. */
export function problemOfAnswer(message: string, command: string): Problem {
  const [reason = ''] = message.split(' ', 1);
  switch (reason) {
    case 'WRONGPASS':
    case 'NOAUTH':
      return problem('forbidden', { code: 'redis-sign-in-refused', facts: {} });
    case 'NOPERM':
      return notPermitted(message, command);
    case 'LOADING':
      return problem('unavailable', { code: 'redis-loading', facts: {} });
    case 'BUSY':
      return problem('busy', { code: 'redis-busy', facts: {} });
    case 'CLUSTERDOWN':
      return problem('unavailable', { code: 'redis-cluster-down', facts: {} });
    case 'MOVED':
    case 'ASK':
    case 'TRYAGAIN':
      return problem('unavailable', { code: 'redis-moved', facts: {} });
    case 'READONLY':
    case 'MASTERDOWN':
      return problem('unavailable', { code: 'redis-replica', facts: {} });
    case 'NOPROTO':
      return problem('unavailable', { code: 'redis-too-old', facts: {} });
    default:
      break;
  }
  if (/max number of clients/.test(message))
    return problem('unavailable', { code: 'connections-capped', facts: {} });
  // Redis 5 and older.
  if (/unknown command.*hello/i.test(message))
    return problem('unavailable', { code: 'redis-too-old', facts: {} });
  if (/AUTH|password/i.test(message))
    return problem('forbidden', { code: 'redis-sign-in-refused', facts: {} });
  const errorCode = /^[A-Z]{2,20}$/.test(reason) ? reason : 'ERR';
  return problem('invalid', { code: 'redis-refused', facts: { command, reason: errorCode } });
}

export const noAnswer = (timeoutMs: number): Problem =>
  problem('unavailable', { code: 'no-answer', facts: { timeoutMs } });

export const connectionBroke: Problem = problem('unavailable', { code: 'connection-broke', facts: {} });
export const givenUp: Problem = problem('unavailable', { code: 'given-up', facts: {} });

/** The problem behind a failed system call or TLS handshake. `null`: another kind of error. */
export function problemOfSystem(error: unknown): Problem | null {
  if (error instanceof AggregateError) return problemOfSystem(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return connectionBroke;
  return problem('unavailable', { code: 'not-reached', facts: { errno: error.code } });
}

/** The same failure of a write that was already sent, so its result is unknown. */
export const afterSending = ({ code, ...rest }: Problem): Problem =>
  code === 'unavailable' ? { code: 'unknown-result', ...rest } : { code, ...rest };

export const failed = (of: Problem, cause?: unknown): ProblemError => new ProblemError(of, { cause });
