/**
 * Real clients take and let go without a pause while actions hit them at random, and another program deletes places in the queues
 * of semaphores. `SIGNALBOX_STORM_MS` makes it as long as its claim, five minutes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { isProblem } from '@/lib/domain/problem';
import { createZkClient } from '@/lib/providers/zookeeper/client/client';
import type { ZkEvent } from '@/lib/providers/zookeeper/client/message';
import { type CuratorLock, startCurator, type TestCurator } from '@/test/support/curator';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';
import { ask, drop, dropFrom, evict, release, resize, type Stage, startStage } from './stage';
import { settingsOf, startWriter, type Writer } from './writer';

const absent = await noZooKeeper();
const stormMs = Number(process.env.SIGNALBOX_STORM_MS ?? 20_000);
const signal = () => AbortSignal.timeout(20_000);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Short work mostly, and some that is long enough to be seen, planned for and acted on. */
const work = () => pause(below(4) === 0 ? 200 + below(600) : below(30));
const below = (n: number) => Math.floor(Math.random() * n);
const one = <T>(all: readonly T[]): T | undefined => all[below(all.length)];

const locks: readonly CuratorLock[] = [
  { kind: 'mutex', path: '/s/mutex' },
  { kind: 'revocable', path: '/s/revocable' },
  { kind: 'read', path: '/s/rw' },
  { kind: 'write', path: '/s/rw' },
  { kind: 'latch', path: '/s/latch', data: 'l' },
];
const pools = [
  { path: '/s/fixed', limit: 2 },
  { path: '/s/single', limit: 1 },
  { path: '/s/shared', count: '/s/limit' },
];
const threadsEach = 2;

/** Nodes that actions are about to remove, or have removed. Several may try at a time. */
function createAims() {
  const under = new Map<string, number>();
  const removed = new Set<string>();
  return {
    begin: (node: string) => void under.set(node, (under.get(node) ?? 0) + 1),
    end: (node: string, isRemoved: boolean) => {
      if (isRemoved) removed.add(node);
      under.set(node, (under.get(node) ?? 1) - 1);
    },
    has: (node: string) => removed.has(node) || (under.get(node) ?? 0) > 0,
  };
}

describe.skipIf(absent !== null)('a storm of actions on Curator', () => {
  let clients: readonly TestCurator[];
  let writer: Writer;
  let stage: Stage;
  let observer: ReturnType<typeof createZkClient>;
  const deleted = new Set<string>();
  beforeAll(async () => {
    const server = await startTestZooKeeper();
    // Nobody's session may end by the load of the machine.
    clients = await Promise.all([
      startCurator(server.address, { sessionMs: 60_000 }),
      startCurator(server.address, { sessionMs: 60_000 }),
    ]);
    writer = await startWriter(settingsOf(server.address, { sessionMs: 60_000 }));
    stage = await startStage(server.address, { counts: new Map([['/s/shared', '/s/limit']]) });
    observer = createZkClient({ settings: settingsOf(server.address), now: Date.now, random: Math.random });
    observer.listen({
      link: () => {},
      change: ({ type, path }: ZkEvent) => void (type === 'deleted' && deleted.add(path)),
    });
    await until(async () => (await observer.follow('/', signal())) === 'followed', { what: 'the observer' });
  });
  afterAll(async () => {
    await stage?.close();
    await observer?.close();
    await writer?.close();
  });

  test(
    'nothing is removed but what was seen, nobody is let in too many, and clients work on',
    async () => {
      await clients[0]?.thread('limit').count('/s/limit').set(2);
      const endMs = Date.now() + stormMs;
      const isOver = () => Date.now() > endMs;
      /** Nodes that an action set out to remove, by what it took them for. */
      const aimed = { holders: createAims(), waiters: createAims() };
      const done = new Map<Action['type'], number>();
      const wrong: string[] = [];
      /** Nodes of those who are in, by lock and way. */
      const inside = new Map<string, Set<string>>();
      const holds = { count: 0 };

      function enter(where: string, node: string, max: number): void {
        const set = inside.get(where) ?? new Set();
        inside.set(where, set.add(node));
        holds.count += 1;
        if (aimed.waiters.has(node) && deleted.has(node))
          wrong.push(`${node} was removed as a waiter, and holds`);
        const really = [...set].filter((other) => !aimed.holders.has(other));
        if (really.length > max) wrong.push(`${where}: ${really.length} hold, of ${max}`);
      }
      /** Before it lets go: its node is there, unless an action has removed it. */
      function leave(where: string, node: string): void {
        inside.get(where)?.delete(node);
        if (deleted.has(node) && !aimed.holders.has(node)) wrong.push(`${node} was removed by nobody`);
      }

      async function lockLoop(client: TestCurator, name: string, lock: CuratorLock): Promise<void> {
        const thread = client.thread(name);
        const path = 'path' in lock ? lock.path : '';
        while (!isOver()) {
          await thread.acquire(lock);
          const node = (await thread.held(lock)).node ?? '';
          const max = lock.kind === 'read' ? Number.POSITIVE_INFINITY : 1;
          enter(`${path} ${lock.kind}`, node, max);
          await work();
          leave(`${path} ${lock.kind}`, node);
          await thread.release(lock);
        }
      }
      async function poolLoop(
        client: TestCurator,
        name: string,
        pool: (typeof pools)[number],
      ): Promise<void> {
        const semaphore = client.thread(name).semaphore(pool as { path: string; limit: number });
        while (!isOver()) {
          const [lease = ''] = await semaphore.acquire();
          const node = `${pool.path}/leases/${lease}`;
          enter(pool.path, node, pool.limit ?? 3);
          await work();
          leave(pool.path, node);
          await semaphore.release(lease);
        }
      }

      function anAction(): Action | null {
        const { locks, semaphores } = stage.world();
        const lock = one(locks);
        const semaphore = one(semaphores);
        if (below(2) === 0 && lock !== undefined) {
          const holder = one([...(lock.holder === null ? [] : [lock.holder]), ...(lock.readers ?? [])]);
          const waiter = one(lock.waiters ?? []);
          if (below(3) === 0 && waiter !== undefined) return drop(lock.key, waiter.sessionId);
          if (holder === undefined) return null;
          return below(4) === 0 ? ask(lock.key, holder.sessionId) : release(lock.key, holder.sessionId);
        }
        if (semaphore === undefined) return null;
        const waiter = semaphore.waiters.find(({ verdict }) => verdict === 'ghost') ?? one(semaphore.waiters);
        if (below(2) === 0 && waiter !== undefined) return dropFrom(semaphore.prefix, waiter.sessionId);
        const holder = one(semaphore.holders);
        if (below(6) === 0) return resize(semaphore.prefix, 1 + below(3));
        return holder === undefined ? null : evict(semaphore.prefix, holder.sessionId);
      }
      /** Whether it was done. */
      async function act(action: Action): Promise<boolean> {
        const planned = await stage.provider.plan(action, signal());
        if (isProblem(planned)) return false;
        const target = planned.plan.writes[0]?.target ?? '';
        await pause(below(10));
        const waits = action.type === 'lock.remove-waiter' || action.type === 'semaphore.remove-waiter';
        const set = waits ? aimed.waiters : aimed.holders;
        if (action.type === 'lock.ask' || action.type === 'semaphore.resize') {
          const asked = await stage.apply(action, planned);
          if (!isProblem(asked)) done.set(action.type, (done.get(action.type) ?? 0) + 1);
          return !isProblem(asked);
        }
        set.begin(target);
        const outcome = await stage.apply(action, planned);
        set.end(target, !isProblem(outcome) || outcome.code === 'unknown-result');
        if (isProblem(outcome)) return false;
        done.set(action.type, (done.get(action.type) ?? 0) + 1);
        await until(() => deleted.has(target), { what: `${target} to be gone` });
        return true;
      }
      async function acting(): Promise<void> {
        while (!isOver()) {
          const action = anAction();
          if (action !== null) await act(action);
          await pause(5 + below(20));
        }
      }
      const sabotaged = { count: 0 };
      const mended = { ghosts: 0, believed: 0 };
      /** Deletes the first place in the queue of a semaphore, which leaves a lease stuck. */
      async function sabotage(): Promise<void> {
        while (!isOver()) {
          await pause(300 + below(900));
          const waits = stage.world().semaphores.filter(({ waiters }) => waiters.length > 1);
          const first = one(waits)?.waiters.find(({ entryKey }) => entryKey?.includes('/locks/'));
          if (first?.entryKey === undefined) continue;
          await writer.delete(first.entryKey);
          sabotaged.count += 1;
        }
      }
      /**
       * Whatever is stuck is let go. A place that was deleted within two seconds of its lease leaves one that looks held under a
       * fixed limit: as an operator would, who asks its program, it is evicted once nobody believes to have it.
       */
      async function mend(): Promise<void> {
        while (!ended) {
          for (const { prefix, holders, waiters } of stage.world().semaphores) {
            for (const ghost of waiters.filter(({ verdict }) => verdict === 'ghost')) {
              if (await act(dropFrom(prefix, ghost.sessionId))) mended.ghosts += 1;
            }
            const believed = inside.get(prefix);
            for (const { sessionId } of Date.now() > endMs + 5_000 ? holders : [])
              if (!believed?.has(`${prefix}/leases/${sessionId}`) && (await act(evict(prefix, sessionId))))
                mended.believed += 1;
          }
          await pause(50);
        }
      }

      let ended = false;
      const working = clients.flatMap((client) => [
        ...locks.flatMap((lock, l) =>
          // A latch belongs to its client, whatever the thread.
          Array.from({ length: lock.kind === 'latch' ? 1 : threadsEach }, (_, n) =>
            lockLoop(client, `l${l}-${n}`, lock),
          ),
        ),
        ...pools.flatMap((pool, p) =>
          Array.from({ length: threadsEach }, (_, n) => poolLoop(client, `p${p}-${n}`, pool)),
        ),
      ]);
      const others = [acting(), acting(), acting(), sabotage(), mend()];
      const worked = Promise.all(working).then(() => {
        ended = true;
      });
      await Promise.all([worked, ...others]);
      expect(wrong).toEqual([]);
      console.log('storm:', {
        holds: holds.count,
        sabotaged: sabotaged.count,
        ...mended,
        ...Object.fromEntries(done),
      });
      for (const type of ['lock.release', 'lock.remove-waiter', 'semaphore.evict', 'semaphore.remove-waiter'])
        expect(done.get(type as Action['type']) ?? 0, type).toBeGreaterThan(0);
      // Everything is free again, and can be taken.
      for (const client of clients) {
        for (const lock of locks) {
          expect(await client.thread('after').acquire({ ...lock, waitMs: 20_000 })).toBe(true);
          await client.thread('after').release(lock);
        }
        for (const pool of pools) {
          const semaphore = client.thread('after').semaphore(pool as { path: string; limit: number });
          const leases = await semaphore.acquire({ waitMs: 20_000 });
          expect(leases).toHaveLength(1);
          await semaphore.release(...leases);
        }
      }
    },
    120_000 + 2 * stormMs,
  );
});
