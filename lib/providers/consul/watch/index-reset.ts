/**
 * After a snapshot is restored, Consul's indexes fall without notice. A query waiting at that moment is woken with the
 * old data and the old index (`AbandonCh` in Consul's `blockingQuery`). Waiting on with that index would sleep until a
 * write passes it or the wait ends. A query resting at that moment, which then waits with its old index, is not even
 * woken. So a query woken for nothing warns all others of its watch: their indexes may belong to the state before the
 * restore.
 *
 * An agent may also cut all waits short (`max_query_time`). Two waits cut alike reveal that limit, and later waits stay
 * below it.
 */
export interface Doubts {
  /**
   * A query was woken for nothing, or found restored data. Within `doubtedMs` only the first call notifies the others.
   */
  raise(nowMs: number): void;
  /** A beat was missed. Any wait under way, however old, may hang on a dead connection. */
  raiseAll(): void;
  /** Calls `listener` at each doubt; `all`: long waits are in doubt, too. Returns the function that removes it. */
  heed(listener: (all: boolean) => void): () => void;
  /** Two waits of one resource ended alike after `ms`, without a cause. */
  cutAfter(ms: number): void;
  /** Longest wait to ask for, in milliseconds. */
  waitMaxMs(): number;
}

/**
 * A wait that began this long before a doubt, longer than any rest, precedes its cause. It needs no doubt: a restore
 * wakes every query that waits.
 */
export const doubtedMs = 5_000;
/** Consul ends a wait up to a sixteenth late, so the next one may be shorter than the measured one. */
const shareOfCut = 0.9;

export function createDoubts(): Doubts {
  const listeners = new Set<(all: boolean) => void>();
  let raisedAtMs = Number.NEGATIVE_INFINITY;
  let waitMaxMs = Number.POSITIVE_INFINITY;
  return {
    raise: (nowMs) => {
      if (Math.abs(nowMs - raisedAtMs) < doubtedMs) return;
      raisedAtMs = nowMs;
      for (const listener of [...listeners]) listener(false);
    },
    raiseAll: () => {
      for (const listener of [...listeners]) listener(true);
    },
    heed: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    cutAfter: (ms) => {
      waitMaxMs = Math.min(waitMaxMs, Math.round(ms * shareOfCut));
    },
    waitMaxMs: () => waitMaxMs,
  };
}
