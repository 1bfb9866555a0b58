/** All rows of one source, sorted and bounded. A row that says the same stays the same object. */
import type { Lock, Semaphore, World } from '@/lib/domain/model';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import { withRows } from '@/lib/domain/sorted';
import { same } from '@/lib/domain/world/change';

type Row = Lock | Semaphore;

interface Kept {
  readonly row: Row;
  /** Characters of the row's JSON. */
  readonly length: number;
}

export interface Shelf {
  /** True when the next world differs from the last. */
  readonly changed: boolean;
  /** `null`: the name has no row. Throws `world-too-large` when the rows exceed `bytesMax`. */
  put(name: string, row: Row | null): void;
  world(): World;
}

/** Bytes of a row, and of its name's memory, for each character of its JSON, roughly. */
const bytesEach = 4;

const tooLarge = (bytes: number): Problem => ({
  code: 'unavailable',
  why: { code: 'world-too-large', facts: { bytes } },
});

/** `bytesMax`: the limit of all rows together, roughly. */
export function createShelf(bytesMax: number): Shelf {
  const rows = new Map<string, Kept>();
  let locks: readonly Lock[] = [];
  let semaphores: readonly Semaphore[] = [];
  const changedLocks = new Map<string, Lock | null>();
  const changedSemaphores = new Map<string, Semaphore | null>();
  let bytes = 0;
  const weight = (entry: Kept | undefined) => (entry?.length ?? 0) * bytesEach;

  function remove(name: string, before: Kept | undefined): void {
    if (before === undefined) return;
    rows.delete(name);
    bytes -= weight(before);
    (before.row.kind === 'lock' ? changedLocks : changedSemaphores).set(name, null);
  }

  return {
    get changed() {
      return changedLocks.size + changedSemaphores.size > 0;
    },
    put: (name, row) => {
      const before = rows.get(name);
      if (row === null) {
        remove(name, before);
        return;
      }
      if (before !== undefined && same(before.row, row)) return;
      const entry = { row, length: JSON.stringify(row).length };
      const added = weight(entry) - weight(before);
      if (added > 0 && bytes + added > bytesMax) throw new ProblemError(tooLarge(bytesMax));
      if (before !== undefined && before.row.kind !== row.kind) remove(name, before);
      bytes += weight(entry) - weight(rows.get(name));
      rows.set(name, entry);
      if (row.kind === 'lock') changedLocks.set(name, row);
      else changedSemaphores.set(name, row);
    },
    world: () => {
      locks = withRows(locks, changedLocks, (row) => row.key);
      semaphores = withRows(semaphores, changedSemaphores, (row) => row.prefix);
      changedLocks.clear();
      changedSemaphores.clear();
      return { locks, semaphores, sessions: [], scope: 'whole' };
    },
  };
}
