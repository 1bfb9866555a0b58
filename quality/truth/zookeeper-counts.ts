/** Semaphores of Curator: leases that are held, leases that wait, and the limit where one is stored. */

import type { Subject } from '@/lib/domain/model';
import { once } from '@/quality/truth/once';
import { onZooKeeper, type Situation, semaphoreAt } from '@/quality/truth/situation';
import { any } from '@/quality/truth/text';
import type { Turn } from '@/quality/truth/turn';
import { zkLock } from '@/quality/truth/zookeeper-locks';
import { root, shared, type ZooKeeperStage } from '@/quality/truth/zookeeper-stage';
import type { CuratorSemaphore, CuratorThread } from '@/test/support/curator';

const zkSemaphore = (path: string) => semaphoreAt(path, 'zk');

/** Waits until each holder has left its place in the queue, which would count as a waiter. */
async function settled({ entriesWhen }: ZooKeeperStage, path: string): Promise<void> {
  await entriesWhen(`${path}/locks`, 0);
}

async function takes(thread: CuratorThread, semaphore: CuratorSemaphore): Promise<string> {
  const [id = ''] = await thread.semaphore(semaphore).acquire();
  return id;
}

interface Line {
  readonly subject: Subject;
  readonly id: string;
  readonly leases: readonly string[];
  /** Places in line. */
  readonly queue: readonly string[];
}

/** One client holds, and others wait in line. The first of them has a lease without a grant. */
async function waitsFor(stage: ZooKeeperStage, semaphore: CuratorSemaphore, waiters: number): Promise<Line> {
  const { one, two, entriesWhen } = stage;
  const { path } = semaphore;
  const id = await takes(one.thread(`${path} 0`), semaphore);
  await settled(stage, path);
  for (let n = 1; n <= waiters; n += 1) {
    void (n % 2 === 0 ? one : two).thread(`${path} ${n}`).semaphore(semaphore).acquire();
    await entriesWhen(`${path}/locks`, n);
  }
  const leases = await entriesWhen(`${path}/leases`, 2);
  const queue = await entriesWhen(`${path}/locks`, waiters);
  return { subject: zkSemaphore(path), id, leases, queue };
}

const stuckPath = `${root}/stuck`;

/** Deletes the place of the first in line, whose lease stays. */
const placeDeleted: Turn<Line, ZooKeeperStage> = {
  bring: ({ writer }, { queue: [first = ''] }) => writer.delete(`${stuckPath}/locks/${first}`),
  took: async ({ entries }, { queue: [first = ''] }) =>
    (await entries(`${stuckPath}/locks`))?.includes(first) === false,
};

const lowered: Turn<unknown, ZooKeeperStage> = {
  bring: ({ one }) => one.thread('lowers').count(shared.count).set(1),
  took: async ({ one }) => (await one.thread('lowers').count(shared.count).get()) === 1,
};

/** Two rows look at it, before its limit is lowered and after. */
const inShared = once(async (stage: ZooKeeperStage) => {
  const { one, two } = stage;
  await one.thread('shared').count(shared.count).set(3);
  const ids = [await takes(one.thread('shared'), shared), await takes(two.thread('shared'), shared)];
  await settled(stage, shared.path);
  return { subject: zkSemaphore(shared.path), ids };
});

const alive = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, 'alive' as const]));

export const zookeeperCounts: readonly Situation[] = [
  onZooKeeper({
    title: 'a semaphore with a fixed limit of three, of which two are held',
    knows: 'two leases; the limit is in the programs alone',
    says: 'two held, and a limit of two or more',
    mustNot: 'a limit, or a slot that is free',
    make: async (stage) => {
      const pool = { path: `${root}/fixed`, limit: 3 };
      const ids = [
        await takes(stage.one.thread('fixed'), pool),
        await takes(stage.two.thread('fixed'), pool),
      ];
      await settled(stage, pool.path);
      return { subject: zkSemaphore(pool.path), ids };
    },
    api: ({ ids }) => ({
      row: { layout: 'curator-semaphore', limit: 2, limitBasis: 'at-least', recorded: 2, waiters: [] },
      verdicts: alive(ids),
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.bases['at-least'](2), w.subject.holding.taken(2)],
      lamps: { alive: 2, free: 0 },
    }),
    never: (_, w) => ({
      verdicts: ['ghost', 'unknown'],
      findings: ['over-limit'],
      rows: [{ limit: 3 }, { limitBasis: undefined }, { limitBasis: 'inferred' }],
      texts: [
        w.subject.holding.slots(2, 3, 2),
        w.subject.holding.slots(2, 2, 2),
        w.subject.holding.bases.inferred(2),
      ],
    }),
  }),
  onZooKeeper({
    title: 'a semaphore with a fixed limit of one, for which two wait',
    knows: 'two leases and two places in line; that the newer lease is not granted, no node says',
    says: 'one held, the limit of one inferred, and who is next',
    mustNot: 'that two hold it',
    make: (stage) => waitsFor(stage, { path: `${root}/line`, limit: 1 }, 2),
    api: ({ id, queue }) => ({
      row: {
        limit: 1,
        limitBasis: 'inferred',
        recorded: 1,
        effective: 1,
        holders: [{ sessionId: id }],
        waiters: queue.map((sessionId) => ({ sessionId })),
      },
      verdicts: alive([id, ...queue]),
      evidence: ['zookeeper-lease-pending'],
    }),
    screen: (_, w) => ({
      has: [w.subject.holding.bases.inferred(1), w.subject.queueNote],
      lamps: { alive: 1, free: 0 },
    }),
    never: (_, w) => ({
      verdicts: ['ghost', 'unknown'],
      findings: ['dead-queue-head', 'over-limit'],
      rows: [{ recorded: 2 }, { effective: 2 }, { limit: 2 }, { limitBasis: undefined }],
      texts: [w.subject.waitersNote, w.subject.none.waiters, w.subject.holding.taken(2)],
    }),
  }),
  onZooKeeper({
    title: 'the inner mutex of a semaphore',
    knows: 'the places in line, which are nodes of a mutex',
    says: 'nothing of its own: it is part of the semaphore',
    mustNot: 'a lock that somebody holds',
    make: async (stage) => {
      const { queue } = await waitsFor(stage, { path: `${root}/inner`, limit: 1 }, 1);
      return { subject: zkLock(`${root}/inner/locks`), queue };
    },
    api: () => ({ row: null }),
    screen: (_, w) => ({ has: [w.subject.notInView.lock] }),
    never: ({ queue }, w) => ({
      listed: true,
      states: ['held', 'free'],
      stored: queue,
      texts: [w.subject.notInView.went.lock],
    }),
  }),
  onZooKeeper({
    title: 'a semaphore mutex',
    knows: 'one lease, as of a semaphore; that its limit is one, no node says',
    says: 'a semaphore, one held, and a limit of one or more',
    mustNot: 'a mutex, or that it is full',
    make: async (stage) => {
      const path = `${root}/semaphore-mutex`;
      await stage.one.thread('semaphore-mutex').acquire({ kind: 'semaphore-mutex', path });
      await settled(stage, path);
      return { subject: zkSemaphore(path), ids: await stage.entriesWhen(`${path}/leases`, 1) };
    },
    api: ({ ids }) => ({
      row: { layout: 'curator-semaphore', limit: 1, limitBasis: 'at-least', recorded: 1 },
      verdicts: alive(ids),
    }),
    screen: (_, w) => ({
      has: [w.layouts['curator-semaphore'].name, w.subject.holding.bases['at-least'](1)],
      lamps: { alive: 1, free: 0 },
    }),
    never: (_, w) => ({
      verdicts: ['ghost', 'unknown'],
      rows: [{ limitBasis: undefined }, { limitBasis: 'inferred' }],
      texts: [w.layouts['curator-mutex'].name, w.subject.holding.slots(1, 1, 1)],
    }),
  }),
  onZooKeeper({
    title: 'a semaphore whose limit is a shared count that is configured',
    knows: 'the leases, and the limit',
    says: 'two of three held, one free',
    mustNot: 'that the limit is inferred, or not stored',
    make: inShared,
    api: ({ ids }) => ({
      row: { layout: 'curator-semaphore-shared', recorded: 2, effective: 2, limitBasis: undefined },
      verdicts: alive(ids),
    }),
    screen: (_, w) => ({ has: [w.layouts['curator-semaphore-shared'].name], lamps: { alive: 2, free: 1 } }),
    never: (_, w) => ({
      verdicts: ['ghost', 'unknown'],
      rows: [{ limitBasis: 'at-least' }, { limitBasis: 'inferred' }, { limit: null }, { limit: 2 }],
      texts: [w.subject.holding.noLimit, w.subject.holding.bases.inferred(3)],
    }),
  }),
  onZooKeeper({
    title: 'a shared count that is lowered below what is held',
    knows: 'the new limit, and as many leases as before',
    says: 'over the limit by one',
    mustNot: 'that a holder lost its slot, or is a ghost',
    make: inShared,
    turn: lowered,
    from: ({ ids }) => ({ row: { limit: 3, recorded: 2 }, verdicts: alive(ids) }),
    api: ({ ids }) => ({
      row: { limit: 1, recorded: 2, effective: 2 },
      verdicts: alive(ids),
      findings: ['over-limit'],
    }),
    screen: (_, w) => ({
      has: [w.reports['over-limit']({ effective: 2, limit: 1, layout: 'curator-semaphore-shared' })],
      lamps: { alive: 2, free: 0 },
    }),
    never: () => ({
      verdicts: ['ghost', 'overdue', 'unknown'],
      findings: ['ghost-slots', 'dead-queue-head'],
      rows: [{ recorded: 1 }, { effective: 1 }],
    }),
  }),
  onZooKeeper({
    title: 'a lease without its place in line keeps everybody out',
    knows: 'the holder, a lease that was never granted, and those behind it',
    says: 'a dead head of the queue, and who waits behind it',
    mustNot: 'that it holds, that its client is known to be dead, or that the next one gets in by itself',
    make: (stage) => waitsFor(stage, { path: stuckPath, limit: 1 }, 2),
    turn: placeDeleted,
    from: ({ id }) => ({ row: { limitBasis: 'inferred', recorded: 1 }, verdicts: { [id]: 'alive' } }),
    api: ({ id, leases, queue }) => ({
      row: { limit: 1, recorded: 1, holders: [{ sessionId: id }] },
      verdicts: {
        [id]: 'alive',
        [leases.find((lease) => lease !== id) ?? '']: 'ghost',
        [queue[1] ?? '']: 'alive',
      },
      evidence: ['zookeeper-place-gone'],
      findings: ['dead-queue-head'],
    }),
    screen: (_, w) => ({
      has: [w.reports['dead-queue-head']({ label: any, behind: 1, free: 0 }), w.verdicts.ghost.word],
      lamps: { alive: 1, free: 0 },
    }),
    never: (_, w) => ({
      verdicts: ['overdue', 'unknown'],
      findings: ['ghost-slots', 'over-limit'],
      rows: [{ recorded: 2 }, { recorded: 3 }, { limitBasis: undefined }],
      texts: [w.subject.none.waiters, w.subject.holding.taken(2)],
    }),
  }),
];
