/**
 * The sessions that this process asked Consul to end. Once session and key are gone, the rows do not show the cause.
 * Either the session ended under its holder, which begins a lock-delay, or after a release. `consul lock` deletes its
 * key in both cases.
 */

export interface Ends {
  /** Call this before the request, because the watch may see the end before the answer. */
  add(id: string): void;
  /** Call this when Consul refused, or when the session was seen alive afterwards. */
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
