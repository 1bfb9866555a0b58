/**
 * Names that are none of ours, and when each was read last. They come in two halves: a name that is met again moves to the younger
 * one, and when that is full the elder one is forgotten, so that names that are gone leave, and those that are there stay.
 */

export interface Others {
  /** When it was read, epoch milliseconds; `undefined`: it is not known to be another's. */
  readMs(name: string): number | undefined;
  /** It was read, and is none of ours. */
  add(name: string, nowMs: number): void;
  /** Whether it is known, now that it was met again. */
  met(name: string): boolean;
  delete(name: string): void;
  clear(): void;
}

/** `halfMax`: as many stay for sure; half of what there is room for. */
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
