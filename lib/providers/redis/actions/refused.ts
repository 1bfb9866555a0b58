/** Refusals as errors, because no caller in between can act on them. */
import { type ProblemCode, ProblemError } from '@/lib/domain/problem';
import type { Difference, Why } from '@/lib/domain/refusal';

export const refusal = (code: ProblemCode, why: Why, difference?: readonly Difference[]): ProblemError =>
  new ProblemError(difference === undefined ? { code, why } : { code, why, difference });

/** An access rule of Redis stops this command. Nothing was written. */
export const forbidden = (command: string): ProblemError =>
  refusal('forbidden', { code: 'redis-not-permitted', facts: { command } });
