/** Time and chance as parameters, so that no test waits for a real clock. */

export interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** 0 (included) to 1 (excluded). */
  readonly random: () => number;
  /** Rejects with the signal's reason if that aborts first. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Resolves after `ms`; rejects with the signal's reason if that aborts first. Leaves no timer behind. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
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

export const systemClock: Clock = { now: Date.now, random: Math.random, pause };
