/** The nodes of a killed client, nodes that may not be read, and a server that is gone. */
import { once } from '@/quality/truth/once';
import { onZooKeeper, type Situation } from '@/quality/truth/situation';
import { any } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';
import { held, lastPart, zkLock } from '@/quality/truth/zookeeper-locks';
import { bare, bareRoot, root, type ZooKeeperStage } from '@/quality/truth/zookeeper-stage';

/** Kills a client, until the server has no connection of its session. */
const killed: Turn<unknown, ZooKeeperStage> = {
  bring: ({ doomed }) => doomed.kill9(),
  took: async ({ server, doomed }) => !(await server.ask('cons')).includes(doomed.client),
};

const dying = { kind: 'mutex', path: `${root}/dying` } as const;

/**
 * A client that will be killed holds, and another one waits. Two rows look at it, before its session ends and after.
 */
const heir = once(async ({ one, doomed, entriesWhen }: ZooKeeperStage) => {
  const { subject, id } = await held(doomed.thread('dying'), dying);
  void one.thread('heir').acquire(dying);
  const [, next = ''] = await entriesWhen(dying.path, 2);
  return { subject, id, next };
});

/** ZooKeeper has ended the session, and deleted its node. */
const over: Turn<{ readonly id: string }, ZooKeeperStage> = {
  first: [killed],
  took: async ({ entries }, { id }) => (await entries(dying.path))?.includes(id) === false,
};

const gone: Turn<unknown, ZooKeeperStage> = {
  bring: ({ server }) => server.kill(),
  took: async ({ server }) => (await server.mode()) === null,
};

export const zookeeperKilled: readonly Situation[] = [
  onZooKeeper({
    title: 'a client of Curator is killed with -9, and its session is not over',
    knows: 'the node and the session as before; its page lists no connection of it any more',
    says: 'overdue, and that the session ends at its time-out unless the client comes back',
    mustNot: 'that it is gone, or that the next one has the lock',
    make: heir,
    turn: killed,
    from: ({ id }) => ({
      row: { state: 'held' },
      verdicts: { [id]: 'alive' },
      evidence: ['zookeeper-connected', 'zookeeper-timeout'],
    }),
    api: ({ id, next }) => ({
      row: { state: 'held', holder: { sessionId: id }, waiters: [{ sessionId: next }] },
      verdicts: { [id]: 'overdue', [next]: 'alive' },
      evidence: ['zookeeper-no-connection'],
    }),
    screen: (_, w) => ({
      has: [
        w.subject.holding.held.overdue(any),
        w.evidence['zookeeper-no-connection'](null, any),
        w.subject.queueNote,
      ],
      lamps: { overdue: 1 },
    }),
    never: ({ next }) => ({
      verdicts: ['ghost', 'suspect', 'immortal'],
      rows: [{ holder: { sessionId: next } }],
      states: ['free', 'unknown'],
      findings: ['dead-queue-head'],
    }),
  }),
  onZooKeeper({
    title: 'a client is killed with -9 where no AdminServer is named',
    knows: 'the node, as before',
    says: 'alive, because its node is there, and nothing of its connection',
    mustNot: 'overdue, or free: nothing that is read has changed',
    make: ({ doomed }) => held(doomed.thread('unseen'), { kind: 'mutex', path: `${bareRoot}/unseen` }, bare),
    turn: killed,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: ({ id }) => ({
      row: { state: 'held' },
      verdicts: { [id]: 'alive' },
      evidence: ['zookeeper-sessions-unread'],
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.meanings.entry.alive, w.evidence['zookeeper-sessions-unread'](null)],
      lamps: { alive: 1 },
    }),
    never: () => ({
      verdicts: ['overdue', 'ghost', 'suspect'],
      evidence: ['zookeeper-no-connection', 'zookeeper-connected'],
      states: ['unknown'],
    }),
  }),
];

export const zookeeperEnds: readonly Situation[] = [
  onZooKeeper({
    title: 'a lock whose nodes Signalbox may not read',
    knows: 'who holds it, and keeps it from this credential',
    says: 'not in view; the credential may be the cause',
    mustNot: 'that it is free, or was deleted',
    make: async ({ writer }) => {
      const path = `${bareRoot}/hidden`;
      // No READ right on the lock and everything below it.
      const mine = { for: ['world', 'anyone'], rights: 30 } as const;
      await writer.create(path, mine);
      await writer.create(`${path}/_c_11111111-2222-4333-8444-555555555555-lock-`, {
        ...mine,
        mode: 'queue',
        data: 'secret-host',
      });
      return { subject: { ...zkLock(path), source: bare } };
    },
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.lock, w.subject.notInView.because.lock] }),
    never: (_, w) => ({
      listed: true,
      states: ['free'],
      stored: ['secret-host'],
      texts: [w.subject.notInView.went.lock, w.subject.none.leases],
    }),
  }),
  onZooKeeper({
    title: 'a queue of which the first node may not be read',
    knows: 'both nodes and their order, and keeps one from this credential',
    says: 'that whether anybody holds it is unknown, and why',
    mustNot: 'that the other one holds it, is next, or waits alone',
    make: async ({ writer }) => {
      const path = `${bareRoot}/half`;
      const entry = `${path}/_c_11111111-2222-4333-8444-555555555555-lock-`;
      await writer.create(entry, {
        mode: 'queue',
        for: ['world', 'anyone'],
        rights: 30,
        data: 'secret-host',
      });
      const seen = await writer.create(entry, { mode: 'queue', data: 'other-host' });
      return { subject: { ...zkLock(path), source: bare }, id: lastPart(seen) };
    },
    api: ({ id }) => ({
      row: { state: 'unknown', holder: null, waiters: [{ sessionId: id }] },
      verdicts: { [id]: 'unknown' },
      evidence: ['zookeeper-part-hidden'],
    }),
    screen: (_, w) => ({ has: [w.subject.holding.unknown, 'other-host'], lamps: { unknown: 1, alive: 0 } }),
    never: (_, w) => ({
      verdicts: ['alive', 'ghost', 'overdue'],
      states: ['held', 'free'],
      stored: ['secret-host'],
      texts: [w.subject.queueNote, w.subject.none.waiters, w.subject.none.leases],
    }),
  }),
  onZooKeeper({
    title: 'the session of a killed client is over',
    knows: 'that its node is gone, and who has the lock now',
    says: 'that the first in the queue has it, since the moment at which Signalbox saw it',
    mustNot: 'that the dead one still holds, or waits',
    make: heir,
    turn: over,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: ({ next }) => ({
      row: {
        state: 'held',
        holder: { sessionId: next, since: { basis: 'observed' } },
        waiters: [],
      },
      verdicts: { [next]: 'alive' },
    }),
    screen: (_, w) => ({
      has: [w.since.observedBasis, w.subject.none.waiters],
      lamps: { alive: 1, overdue: 0 },
    }),
    never: () => ({ verdicts: ['ghost', 'immortal'], states: ['free', 'unknown'] }),
    after: ({ id }) => ({
      rows: [{ holder: { sessionId: id } }],
      verdicts: ['overdue'],
      evidence: ['zookeeper-no-connection'],
    }),
  }),
  onZooKeeper({
    title: 'the server is gone',
    when: 'last',
    knows: 'nothing that anybody could ask; who holds believes so until its session is lost',
    says: 'the last state, marked as old, and that no action is possible',
    mustNot: 'live, free, or an action that can be pressed',
    make: ({ two }) => held(two.thread('survivor'), { kind: 'mutex', path: `${root}/survivor` }),
    turn: gone,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    screen: (_, w) => ({
      has: [w.subject.holding.held.alive(any)],
      lamps: { alive: 1 },
      outage: 'agent-gone',
      blocked: [{ name: w.action.buttons['lock.release'](any), why: w.outage.outages['agent-gone'].title }],
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'ghost', 'unknown'],
      states: ['free', 'unknown'],
      texts: [w.subject.notInView.lock],
    }),
    after: (_, w) => ({
      // The header tells this server's second source apart, which may notice a moment later.
      texts: [`ZooKeeper ${w.shell.freshness.live(any)}`],
      enabled: [w.action.buttons['lock.release'](any)],
    }),
  }),
];
