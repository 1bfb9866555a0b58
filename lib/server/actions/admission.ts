/**
 * What is asked before an intent is written. The audit is never deleted, so what cannot be done as far as is known is refused
 * like every other refusal, whose rows are counted when there are many.
 */
import type { Action, Expect } from '@/lib/domain/action';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/provider';
import { within } from '@/lib/server/within';

/** A backend that does not answer leaves the right unknown, and then has the last word itself. */
const rightsTimeoutMs = 5_000;

/** Throws the refusal of the provider, `forbidden` for a right that is missing, and `unavailable` for a caller who left. */
export async function requireAdmissible(
  action: Action,
  expect: Expect,
  provider: Pick<Provider, 'refuses' | 'rights'>,
  signal: AbortSignal,
): Promise<void> {
  const problem = provider.refuses?.(action, expect) ?? null;
  if (problem !== null) throw new ProblemError(problem);
  const rights = await provider.rights?.([action], within(rightsTimeoutMs, signal));
  if (signal.aborted) throw new ProblemError({ code: 'unavailable', why: { code: 'given-up', facts: {} } });
  if (rights?.[0] === 'no')
    throw new ProblemError({ code: 'forbidden', why: { code: 'token-refused', facts: {} } });
}
