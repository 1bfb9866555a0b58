/**
 * Between half and all of `firstMs` doubled `failures` times, at most `maxMs`. The jitter keeps callers that failed
 * together from returning together. `random` gives 0..1.
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs, random }: { firstMs: number; maxMs: number; random: () => number },
): number {
  const fullMs = Math.min(firstMs * 2 ** Math.min(failures, 30), maxMs);
  return fullMs * (0.5 + random() / 2);
}

export interface Backoff {
  /** Counts one more failure, and returns the wait before the next try in milliseconds. */
  readonly next: () => number;
  readonly reset: () => void;
}

export function createBackoff({
  random,
  minMs = 250,
  maxMs = 5_000,
}: {
  random: () => number;
  minMs?: number;
  maxMs?: number;
}): Backoff {
  let failures = 0;
  return {
    next: () => {
      const waitMs = backoffMs(failures, { firstMs: minMs, maxMs, random });
      failures += 1;
      return waitMs;
    },
    reset: () => {
      failures = 0;
    },
  };
}
