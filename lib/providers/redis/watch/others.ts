/**
 * Names that are none of ours, and when each was last read. A name that is met again moves to the younger of two
 * halves. When that half is full, the elder is forgotten. So names that are gone leave, and the others stay.
 */

export interface Others {
  /** When the name was read, epoch milliseconds; `undefined`: not known. */
  readMs(name: string): number | undefined;
  /** Adds a name that was read, and is none of ours. */
  add(name: string, nowMs: number): void;
  /** True when the name is known. Keeps it young. */
  met(name: string): boolean;
  delete(name: string): void;
  clear(): void;
}

/** `halfMax`: this many names stay for sure, half of the room. */
export function createOthers(halfMax: number): Others {
  let recent = new Map<string, number>();
  let earlier = new Map<string, number>();
  const add = (name: string, nowMs: number) => {
    if (recent.size >= halfMax && !recent.has(name)) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(name, nowMs);
  };
  const readMs = (name: string) => recent.get(name) ?? earlier.get(name);
  return {
    readMs,
    add,
    met: (name) => {
      const atMs = readMs(name);
      if (atMs === undefined) return false;
      if (!recent.has(name)) add(name, atMs);
      return true;
    },
    delete: (name) => {
      recent.delete(name);
      earlier.delete(name);
    },
    clear: () => {
      recent.clear();
      earlier.clear();
    },
  };
}
