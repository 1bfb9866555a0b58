/**
 * The sessions that this process asked Consul to end. Once a session and its key are gone, the rows do not show whether
 * it was ended under its holder, which begins a lock-delay, or given up after a release: `consul lock` deletes its key
 * either way.
 */

export interface Ends {
  /** Call it before the request: the watch may see the end before its answer comes. */
  add(id: string): void;
  /** Consul refused, or the session was seen alive afterwards. */
  remove(id: string): void;
  has(id: string): boolean;
}

/** Longer than an end takes to show. */
const keptMs = 60_000;
const endsMax = 10_000;

/** `now` in milliseconds of any clock. */
export function createEnds(now: () => number): Ends {
  const atMs = new Map<string, number>();
  return {
    add: (id) => {
      for (const [old, ms] of atMs) {
        if (now() - ms < keptMs && atMs.size < endsMax) break;
        atMs.delete(old);
      }
      atMs.set(id, now());
    },
    remove: (id) => void atMs.delete(id),
    has: (id) => now() - (atMs.get(id) ?? Number.NEGATIVE_INFINITY) < keptMs,
  };
}
