/**
 * Asks the backend once whether it refuses a lock to every client right now. A lock-delay that began before the watch
 * is stored nowhere that can be read.
 */
export const probeAnswers = [
  /** Refused by its lock-delay at the moment of asking. */
  'delayed',
  /** The lock was held or free at that moment. */
  'not-delayed',
  /** The backend answered something that means neither. */
  'cannot-tell',
] as const;

export type ProbeAnswer = (typeof probeAnswers)[number];

export interface Probed {
  readonly answer: ProbeAnswer;
  /** Says nothing about any later moment. */
  readonly atMs: number;
}

/** Between two probes of one key, for all callers together: a probe costs the backend a write. */
export const probeRestMs = 2_000;
