/**
 * When a snapshot of Consul is restored, its indexes fall, and nothing says so. Who waits at that moment is woken, with what there
 * was before and the index of that (`AbandonCh` in Consul's `blockingQuery`); asked to wait on, it would sleep until somebody
 * writes beyond that index, or its wait is over. Who rests at that moment, and then waits with the index that it has, is not even
 * woken. So whoever is woken for nothing tells all others of the same watch: the index that they have may be one of a world
 * that is gone.
 */
export interface Doubts {
  /** Something was woken for nothing. */
  raise(): void;
  /** Calls `listener` at each doubt, of whomever. Returns what ends that. */
  heed(listener: () => void): () => void;
}

export function createDoubts(): Doubts {
  const listeners = new Set<() => void>();
  return {
    raise: () => {
      for (const listener of [...listeners]) listener();
    },
    heed: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
