/**
 * Names that were seen. The server removes an empty container within a minute or two, so that a lock nobody wants vanishes
 * together with its name: that is an idle lock, and no error.
 */
import type { Lock, Semaphore, World } from '@/lib/domain/model';
import { withRows } from '@/lib/domain/sorted';
import { lockName, semaphoreName } from '@/lib/domain/subject';

/** For how long a name is listed with nobody there. */
const rememberedMs = 60 * 60_000;
const namesMax = 10_000;

interface Idle<R> {
  readonly row: R;
  readonly sinceMs: number;
}

const idleLock = ({ readers, waitingClients, ...lock }: Lock): Lock => ({
  ...lock,
  state: 'free',
  holder: null,
  waiters: [],
  value: null,
  details: [],
});

const idleSemaphore = ({ waitingClients, ...semaphore }: Semaphore): Semaphore => ({
  ...semaphore,
  recorded: 0,
  effective: 0,
  holders: [],
  waiters: [],
  leftovers: [],
  problems: [],
  value: null,
});

function remembering<R>(nameOf: (row: R) => string, idleOf: (row: R) => R) {
  let known = new Map<string, Idle<R>>();
  let last: readonly R[] = [];
  return (rows: readonly R[], nowMs: number): readonly R[] => {
    const present = new Set(rows.map(nameOf));
    for (const row of last) {
      const name = nameOf(row);
      if (!present.has(name)) known.set(name, { row: idleOf(row), sinceMs: nowMs });
    }
    last = rows;
    const idle = [...known].filter(
      ([name, { sinceMs }]) => !present.has(name) && nowMs - sinceMs < rememberedMs,
    );
    // The oldest are forgotten first.
    known = new Map(idle.slice(-namesMax));
    return withRows(rows, new Map([...known].map(([name, { row }]) => [name, row])), nameOf);
  };
}

/** Adds idle rows for what was in the worlds before this one. */
export function createMemory(): (world: World, nowMs: number) => World {
  const locks = remembering<Lock>(lockName, idleLock);
  const semaphores = remembering<Semaphore>(semaphoreName, idleSemaphore);
  return (world, nowMs) => ({
    ...world,
    locks: locks(world.locks, nowMs),
    semaphores: semaphores(world.semaphores, nowMs),
  });
}
