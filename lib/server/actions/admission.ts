/**
 * What is asked before an intent is written. The audit is never deleted, so what cannot be done as far as is known is refused
 * like every other refusal, whose rows are counted when there are many.
 */
import type { Action, Expect } from '@/lib/domain/actions/action';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { within } from '@/lib/server/process/deadline';

/** A backend that does not answer leaves the right unknown, and then has the last word itself. */
const rightsTimeoutMs = 5_000;

/**
 * Actions that need no more than this one needs in every case. What a button asks for may be more: to delete a semaphore takes the
 * right to entries beside it, if there are any. A right that is missing here is missed by the write itself, and by every part of it.
 */
function leastOf(action: Action): readonly Action[] {
  const entryOf = (prefix: string): Action => ({ type: 'semaphore.resize', prefix, limit: 1 });
  switch (action.type) {
    case 'semaphore.prune':
      return action.prefixes.map(entryOf);
    case 'semaphore.delete':
    case 'semaphore.evict':
      return [entryOf(action.prefix)];
    default:
      return [action];
  }
}

/** Throws the refusal of the provider, `forbidden` for a right that is missing, and `unavailable` for a caller who left. */
export async function requireAdmissible(
  action: Action,
  expect: Expect,
  provider: Pick<Provider, 'refuses' | 'rights'>,
  signal: AbortSignal,
): Promise<void> {
  const problem = provider.refuses?.(action, expect) ?? null;
  if (problem !== null) throw new ProblemError(problem);
  const rights = await provider.rights?.(leastOf(action), within(rightsTimeoutMs, signal));
  if (signal.aborted) throw new ProblemError({ code: 'unavailable', why: { code: 'given-up', facts: {} } });
  if (rights !== undefined && rights.length > 0 && rights.every(({ right }) => right === 'no'))
    throw new ProblemError({ code: 'forbidden', why: { code: 'token-refused', facts: {} } });
}
