/** Time and chance as parameters, which tests control. */
export interface Clock {
  /** For spans, because a wall clock that is set back would prolong a lease. */
  monotonicMs(): number;
  /** Epoch milliseconds, for people. */
  wallMs(): number;
  /** 0 (included) to 1 (excluded). */
  random(): number;
}

/** @internal */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
};
