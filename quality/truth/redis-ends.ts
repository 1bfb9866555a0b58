/** The ends of leases: fixed, renewed, expired, or abandoned by a killed client. And a server that stops answering. */
import { readWriteChannel, waiterChannel } from '@/lib/providers/redis/client/names';
import { once } from '@/quality/truth/once';
import { type Held, held, redisLock } from '@/quality/truth/redis-locks';
import { leaseMs, type RedisStage } from '@/quality/truth/redis-stage';
import { onRedis, type Situation, semaphoreAt } from '@/quality/truth/situation';
import { any } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';

const fixed = 'truth:fixed';
const readsOn = 'truth:reads-on';

/**
 * Redis shows the kill by closed connections: no channel of that client has a subscriber. The lease starts with the
 * turn, and half of it must pass before a row looks.
 */
const killed: Turn<unknown, RedisStage> = {
  bring: async ({ one, doomed }) => {
    await one.thread('fixed').acquire({ kind: 'lock', name: fixed, leaseMs: 44_000 });
    await doomed.kill9();
  },
  took: async ({ redis, doomed, has }) =>
    (await has(fixed)) && (await redis.call('PUBSUB', 'CHANNELS', `*${doomed.client}*`)).length === 0,
};

/** Redis removes the key. No client gives it back. */
const over: Turn<unknown, RedisStage> = {
  first: [killed],
  took: async ({ has }) => !(await has('truth:dying')),
};

/** SIGSTOP: its connections stay open. */
const stopped: Turn<unknown, RedisStage> = {
  bring: async ({ redis }) => redis.pause(),
  took: async ({ redis }) => {
    const [answer, nothing] = [
      redis.connect().call('PING'),
      new Promise((done) => setTimeout(done, 500, null)),
    ];
    answer.catch(() => {});
    return (await Promise.race([answer, nothing])) === null;
  },
};

/**
 * A lock that its client's watchdog keeps until the client is killed. Two rows look at it, before its lease ends and
 * after.
 */
const dying = once(async ({ doomed }: RedisStage): Promise<Held> => {
  const thread = doomed.thread('dying');
  await thread.acquire({ kind: 'lock', name: 'truth:dying' });
  return { subject: redisLock('truth:dying'), id: await thread.party() };
});

export const redisEnds: readonly Situation[] = [
  onRedis({
    title: 'a lock that a watchdog keeps',
    knows: 'how long the lease still runs; its end moves on again and again',
    says: 'alive, and that its lease was seen to be renewed',
    mustNot: 'a fixed lease, or that a renewal is overdue',
    make: async ({ one }) => {
      const thread = one.thread('kept');
      await thread.acquire({ kind: 'lock', name: 'truth:kept' });
      return { subject: redisLock('truth:kept'), id: await thread.party() };
    },
    api: ({ id }) => ({
      row: { state: 'held' },
      verdicts: { [id]: 'alive' },
      evidence: ['redis-lease-renewed'],
    }),
    screen: (_, w) => ({ has: [w.evidence['redis-lease-renewed'](any)], lamps: { alive: 1 } }),
    never: () => ({
      verdicts: ['overdue', 'immortal', 'unknown', 'ghost'],
      evidence: ['redis-lease-fixed', 'redis-renewal-overdue'],
      states: ['free'],
    }),
  }),
  onRedis({
    title: 'a client of Redisson is killed with -9 while its watchdog kept a lock',
    knows: 'that the lease still runs; nothing moves its end on any more',
    says: 'overdue: probably dead, with the instant at which its lease ends',
    mustNot: 'surely dead, alive, or free before the lease is over',
    make: dying,
    turn: killed,
    from: ({ id }) => ({ row: {}, verdicts: { [id]: 'alive' }, evidence: ['redis-lease-renewed'] }),
    api: ({ id }) => ({
      row: { state: 'held', holder: { expiry: { kind: 'lease' } } },
      verdicts: { [id]: 'overdue' },
      evidence: ['redis-renewal-overdue'],
      findings: ['overdue-holder'],
    }),
    screen: (_, w) => ({
      has: [
        w.subject.holding.held.overdue(any),
        w.expiry.lease(any),
        w.evidence['redis-renewal-overdue'](any, any),
      ],
      lamps: { overdue: 1 },
    }),
    never: () => ({ verdicts: ['ghost', 'immortal', 'unknown', 'suspect'], evidence: ['redis-lease-fixed'] }),
    after: () => ({ evidence: ['redis-no-lease'] }),
  }),
  onRedis({
    title: 'a client is killed with -9 while it holds by a fixed lease',
    knows: 'that the lease still runs, as before',
    says: 'that it holds until its lease ends',
    mustNot: 'that it is gone, or its lock free: Redis has noticed nothing',
    make: ({ doomed }) => held(doomed.thread('keeps'), { kind: 'lock', name: 'truth:keeps' }),
    turn: killed,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: ({ id }) => ({
      row: { state: 'held' },
      verdicts: { [id]: 'alive' },
      evidence: ['redis-lease-runs'],
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.meanings.lease.alive, w.expiry.lease(any)],
      lamps: { alive: 1 },
    }),
    never: () => ({
      verdicts: ['ghost', 'overdue', 'suspect', 'unknown'],
      evidence: ['redis-not-subscribed', 'redis-lease-renewed'],
      states: ['free', 'unknown'],
    }),
  }),
  onRedis({
    title: 'the first in a fair lock’s queue is killed with -9',
    knows: 'its place in the queue, and that nobody listens on its channel',
    says: 'that it seems to be gone, and who waits behind it',
    mustNot: 'that the one behind it is dead, or next',
    make: async ({ one, two, doomed, listen }) => {
      const lock = { kind: 'fair', name: 'truth:blocked' } as const;
      const { subject, id } = await held(one.thread('blocked'), lock);
      const ids: string[] = [];
      for (const thread of [doomed.thread('head'), two.thread('behind')]) {
        const party = await thread.party();
        void thread.acquire(lock);
        await listen(waiterChannel(lock.name, party), 1);
        ids.push(party);
      }
      const [dead = '', behind = ''] = ids;
      return { subject, id, dead, behind };
    },
    turn: killed,
    from: ({ dead, behind }) => ({ row: {}, verdicts: { [dead]: 'alive', [behind]: 'alive' } }),
    api: ({ id, dead, behind }) => ({
      row: { layout: 'redisson-fair', state: 'held', waiters: [{ sessionId: dead }, { sessionId: behind }] },
      verdicts: { [id]: 'alive', [dead]: 'ghost', [behind]: 'alive' },
      findings: ['dead-queue-head'],
    }),
    screen: (_, w) => ({
      has: [w.reports['dead-queue-head']({ label: any, behind: 1, free: 0 }), w.verdicts.ghost.word],
      lamps: { alive: 1, ghost: 0 },
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'suspect'],
      findings: ['sleeping-waiters'],
      states: ['free', 'unknown'],
      texts: [
        w.subject.none.waiters,
        w.reports['dead-queue-head']({ label: any, behind: 1, free: 1 }),
        w.reports['dead-queue-head']({ label: any, behind: 0, free: 0 }),
      ],
    }),
  }),
  onRedis({
    title: 'a permit without an end of a client that is killed with -9',
    knows: 'that the permit is taken and that nothing ends it',
    says: 'that only a person can free it if its process has died',
    mustNot: 'that it ends by itself, is swept, or is alive',
    make: async ({ doomed }) => {
      const permits = doomed.thread('endless').permits('truth:endless');
      await permits.set(2);
      const [id = ''] = await permits.acquire();
      return { subject: semaphoreAt('truth:endless', 'redis'), id };
    },
    turn: killed,
    from: ({ id }) => ({ row: { recorded: 1 }, verdicts: { [id]: 'immortal' } }),
    api: ({ id }) => ({
      row: { limit: 2, available: 1, recorded: 1, effective: 1 },
      verdicts: { [id]: 'immortal' },
      evidence: ['redis-no-lease'],
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.meanings.lease.immortal, w.expiry.never],
      lamps: { immortal: 1, free: 1 },
    }),
    never: (_, w) => ({
      verdicts: ['alive', 'ghost', 'overdue', 'unknown'],
      findings: ['ghost-slots'],
      texts: [w.expiry.lease(any), w.subject.holding.expired(1)],
    }),
  }),
  onRedis({
    title: 'a client waits to read beside a writer that lets go and reads on',
    knows:
      'a reader, and a client that listens; Redisson stores neither what that wants nor that no message was sent',
    says: 'that it waited for a writer that reads on, and sleeps if it wants to read',
    mustNot: 'that it is known to sleep, that the lock is free, or that no client waits',
    make: async ({ one, two, listen }) => {
      const thread = one.thread('reads on');
      const made = await held(thread, { kind: 'write', name: readsOn });
      await thread.acquire({ kind: 'read', name: readsOn, leaseMs });
      void two.thread('would read').acquire({ kind: 'read', name: readsOn });
      await listen(readWriteChannel(readsOn), 1);
      return made;
    },
    turn: {
      bring: ({ one }) => one.thread('reads on').release({ kind: 'write', name: readsOn }),
      took: async ({ redis }) => (await redis.call('HGET', readsOn, 'mode')) === 'read',
    },
    from: ({ id }) => ({
      row: { holder: { mode: 'write' }, readers: [{ sessionId: id }], waitingClients: 1 },
      verdicts: { [id]: 'alive', [`${id}:write`]: 'alive' },
    }),
    api: ({ id }) => ({
      row: { state: 'held', holder: { sessionId: id, mode: 'read' }, unwoken: { clients: 1 } },
      verdicts: { [id]: 'alive' },
      findings: ['sleeping-readers'],
    }),
    screen: (_, w) => ({
      has: [w.reports['sleeping-readers']({ waiting: 1 }), w.subject.holding.waiting.counted(1)],
      lamps: { alive: 1 },
    }),
    never: (_, w) => ({
      findings: ['sleeping-waiters'],
      states: ['free', 'unknown'],
      rows: [{ waiters: [] }, { unwoken: { clients: 2 } }],
      texts: [w.subject.none.waiters, w.reports['sleeping-readers']({ waiting: 2 })],
    }),
    after: () => ({ rows: [{ holder: { mode: 'write' } }] }),
  }),
  onRedis({
    title: 'the lease of a killed client is over',
    knows: 'nothing: the key is gone, as after a release',
    says: 'free',
    mustNot: 'that anybody holds it, or waits',
    make: dying,
    turn: over,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: () => ({ row: { state: 'free', holder: null, delayedUntilMs: null, waiters: null } }),
    screen: (_, w) => ({
      has: [w.subject.lock.freeOfLeases, w.subject.none.leases],
      lamps: { free: 1 },
    }),
    never: () => ({ verdicts: ['ghost', 'immortal'], states: ['delayed'], findings: ['sleeping-waiters'] }),
    after: () => ({ states: ['held', 'unknown'], verdicts: ['overdue', 'alive'] }),
  }),
  onRedis({
    title: 'a lock whose lease was seen from its beginning, and not to be renewed',
    knows: 'how long the lease still runs',
    says: 'that Signalbox saw it begin and not renewed, as with a fixed lease or a client that died',
    mustNot: 'overdue: nothing was to come',
    make: async ({ one }) => ({ subject: redisLock(fixed), id: await one.thread('fixed').party() }),
    turn: killed,
    from: () => ({ row: null }),
    api: ({ id }) => ({
      row: { state: 'held' },
      verdicts: { [id]: 'alive' },
      evidence: ['redis-lease-fixed'],
    }),
    screen: (_, w) => ({ has: [w.evidence['redis-lease-fixed'](null)], lamps: { alive: 1 } }),
    never: () => ({
      verdicts: ['overdue', 'immortal', 'unknown'],
      evidence: ['redis-lease-renewed', 'redis-renewal-overdue'],
    }),
  }),
  onRedis({
    title: 'the server answers no more (SIGSTOP)',
    when: 'last',
    knows: 'nothing that it would say; leases run on',
    says: 'the last state, marked as old, and that no action is possible',
    mustNot: 'live, free, or an action that can be pressed',
    make: ({ one }) => held(one.thread('frozen'), { kind: 'lock', name: 'truth:frozen' }),
    turn: stopped,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({
      has: [w.subject.holding.held.alive(any)],
      lamps: { alive: 1 },
      outage: 'agent-hangs',
      blocked: [{ name: w.action.buttons['lock.release'](any), why: w.outage.outages['agent-hangs'].title }],
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'ghost', 'unknown'],
      states: ['free', 'unknown'],
      texts: [w.subject.notInView.lock],
    }),
    after: (_, w) => ({
      // The header tells this server's second source apart, which may notice a moment later.
      texts: [`Redis ${w.shell.freshness.live(any)}`],
      enabled: [w.action.buttons['lock.release'](any)],
    }),
  }),
];
