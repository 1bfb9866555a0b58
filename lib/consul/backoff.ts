/** Jittered exponential backoff: doubles with each failure in a row, starts anew after a success. */

export interface Backoff {
  /** How long to wait before the next try, in milliseconds; counts one more failure. */
  readonly next: () => number;
  readonly reset: () => void;
}

/**
 * `random` gives 0..1. The wait lies between half and the whole of the doubled step, so that the watches of one
 * outage do not come back in step and knock the agent over again.
 */
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
      const stepMs = Math.min(maxMs, minMs * 2 ** Math.min(failures, 20));
      failures += 1;
      return stepMs * (0.5 + random() / 2);
    },
    reset: () => {
      failures = 0;
    },
  };
}
