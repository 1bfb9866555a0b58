'use client';
/** A frozen page: its moment, and how much has changed since. */
import { createContext, use } from 'react';
import { lockName, semaphoreName, sessionName } from '@/lib/domain/subject';
import { same } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';

export interface Frozen {
  /** The instant in the address: when the view was frozen. */
  readonly askedMs: number;
  /** The time at which this tab read the data. It differs from `askedMs` when the link came from elsewhere. */
  readonly takenMs: number;
  readonly snapshot: Snapshot;
}

export interface Freeze {
  readonly frozen: Frozen | null;
  /** The instant that the board shows from the history, epoch milliseconds; `NaN`: the address names none. `null`: the present. */
  readonly pastMs: number | null;
  readonly toggle: () => void;
  /** Goes to an instant of the past, or back to the present. */
  readonly go: (atMs: number | null) => void;
}

export const FreezeContext = createContext<Freeze>({
  frozen: null,
  pastMs: null,
  toggle: () => {},
  go: () => {},
});

export function useFreeze(): Freeze {
  return use(FreezeContext);
}

/** The moment of this page; `null` when it shows the present. */
export function useFrozen(): Frozen | null {
  return use(FreezeContext).frozen;
}

/** Nothing may be done from a page that does not show the present. */
export function useStopped(): boolean {
  const { frozen, pastMs } = useFreeze();
  return frozen !== null || pastMs !== null;
}

/** Most moments that a tab keeps, so that going back to a frozen page finds it as it was. */
const momentsMax = 3;

/** The frozen moments of this tab. They end with the tab, because the past is stored nowhere. */
export class Moments {
  private readonly moments = new Map<number, Frozen>();

  /** The moment of that name; the first call takes it. */
  of(askedMs: number, take: () => Omit<Frozen, 'askedMs'>): Frozen {
    const known = this.moments.get(askedMs);
    if (known !== undefined) return known;
    const moment = { askedMs, ...take() };
    this.moments.set(askedMs, moment);
    for (const oldest of this.moments.keys()) {
      if (this.moments.size <= momentsMax) break;
      this.moments.delete(oldest);
    }
    return moment;
  }
}

type Table = 'locks' | 'semaphores' | 'sessions';
/** With the source: two sources may have a row of one key, prefix or id. */
const nameOf = { locks: lockName, semaphores: semaphoreName, sessions: sessionName };

function changedIn(table: Table, before: Snapshot, now: Snapshot): number {
  if (before[table] === now[table]) return 0;
  const name = nameOf[table] as (row: unknown) => string;
  const known = new Map<string, unknown>(before[table].map((row) => [name(row), row]));
  let changed = 0;
  for (const row of now[table]) {
    const id = name(row);
    // Rows outside a patch keep their identity; after a whole snapshot their content decides.
    const was = known.get(id);
    if (was === undefined || !same(was, row)) changed += 1;
    known.delete(id);
  }
  return changed + known.size;
}

/** The number of locks, semaphores and sessions that were added, removed or changed. */
export function changesSince(before: Snapshot, now: Snapshot): number {
  return (['locks', 'semaphores', 'sessions'] as const).reduce(
    (sum, table) => sum + changedIn(table, before, now),
    0,
  );
}
