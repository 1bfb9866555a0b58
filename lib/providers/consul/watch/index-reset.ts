/**
 * Shares doubts about indexes among the queries of one watch. After a snapshot is restored, Consul's indexes fall
 * without notice. Consul wakes a waiting query with the old data and the old index (`AbandonCh` in its
 * `blockingQuery`). A further wait with that index lasts until a write passes it. A query at rest is not even woken. So
 * a query woken without news warns all others.
 *
 * An agent may also cut all waits short (`max_query_time`). Two waits cut alike reveal that limit, and later waits stay
 * below it.
 */
export interface IndexResets {
  /** A query was woken without news, or found restored data. Within `doubtedMs` only the first call notifies. */
  raise(nowMs: number): void;
  /** A beat was missed. Any wait may hang on a dead connection. */
  raiseAll(): void;
  /** Calls `listener` at each doubt. `all`: long waits are in doubt, too. The returned function removes the listener. */
  onDoubt(listener: (all: boolean) => void): () => void;
  /** Two waits of one resource ended alike after `ms`, without a cause. */
  cutAfter(ms: number): void;
  /** The longest wait that an agent does not cut, as far as is known. */
  waitMaxMs(): number;
}

/** A wait that is older than this is not in doubt, because a restore would have woken it. */
export const doubtedMs = 5_000;
/** Consul ends a wait up to a sixteenth late, so the next one may be shorter than the measured one. */
const shareOfCut = 0.9;

export function createDoubts(): IndexResets {
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
    onDoubt: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    cutAfter: (ms) => {
      waitMaxMs = Math.min(waitMaxMs, Math.round(ms * shareOfCut));
    },
    waitMaxMs: () => waitMaxMs,
  };
}
