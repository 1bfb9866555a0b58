/** Locks of Redisson and node-redlock: the holder, the lease, and facts that their keys do not contain. */
import type { Subject } from '@/lib/domain/model';
import { lockChannel } from '@/lib/providers/redis/client/names';
import { leaseMs, type RedisStage, redlockPrefix } from '@/quality/truth/redis-stage';
import { lockAt, onRedis, type Situation, semaphoreAt } from '@/quality/truth/situation';
import { any, many } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';
import type { RedissonLock, RedissonThread } from '@/test/support/redisson';

/** The facts of a row about one holder. */
export interface Held {
  readonly subject: Subject;
  /** The holder's id in Redis. */
  readonly id: string;
}

export const redisLock = (name: string): Subject => lockAt(name, 'redis');

/** Takes a lock by this thread, for the whole run. */
export async function held(
  thread: RedissonThread,
  lock: Exclude<RedissonLock, { kind: 'multi' }>,
): Promise<Held> {
  await thread.acquire({ ...lock, leaseMs });
  return { subject: redisLock(lock.name), id: await thread.party() };
}

const seen = 'truth:seen';

const taken: Turn<unknown, RedisStage> = {
  bring: ({ one }) => one.thread('seen').acquire({ kind: 'lock', name: seen, leaseMs }),
  took: ({ has }) => has(seen),
};

/** For a plain lock, because Redis cannot show that no client waits. */
const noWaiters = [{ waiters: [] }];

export const redisLocks: readonly Situation[] = [
  onRedis({
    title: 'a lock that is taken while Signalbox watches',
    knows: 'the client, its thread and how long the lease still runs; no time since when',
    says: 'since the moment at which Signalbox saw it',
    mustNot: 'at least: it is known exactly',
    make: async ({ one }) => ({ subject: redisLock(seen), id: await one.thread('seen').party() }),
    turn: taken,
    from: () => ({ row: null }),
    api: ({ id }) => ({
      row: { state: 'held', holder: { sessionId: id, since: { basis: 'observed' } } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.since.observedBasis], lamps: { alive: 1 } }),
    never: (_, w) => ({
      rows: [{ holder: { since: { basis: 'at-least' } } }, ...noWaiters],
      states: ['free', 'unknown'],
      texts: [w.since.atLeastBasis],
    }),
  }),
  onRedis({
    title: 'a lock whose lease was there when Signalbox first looked',
    knows: 'how long the lease still runs, which a watchdog and a fixed lease leave alike',
    says: 'alive, until its lease ends unless renewed',
    mustNot: 'that it is renewed, or fixed: one look shows neither',
    make: ({ one }) => held(one.thread('first'), { kind: 'lock', name: 'truth:first' }),
    api: ({ id }) => ({
      row: { layout: 'redisson-lock', waiters: null, holder: { session: null, expiry: { kind: 'lease' } } },
      verdicts: { [id]: 'alive' },
      evidence: ['redis-lease-runs', 'redis-client', 'redis-thread'],
    }),
    screen: (_, w) => ({
      has: [w.evidence['redis-lease-runs'](null, any), w.since.atLeastBasis],
      lamps: { alive: 1 },
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'immortal', 'unknown', 'ghost'],
      evidence: ['redis-lease-renewed', 'redis-lease-fixed', 'redis-renewal-overdue'],
      rows: noWaiters,
      texts: [w.since.observedBasis],
    }),
  }),
  onRedis({
    title: 'a lock that one thread has taken three times',
    knows: 'one client with one thread, and a count',
    says: 'one holder, three times',
    mustNot: 'three holders, or that one release frees it',
    make: async ({ one }) => {
      const thread = one.thread('again');
      const lock = { kind: 'lock', name: 'truth:again' } as const;
      await thread.acquire({ ...lock, leaseMs });
      await thread.acquire({ ...lock, leaseMs });
      return held(thread, lock);
    },
    api: ({ id }) => ({ row: { holder: { sessionId: id, count: 3 } }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({
      has: [w.subject.holding.again(3), w.subject.holding.times(3)],
      lamps: { alive: 1 },
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'unknown'],
      rows: [{ readers: [{}] }, { readers: [{}, {}] }, { holder: { count: undefined } }],
      texts: [w.subject.holding.who(any, 2, null), w.subject.holding.again(2)],
    }),
  }),
  onRedis({
    title: 'a fenced lock',
    knows: 'its holder, and beside it a token that rises with every hold',
    says: 'the token, which stands on its page',
    mustNot: 'a plain lock, of which no token is known',
    make: async ({ one }) => {
      const thread = one.thread('fenced');
      const lock = { kind: 'fenced', name: 'truth:fenced' } as const;
      const token = await thread.acquire({ ...lock, leaseMs });
      return { subject: redisLock(lock.name), id: await thread.party(), token: String(token) };
    },
    api: ({ id, token }) => ({
      row: { layout: 'redisson-fenced', lockIndex: token, holder: { sessionId: id } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.holding.tokenHelp, w.layouts['redisson-fenced'].name] }),
    never: (_, w) => ({
      rows: [{ layout: 'redisson-lock' }, { lockIndex: undefined }],
      texts: [w.layouts['redisson-lock'].name],
    }),
  }),
  onRedis({
    title: 'one part of a MultiLock',
    knows: 'a plain lock; nothing links it to the other parts',
    says: 'a lock of its own, held by that thread',
    mustNot: 'a MultiLock, whose parts cannot be told',
    make: async ({ one }) => {
      const thread = one.thread('multi');
      const names = ['truth:part-a', 'truth:part-b', 'truth:part-c'] as const;
      await thread.acquire({ kind: 'multi', names, leaseMs });
      return { subject: redisLock(names[1]), id: await thread.party() };
    },
    api: ({ id }) => ({
      row: { layout: 'redisson-lock', holder: { sessionId: id }, details: [] },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.layouts['redisson-lock'].name], lamps: { alive: 1 } }),
    never: (_, w) => ({
      rows: [{ layout: 'redisson-faster-multi' }],
      texts: [w.layouts['redisson-faster-multi'].name, w.subject.sections.details],
    }),
  }),
  onRedis({
    title: 'a FasterMultiLock',
    knows: 'owners under hashes of what they have locked, which cannot be turned back',
    says: 'who holds, and that it is only shown',
    mustNot: 'what was locked by its name, or an action',
    make: async ({ one }) => {
      const thread = one.thread('faster');
      const lock = { kind: 'faster-multi', name: 'truth:faster', names: ['order-4711'] } as const;
      await thread.acquire(lock);
      return { subject: redisLock(lock.name), id: await thread.party() };
    },
    api: ({ id }) => ({
      row: { layout: 'redisson-faster-multi', waiters: null, details: [{}] },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.holding.shownOnly, w.layouts['redisson-faster-multi'].name] }),
    never: (_, w) => ({
      rows: noWaiters,
      stored: ['order-4711'],
      texts: [w.subject.none.waiters, w.subject.holding.waiting.none],
      enabled: [w.action.buttons['lock.release'](any)],
    }),
  }),
  onRedis({
    title: 'a read lock of two readers',
    knows: 'each reader with a lease of its own',
    says: 'two that read',
    mustNot: 'that one of them holds it alone, or writes',
    make: async ({ one, two }) => {
      const lock = { kind: 'read', name: 'truth:read' } as const;
      const first = await held(one.thread('reader'), lock);
      return { ...first, other: (await held(two.thread('reader'), lock)).id };
    },
    api: ({ id, other }) => ({
      row: { layout: 'redisson-read-write', holder: { mode: 'read' }, readers: [{ mode: 'read' }] },
      verdicts: { [id]: 'alive', [other]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.holding.who(any, 1, 'read')], lamps: { alive: 2 } }),
    never: (_, w) => ({
      rows: [{ holder: { mode: 'write' } }, { readers: undefined }, { waiters: [] }],
      states: ['free', 'unknown'],
      texts: [w.subject.holding.who(any, 1, 'write')],
    }),
  }),
  onRedis({
    title: 'a writer of Redisson that also reads',
    knows: 'the writer, and the same thread among the readers',
    says: 'the writer first, and that it reads as well',
    mustNot: 'another reader beside a writer, which cannot be',
    make: async ({ one }) => {
      const thread = one.thread('writer');
      const lock = { kind: 'write', name: 'truth:write' } as const;
      const { subject, id } = await held(thread, lock);
      await thread.acquire({ ...lock, kind: 'read', leaseMs });
      return { subject, id };
    },
    api: ({ id }) => ({
      row: {
        holder: { sessionId: `${id}:write`, mode: 'write' },
        readers: [{ sessionId: id, mode: 'read' }],
      },
      verdicts: { [id]: 'alive', [`${id}:write`]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.holding.who(any, 1, 'write')], lamps: { alive: 2 } }),
    never: (_, w) => ({
      rows: [{ holder: { mode: 'read' } }, { readers: [{}, {}] }],
      states: ['free', 'unknown'],
      texts: [w.subject.holding.who(any, 1, 'read')],
    }),
  }),
  onRedis({
    title: 'a spin lock, for which another client really waits',
    knows: 'its holder; a client that polls leaves no trace',
    says: 'that no client is counted, and that one that polls leaves no trace',
    mustNot: 'that nobody waits',
    make: async ({ one, two }) => {
      const made = await held(one.thread('spin'), { kind: 'spin', name: 'truth:spin' });
      void two.thread('spins').acquire({ kind: 'spin', name: 'truth:spin' });
      return made;
    },
    api: ({ id }) => ({ row: { waiters: null, waitingClients: 0 }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({ has: [w.subject.holding.waiting.none] }),
    never: (_, w) => ({
      rows: noWaiters,
      states: ['free'],
      texts: [w.subject.none.waiters, w.subject.holding.waiting.queue(0)],
    }),
  }),
  onRedis({
    title: 'a lock of node-redlock, under a beginning that is configured',
    knows: 'its token, and how long it still runs',
    says: 'held by a token, and that who waits leaves no trace',
    mustNot: 'that nobody waits, or a client behind the token',
    make: async ({ redis }) => {
      const [name, id] = [`${redlockPrefix}truth`, 'ab12'.repeat(10)];
      await redis.call('SET', name, id, 'PX', leaseMs, 'NX');
      return { subject: redisLock(name), id };
    },
    api: ({ id }) => ({
      row: { layout: 'redlock', waiters: null, holder: { sessionId: id } },
      verdicts: { [id]: 'alive' },
    }),
    screen: (_, w) => ({ has: [w.subject.holding.waiting.hidden], lamps: { alive: 1 } }),
    never: (_, w) => ({
      rows: [...noWaiters, { waitingClients: 0 }],
      evidence: ['redis-client'],
      texts: [w.subject.none.waiters, w.subject.holding.waiting.none],
    }),
  }),
  onRedis({
    title: 'the same token under a name that is not configured',
    knows: 'a text that any program may have stored',
    says: 'nothing: it is not in view, and why',
    mustNot: 'a lock, or what is stored',
    make: async ({ redis }) => {
      const [name, token] = ['truth:token', 'cd34'.repeat(10)];
      await redis.call('SET', name, token, 'PX', leaseMs, 'NX');
      return { subject: redisLock(name), token };
    },
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.lock, w.subject.notInView.because.lock] }),
    never: ({ token }, w) => ({ listed: true, stored: [token], texts: [w.subject.notInView.went.lock] }),
  }),
  onRedis({
    title: 'a number of an application',
    knows: 'a whole number, as a semaphore’s free permits are one',
    says: 'nothing: it is not in view, and why',
    mustNot: 'a semaphore with so many permits',
    make: async ({ redis }) => {
      await redis.call('SET', 'truth:visitors', 4711);
      await redis.call('HSET', 'truth:profile', 'mode', 'dark', 'visits', 3);
      return { subject: semaphoreAt('truth:visitors', 'redis') };
    },
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.semaphore, w.subject.notInView.because.semaphore] }),
    never: (_, w) => ({
      listed: true,
      stored: ['4711'],
      texts: [w.subject.notInView.went.semaphore, w.subject.holding.free.some(many, null)],
    }),
  }),
  onRedis({
    title: 'a lock that is deleted under a client that waits for it',
    knows: 'no lock, and a client that listens for a message that never comes',
    says: 'free, and that a client sleeps beside it',
    mustNot: 'that the sleeper holds it, or a dead queue',
    make: async ({ one, two, listen }) => {
      const made = await held(one.thread('deleted'), { kind: 'lock', name: 'truth:deleted' });
      void two.thread('sleeps').acquire({ kind: 'lock', name: 'truth:deleted' });
      await listen(lockChannel('truth:deleted'), 1);
      return made;
    },
    turn: {
      bring: ({ redis }) => redis.call('DEL', 'truth:deleted'),
      took: async ({ has }) => !(await has('truth:deleted')),
    },
    from: ({ id }) => ({ row: { state: 'held', waitingClients: 1 }, verdicts: { [id]: 'alive' } }),
    api: () => ({
      row: { state: 'free', holder: null, waitingClients: 1 },
      findings: ['sleeping-waiters'],
    }),
    screen: (_, w) => ({
      has: [w.reports['sleeping-waiters']({ waiting: 1 }), w.subject.holding.waiting.counted(1)],
      lamps: { free: 1 },
    }),
    never: (_, w) => ({
      findings: ['dead-queue-head'],
      rows: noWaiters,
      texts: [w.subject.none.waiters, w.subject.holding.waiting.counted(2)],
    }),
    after: () => ({ states: ['held'], verdicts: ['alive'] }),
  }),
];
