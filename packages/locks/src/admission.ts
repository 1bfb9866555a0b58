/** From wanting slots to having them. */

import { ProblemError } from '@/lib/domain/problem';
import { pause } from '@/lib/providers/consul/client/clock';
import { Changes, waitMsDefault } from './changes';
import type { Group } from './group';
import { Place } from './handover';
import type { Ledger } from './ledger';
import { freeSlots, queue, type Slots, type Waiting, writeSlots } from './slots';
import { type Taken, take } from './taking';

/** How many there may be: a number that the stored limit must agree with, or whatever is stored. */
export type LimitRule = number | { readonly follow: true; readonly initial: number | null };

export interface AdmissionRequest {
  readonly ledger: Ledger;
  readonly group: Group;
  readonly limit: LimitRule;
  readonly fair: boolean;
  readonly headTimeoutMs: number;
  /** Epoch milliseconds, told when the slots are taken. */
  readonly leaseUntil: () => number | null;
  /** Give up instead of waiting. */
  readonly once: boolean;
  /** The semaphore as it was seen, with our entries in it; `null`: it may have moved since. */
  readonly seen: Slots | null;
}

/**
 * `admitted`: `taken` is what records us; `answered`, whether each write by which we tried was: one that was not may still
 * come. `refused`: `once`, and it was not our turn or not enough was free. `dispossessed`: somebody ended our session or
 * deleted our entry while we waited.
 */
export type Admission =
  | { readonly kind: 'admitted'; readonly taken: Taken; readonly answered: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'dispossessed' };

/**
 * The limit that holds now. Throws `conflict-in-use` when the stored one differs from a number, as every Go client does
 * (`ErrSemaphoreConflict`: clients that disagree about the limit must not share a semaphore), and `not-found` when
 * there is none to follow.
 */
export function limitOf(slots: Slots, rule: LimitRule): number {
  if (typeof rule === 'number') {
    if (slots.limit !== null && slots.limit !== rule)
      throw new ProblemError({
        code: 'conflict-in-use',
        detail: `The limit of ${slots.key} is ${slots.limit}, and ${rule} was asked for.`,
      });
    return rule;
  }
  const limit = slots.limit ?? rule.initial;
  if (limit === null)
    throw new ProblemError({ code: 'not-found', detail: `${slots.key} does not exist: no limit to follow.` });
  return limit;
}

/**
 * How waiting goes (after `Acquire` in api/semaphore.go, with a queue among our own clients):
 * - READ the prefix. An entry of ours is missing: dispossessed. All our sessions are recorded (the answer to an earlier
 *   write was lost): admitted. Not our turn: QUEUE. Not enough free: BLOCK. Else TAKE.
 * - QUEUE: block on the entry of the one before us, for `headTimeoutMs` at the most; then READ. Somebody who came in between
 *   what we saw and our own entry stands behind the same one, and is found then.
 * - BLOCK until anything under the prefix changes. Not the coordination entry alone: a holder that dies leaves it
 *   untouched, and only its contender entry goes. Of one without an entry nothing tells: so READ now and then. A holder of this process that releases meanwhile may record us
 *   (`handover.ts`): admitted.
 * - TAKE: one transaction that records live holders and ourselves, so the dead are pruned on the way, on the condition
 *   that neither the coordination entry nor ours moved. Refused or not known: READ after a moment.
 */
export async function admit(request: AdmissionRequest, signal: AbortSignal): Promise<Admission> {
  const { client, key } = request.ledger;
  const place = new Place(client, key);
  let admitted = false;
  try {
    const admission = await wait(request, place, signal);
    admitted = admission.kind === 'admitted';
    return admission;
  } finally {
    if (!admitted) await place.settled;
  }
}

async function wait(request: AdmissionRequest, place: Place, signal: AbortSignal): Promise<Admission> {
  const { ledger, group, headTimeoutMs, leaseUntil } = request;
  const { client, prefix, patience, clock } = ledger;
  const turn = new Turn(group.id, headTimeoutMs);
  const changes = new Changes((options) => client.list(prefix, options), patience);
  const read = async (rows: ReturnType<typeof changes.now>) => ledger.judge(await rows, signal);
  const permits = group.sessions.length;
  let slots = request.seen ?? (await read(changes.now(signal)));
  let answered = true;
  for (let refused = 0; ; ) {
    const limit = limitOf(slots, request.limit);
    const entries = group.entries(slots);
    if (entries === null) return { kind: 'dispossessed' };
    const { row, live } = slots;
    if (row !== null && group.ids.every((id) => live.includes(id)))
      return { kind: 'admitted', answered, taken: { row, entries: entries.map((entry) => entry.row) } };

    const before = request.fair ? turn.behind(slots, limit, clock.monotonicMs()) : null;
    if (before === null && freeSlots(slots, limit) >= permits) {
      const { key, flags, index } = slots;
      const value = writeSlots(slots, limit, [...live, ...group.ids]);
      const guards = group.holding(entries, leaseUntil());
      const taken = await take(client, { verb: 'cas', key, value, flags, index }, guards, group.ids);
      if (typeof taken !== 'string') return { kind: 'admitted', answered, taken };
      if (taken === 'unanswered') {
        answered = false;
        await pause(patience.retryMs);
      }
      refused += 1;
      await ledger.collision(refused, signal);
      slots = await read(changes.now(signal));
    } else if (request.once) {
      return { kind: 'refused' };
    } else if (before === null) {
      refused = 0;
      const next = read(changes.next(signal, waitMsDefault));
      // What was seen before our own entry says nothing of those who came in between and stand before us. To read again
      // does not wait.
      if (slots === request.seen) slots = await next;
      else {
        const now = await place.inFront({ group, slots, entries, limit, leaseUntil }, next);
        if ('taken' in now) return { kind: 'admitted', answered, taken: now.taken };
        slots = now;
      }
    } else {
      const { key, modifyIndex: index } = before.entry;
      const passed = client.get(key, { block: { index, waitMs: headTimeoutMs }, signal });
      // When this read fails, the one below says whether Consul is in trouble.
      await passed.catch(() => pause(patience.retryMs, signal));
      slots = await read(changes.now(signal));
    }
  }
}

/**
 * Each waiter of ours watches the one before it, and only the first watches the semaphore: a release then wakes one
 * client, not all. An acquire that wants more slots than are free keeps those behind it waiting, or it would starve.
 *
 * Best effort beside foreign contenders, who take what is free when they see it. And a first one that lets free
 * slots lie for `headTimeoutMs` (stopped, or cut off from Consul) is passed over.
 */
export class Turn {
  readonly #idleSinceMs = new Map<string, number>();

  constructor(
    private readonly group: string,
    private readonly headTimeoutMs: number,
  ) {}

  /** The one to wait behind; `null` when it is our turn. */
  behind(slots: Slots, limit: number, nowMs: number): Waiting | null {
    const free = freeSlots(slots, limit);
    let before: Waiting | null = null;
    for (const waiting of queue(slots)) {
      if (waiting.group === this.group) break;
      if (!this.#passes(waiting, free, limit, nowMs)) before = waiting;
    }
    return before;
  }

  #passes({ group, n }: Waiting, free: number, limit: number, nowMs: number): boolean {
    if (n > limit) return true;
    if (free < n) {
      this.#idleSinceMs.delete(group);
      return false;
    }
    const sinceMs = this.#idleSinceMs.get(group) ?? nowMs;
    this.#idleSinceMs.set(group, sinceMs);
    return nowMs - sinceMs >= this.headTimeoutMs;
  }
}
