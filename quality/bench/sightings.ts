/** The time at which patches of a stream show each write. A patch may come before the answer to its write. */
import type { Patch } from '@/lib/domain/world/change';

export interface Write {
  /** The key of a lock, the prefix of a semaphore. */
  readonly name: string;
  /** The index of the write in Consul. */
  readonly index: number;
  readonly sentMs: number;
}

export interface Sightings {
  onPatch(patch: Patch, atMs: number): void;
  /**
   * Adds an answered write. `seen` receives the time of the first patch that shows it, or a later one to the same name.
   */
  written(write: Write, seen: (atMs: number) => void): void;
  /** Writes that no patch has shown yet. */
  unseen(): readonly Write[];
}

/** Names with the index in a patch. */
const indexesIn = ({ put, edit }: Patch): readonly (readonly [string, unknown])[] => [
  ...(put.locks ?? []).map(({ key, modifyIndex }) => [key, modifyIndex] as const),
  ...(put.semaphores ?? []).map(({ prefix, modifyIndex }) => [prefix, modifyIndex] as const),
  ...[...(edit.locks ?? []), ...(edit.semaphores ?? [])].map(
    ({ of, set }) => [of, set?.modifyIndex] as const,
  ),
];

interface Open {
  readonly write: Write;
  readonly seen: (atMs: number) => void;
}

export function createSightings(): Sightings {
  const shown = new Map<string, { index: number; atMs: number }[]>();
  const open = new Map<string, Open[]>();
  return {
    onPatch: (patch, atMs) => {
      for (const [name, modifyIndex] of indexesIn(patch)) {
        const index = Number(modifyIndex);
        // The change is outside its entry.
        if (Number.isNaN(index)) continue;
        shown.set(name, [...(shown.get(name) ?? []), { index, atMs }]);
        const waiting = open.get(name) ?? [];
        for (const { write, seen } of waiting) if (write.index <= index) seen(atMs);
        open.set(
          name,
          waiting.filter(({ write }) => write.index > index),
        );
      }
    },
    written: (write, seen) => {
      const first = shown.get(write.name)?.find(({ index }) => index >= write.index);
      if (first !== undefined) seen(first.atMs);
      else open.set(write.name, [...(open.get(write.name) ?? []), { write, seen }]);
    },
    unseen: () => [...open.values()].flat().map(({ write }) => write),
  };
}
