/**
 * Slots that go from hand to hand within one process. Whoever releases records the one whose turn it is in the write by
 * which it leaves: that saves the write of the other, and the time until Consul has woken it.
 *
 * Whose turn it is, the one in front knows: it follows the semaphore and shows here what it saw. Nobody is passed over.
 * Our clients stand in one queue, those of other processes included, and the first of that queue gets what it would have
 * taken by itself; also where they take slots out of turn (`fair: false`), or a process could keep them among its own for
 * good. Clients of other libraries stand in no queue, so while one of them waits, a slot is freed for everybody. And only
 * within a process: one that is stopped would have been given a slot that it cannot use.
 */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Row, TxnOp } from '@/lib/providers/consul/client/wire';
import type { Group } from './group';
import { type Contender, queue, type Slots, waitsOutside, writeSlots } from './slots';
import { type Taken, take } from './taking';

/** A transaction of Consul takes no more; 128 since Consul 1.14. */
const operationsMax = 64;

/** One whose turn it is as soon as there are slots for it. */
export interface Front {
  readonly group: Group;
  /** The semaphore as it saw it, and its own entries in it. */
  readonly slots: Slots;
  readonly entries: readonly Contender[];
  readonly limit: number;
  /** Epoch milliseconds, told when the slots are taken. */
  readonly leaseUntil: () => number | null;
}

const places = new WeakMap<ConsulClient, Map<string, Set<Place>>>();

/** Outside, so that it remembers nothing of where it is used. */
const unheard = () => {};

/** Where one of this process waits for one semaphore; not to be shared. */
export class Place {
  #front: Front | null = null;
  #giving: Promise<unknown> = Promise.resolve();
  /** What somebody took for us. */
  #taken: Taken | null = null;
  /** Tells of it whoever waits for it now. */
  #call: (taken: Taken) => void = unheard;

  constructor(
    private readonly client: ConsulClient,
    private readonly key: string,
  ) {}

  /** Settles when nobody is recording us any more. Before our sessions end, or one that is dead would be recorded. */
  get settled(): Promise<unknown> {
    return this.#giving;
  }

  /** What `next` says, or what somebody took for us meanwhile. */
  async inFront<T>(front: Front, next: Promise<T>): Promise<T | { readonly taken: Taken }> {
    const ofClient = places.get(this.client) ?? new Map<string, Set<Place>>();
    places.set(this.client, ofClient);
    const here = ofClient.get(this.key) ?? new Set();
    ofClient.set(this.key, here.add(this));
    this.#front = front;
    try {
      // No race with one promise for all waits: that would remember what each of them has read.
      return await new Promise<T | { readonly taken: Taken }>((resolve, reject) => {
        this.#call = (taken) => resolve({ taken });
        if (this.#taken !== null) this.#call(this.#taken);
        // Where we were recorded, the query that we wait with is answered by that, and nobody asks any more how it went.
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
  offer(ids: readonly string[], seen: Row, leaving: readonly TxnOp[]): Promise<boolean> | null {
    const front = this.#front;
    const ops = front === null ? null : writing(front, ids, seen, leaving);
    if (front === null || ops === null) return null;
    // One at a time: the next offer would be made of what this one is about to change.
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

/** `null`: it is not their turn, or they have not seen enough to tell. */
function writing(
  { slots, limit, group, entries, leaseUntil }: Front,
  ids: readonly string[],
  seen: Row,
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
 * Gives the slots of the sessions `ids` to whoever of this process has their turn, with `leaving` in the same transaction.
 * `seen`: the coordination entry that records them. False: they are recorded still, as far as is known.
 */
export async function handOver(
  { client, key }: { readonly client: ConsulClient; readonly key: string },
  { ids, seen, leaving }: { ids: readonly string[]; seen: Row; leaving: readonly TxnOp[] },
): Promise<boolean> {
  // Several where they are not `fair`.
  for (const place of places.get(client)?.get(key) ?? []) {
    const given = place.offer(ids, seen, leaving);
    // Where it fails for good, so does the release that follows, and says why.
    if (given !== null) return given.catch(() => false);
  }
  return false;
}
