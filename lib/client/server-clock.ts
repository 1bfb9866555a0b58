/**
 * The server's clock, as far as a browser can know it. What a page shows happened by the server's clock, and a phone that is a
 * minute ahead would call a holder overdue that has just renewed (docs/decisions/0035).
 *
 * The server says its time with each ping. What is heard of it can be late and never early, so the smallest of the last
 * differences is the closest. It is taken against the browser's steady clock, which nobody sets; but that one may stand still
 * while the machine sleeps, so that between two pings the browser's ordinary clock goes on.
 */

/** Two minutes of pings: for as long the server's clock is not believed to have been set back. */
const lagsMax = 40;
/** Less is none: the clock of a page shows whole seconds, and should not go back and forth between two. */
const stepMs = 1_000;
/** What comes so soon after a sleep may have waited since before it. */
const restMs = 1_000;

interface Clocks {
  /** The browser's ordinary clock, epoch milliseconds. */
  readonly now: () => number;
  /** One that only goes forward, milliseconds. */
  readonly steady: () => number;
}

export interface ServerClock {
  /** What the server's clock shows now, epoch milliseconds; the browser's where nothing was heard. */
  readonly now: () => number;
  /** How far the browser's clock is ahead of it, whole milliseconds; below zero: behind. 0 for less than a second. */
  readonly aheadMs: () => number;
  /** The server's clock showed this a moment ago, or longer ago. */
  readonly hear: (atMs: number) => void;
}

export function createServerClock({ now, steady }: Clocks): ServerClock {
  let aheadMs = 0;
  /** Between the steady clock and each time that was heard. */
  const lags: number[] = [];
  let setMs = now() - steady();
  let restUntilMs = Number.NEGATIVE_INFINITY;
  return {
    now: () => now() - aheadMs,
    aheadMs: () => aheadMs,
    hear: (atMs) => {
      const steadyMs = steady();
      const between = now() - steadyMs;
      // The machine slept, or somebody set its clock.
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

/** That of this page. */
export const serverClock = createServerClock({ now: () => Date.now(), steady: () => performance.now() });
