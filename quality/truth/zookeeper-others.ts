/** Nodes that no recipe of Curator made. */
import { once } from '@/quality/truth/once';
import { onZooKeeper, type Situation } from '@/quality/truth/situation';
import { any, many } from '@/quality/truth/text';
import { lastPart, zkLock } from '@/quality/truth/zookeeper-locks';
import { root, type ZooKeeperStage } from '@/quality/truth/zookeeper-stage';

const kazooPath = `${root}/kazoo`;

/** Names nodes like kazoo, a client for Python. */
const kazoo = once(async ({ writer }: ZooKeeperStage) => {
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1)
    ids.push(lastPart(await writer.create(`${kazooPath}/abcdef__lock__`, { mode: 'queue', data: 'host' })));
  return { subject: zkLock(kazooPath), ids };
});

export const zookeeperOthers: readonly Situation[] = [
  onZooKeeper({
    title: 'a queue of a client that Signalbox does not know',
    knows: 'ephemeral nodes with numbers; not by which rule they hold',
    says: 'unknown: each may hold or wait',
    mustNot: 'a holder, or free',
    make: kazoo,
    api: ({ ids }) => ({
      row: { layout: 'zookeeper-other', state: 'unknown', holder: null, waiters: [{}, {}] },
      verdicts: Object.fromEntries(ids.map((id) => [id, 'unknown' as const])),
      evidence: ['zookeeper-unknown-client'],
    }),
    screen: (_, w) => ({ has: [w.subject.holding.unknown, w.subject.holding.shownOnly] }),
    never: (_, w) => ({
      verdicts: ['alive', 'overdue', 'ghost'],
      states: ['held', 'free', 'delayed'],
      texts: [w.subject.lock.freeOfLeases, w.subject.queueNote],
      enabled: [w.action.buttons['lock.release'](any)],
    }),
  }),
  onZooKeeper({
    title: 'the same on the board: its column of those who wait',
    knows: 'two nodes, any of which may hold',
    says: 'n/v: how many wait cannot be told',
    mustNot: 'a figure',
    make: kazoo,
    api: () => ({ row: { layout: 'zookeeper-other', state: 'unknown' } }),
    screen: (_, w) => ({
      path: `/?q=${encodeURIComponent(kazooPath)}`,
      has: [w.board.notVisible, w.subject.holding.waiting.unknown],
    }),
    never: (_, w) => ({
      states: ['held', 'free'],
      texts: [0, 1, 2, many].map((n) => w.board.waitingLong(n)),
    }),
  }),
  onZooKeeper({
    title: 'nodes of an application that are no lock',
    knows: 'nodes that no session’s end deletes',
    says: 'nothing: it is not in view, and why',
    mustNot: 'a lock, free or held',
    make: async ({ writer }) => {
      const path = `${root}/config`;
      await writer.create(`${path}/lock-`, { mode: 'sequential', data: 'blue-green' });
      return { subject: zkLock(path) };
    },
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.lock, w.subject.notInView.because.lock] }),
    never: (_, w) => ({
      listed: true,
      stored: ['blue-green'],
      states: ['free'],
      texts: [w.subject.notInView.went.lock, w.board.waitingLong(many)],
    }),
  }),
];
