/**
 * A semaphore as read at one moment: who holds, who waits, how much is free. Pure.
 *
 * Authority: api/semaphore.go. `findLock` refuses foreign flags, `pruneDeadHolders` says who is alive: a holder whose
 * session locks ANY key that the prefix lists. The prefix is a string prefix there, so `a` also lists `a-b/...`; the
 * rule is mirrored to the letter, because two clients that judge differently would each admit someone. Under other flags
 * the clients may have rules of their own, and keep a holder in the record alone: see `ghost-rule.ts`.
 */

import { z } from 'zod';
import { ProblemError } from '@/lib/domain/problem';
import type { Row } from '@/lib/providers/consul/client/wire';
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
  readonly row: Row;
  /** `null`: another client's. */
  readonly note: ContenderNote | null;
}

/** One acquire of ours that still waits. */
export interface Waiting {
  readonly group: string;
  readonly n: number;
  /** Its first entry, to watch. */
  readonly entry: Row;
}

export interface Slots {
  readonly key: string;
  /** To compare with; `0` creates. */
  readonly index: string;
  /** As found, or as a new one is written. */
  readonly flags: string;
  readonly shape: 'map' | 'list';
  /** `null`: there is no coordination entry yet, so nobody has said. */
  readonly limit: number | null;
  /**
   * Recorded holders. Under Go's flags, by whether their session locks anything under the prefix; under other flags one that
   * locks nothing is dead only where its session is known to have ended.
   */
  readonly live: readonly string[];
  readonly dead: readonly string[];
  /** Of the living, those that may be dead: their sessions are there, for all that is known. */
  readonly inDoubt: readonly string[];
  /** In order of arrival. */
  readonly contenders: readonly Contender[];
  readonly coordination: Coordination | null;
  /** The coordination entry; `null` where there is none. */
  readonly row: Row | null;
}

const conflict = (detail: string) => new ProblemError({ code: 'conflict-in-use', detail });

/** Numbers above 2^53 do not occur in practice, but an index is text: longer is later. */
function byIndex(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * Reads the rows under `prefix`. `shape` is that of a semaphore that does not exist yet. `ended`: sessions of which it is
 * known, by what was read after the rows. Throws a `ProblemError` of
 * code `conflict-in-use` when the coordination entry is a lock, has foreign flags, or is not understood in full.
 */
export function readSlots(
  prefix: string,
  rows: readonly Row[],
  shape: 'map' | 'list' = 'map',
  ended: ReadonlySet<string> = new Set(),
): Slots {
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

function readOwn(row: Row): Coordination | null {
  if (row.session !== null) throw conflict(`${row.key} is a lock, not a semaphore.`);
  // Flags 0 are those of the list layout and of the HashiCorp guide, whatever shape its reader chose.
  if (row.flags !== semaphoreFlags && row.flags !== '0')
    throw conflict(`The key ${row.key} is not used as a semaphore.`);
  // `decodeLock` in api/semaphore.go takes an empty value for a semaphore without holders.
  if (row.value.length === 0 && row.flags === semaphoreFlags) return null;
  const { coordination, problems } = readCoordination(row.value);
  if (coordination === null || coordination.limit < 1)
    throw conflict(`${row.key} cannot be understood (${problems.map((p) => p.code).join(', ')}).`);
  return coordination;
}

/** Slots that are free, once the dead are pruned; 0 or more. */
export function freeSlots({ live }: Slots, limit: number): number {
  return Math.max(0, limit - live.length);
}

/** The coordination entry with these holders and this limit, in the shape that it has. */
export function writeSlots(
  { coordination, shape }: Slots,
  limit: number,
  holders: readonly string[],
): Buffer {
  return coordination === null
    ? newCoordination(shape, limit, holders)
    : editCoordination(coordination, { holders, ...(coordination.limit === limit ? {} : { limit }) });
}

/** Contenders that do not hold, foreign ones included, in order of arrival. */
export function waiters({ contenders, live }: Slots): Contender[] {
  const holding = new Set(live);
  return contenders.filter((c) => !holding.has(c.session));
}

/** Whether a client of another library waits, or anybody in the list layout, whose entries say nothing. */
export function waitsOutside(slots: Slots): boolean {
  return waiters(slots).some(({ note }) => note === null);
}

/** Our clients' acquires that still wait, in order of arrival. Empty in the list layout, whose entries say nothing. */
export function queue(slots: Slots): Waiting[] {
  const groups = new Map<string, Waiting>();
  for (const { note, row } of waiters(slots))
    if (note?.state === 'waiting' && !groups.has(note.group))
      groups.set(note.group, { group: note.group, n: note.n, entry: row });
  return [...groups.values()];
}

/**
 * One acquire wants `n` slots with `n` sessions: a group, all or nothing. Other clients ignore the value of a contender
 * entry, and ours take one that they cannot read for a foreign contender of one slot.
 */
const noteSchema = z.object({
  v: z.literal(1),
  /** The group's first session. */
  group: z.string(),
  n: z.int().min(1),
  /** Written anew in the same transaction that takes the slots, which wakes the next in the queue. */
  state: z.enum(['waiting', 'holding']),
  /** For people: who this is. */
  owner: z.string(),
  /** Epoch milliseconds at which the acquire began. */
  since: z.number(),
  /** Epoch milliseconds at which the lease ends, for a permit with a lease. */
  leaseUntil: z.number().optional(),
});

export type ContenderNote = z.infer<typeof noteSchema>;

/** `null` for anything that is not ours. Never throws. */
export function readNote(value: Buffer): ContenderNote | null {
  try {
    return noteSchema.safeParse(JSON.parse(value.toString('utf8'))).data ?? null;
  } catch {
    return null;
  }
}

/** The value of a contender entry: JSON in UTF-8, which `readNote` gives back. */
export function writeNote(note: ContenderNote): Buffer {
  return Buffer.from(JSON.stringify(note), 'utf8');
}
