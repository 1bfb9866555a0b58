/** Time and chance, passed in so that a test can decide both. */
export interface Clock {
  /** For spans: a wall clock that is set back would keep a lease alive. */
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
