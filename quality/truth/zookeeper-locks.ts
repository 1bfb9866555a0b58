/** Locks of Curator: the holder, the order of the waiters, and facts that a node does not contain. */
import type { Subject } from '@/lib/domain/model';
import { lockAt, onZooKeeper, type Situation } from '@/quality/truth/situation';
import { any } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';
import { bare, bareRoot, root, type ZooKeeperStage } from '@/quality/truth/zookeeper-stage';
import type { CuratorLock, CuratorThread } from '@/test/support/curator';

/** The facts of a row about one holder. */
export interface Held {
  readonly subject: Subject;
  /** The name of its node. */
  readonly id: string;
}

export const zkLock = (path: string): Subject => lockAt(path, 'zk');

export const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export async function held(
  thread: CuratorThread,
  lock: CuratorLock & { readonly path: string },
  source = 'zk',
): Promise<Held> {
  await thread.acquire(lock);
  const { node } = await thread.held(lock);
  return { subject: lockAt(lock.path, source), id: lastPart(node ?? '') };
}

const alive = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, 'alive' as const]));

const asked: Turn<Held, ZooKeeperStage> = {
  bring: ({ two }, { id }) => two.thread('asks').node(`${root}/asked/${id}`).revoke(),
  took: async ({ one }) =>
    one.events.some(({ event, path }) => event === 'asked' && path === `${root}/asked`),
};

const idle = { kind: 'mutex', path: `${root}/idle` } as const;

/** ZooKeeper deletes the empty container. */
const vanished: Turn<Held, ZooKeeperStage> = {
  bring: ({ one }) => one.thread('idle').release(idle),
  took: async ({ entries }) => (await entries(idle.path)) === null,
};

export const zookeeperLocks: readonly Situation[] = [
  onZooKeeper({
    title: 'a mutex that a client of Curator holds alone',
    knows: 'the node, the session that owns it, and on its page the client’s address and time-out',
    says: 'alive, from where it is connected, and that nobody waits',
    mustNot: 'an instant at which it ends, or that its queue is not visible',
    make: ({ one }) => held(one.thread('mutex'), { kind: 'mutex', path: `${root}/mutex` }),
    api: ({ id }) => ({
      row: {
        layout: 'curator-mutex',
        state: 'held',
        waiters: [],
        holder: { sessionId: id, session: null, expiry: { kind: 'bounded' } },
      },
      verdicts: { [id]: 'alive' },
      evidence: ['zookeeper-session', 'zookeeper-connected', 'zookeeper-timeout'],
    }),
    screen: (_, w) => ({
      has: [w.evidence['zookeeper-connected'](any), w.subject.none.waiters],
      lamps: { alive: 1 },
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'immortal', 'unknown', 'ghost'],
      evidence: ['zookeeper-listens', 'zookeeper-no-connection'],
      rows: [{ waiters: null }, { holder: { expiry: { kind: 'observed' } } }],
      states: ['free', 'unknown'],
      texts: [w.subject.holding.waiting.hidden, w.subject.holding.waiting.unknown, w.subject.lock.waiters],
    }),
  }),
  onZooKeeper({
    title: 'a mutex and its queue',
    knows: 'who waits, in the exact order in which they get it',
    says: 'the queue: the first gets it next',
    mustNot: 'that they race for it',
    make: async ({ one, two, entriesWhen }) => {
      const lock = { kind: 'mutex', path: `${root}/queue` } as const;
      await one.thread('queue').acquire(lock);
      void two.thread('queue-1').acquire(lock);
      await entriesWhen(lock.path, 2);
      void one.thread('queue-2').acquire(lock);
      return { subject: zkLock(lock.path), ids: await entriesWhen(lock.path, 3) };
    },
    api: ({ ids: [holder = '', first = '', second = ''] }) => ({
      row: { holder: { sessionId: holder }, waiters: [{ sessionId: first }, { sessionId: second }] },
      verdicts: alive([holder, first, second]),
    }),
    screen: (_, w) => ({ has: [w.subject.queueNote], lamps: { alive: 1 } }),
    never: (_, w) => ({
      verdicts: ['ghost', 'overdue', 'unknown'],
      findings: ['dead-queue-head', 'herd'],
      rows: [{ waiters: [{}, {}, {}] }],
      texts: [w.subject.waitersNote, w.subject.none.waiters],
    }),
  }),
  onZooKeeper({
    title: 'a mutex on a server whose AdminServer is not named',
    knows: 'the session that owns the node; its address and time-out, which it does not tell',
    says: 'alive, because the node is there, and that nothing more is known of its session',
    mustNot: 'connected, silent, or a time within which it ends',
    make: ({ one }) => held(one.thread('bare'), { kind: 'mutex', path: `${bareRoot}/mutex` }, bare),
    api: ({ id }) => ({
      row: { holder: { expiry: { kind: 'unknown', withinMs: null } } },
      verdicts: { [id]: 'alive' },
      evidence: ['zookeeper-session', 'zookeeper-sessions-unread'],
    }),
    screen: (_, w) => ({
      has: [w.evidence['zookeeper-sessions-unread'](null), w.expiry.unknown],
      lamps: { alive: 1 },
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'unknown', 'immortal'],
      evidence: ['zookeeper-connected', 'zookeeper-no-connection', 'zookeeper-timeout'],
      rows: [{ holder: { expiry: { kind: 'bounded' } } }],
      texts: [w.subject.holding.ends.entry(any)],
    }),
  }),
  onZooKeeper({
    title: 'two readers, a writer that waits, and a reader behind it',
    knows: 'four nodes and their numbers',
    says: 'two that read, then the writer, then the reader',
    mustNot: 'that the last one reads already',
    make: async ({ one, two, entriesWhen }) => {
      const [read, write] = [
        { kind: 'read', path: `${root}/shelf` },
        { kind: 'write', path: `${root}/shelf` },
      ] as const;
      await one.thread('read-1').acquire(read);
      await two.thread('read-2').acquire(read);
      void one.thread('write-3').acquire(write);
      await entriesWhen(read.path, 3);
      void two.thread('read-4').acquire(read);
      return { subject: zkLock(read.path), ids: await entriesWhen(read.path, 4) };
    },
    api: ({ ids }) => ({
      row: {
        layout: 'curator-read-write',
        holder: { mode: 'read' },
        readers: [{ mode: 'read' }],
        waiters: [
          { sessionId: ids[2] ?? '', mode: 'write' },
          { sessionId: ids[3] ?? '', mode: 'read' },
        ],
      },
      verdicts: alive(ids),
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.who(any, 1, 'read'), w.subject.queueNote],
      lamps: { alive: 2 },
    }),
    never: (_, w) => ({
      verdicts: ['ghost', 'unknown'],
      rows: [{ holder: { mode: 'write' } }, { readers: [{}, {}] }],
      texts: [w.subject.holding.who(any, 2, 'read'), w.subject.holding.who(any, 1, 'write')],
    }),
  }),
  onZooKeeper({
    title: 'a writer of Curator that also reads',
    knows: 'two nodes of one session with one number',
    says: 'the writer, and that it reads because it writes',
    mustNot: 'another reader beside a writer, which cannot be',
    make: async ({ one, entriesWhen }) => {
      const write = { kind: 'write', path: `${root}/both` } as const;
      await one.thread('both').acquire(write);
      await one.thread('both').acquire({ ...write, kind: 'read' });
      return { subject: zkLock(write.path), ids: await entriesWhen(write.path, 2) };
    },
    api: ({ ids }) => ({
      row: { holder: { mode: 'write' }, readers: [{ mode: 'read' }], waiters: [] },
      verdicts: alive(ids),
      evidence: ['zookeeper-reads-as-writer'],
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.who(any, 1, 'write'), w.evidence['zookeeper-reads-as-writer'](null)],
      lamps: { alive: 2 },
    }),
    never: (_, w) => ({
      evidence: ['zookeeper-may-read-already'],
      rows: [{ holder: { mode: 'read' } }, { readers: undefined }],
      texts: [w.subject.holding.who(any, 1, 'read')],
    }),
  }),
  onZooKeeper({
    title: 'a leader latch with one that waits to lead',
    knows: 'the nodes, and the ids that the participants wrote',
    says: 'who leads, and who is next, by their own ids',
    mustNot: 'a mutex',
    make: async ({ one, two, entriesWhen }) => {
      const latch = { kind: 'latch', path: `${root}/latch` } as const;
      await one.thread('latch').acquire({ ...latch, data: 'leader-one' });
      void two.thread('latch').acquire({ ...latch, data: 'leader-two' });
      return { subject: zkLock(latch.path), ids: await entriesWhen(latch.path, 2) };
    },
    api: ({ ids }) => ({
      row: {
        layout: 'curator-latch',
        holder: { label: 'leader-one' },
        waiters: [{ label: 'leader-two' }],
      },
      verdicts: alive(ids),
    }),
    screen: (_, w) => ({
      has: [w.layouts['curator-latch'].name, 'leader-one', 'leader-two'],
      lamps: { alive: 1 },
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'unknown'],
      evidence: ['zookeeper-likely-selector'],
      rows: [{ layout: 'curator-mutex' }],
      texts: [w.layouts['curator-mutex'].name],
    }),
  }),
  onZooKeeper({
    title: 'a leader selector with an id',
    knows: 'the node of a mutex, in which an id stands instead of an address',
    says: 'a mutex or a leader selector, likely the latter',
    mustNot: 'surely a selector: its nodes are a mutex’s',
    make: async ({ one, entriesWhen }) => {
      const path = `${root}/selector`;
      await one.thread('selector').acquire({ kind: 'selector', path, data: 'worker-7' });
      return { subject: zkLock(path), ids: await entriesWhen(path, 1) };
    },
    api: ({ ids }) => ({
      row: { layout: 'curator-mutex', holder: { label: 'worker-7' } },
      verdicts: alive(ids),
      evidence: ['zookeeper-likely-selector'],
    }),
    screen: (_, w) => ({
      has: [w.layouts['curator-mutex'].name, w.evidence['zookeeper-likely-selector'](null)],
      lamps: { alive: 1 },
    }),
    never: (_, w) => ({
      rows: [{ layout: 'curator-latch' }],
      evidence: ['zookeeper-listens'],
      texts: [w.layouts['curator-latch'].name],
    }),
  }),
  onZooKeeper({
    title: 'a mutex whose client can be asked to let go',
    knows: 'a node without data, which its own session watches',
    says: 'that it can be asked',
    mustNot: 'that it was asked, or a leader selector',
    make: ({ one }) => held(one.thread('listens'), { kind: 'revocable', path: `${root}/listens` }),
    api: ({ id }) => ({
      row: { layout: 'curator-mutex' },
      verdicts: { [id]: 'alive' },
      evidence: ['zookeeper-listens'],
    }),
    screen: (_, w) => ({ has: [w.evidence['zookeeper-listens'](null)], lamps: { alive: 1 } }),
    never: () => ({
      verdicts: ['overdue', 'unknown'],
      evidence: ['zookeeper-asked', 'zookeeper-likely-selector'],
    }),
  }),
  onZooKeeper({
    title: 'a client that was asked to let go, and goes on',
    knows: 'the request, written into the node; whether its program will follow, it does not know',
    says: 'that it was asked, and holds',
    mustNot: 'free, or that it lets go',
    make: ({ one }) => held(one.thread('asked'), { kind: 'revocable', path: `${root}/asked` }),
    turn: asked,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: ({ id }) => ({
      row: { state: 'held' },
      verdicts: { [id]: 'alive' },
      evidence: ['zookeeper-asked'],
    }),
    screen: (_, w) => ({ has: [w.evidence['zookeeper-asked'](null)], lamps: { alive: 1 } }),
    never: (_, w) => ({
      verdicts: ['overdue', 'ghost'],
      evidence: ['zookeeper-likely-selector'],
      states: ['free', 'unknown'],
      texts: [w.subject.none.leases],
    }),
  }),
  onZooKeeper({
    title: 'a mutex that nobody holds any more, whose node ZooKeeper has deleted',
    knows: 'nothing: an empty container is deleted',
    says: 'free, under its name',
    mustNot: 'that it is unknown, or not in view',
    make: ({ one }) => held(one.thread('idle'), idle),
    turn: vanished,
    from: ({ id }) => ({ row: { state: 'held' }, verdicts: { [id]: 'alive' } }),
    api: () => ({ row: { state: 'free', holder: null, waiters: [], delayedUntilMs: null } }),
    screen: (_, w) => ({ has: [w.subject.lock.freeOfLeases, w.subject.none.waiters], lamps: { free: 1 } }),
    never: (_, w) => ({ states: ['delayed', 'unknown'], texts: [w.subject.notInView.went.lock] }),
    after: (_, w) => ({
      states: ['held'],
      listed: false,
      texts: [w.subject.notInView.lock],
    }),
  }),
];
