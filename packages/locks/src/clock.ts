/** Time and chance as parameters, which tests control. */
export interface Clock {
  /** For spans, because a wall clock that is set back would prolong a lease. */
  monotonicMs(): number;
  /** Epoch milliseconds, for people. */
  wallMs(): number;
  /** At least 0, below 1. */
  random(): number;
}

/** @internal */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
};
