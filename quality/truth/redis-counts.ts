/** Semaphores and latches of Redisson: free permits, counts, and facts that Redis does not store. */
import {
  latchChannel,
  lockChannel,
  semaphoreChannel,
  waiterChannel,
} from '@/lib/providers/redis/client/names';
import { held } from '@/quality/truth/redis-locks';
import { leaseMs, narrow, narrowPrefix, pool } from '@/quality/truth/redis-stage';
import { lockAt, onRedis, type Situation, semaphoreAt } from '@/quality/truth/situation';
import { many } from '@/quality/truth/text';
import { until } from '@/test/support/until';

const redisSemaphore = (name: string) => semaphoreAt(name, 'redis');

export const redisCounts: readonly Situation[] = [
  onRedis({
    title: 'a semaphore with two of three permits taken, whose limit is configured',
    knows: 'how many permits are free; neither the limit nor who took the others',
    says: 'one of three is free, that the limit is configured, and that nobody is stored',
    mustNot: 'holders by name, or a limit as if it were stored',
    make: async ({ one }) => {
      const semaphore = one.thread('pool').semaphore(pool);
      await semaphore.set(3);
      await semaphore.acquire({ permits: 2 });
      return { subject: redisSemaphore(pool) };
    },
    api: () => ({
      row: { limit: 3, limitBasis: 'configured', available: 1, recorded: 2, effective: null, holders: [] },
    }),
    screen: (_, w) => ({
      has: [
        w.subject.holding.free.some(1, 3),
        w.subject.holding.bases.configured(3),
        w.subject.holding.free.holders,
      ],
      lamps: { unknown: 2, free: 1, alive: 0 },
    }),
    never: (_, w) => ({
      verdicts: ['alive', 'ghost'],
      rows: [{ limitBasis: undefined }, { effective: 2 }],
      texts: [w.subject.none.leases, w.subject.holding.slots(2, 3, 2), w.subject.none.holders],
    }),
  }),
  onRedis({
    title: 'an exhausted semaphore for which three threads of two clients wait',
    knows: 'that no permit is free, and how many clients listen; no limit, no holder, no waiter',
    says: 'that two clients wait: counted, not named',
    mustNot: 'a limit, a holder, or that three wait',
    make: async ({ one, two, listen }) => {
      const name = 'truth:gate';
      const semaphore = one.thread('gate').semaphore(name);
      await semaphore.set(1);
      await semaphore.acquire();
      for (const thread of [one.thread('gate-2'), one.thread('gate-3'), two.thread('gate-4')])
        void thread.semaphore(name).acquire();
      await listen(semaphoreChannel(name), 2);
      return { subject: redisSemaphore(name) };
    },
    api: () => ({
      row: { layout: 'redisson-semaphore', limit: null, available: 0, recorded: null, waitingClients: 2 },
    }),
    screen: (_, w) => ({
      has: [
        w.subject.holding.free.some(0, null),
        w.subject.holding.waiting.counted(2),
        w.subject.holding.free.holders,
      ],
      lamps: { free: 0 },
    }),
    never: (_, w) => ({
      verdicts: ['alive'],
      rows: [{ limit: 1 }, { limit: 3 }, { effective: 1 }, { waitingClients: 3 }, { waitingClients: 0 }],
      texts: [
        w.subject.holding.waiting.counted(3),
        w.subject.holding.waiting.none,
        w.subject.none.leases,
        w.subject.holding.bases.configured(many),
      ],
    }),
  }),
  onRedis({
    title: 'permits that end, one of which is over and not swept',
    knows: 'what is free, and every permit with its end; not whose it is',
    says: 'two of three taken, one really held, and one to be swept',
    mustNot: 'that its slot is free, or that two really hold',
    make: async ({ one, redis }) => {
      const name = 'truth:permits';
      const permits = one.thread('permits').permits(name);
      await permits.set(3);
      const [id = ''] = await permits.acquire({ leaseMs });
      const [overId = ''] = await permits.acquire({ leaseMs: 500 });
      // With the difference that clocks may have.
      const end = await redis.call('ZSCORE', `{${name}}:timeout`, Buffer.from(overId, 'hex'));
      await until(() => Date.now() > Number(end) + 1_500, { what: 'the end of the permit' });
      return { subject: redisSemaphore(name), id, overId };
    },
    api: ({ id, overId }) => ({
      row: { layout: 'redisson-permits', limit: 3, available: 1, recorded: 2, effective: 1 },
      verdicts: { [id]: 'alive', [overId]: 'ghost' },
      evidence: ['redis-permit-over'],
      findings: ['ghost-slots'],
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.slots(2, 3, 1), w.subject.holding.expired(1)],
      lamps: { alive: 1, ghost: 1, free: 1 },
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'immortal', 'unknown'],
      rows: [{ effective: 2 }, { recorded: 1 }, { limit: 2 }],
      texts: [w.subject.holding.slots(2, 3, 2), w.meanings.ghost],
    }),
  }),
  onRedis({
    title: 'a count-down latch that holds a client up',
    knows: 'a count, and how many clients listen',
    says: 'the count, and that it is only shown',
    mustNot: 'permits that are free, or an action',
    make: async ({ one, two, listen }) => {
      const name = 'truth:latch';
      await one.thread('latch').latch(name).set(3);
      void two.thread('latch').latch(name).await();
      await listen(latchChannel(name), 1);
      return { subject: redisSemaphore(name) };
    },
    api: () => ({
      row: { layout: 'redisson-latch', limit: null, available: 3, waitingClients: 1, holders: [] },
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.latch.count(3), w.subject.holding.shownOnly],
      lamps: { waiting: 1, free: 0 },
    }),
    never: (_, w) => ({
      rows: [{ layout: 'redisson-semaphore' }, { limit: 3 }],
      texts: [w.subject.holding.free.some(3, null), w.subject.holding.free.holders],
      enabled: [w.action.buttons['semaphore.resize'], w.action.buttons['semaphore.return-permits']],
    }),
  }),
  onRedis({
    title: 'a fair lock and its queue',
    knows: 'who waits, in order, and that each listens on a channel of its own',
    says: 'the queue: the first gets it next',
    mustNot: 'a number of clients only, or that anybody in it is gone',
    make: async ({ one, two, listen }) => {
      const lock = { kind: 'fair', name: 'truth:fair' } as const;
      const { subject, id } = await held(two.thread('fair'), lock);
      const ids: string[] = [];
      for (const thread of [one.thread('fair-1'), two.thread('fair-2'), one.thread('fair-3')]) {
        const party = await thread.party();
        void thread.acquire(lock);
        await listen(waiterChannel(lock.name, party), 1);
        ids.push(party);
      }
      return { subject, id, ids };
    },
    api: ({ id, ids }) => ({
      row: { layout: 'redisson-fair', waiters: ids.map((sessionId) => ({ sessionId })) },
      verdicts: Object.fromEntries([id, ...ids].map((one) => [one, 'alive' as const])),
      evidence: ['redis-subscribed'],
    }),
    screen: (_, w) => ({ has: [w.subject.queueNote], lamps: { alive: 1 } }),
    never: (_, w) => ({
      verdicts: ['ghost', 'overdue'],
      evidence: ['redis-not-subscribed'],
      findings: ['dead-queue-head', 'sleeping-waiters'],
      rows: [{ waitingClients: 3 }],
      texts: [w.subject.waitersNote, w.subject.holding.waiting.counted(many)],
    }),
  }),
  onRedis({
    title: 'a lock for which a client waits, read by a user that may not ask who listens',
    knows: 'who listens, and does not tell it to this user',
    says: 'that how many wait is unknown',
    mustNot: 'that none is counted, or nobody waits',
    make: async ({ one, two, listen }) => {
      const lock = { kind: 'lock', name: `${narrowPrefix}truth` } as const;
      const { id } = await held(one.thread('narrow'), lock);
      void two.thread('narrow').acquire(lock);
      await listen(lockChannel(lock.name), 1);
      return { subject: lockAt(lock.name, narrow), id };
    },
    api: ({ id }) => ({
      row: { state: 'held', waiters: null, waitingClients: undefined },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.holding.waiting.unknown], lamps: { alive: 1 } }),
    never: (_, w) => ({
      states: ['free'],
      rows: [{ waitingClients: 0 }, { waitingClients: 1 }, { waiters: [] }],
      texts: [w.subject.holding.waiting.none, w.subject.none.waiters],
    }),
  }),
  onRedis({
    title: 'a lock that this user may not read',
    knows: 'who holds it, and keeps it from this user',
    says: 'not in view; the credential may be the cause',
    mustNot: 'that it is free, or was deleted',
    make: async ({ one }) => {
      const { id } = await held(one.thread('hidden'), { kind: 'lock', name: 'truth:hidden' });
      return { subject: lockAt('truth:hidden', narrow), id };
    },
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.lock] }),
    never: ({ id }, w) => ({
      listed: true,
      states: ['free'],
      texts: [w.subject.notInView.went.lock, w.subject.none.leases],
      stored: [id],
    }),
  }),
];
