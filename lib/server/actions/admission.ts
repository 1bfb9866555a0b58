/**
 * Checks before an intent is written. The audit is never deleted, so an action that is known to fail becomes a refusal,
 * whose rows are limited.
 */
import type { Action, Expect } from '@/lib/domain/actions/action';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { within } from '@/lib/server/process/deadline';

/** Without an answer the right stays unknown, and the backend decides at the write. */
const rightsTimeoutMs = 5_000;

/**
 * Actions with the least rights that this one always needs. A button checks more: deleting a semaphore needs the right
 * to its other entries, if there are any. Without a right from here, every part of the write would fail.
 */
function leastOf(action: Action): readonly Action[] {
  const { source } = action;
  const entryOf = (prefix: string): Action => ({ type: 'semaphore.resize', source, prefix, limit: 1 });
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

/** Throws the provider's refusal, `forbidden` for a missing right, and `unavailable` for a caller who left. */
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
