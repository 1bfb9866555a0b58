/** Waits for slots, and takes them. */

import { ProblemError } from '@/lib/domain/problem';
import { pause } from '@/lib/providers/consul/client/clock';
import { Changes, waitMsDefault } from './changes';
import type { Group } from './group';
import { Place } from './handover';
import type { Ledger } from './ledger';
import { freeSlots, queue, type SemaphoreState, type Waiting, writeSlots } from './slots';
import { type Taken, take } from './taking';

/** A number that the stored limit must equal, or the stored limit itself. */
export type LimitRule = number | { readonly follow: true; readonly initial: number | null };

export interface AdmissionRequest {
  readonly ledger: Ledger;
  readonly group: Group;
  readonly limit: LimitRule;
  readonly fair: boolean;
  readonly headTimeoutMs: number;
  /** Called when the slots are taken; epoch milliseconds. */
  readonly leaseUntil: () => number | null;
  /** Gives up instead of waiting. */
  readonly once: boolean;
  /** The semaphore as seen, with our entries in it; `null`: it may have moved since. */
  readonly seen: SemaphoreState | null;
}

/**
 * `admitted`: `taken` records us. `answered`: Consul answered each of our writes; an unanswered one may still arrive.
 * `refused`: with `once`, it was not our turn or too few slots were free. `dispossessed`: our session ended or our
 * entry was deleted while we waited.
 */
export type Admission =
  | { readonly kind: 'admitted'; readonly taken: Taken; readonly answered: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'dispossessed' };

/**
 * Throws `conflict-in-use` when the stored limit differs from a fixed one, as every Go client does
 * (`ErrSemaphoreConflict`). Throws `not-found` without a limit to follow.
 */
export function limitOf(slots: SemaphoreState, rule: LimitRule): number {
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
 * Waits as `Acquire` in api/semaphore.go does, with a queue among our own clients.
 * - READ the prefix. Without an entry of ours: dispossessed. With all our sessions recorded (the answer to an earlier
 *   write was lost): admitted. Not our turn: QUEUE. Too few free slots: BLOCK. Else TAKE.
 * - QUEUE blocks on the entry of the one before us, for at most `headTimeoutMs`. READ then also finds a client that
 *   came in before our entry.
 * - BLOCK waits for any change under the prefix, because a dead holder leaves the coordination entry unchanged. It also
 *   READs at intervals, for a holder without an entry. A holder of this process that releases may record us
 *   (`handover.ts`): admitted.
 * - TAKE is one transaction that records live holders and us, if neither the coordination entry nor ours has moved.
 *   Refused or unknown: READ after a pause.
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
      // The state omits clients that came in before our entry. This read does not wait.
      if (slots === request.seen) slots = await next;
      else {
        const now = await place.inFront({ group, slots, entries, limit, leaseUntil }, next);
        if ('taken' in now) return { kind: 'admitted', answered, taken: now.taken };
        slots = now;
      }
    } else {
      const { key, modifyIndex: index } = before.entry;
      const passed = client.get(key, { block: { index, waitMs: headTimeoutMs }, signal });
      // If this read fails, the next one shows whether Consul is in trouble.
      await passed.catch(() => pause(patience.retryMs, signal));
      slots = await read(changes.now(signal));
    }
  }
}

/**
 * The queue of our clients. Each waiter watches the one before it, and only the first watches the semaphore, so a
 * release wakes one client. A large acquire keeps those behind it waiting, because it would starve otherwise. Foreign
 * contenders take free slots when they see them. A first waiter that leaves free slots unused for `headTimeoutMs` is
 * passed over.
 */
export class Turn {
  readonly #idleSinceMs = new Map<string, number>();

  constructor(
    private readonly group: string,
    private readonly headTimeoutMs: number,
  ) {}

  /** The acquire before us; `null`: it is our turn. */
  behind(slots: SemaphoreState, limit: number, nowMs: number): Waiting | null {
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
