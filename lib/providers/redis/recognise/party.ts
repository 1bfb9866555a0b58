/** Holders and waiters as the model's parties. */
import { type Evidence, type Expiry, type Holder, shortId, type Waiter } from '@/lib/domain/model';
import { fact } from '@/lib/domain/verdict';
import { redissonIdOf, waiterChannel } from '@/lib/providers/redis/client/names';
import { type Hold, judgeLease } from './lease';
import type { Audience, Memory } from './memory';

export const unknownExpiry: Expiry = {
  kind: 'unknown',
  withinMs: null,
  latestMs: null,
  lastRenewalMs: null,
};

/** Two looks at least this far apart must show no subscriber. A live client subscribes within one of its own rounds. */
const silentMs = 2_000;

/** `3f0c…4e6f:41`: a client and its thread. Other ids are shortened alike. */
export function labelOf(id: string): string {
  const redisson = redissonIdOf(id);
  if (redisson !== null) return `${shortId(redisson.client)}:${redisson.thread}`;
  return id.length > 16 ? `${id.slice(0, 4)}…${id.slice(-4)}` : id;
}

/** The client and the thread in a Redisson id, which leads to no address. */
function clientOf(id: string): readonly Evidence[] {
  const redisson = redissonIdOf(id);
  if (redisson === null) return [];
  return [fact('redis-client', redisson.client), fact('redis-thread', redisson.thread)];
}

export function holderOf(id: string, hold: Hold, mode: 'read' | 'write' | null = null): Holder {
  const { verdict, evidence, expiry } = judgeLease(hold);
  return {
    sessionId: id,
    session: null,
    verdict,
    evidence: [...evidence, ...clientOf(id)],
    since: hold.since,
    expiry,
    value: null,
    label: labelOf(id),
    ...(mode === null ? {} : { mode }),
    ...(hold.count > 1 ? { count: hold.count } : {}),
  };
}

/** The holder of an expired permit, which counts as taken until a client sweeps it. */
export function overdueHolder(id: string, hold: Hold): Holder {
  const holder = holderOf(id, hold);
  const endMs = holder.expiry.latestMs;
  return { ...holder, verdict: 'ghost', evidence: [fact('redis-permit-over', null, endMs)] };
}

function verdictOf(audience: Audience | null, id: string): Pick<Waiter, 'verdict' | 'evidence'> {
  const silentSince = audience?.silentSinceMs.get(id);
  if (audience === null || silentSince === undefined)
    return { verdict: 'unknown', evidence: [fact('redis-not-asked')] };
  if (silentSince === null) return { verdict: 'alive', evidence: [fact('redis-subscribed')] };
  if (audience.atMs - silentSince < silentMs)
    return { verdict: 'unknown', evidence: [fact('redis-not-asked')] };
  return {
    verdict: 'ghost',
    evidence: [fact('redis-not-subscribed', null, Math.round(silentSince))],
  };
}

/**
 * A fair lock's queue, first come first. Waiters presumed dead are left out, because the next client that tries the
 * lock removes them. A waiter without a stored end is never removed.
 */
export function waitersOf({ read, arrivals }: Memory, audience: Audience | null): readonly Waiter[] {
  return read.queue
    .filter((id) => (read.queueEnds.get(id) ?? Number.POSITIVE_INFINITY) > read.serverMs)
    .map((id) => {
      const { verdict, evidence } = verdictOf(audience, id);
      const arrived = arrivals.get(id);
      return {
        sessionId: id,
        session: null,
        verdict,
        evidence: [...evidence, ...clientOf(id)],
        since: arrived === undefined ? null : { atMs: arrived, basis: 'at-least' },
        expiry: unknownExpiry,
        value: null,
        label: labelOf(id),
      };
    });
}

/** The channel of each waiter, in the order of the queue. A subscriber shows that the waiter lives. */
export const channelsOf = ({ read }: Memory): readonly (readonly [waiter: string, channel: string])[] =>
  read.queue.map((waiter) => [waiter, waiterChannel(read.name, waiter)]);
