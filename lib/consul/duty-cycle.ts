/**
 * How long a watch rests after a wake-up. A prefix under constant writes would otherwise be read whole in a tight
 * loop, which was measured to make the lock holders' own writes up to 4.7 times slower. Resting for a multiple of
 * what a read costs bounds the share of the agent's time that one watch takes to a fifth.
 */

/** Short enough not to be seen, long enough to take the several writes of one lock change together. */
const restMinMs = 30;
/** So that one read that met a pause of the agent does not blind the watch. */
const restMaxMs = 15_000;
const restFactor = 4;
/** While reads cost more than `loadedAt` times their quiet cost, the agent is loaded: rest more. */
const restFactorLoaded = 10;
const loadedAt = 2;
/** Below this a doubled cost is noise, not load. */
const costNoiseMs = 10;
/** How fast the quiet cost follows a prefix that grows: a thousandth would never forget, a half would at once. */
const quietRise = 0.05;

export interface DutyCycle {
  /** Tells what a read that did not block has cost. */
  readonly measured: (costMs: number) => void;
  /** How long to rest now, in milliseconds. */
  readonly restMs: () => number;
}

/** One for each watched resource. */
export function createDutyCycle(): DutyCycle {
  let lastMs = 0;
  let quietMs: number | null = null;
  return {
    measured: (costMs) => {
      lastMs = costMs;
      // The quiet cost falls at once and rises slowly: a loaded agent must not pass for the normal state soon.
      quietMs = quietMs === null || costMs < quietMs ? costMs : quietMs + (costMs - quietMs) * quietRise;
    },
    restMs: () => {
      const loaded = quietMs !== null && lastMs > costNoiseMs && lastMs > loadedAt * quietMs;
      const restMs = lastMs * (loaded ? restFactorLoaded : restFactor);
      return Math.min(restMaxMs, Math.max(restMinMs, restMs));
    },
  };
}
