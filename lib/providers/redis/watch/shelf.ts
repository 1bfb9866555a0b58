/** All rows of one source, as worlds: sorted, bounded, and the same objects while they say the same. */
import type { Lock, Semaphore, World } from '@/lib/domain/model';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import { rowName, type SourceId } from '@/lib/domain/source';

type Row = Lock | Semaphore;

interface Kept {
  readonly stamp: string;
  readonly row: Row;
}

export interface Shelf {
  readonly size: number;
  /** Whether the next world is another one. */
  readonly changed: boolean;
  /** `null`: the name has no row. Throws `world-too-large` where there is no more room. */
  put(name: string, row: Row | null): void;
  world(): World;
  clear(): void;
}

/** About the weight of a row beside its text. */
const rowBytes = 400;

export const tooLarge = (bytes: number): Problem => ({
  code: 'unavailable',
  why: { code: 'world-too-large', facts: { bytes } },
});

/** `bytesMax`: of all rows together, roughly. */
export function createShelf(source: SourceId, bytesMax: number): Shelf {
  const rows = new Map<string, Kept>();
  let bytes = 0;
  let locksChanged = true;
  let semaphoresChanged = true;
  let locks: readonly Lock[] = [];
  let semaphores: readonly Semaphore[] = [];

  const mark = (row: Row) => {
    if (row.kind === 'lock') locksChanged = true;
    else semaphoresChanged = true;
  };
  const weight = ({ stamp }: Kept) => stamp.length + rowBytes;

  /** In code unit order, as every list of rows. */
  function sorted<R extends Row>(of: (row: Row) => row is R): readonly R[] {
    const found: { readonly name: string; readonly row: R }[] = [];
    for (const [name, { row }] of rows) if (of(row)) found.push({ name: rowName(source, name), row });
    return found.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ row }) => row);
  }

  return {
    get size() {
      return rows.size;
    },
    get changed() {
      return locksChanged || semaphoresChanged;
    },
    put: (name, row) => {
      const before = rows.get(name);
      if (row === null) {
        if (before === undefined) return;
        rows.delete(name);
        bytes -= weight(before);
        mark(before.row);
        return;
      }
      const kept = { stamp: JSON.stringify(row), row };
      if (before?.stamp === kept.stamp) return;
      bytes += weight(kept) - (before === undefined ? 0 : weight(before));
      if (bytes > bytesMax) {
        bytes -= weight(kept) - (before === undefined ? 0 : weight(before));
        throw new ProblemError(tooLarge(bytesMax));
      }
      rows.set(name, kept);
      if (before !== undefined) mark(before.row);
      mark(row);
    },
    world: () => {
      if (locksChanged) locks = sorted((row): row is Lock => row.kind === 'lock');
      if (semaphoresChanged) semaphores = sorted((row): row is Semaphore => row.kind === 'semaphore');
      locksChanged = false;
      semaphoresChanged = false;
      return { locks, semaphores, sessions: [], scope: 'whole' };
    },
    clear: () => {
      rows.clear();
      bytes = 0;
      locksChanged = true;
      semaphoresChanged = true;
    },
  };
}
