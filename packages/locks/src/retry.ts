/** Separates passing failures from lasting ones, and repeats calls until they succeed. */

import { ProblemError } from '@/lib/domain/problem';
import { pause } from '@/lib/providers/consul/client/clock';

export interface Patience {
  /** Further attempts after the first, 0 or more. */
  readonly retries: number;
  readonly retryMs: number;
}

const passing: ReadonlySet<string> = new Set(['unavailable', 'no-leader', 'busy', 'unknown-result']);

/** True for a failure that may pass in a moment. Authority: `IsRetryableError` in api/api.go (any 5xx). */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  const status = 'status' in error && typeof error.status === 'number' ? error.status : 0;
  return passing.has(error.problem.code) || status >= 500;
}

/**
 * Repeats `call` until it succeeds, fails for good, or patience ends. Then throws the last error. Only for reads and
 * idempotent writes.
 */
export async function persist<T>(
  call: () => Promise<T>,
  patience: Patience,
  signal?: AbortSignal,
): Promise<T> {
  for (let left = patience.retries; ; left--) {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted || left <= 0 || !isPassing(error)) throw error;
    }
    await pause(patience.retryMs, signal);
  }
}
