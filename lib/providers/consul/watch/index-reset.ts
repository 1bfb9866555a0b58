/**
 * When a snapshot of Consul is restored, its indexes fall, and nothing says so. Who waits at that moment is woken, with what there
 * was before and the index of that (`AbandonCh` in Consul's `blockingQuery`); asked to wait on, it would sleep until somebody
 * writes beyond that index, or its wait is over. Who rests at that moment, and then waits with the index that it has, is not even
 * woken. So whoever is woken for nothing tells all others of the same watch: the index that they have may be one of a world
 * that is gone.
 *
 * An agent may also be told to cut all waits short (`max_query_time`). That is learned from two that were cut alike, and no longer
 * waits are asked for then.
 */
export interface Doubts {
  /** Something was woken for nothing, or has found what was restored. Of several within `doubtedMs` only the first is told on. */
  raise(nowMs: number): void;
  /** A beat was missed: any wait that was under way may hang, however old it is, on a connection that nobody answers any more. */
  raiseAll(): void;
  /** Calls `listener` at each doubt, of whomever; `all`: also who waits since long before. Returns what ends that. */
  heed(listener: (all: boolean) => void): () => void;
  /** Two waits of one resource were ended alike, after so many milliseconds, and nothing was behind it. */
  cutAfter(ms: number): void;
  /** No wait is to be longer, in milliseconds. */
  waitMaxMs(): number;
}

/**
 * A wait that began this long before a doubt, or longer, was there before what the doubt is about: longer than any rest is. And
 * who waits by then has asked after it: a restore wakes all at once.
 */
export const doubtedMs = 5_000;
/** Consul ends a wait up to a sixteenth late, so that the one that was measured may be that much longer than the next. */
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
