/**
 * The server's clock, as far as a browser can know it. A phone that is a minute ahead would call a holder overdue that
 * has just renewed (docs/decisions/0035). A ping can be late and never early, so the smallest recent difference is the
 * closest. Differences are taken against the browser's steady clock, which cannot be set but may stand still while the
 * machine sleeps. Between two pings the ordinary clock counts.
 */

/** Two minutes of pings: for that long, a server's clock that was set back is not believed. */
const lagsMax = 40;
/** A page's clock should not flicker between two seconds. */
const stepMs = 1_000;
/** A message this soon after a sleep may be from before it. */
const restMs = 1_000;

interface Clocks {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** A clock that only goes forward, milliseconds. */
  readonly steady: () => number;
}

export interface ServerClock {
  /** Epoch milliseconds; the browser's where nothing was heard. */
  readonly now: () => number;
  /** Whole milliseconds; negative: behind. 0 for less than a second. */
  readonly aheadMs: () => number;
  /** The server's clock showed this a moment ago, or longer ago. */
  readonly hear: (atMs: number) => void;
}

export function createServerClock({ now, steady }: Clocks): ServerClock {
  let aheadMs = 0;
  /** Between the steady clock and each time heard. */
  const lags: number[] = [];
  let setMs = now() - steady();
  let restUntilMs = Number.NEGATIVE_INFINITY;
  return {
    now: () => now() - aheadMs,
    aheadMs: () => aheadMs,
    hear: (atMs) => {
      const steadyMs = steady();
      const between = now() - steadyMs;
      // The machine slept, or its clock was set.
      if (Math.abs(between - setMs) > stepMs) restUntilMs = steadyMs + restMs;
      setMs = between;
      if (steadyMs < restUntilMs) return;
      lags.push(steadyMs - atMs);
      if (lags.length > lagsMax) lags.shift();
      const next = between + Math.min(...lags);
      if (Math.abs(next - aheadMs) > stepMs) aheadMs = Math.round(next);
    },
  };
}

export const serverClock = createServerClock({ now: () => Date.now(), steady: () => performance.now() });
