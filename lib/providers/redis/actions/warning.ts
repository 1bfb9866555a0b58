/** The warnings of a plan. Pure. */
import type { Warning } from '@/lib/domain/actions/plan';
import { holdersOf } from '@/lib/domain/holders';
import type { Holder, Lock } from '@/lib/domain/model';
import { isSameThread } from '@/lib/providers/redis/client/names';
import { labelOf } from '@/lib/providers/redis/recognise/party';
import type { LockReading } from './reading';

/** Most names of other locks in a warning. */
const namesMax = 5;

/** From this count on, the client's timer was seen to fail the next holder. */
const reentriesGrave = 3;

export function reentered({ count = 1 }: Holder): Warning[] {
  return count < reentriesGrave ? [] : [{ code: 'redis-reentered', facts: { count } }];
}

/** Warns when a later hold of the same thread looks the same, or gives the fencing token that differs. */
export const sameHold = (token: string): Warning =>
  token === '' ? { code: 'redis-same-thread', facts: {} } : { code: 'redis-fenced', facts: { token } };

/** Other locks of the same thread of the same client. Nothing else links the parts of a MultiLock. */
export function partsOfMulti(sessionId: string, key: string, locks: readonly Lock[]): Warning[] {
  const others = locks.filter(
    (lock) => lock.key !== key && holdersOf(lock).some((one) => isSameThread(one.sessionId, sessionId)),
  );
  if (others.length === 0) return [];
  const names = others
    .slice(0, namesMax)
    .map((lock) => lock.key)
    .join('\n');
  return [{ code: 'redis-multi', facts: { others: others.length, names } }];
}

/** The next holder, from `queue` as read. */
export function nextIn({ queue, clients, readers, nowMs }: LockReading, layout: Lock['layout']): Warning[] {
  if (layout === 'redlock') return [];
  if (layout !== 'redisson-fair' && queue.length === 0)
    return [
      {
        code: 'redis-clients-wait',
        facts: { clients: layout === 'redisson-read-write' ? readers : clients },
      },
    ];
  // The waiters before this one are presumed dead, and are removed first.
  const next = queue.find(({ untilMs }) => untilMs === '' || Number(untilMs) > nowMs);
  if (next === undefined) return [{ code: 'next-in-queue', facts: { first: null } }];
  if (next.listeners === 0) return [{ code: 'redis-next-dead', facts: { waiter: labelOf(next.id) } }];
  return [{ code: 'next-in-queue', facts: { first: labelOf(next.id) } }];
}

export const freesItself = (endsMs: number | null, nowMs: number): Warning => ({
  code: 'redis-frees-itself',
  facts: { withinMs: endsMs === null ? null : Math.max(0, endsMs - nowMs) },
});
