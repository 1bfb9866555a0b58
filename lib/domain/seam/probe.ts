/**
 * Asking the backend once whether it refuses a lock to everyone right now. Watching cannot tell that for sure: a
 * lock-delay that began before anybody watched is stored nowhere that can be read.
 */
export const probeAnswers = [
  /** Refused by its lock-delay at the moment of asking. */
  'delayed',
  /** No lock-delay at the moment of asking: it is held, or free for whoever asks. */
  'not-delayed',
  /** The backend answered something that means neither. */
  'cannot-tell',
] as const;

export type ProbeAnswer = (typeof probeAnswers)[number];

export interface Probed {
  readonly answer: ProbeAnswer;
  /** When the answer came. It says nothing of any later moment. */
  readonly atMs: number;
}

/** The least time between two probes of one key, for everybody together. A probe costs the backend a write. */
export const probeRestMs = 2_000;
