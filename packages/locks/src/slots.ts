/**
 * Reads a semaphore at one moment: holders, waiters, free slots. Pure.
 *
 * Authority: api/semaphore.go. `findLock` refuses foreign flags. By `pruneDeadHolders` a holder is alive when its
 * session locks ANY key that the prefix lists. It is a string prefix, so `a` also lists `a-b/...`. This mirrors the
 * rule to the letter, because two clients that judge differently would each admit one. Under other flags a holder may
 * be in the record alone (`ghost-rule.ts`).
 */

import { z } from 'zod';
import { ProblemError } from '@/lib/domain/problem';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import {
  type Coordination,
  coordinationName,
  editCoordination,
  isSessionId,
  newCoordination,
  readCoordination,
  semaphoreFlags,
} from '@/lib/providers/consul/rows/coordination';
import { ghostDoubt } from '@/lib/providers/consul/rows/ghost-rule';

export interface Contender {
  readonly key: string;
  readonly session: string;
  readonly row: KvRow;
  /** `null` for another client. */
  readonly note: ContenderNote | null;
}

/** One waiting acquire of our clients. */
export interface Waiting {
  readonly group: string;
  readonly n: number;
  /** Its first entry, for the next one to watch. */
  readonly entry: KvRow;
}

export interface SemaphoreState {
  readonly key: string;
  /** The index for comparison; `0` creates the entry. */
  readonly index: string;
  /** The flags as found, or as a new entry gets them. */
  readonly flags: string;
  readonly shape: 'map' | 'list';
  /** `null`: there is no coordination entry yet. */
  readonly limit: number | null;
  /**
   * Recorded holders. Under Go's flags those whose session locks any key under the prefix. Under other flags all but
   * those whose session has certainly ended.
   */
  readonly live: readonly string[];
  readonly dead: readonly string[];
  /** Live holders that may be dead. As far as is known, their sessions exist. */
  readonly inDoubt: readonly string[];
  /** The contender entries in order of arrival. */
  readonly contenders: readonly Contender[];
  readonly coordination: Coordination | null;
  /** `null`: there is no coordination entry. */
  readonly row: KvRow | null;
}

const conflict = (detail: string) => new ProblemError({ code: 'conflict-in-use', detail });

/** Compares indexes as text: a longer one is later. */
function byIndex(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * Reads the rows under `prefix`. `shape`: for a new semaphore. `ended`: sessions known to have ended, read after the
 * rows. Throws a `ProblemError` of code `conflict-in-use` when the coordination entry is a lock, has foreign flags, or
 * is not fully understood.
 */
export function readSlots(
  prefix: string,
  rows: readonly KvRow[],
  shape: 'map' | 'list' = 'map',
  ended: ReadonlySet<string> = new Set(),
): SemaphoreState {
  const key = `${prefix}/${coordinationName}`;
  const row = rows.find((r) => r.key === key) ?? null;
  const coordination = row === null ? null : readOwn(row);
  const locking = new Set(rows.flatMap((r) => (r.session === null ? [] : [r.session])));
  const holders = [...new Set(coordination?.holders ?? [])];
  const found = coordination?.shape ?? shape;
  const isLive = (id: string) =>
    locking.has(id) || ghostDoubt(row?.flags, id, (session) => !ended.has(session)) !== null;
  const live = holders.filter(isLive);
  return {
    key,
    index: row?.modifyIndex ?? '0',
    flags: row?.flags ?? (found === 'map' ? semaphoreFlags : '0'),
    shape: found,
    limit: coordination?.limit ?? null,
    live,
    dead: holders.filter((id) => !isLive(id)),
    inDoubt: live.filter((id) => !locking.has(id) && isSessionId(id)),
    contenders: rows
      .flatMap((r) => {
        const direct = r.key.startsWith(`${prefix}/`) && !r.key.slice(prefix.length + 1).includes('/');
        return direct && r.key !== key && r.session !== null
          ? [{ key: r.key, session: r.session, row: r, note: readNote(r.value) }]
          : [];
      })
      .sort((a, b) => byIndex(a.row.createIndex, b.row.createIndex) || (a.key < b.key ? -1 : 1)),
    coordination,
    row,
  };
}

function readOwn(row: KvRow): Coordination | null {
  if (row.session !== null) throw conflict(`${row.key} is a lock, not a semaphore.`);
  // Flags 0 belong to the list layout and to the HashiCorp guide, in any shape.
  if (row.flags !== semaphoreFlags && row.flags !== '0')
    throw conflict(`The key ${row.key} is not used as a semaphore.`);
  // `decodeLock` in api/semaphore.go takes an empty value for a semaphore without holders.
  if (row.value.length === 0 && row.flags === semaphoreFlags) return null;
  const { coordination, problems } = readCoordination(row.value);
  if (coordination === null || coordination.limit < 1)
    throw conflict(`${row.key} cannot be understood (${problems.map((p) => p.code).join(', ')}).`);
  return coordination;
}

/** Free slots after a prune of the dead; 0 or more. */
export function freeSlots({ live }: SemaphoreState, limit: number): number {
  return Math.max(0, limit - live.length);
}

/** The coordination entry with these holders and this limit, in its present shape. */
export function writeSlots(
  { coordination, shape }: SemaphoreState,
  limit: number,
  holders: readonly string[],
): Buffer {
  return coordination === null
    ? newCoordination(shape, limit, holders)
    : editCoordination(coordination, { holders, ...(coordination.limit === limit ? {} : { limit }) });
}

/** Contenders that do not hold, foreign ones included, in order of arrival. */
export function waiters({ contenders, live }: SemaphoreState): Contender[] {
  const holding = new Set(live);
  return contenders.filter((c) => !holding.has(c.session));
}

/** True when a client of another library waits, or any client in the list layout, whose entries have no note. */
export function waitsOutside(slots: SemaphoreState): boolean {
  return waiters(slots).some(({ note }) => note === null);
}

/** The waiting acquires of our clients, in order of arrival. Empty in the list layout, whose entries have no note. */
export function queue(slots: SemaphoreState): Waiting[] {
  const groups = new Map<string, Waiting>();
  for (const { note, row } of waiters(slots))
    if (note?.state === 'waiting' && !groups.has(note.group))
      groups.set(note.group, { group: note.group, n: note.n, entry: row });
  return [...groups.values()];
}

/**
 * One acquire takes `n` slots with `n` sessions, or none. Other clients ignore the value of a contender entry, and ours
 * treat an unreadable one as a foreign contender of one slot.
 */
const noteSchema = z.object({
  v: z.literal(1),
  /** The first session of the group. */
  group: z.string(),
  n: z.int().min(1),
  /** The transaction that takes the slots writes this again, which wakes the next in the queue. */
  state: z.enum(['waiting', 'holding']),
  /** The name for people. */
  owner: z.string(),
  /** Epoch milliseconds at which the acquire began. */
  since: z.number(),
  /** End of the lease in epoch milliseconds, for a permit with a lease. */
  leaseUntil: z.number().optional(),
});

export type ContenderNote = z.infer<typeof noteSchema>;

/** The note of our own client; `null` for any other value. Never throws. */
export function readNote(value: Buffer): ContenderNote | null {
  try {
    return noteSchema.safeParse(JSON.parse(value.toString('utf8'))).data ?? null;
  } catch {
    return null;
  }
}

/** JSON in UTF-8, which `readNote` reads. */
export function writeNote(note: ContenderNote): Buffer {
  return Buffer.from(JSON.stringify(note), 'utf8');
}
