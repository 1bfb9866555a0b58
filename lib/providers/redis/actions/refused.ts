/** Refusals as errors, because no caller in between can act on them. */
import { type Problem, type ProblemCode, ProblemError } from '@/lib/domain/problem';
import type { Difference, Why } from '@/lib/domain/refusal';
import { givenUp } from '@/lib/providers/redis/client/failure';

export const refusal = (code: ProblemCode, why: Why, difference?: readonly Difference[]): ProblemError =>
  new ProblemError(difference === undefined ? { code, why } : { code, why, difference });

/** No plan of this action gives the `expect` that came with it. */
export const notOfPlan = () => refusal('invalid', { code: 'not-of-plan', facts: { where: 'expect' } });

/** The key is no longer what the plan was made for. */
export const kindChanged = (key: string): ProblemError =>
  refusal('stale', { code: 'changed-since', facts: {} }, [{ code: 'redis-kind-changed', facts: { key } }]);

/** An access rule of Redis stops this command. Nothing was written. */
export const forbidden = (command: string): ProblemError =>
  refusal('forbidden', { code: 'redis-not-permitted', facts: { command } });

/** The problem that an action threw, also when its time was over. Throws a bug again. */
export function problemIn(error: unknown, signal: AbortSignal): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (signal.aborted && error === signal.reason) return givenUp;
  throw error;
}
