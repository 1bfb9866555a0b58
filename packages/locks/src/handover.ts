/**
 * Passes slots directly within one process. The releasing client records the next one in the write by which it leaves,
 * which saves a write and a wake-up.
 *
 * The first waiter follows the semaphore and shows here what it saw. Our clients of all processes stand in one queue,
 * whose first gets what it would have taken itself. This also applies with `fair: false`, or a process could keep slots
 * for good. Clients of other libraries stand in no queue, so while one of them waits, a slot is freed for all. Slots
 * never pass to another process, because a stopped one could not use them.
 */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import type { Group } from './group';
import { type Contender, queue, type SemaphoreState, waitsOutside, writeSlots } from './slots';
import { type Taken, take } from './taking';

/** Consul before 1.14 takes 64 operations in one transaction. */
const operationsMax = 64;

/** A waiter whose turn it is as soon as slots are free. */
export interface Front {
  readonly group: Group;
  /** The semaphore as the waiter saw it. `entries`: its own entries in it. */
  readonly slots: SemaphoreState;
  readonly entries: readonly Contender[];
  readonly limit: number;
  /** Called when the slots are taken; epoch milliseconds. */
  readonly leaseUntil: () => number | null;
}

const places = new WeakMap<ConsulClient, Map<string, Set<Place>>>();

/** At the top level, so that it captures no scope. */
const unheard = () => {};

/** The place of one waiter of this process at one semaphore. For one caller. */
export class Place {
  #front: Front | null = null;
  #giving: Promise<unknown> = Promise.resolve();
  /** Slots that another client took for us. */
  #taken: Taken | null = null;
  #call: (taken: Taken) => void = unheard;

  constructor(
    private readonly client: ConsulClient,
    private readonly key: string,
  ) {}

  /**
   * Settles when no client records us any more. Wait for this before our sessions end, because a dead holder would be
   * recorded otherwise.
   */
  get settled(): Promise<unknown> {
    return this.#giving;
  }

  /** The result of `next`, or slots that another client took for us meanwhile. */
  async inFront<T>(front: Front, next: Promise<T>): Promise<T | { readonly taken: Taken }> {
    const ofClient = places.get(this.client) ?? new Map<string, Set<Place>>();
    places.set(this.client, ofClient);
    const here = ofClient.get(this.key) ?? new Set();
    ofClient.set(this.key, here.add(this));
    this.#front = front;
    try {
      // `Promise.race` with one lasting promise would keep the result of each read.
      return await new Promise<T | { readonly taken: Taken }>((resolve, reject) => {
        this.#call = (taken) => resolve({ taken });
        if (this.#taken !== null) this.#call(this.#taken);
        // After we are recorded, the result of our query does not matter.
        next.then(resolve, reject);
      });
    } finally {
      this.#front = null;
      this.#call = unheard;
      here.delete(this);
      if (here.size === 0) ofClient.delete(this.key);
    }
  }

  /** True: we have the slots of the sessions `ids`, which have left. False: perhaps not. `null`: it is not our turn. */
  offer(ids: readonly string[], seen: KvRow, leaving: readonly TxnOp[]): Promise<boolean> | null {
    const front = this.#front;
    const ops = front === null ? null : writing(front, ids, seen, leaving);
    if (front === null || ops === null) return null;
    // One offer at a time, because it changes the state that the next one needs.
    this.#front = null;
    const giving = take(this.client, ops.entry, ops.others, front.group.ids);
    this.#giving = Promise.allSettled([this.#giving, giving]);
    return giving.then((taken) => {
      if (typeof taken === 'string') return false;
      this.#taken = taken;
      this.#call(taken);
      return true;
    });
  }
}

/** The write that passes the slots; `null`: it is not their turn, or their state is too old. */
function writing(
  { slots, limit, group, entries, leaseUntil }: Front,
  ids: readonly string[],
  seen: KvRow,
  leaving: readonly TxnOp[],
) {
  if (Number(slots.index) < Number(seen.modifyIndex) || !ids.every((id) => slots.live.includes(id)))
    return null;
  if (waitsOutside(slots) || queue(slots)[0]?.group !== group.id) return null;
  const stay = slots.live.filter((id) => !ids.includes(id));
  const others = [...group.holding(entries, leaseUntil()), ...leaving];
  if (limit - stay.length < group.ids.length || others.length >= operationsMax) return null;
  const { key, flags, index } = slots;
  const value = writeSlots(slots, limit, [...stay, ...group.ids]);
  return { entry: { verb: 'cas', key, value, flags, index } as const, others };
}

/**
 * Gives the slots of the sessions `ids` to the next waiter of this process, with `leaving` in the same transaction.
 * `seen`: the coordination entry that records them. False: as far as is known they are still recorded.
 */
export async function handOver(
  { client, key }: { readonly client: ConsulClient; readonly key: string },
  { ids, seen, leaving }: { ids: readonly string[]; seen: KvRow; leaving: readonly TxnOp[] },
): Promise<boolean> {
  // There are several without `fair`.
  for (const place of places.get(client)?.get(key) ?? []) {
    const given = place.offer(ids, seen, leaving);
    // The release that follows fails alike, and reports the reason.
    if (given !== null) return given.catch(() => false);
  }
  return false;
}
