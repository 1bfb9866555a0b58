/** The rows of a board that a reader sees. */

import { subjectId } from '@/lib/domain/model';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type BoardRow, rowsOf } from '@/lib/view/board-rows';

/** A frame is no place for thousands. */
export const rowsMax = 60;

const inOrder = (a: BoardRow, b: BoardRow) => a.urgency - b.urgency || (a.name < b.name ? -1 : 1);

export function rowsInOrder(snapshot: Pick<Snapshot, 'locks' | 'semaphores' | 'findings'>): BoardRow[] {
  return [...rowsOf(snapshot)].sort(inOrder);
}

/** The first paint's part of a snapshot. `unsent`: rows that the stream brings. */
export function firstOf(snapshot: Snapshot): { readonly initial: Snapshot; readonly unsent: number } {
  const rows = rowsInOrder(snapshot);
  const ids = new Set(rows.slice(0, rowsMax).map(({ id }) => id));
  return {
    initial: {
      ...snapshot,
      sessions: [],
      locks: snapshot.locks.filter((lock) => ids.has(subjectId(lockSubject(lock)))),
      semaphores: snapshot.semaphores.filter((one) => ids.has(subjectId(semaphoreSubject(one)))),
    },
    unsent: Math.max(0, rows.length - rowsMax),
  };
}
