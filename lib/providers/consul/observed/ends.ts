/**
 * The sessions that this process asked Consul to end. Of a key whose session has gone, and which has gone itself, the rows do
 * not tell whether the session was ended under its holder, which begins a lock-delay, or was given up after a release, which
 * does not: `consul lock` deletes its key either way. Of these it is known.
 */

export interface Ends {
  /** Before it is asked for: the watch may see the end sooner than its answer comes. */
  add(id: string): void;
  /** It was refused, or the session was seen to live on. */
  remove(id: string): void;
  has(id: string): boolean;
}

/** Longer than an end takes to be seen, however slow Consul is. */
const keptMs = 60_000;
/** As many as anybody could want to end in that time. */
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
