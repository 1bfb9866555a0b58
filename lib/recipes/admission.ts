/** From wanting slots to having them. */

import { pause } from '@/lib/consul/clock';
import type { Row, TxnOp } from '@/lib/consul/wire';
import { ProblemError } from '@/lib/domain/problem';
import { Changes, waitMsDefault } from './changes';
import type { Group } from './group';
import type { Ledger } from './ledger';
import { isPassing } from './patience';
import { freeSlots, readSlots, type Slots, writeSlots } from './slots';
import { Turn } from './turn';

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
}

/**
 * `admitted`: `row` is the coordination entry that records us. `refused`: `once`, and it was not our turn or not enough was free. `dispossessed`: somebody ended our session or
 * deleted our entry while we waited.
 */
export type Admission =
  | { readonly kind: 'admitted'; readonly row: Row }
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
 * - QUEUE: block on the entry of the one before us, for `headTimeoutMs` at the most; then READ.
 * - BLOCK until anything under the prefix changes. Not the coordination entry alone: a holder that dies leaves it
 *   untouched, and only its contender entry goes.
 * - TAKE: one transaction that records live holders and ourselves, so the dead are pruned on the way, on the condition
 *   that neither the coordination entry nor ours moved. Refused or not known: READ after a moment.
 */
export async function admit(request: AdmissionRequest, signal: AbortSignal): Promise<Admission> {
  const { ledger, group, headTimeoutMs } = request;
  const { client, prefix, patience, clock } = ledger;
  const turn = new Turn(group.id, headTimeoutMs);
  const changes = new Changes((options) => client.list(prefix, options), patience);
  const permits = group.sessions.length;
  let rows = await changes.now(signal);
  for (;;) {
    const slots = readSlots(prefix, rows, ledger.shape);
    const limit = limitOf(slots, request.limit);
    const entries = group.entries(slots);
    if (entries === null) return { kind: 'dispossessed' };
    const recorded = rows.find(({ key }) => key === slots.key);
    if (recorded !== undefined && group.ids.every((id) => slots.live.includes(id)))
      return { kind: 'admitted', row: recorded };

    const before = request.fair ? turn.behind(slots, limit, clock.monotonicMs()) : null;
    if (before === null && freeSlots(slots, limit) >= permits) {
      const value = writeSlots(slots, limit, [...slots.live, ...group.ids]);
      const row = await take(request, slots, value, group.holding(entries, request.leaseUntil()));
      if (row !== null) return { kind: 'admitted', row };
      await ledger.collision(signal);
      rows = await changes.now(signal);
    } else if (request.once) {
      return { kind: 'refused' };
    } else if (before === null) {
      rows = await changes.next(signal, waitMsDefault);
    } else {
      const { key, modifyIndex: index } = before.entry;
      const passed = client.get(key, { block: { index, waitMs: headTimeoutMs }, signal });
      // When this read fails, the one below says whether Consul is in trouble.
      await passed.catch(() => pause(patience.retryMs, signal));
      rows = await changes.now(signal);
    }
  }
}

/** The coordination entry as it was written; `null` when it was not. */
async function take(
  { ledger: { client, patience } }: AdmissionRequest,
  { key, flags, index }: Slots,
  value: Buffer,
  guards: readonly TxnOp[],
): Promise<Row | null> {
  try {
    const outcome = await client.txn([{ verb: 'cas', key, value, flags, index }, ...guards]);
    const row = outcome.done ? outcome.rows.find((r) => r.key === key) : undefined;
    return row === undefined ? null : { ...row, value };
  } catch (error) {
    if (!isPassing(error)) throw error;
    await pause(patience.retryMs);
    return null;
  }
}
