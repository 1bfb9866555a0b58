/** Waiting between attempts. */
import { ProblemError } from '@/lib/domain/problem';
import type { Clock } from './clock';

/** How often a call that failed for the moment is made again, and how long after. */
export interface Patience {
  /** Further attempts after the first, 0 or more. */
  readonly retries: number;
  readonly retryMs: number;
}

/** Resolves after `ms`; rejects with the signal's reason when it aborts first. Leaves no timer behind. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Between half and all of `firstMs` doubled `attempt` times (0 for the first), at most `maxMs`. Random, because
 * clients that failed together would otherwise come back together.
 */
export function backoffMs(
  attempt: number,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
  clock: Clock,
): number {
  const fullMs = Math.min(firstMs * 2 ** Math.min(attempt, 30), maxMs);
  return fullMs * (0.5 + clock.random() / 2);
}

const passing: ReadonlySet<string> = new Set(['unavailable', 'no-leader', 'busy', 'unknown-result']);

/** True for a failure that may be gone in a moment. Authority: `IsRetryableError` in api/api.go (any 5xx). */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false;
  const status = 'status' in error && typeof error.status === 'number' ? error.status : 0;
  return passing.has(error.problem.code) || status >= 500;
}

/**
 * Calls until it succeeds, fails for good, or patience ends; then throws the last error. Only for reads and for
 * writes that mean the same when made twice.
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
