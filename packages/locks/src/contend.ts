/** One call of `acquire`, from the first read to a permit. Without a permit it leaves nothing behind. */

import { backoffMs } from '@/lib/domain/pace/backoff';
import type { SessionRequest } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import { admit, type LimitRule, limitOf } from './admission';
import { withEnding } from './first-abort';
import { Group, permitsMax } from './group';
import type { Ledger } from './ledger';
import { Permit } from './permit';
import { persist } from './retry';
import type { KeptSession } from './session';
import { freeSlots, queue, type SemaphoreState, waitsOutside, writeSlots } from './slots';
import { takeSpare } from './spare-session';
import type { Taken } from './taking';

export interface Terms {
  readonly ledger: Ledger;
  readonly limit: LimitRule;
  readonly fair: boolean;
  readonly headTimeoutMs: number;
  readonly owner: string;
  readonly session: SessionRequest & { readonly ttlMs: number };
}

export interface Wish {
  /** 1 to 60; default 1. */
  readonly permits?: number;
  /** Above 0, at most 24 days. */
  readonly leaseMs?: number;
  readonly once: boolean;
}

const leaseMsMax = 2 ** 31 - 1;
/** Consul's range for the TTL of a session. */
const ttlMs = { min: 10_000, max: 86_400_000 };
const reentryBackoff = { firstMs: 100, maxMs: 5_000 };

/**
 * LOOK -> ENTER -> WAIT -> permit. When slots are free and no client waits, ENTER takes them without a WAIT.
 * - LOOK reads the prefix. It throws a conflict, and refuses `once`, before anything is created.
 * - ENTER creates sessions and entries. It reuses the session of a recent release, unless that would pass a waiter that
 *   the release has woken: a client of another library, or any client without `fair`.
 * - WAIT is `admit`. When dispossessed: LOOK again, at the end of the queue.
 */
export async function contend(
  terms: Terms,
  { permits = 1, leaseMs, once }: Wish,
  signal: AbortSignal,
): Promise<Permit | null> {
  const { ledger, limit: rule, fair } = terms;
  if (!Number.isInteger(permits) || permits < 1 || permits > permitsMax)
    throw new RangeError(`permits must be 1 to ${permitsMax}.`);
  if (leaseMs !== undefined && !(leaseMs > 0 && leaseMs <= leaseMsMax))
    throw new RangeError('leaseMs must be above 0 and at most 24 days.');
  let spare =
    once || permits > 1 || leaseMs !== undefined
      ? null
      : (takeSpare(ledger.client, ledger.key, terms.session)?.session ?? null);
  try {
    for (let attempt = 0; ; attempt++) {
      const slots = await persist(() => ledger.read({ signal }), ledger.patience, signal);
      const limit = limitOf(slots, rule);
      if (permits > limit && typeof rule === 'number')
        throw new RangeError(`${permits} permits of a semaphore with limit ${limit} can never be had.`);
      if (once && (freeSlots(slots, limit) < permits || (fair && queue(slots).length > 0))) return null;
      const passes = waitsOutside(slots) || (!fair && queue(slots).length > 0);
      const again = passes ? null : spare;
      if (passes) spare?.end().catch(() => {});
      spare = null;
      const wish = { permits, leaseMs: leaseMs ?? null, once, slots, spare: again };
      const outcome = await enterAndWait(terms, wish, signal);
      if (outcome !== 'dispossessed') return outcome;
      if (once) return null;
      await pause(backoffMs(attempt, { ...reentryBackoff, random: () => ledger.clock.random() }), signal);
    }
  } finally {
    // If this fails, the TTL ends the session.
    spare?.end().catch(() => {});
  }
}

async function enterAndWait(
  { ledger, limit, fair, headTimeoutMs, owner, session }: Terms,
  wish: {
    permits: number;
    leaseMs: number | null;
    once: boolean;
    slots: SemaphoreState;
    spare: KeptSession | null;
  },
  signal: AbortSignal,
): Promise<Permit | null | 'dispossessed'> {
  const { permits, leaseMs, once, slots, spare } = wish;
  const { client, prefix, clock } = ledger;
  const leased = leaseMs === null ? session.ttlMs : Math.min(Math.max(leaseMs, ttlMs.min), ttlMs.max);
  const request = { prefix, permits, owner, session: { ...session, ttlMs: leased } };
  const leaseUntil = () => (leaseMs === null ? null : clock.wallMs() + leaseMs);
  const now = limitOf(slots, limit);
  const free = freeSlots(slots, now) >= permits && !(fair && queue(slots).length > 0);
  const { key, flags, index } = slots;
  const taking = {
    record: (ids: readonly string[]) => ({
      verb: 'cas' as const,
      key,
      flags,
      index,
      value: writeSlots(slots, now, [...slots.live, ...ids]),
    }),
    leaseUntil: leaseUntil(),
  };
  const entered = await Group.enter(client, request, slots, ledger, { taking: free ? taking : null, spare });
  if (entered === null) return 'dispossessed';
  const { group, contenders } = entered;
  let { answered } = entered;
  let taken: Taken | null = null;
  try {
    signal.throwIfAborted();
    if (entered.taken === null) {
      // ENTER would have taken the free slots, so the state has moved.
      const seen = free ? null : { ...slots, contenders: [...slots.contenders, ...contenders] };
      const rule = followed(limit, slots);
      const admission = await withEnding([signal, ...group.lost], (ended) =>
        admit({ ledger, group, limit: rule, fair, headTimeoutMs, leaseUntil, once, seen }, ended),
      );
      if (admission.kind !== 'admitted') return admission.kind === 'refused' ? null : 'dispossessed';
      taken = admission.taken;
      answered &&= admission.answered;
    } else taken = entered.taken;
    // The TTL began with the wait, but the lease begins now.
    if (leaseMs !== null) {
      const held = taken;
      // Without a permit the slots are given back below.
      taken = null;
      await Promise.all(group.sessions.map((s) => s.renewUntil(clock.monotonicMs() + leaseMs)));
      taken = held;
    }
  } catch (error) {
    if (signal.aborted || !group.lost.some(({ aborted }) => aborted)) throw error;
    return 'dispossessed';
  } finally {
    if (taken === null) await leave(ledger, group);
  }
  const again = answered && permits === 1 && leaseMs === null ? session : null;
  return new Permit({ ledger, group, taken, leaseMs, again });
}

/** The last `consul lock` to leave deletes the coordination entry. A following client then uses the last limit. */
function followed(rule: LimitRule, { limit }: SemaphoreState): LimitRule {
  return typeof rule === 'number' || limit === null ? rule : { follow: true, initial: limit };
}

/** Leaves the semaphore. The slots may be recorded if the answer to a write was lost. */
async function leave(ledger: Ledger, group: Group): Promise<void> {
  try {
    await ledger.remove(group.ids);
  } catch {
    // The caller needs the reason for the end of the attempt. Without its session a recorded holder is dead.
  }
  await group.end().catch(() => {});
}
