/** Turns the contents of the file into locks and semaphores. Pure; never throws. */
import type { Holder, Lock, Party, Semaphore, StoredValue, Waiter, World } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import type { LockRef, SemaphoreRef } from '@/lib/domain/subject';
import { fact } from '@/lib/domain/verdict';
import type { Contents, FileHolder, FileLock, FileSemaphore, FileWaiter } from './file';

const valueLengthMax = 4_096;
const unknownExpiry = { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null } as const;

function stored(entry: unknown): StoredValue {
  const content = JSON.stringify(entry, null, 2);
  return {
    encoding: 'text',
    content: content.slice(0, valueLengthMax),
    bytes: Buffer.byteLength(content),
    truncated: content.length > valueLengthMax,
  };
}

const party = ({ id, name, sinceMs }: FileWaiter): Party => ({
  sessionId: id,
  session: null,
  verdict: 'unknown',
  evidence: [],
  since: { atMs: sinceMs, basis: 'value' },
  expiry: unknownExpiry,
  value: null,
  label: name || id,
});

const holder = (of: FileHolder): Holder => ({
  ...party(of),
  verdict: 'alive',
  evidence: [fact('lease-runs', null, of.leaseUntilMs)],
  expiry: { ...unknownExpiry, kind: 'lease', latestMs: of.leaseUntilMs },
});

const waiters = (queue: readonly FileWaiter[]): readonly Waiter[] => queue.map(party);

/** By the file's own rule, a holder with an ended lease holds nothing. */
export const holds = ({ leaseUntilMs }: FileHolder, nowMs: number): boolean => leaseUntilMs > nowMs;

export function lockOf({ source, key }: LockRef, entry: FileLock, nowMs: number): Lock {
  const current = entry.holder !== null && holds(entry.holder, nowMs) ? holder(entry.holder) : null;
  return {
    kind: 'lock',
    source,
    key,
    layout: 'stand-in-lock',
    state: current === null ? 'free' : 'held',
    holder: current,
    waiters: waiters(entry.queue),
    delayedUntilMs: null,
    delay: null,
    exists: true,
    turnover: null,
    value: stored(entry),
    details: [],
    leftBehind: null,
  };
}

export function semaphoreOf(
  { source, prefix }: SemaphoreRef,
  entry: FileSemaphore,
  nowMs: number,
): Semaphore {
  const holders = entry.holders.filter((one) => holds(one, nowMs)).map(holder);
  return {
    kind: 'semaphore',
    source,
    prefix,
    layout: 'stand-in-semaphore',
    limit: entry.limit,
    recorded: holders.length,
    effective: holders.length,
    holders,
    waiters: waiters(entry.queue),
    leftovers: [],
    turnover: null,
    problems: [],
    value: stored(entry),
  };
}

/** The end of the next lease, after which the same file makes another world. `null`: no lease runs. */
export function nextEndMs({ locks, semaphores }: Contents, nowMs: number): number | null {
  const holders = [
    ...Object.values(locks).flatMap(({ holder }) => holder ?? []),
    ...Object.values(semaphores).flatMap((one) => one.holders),
  ];
  const ends = holders.map(({ leaseUntilMs }) => leaseUntilMs).filter((endMs) => endMs > nowMs);
  return ends.length === 0 ? null : Math.min(...ends);
}

interface Kept<R> {
  readonly stamp: string;
  readonly row: R;
}

/** Makes rows by name, in code unit order. An unchanged row stays the same object, and so does an unchanged list. */
function keeping<E, R>(rowOf: (name: string, entry: E, nowMs: number) => R) {
  let previous = new Map<string, Kept<R>>();
  let rows: readonly R[] = [];
  return (entries: Readonly<Record<string, E>>, nowMs: number): readonly R[] => {
    const now = new Map<string, Kept<R>>();
    for (const name of Object.keys(entries).sort()) {
      const row = rowOf(name, entries[name] as E, nowMs);
      const stamp = JSON.stringify(row);
      const before = previous.get(name);
      now.set(name, before?.stamp === stamp ? before : { stamp, row });
    }
    const next = [...now.values()].map(({ row }) => row);
    previous = now;
    if (next.length !== rows.length || next.some((row, i) => row !== rows[i])) rows = next;
    return rows;
  };
}

/** Turns the contents of one file into worlds, one after another. */
export function createRecogniser(source: SourceId): (contents: Contents, nowMs: number) => World {
  const locks = keeping<FileLock, Lock>((key, entry, nowMs) => lockOf({ source, key }, entry, nowMs));
  const semaphores = keeping<FileSemaphore, Semaphore>((prefix, entry, nowMs) =>
    semaphoreOf({ source, prefix }, entry, nowMs),
  );
  return (contents, nowMs) => ({
    locks: locks(contents.locks, nowMs),
    semaphores: semaphores(contents.semaphores, nowMs),
    sessions: [],
    scope: 'whole',
  });
}
