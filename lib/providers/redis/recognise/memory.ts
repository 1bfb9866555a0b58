/** Carries the knowledge of a name from one reading to the next. Pure: each step makes another memory. */

import { isSameThread, redissonIdOf } from '@/lib/providers/redis/client/names';
import type { NameRead } from '@/lib/providers/redis/client/reading';
import { type Form, formOf, type Told } from './form';
import { type Hold, type HoldRead, holdOf } from './lease';
import { noSleep, type Sleep, sleepAfter } from './unwoken';

export interface Memory {
  readonly read: NameRead;
  /** The form at the last reading that showed it. */
  readonly form: Form;
  /** The present holds. Empty when the name is free, or never shows holders. */
  readonly holds: ReadonlyMap<string, Hold>;
  /** When each waiter in the queue was first seen. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** When a hold was last seen, epoch milliseconds; `null`: never. */
  readonly heldMs: number | null;
  readonly sleep: Sleep;
  /** The holder that Signalbox removed, while its thread holds this name, too; `null`: none. */
  readonly taken: Taken | null;
}

/** A holder that Signalbox removed from a lock. */
export interface Taken {
  readonly name: string;
  readonly holder: string;
  readonly atMs: number;
}

/** The subscribers of a name's channels. */
export interface Audience {
  /** Clients that wait on the name's own channel; `null`: those of another database may be among them. */
  readonly clients: number | null;
  /** Since when each waiter of a fair lock has no subscriber on its channel; `null`: it has one. */
  readonly silentSinceMs: ReadonlyMap<string, number | null>;
  readonly atMs: number;
}

interface HeldRead extends HoldRead {
  readonly id: string;
}

const countOf = (text: string): number => {
  const count = Number(text);
  return /^\d{1,15}$/.test(text) && count > 0 ? count : 1;
};

function readerOf(read: NameRead, id: string, count: number): HeldRead[] {
  const hold = read.readHolds.get(id);
  switch (hold?.state) {
    case 'over':
      // This hold is over, and another reader keeps the hash.
      return [];
    case 'endless':
      return [{ id, count, ttlMs: null, token: null }];
    case 'runs':
      return [{ id, count, ttlMs: hold.ttlMs, token: null }];
    default:
      return [{ id, count, ttlMs: read.ttlMs, token: null }];
  }
}

/** One hold for each owner, the one that ends last. */
function longestOf(all: readonly HeldRead[]): readonly HeldRead[] {
  const longest = new Map<string, HeldRead>();
  const endOf = ({ ttlMs }: HeldRead) => ttlMs ?? Number.POSITIVE_INFINITY;
  for (const one of all) {
    const other = longest.get(one.id);
    if (other === undefined || endOf(one) > endOf(other)) longest.set(one.id, one);
  }
  return [...longest.values()];
}

function heldBy(read: NameRead, form: Form): readonly HeldRead[] {
  switch (form.kind) {
    case 'read-write':
      return read.fields.flatMap(([field, value]) => {
        const id = redissonIdOf(field);
        if (id === null) return [];
        if (!id.writer) return readerOf(read, field, countOf(value));
        return [{ id: field, count: countOf(value), ttlMs: read.ttlMs, token: null }];
      });
    case 'lock':
      return read.fields.flatMap(([field, value]) =>
        redissonIdOf(field) === null
          ? []
          : [{ id: field, count: countOf(value), ttlMs: read.ttlMs, token: read.token }],
      );
    case 'faster-multi':
      return longestOf(
        form.owners.map(({ owner, endMs, count }) => ({
          id: owner,
          count,
          ttlMs: endMs === null ? read.ttlMs : endMs - read.serverMs,
          token: null,
        })),
      );
    case 'redlock':
      return read.text === null
        ? []
        : [{ id: read.text.toString('utf8'), count: 1, ttlMs: read.ttlMs, token: null }];
    case 'permits':
      return form.permits.map(({ id, endMs }) => ({
        id,
        count: 1,
        // Negative for an expired permit that no client has swept.
        ttlMs: endMs === null ? null : endMs - read.serverMs,
        token: null,
      }));
    default:
      return [];
  }
}

/** True for an older hold of the same thread, such as a part of a MultiLock. */
export const isOfTaken = ({ holder, atMs }: Taken, [id, { startMs }]: readonly [string, Hold]): boolean =>
  startMs <= atMs && isSameThread(id, holder);

const takenFrom = (taken: Taken | null, holds: ReadonlyMap<string, Hold>): Taken | null =>
  taken !== null && [...holds].some((hold) => isOfTaken(taken, hold)) ? taken : null;

const noArrivals: ReadonlyMap<string, number> = new Map();

/**
 * `null`: the name is none of ours. `fresh`: nothing was missed since the last reading, so an unknown holder is new.
 * `isTold`: Signalbox has woken the waiters since then.
 */
export function remember(
  before: Memory | null,
  read: NameRead,
  {
    told,
    fresh,
    isTold = false,
  }: { readonly told: Told; readonly fresh: boolean; readonly isTold?: boolean },
): Memory | null {
  const form = formOf(read, { told, before: before?.form ?? null });
  if (form === null) return null;
  const isSame = before?.form.kind === form.kind;
  const holds = new Map<string, Hold>();
  for (const current of heldBy(read, form)) {
    const known = isSame ? (before?.holds.get(current.id) ?? null) : null;
    const { atMs, slackMs } = read;
    holds.set(current.id, holdOf(known, current, { atMs, slackMs, fresh }));
  }
  const arrivals =
    read.queue.length === 0
      ? noArrivals
      : new Map(read.queue.map((waiter) => [waiter, before?.arrivals.get(waiter) ?? Math.round(read.atMs)]));
  const heldMs = holds.size > 0 ? read.atMs : (before?.heldMs ?? null);
  const sleep =
    form.kind === 'read-write'
      ? sleepAfter(before?.sleep ?? noSleep, read, { holders: [...holds.keys()], fresh, isTold })
      : noSleep;
  return { read, form, holds, arrivals, heldMs, sleep, taken: takenFrom(before?.taken ?? null, holds) };
}

/** The memory after Signalbox removed a holder of another lock. Unchanged when that thread holds nothing here. */
export function afterTaken(memory: Memory, taken: Taken): Memory {
  const takenNow = memory.read.name === taken.name ? null : takenFrom(taken, memory.holds);
  return takenNow === null ? memory : { ...memory, taken: takenNow };
}
