/**
 * A storm on ZooKeeper. Clients of Curator take and let go, and an operator acts through Signalbox at random. Another
 * program deletes places in the queues of semaphores, and clients and leaders are killed.
 */
import type { Action } from '@/lib/domain/actions/action';
import { createZooKeeperProvider } from '@/lib/providers/zookeeper/provider';
import { requestsOf } from '@/test/provider/requests';
import { watching } from '@/test/provider/watching';
import { type CuratorLock, startCurator, type TestCurator } from '@/test/support/curator';
import { until } from '@/test/support/until';
import { startTestEnsemble, startTestZooKeeper } from '@/test/support/zookeeper';
import { settingsOf, startWriter } from '@/test/zookeeper/writer';
import { count, countMax, employ, limits, locks, pools, revocable } from './curator-work';
import { any, below, type Deed, type Hold, pause } from './history';
import {
  ghostsOf,
  holdersOf,
  isOverAfter,
  repeat,
  type StormOptions,
  type StormReport,
  strike,
} from './storm';
import { readTxns } from './txn-log';
import { judgeZooKeeper } from './zookeeper-judge';

/** Session time-outs: one that the load of the machine never exceeds, and one for clients that are killed soon. */
const stableMs = 60_000;
const victimMs = 6_000;
/** Time after the end until an operator releases holds that no client believes in. */
const believedMs = 5_000;
const { ask, removeWaiter, dropFrom, evict, release, resize } = requestsOf('zk');

type Started = TestCurator & {
  readonly label: string;
  readonly own: CuratorLock & { readonly path: string };
};

export async function stormOnZooKeeper(options: StormOptions): Promise<StormReport> {
  const { ms, killEveryMs, deposeEveryMs, say } = options;
  const ensemble = deposeEveryMs === undefined ? null : await startTestEnsemble();
  const servers = ensemble?.servers ?? [await startTestZooKeeper()];
  const addresses = servers.map(({ address }) => address).join(',');
  const holds: Hold[] = [];
  const deeds: Deed[] = [];
  const wrong: string[] = [];
  const clients = new Map<string, string>();
  const everyone: TestCurator[] = [];
  const sabotaged = new Set<string>();
  /** Nodes by which clients believe that they hold. */
  const believed = new Set<string>();
  let [started, deposed] = [0, 0];
  /** Nodes that only the end of a killed client's session removes. */
  const killed: string[] = [];
  const start = async (sessionMs: number) => {
    const client = await startCurator(addresses, { sessionMs });
    started += 1;
    everyone.push(client);
    const name = `client ${started}`;
    // Never acted on, so these locks end with their client.
    const own = { kind: 'mutex', path: `/b/${started}` } as const;
    clients.set(await client.session(), name);
    await client.thread('bystander').acquire(own);
    return Object.assign(client, { label: name, own });
  };
  const stable = await Promise.all([start(stableMs), start(stableMs)]);
  let victim: Started | null = killEveryMs === undefined ? null : await start(victimMs);
  const writer = await startWriter(settingsOf(addresses, { sessionMs: stableMs }));
  await stable[0]?.thread('limit').count(count).set(2);
  const provider = createZooKeeperProvider(
    settingsOf(addresses, { counts: new Map([['/s/shared', count]]) }),
    Date.now,
  );
  const watch = watching(provider);
  await watch.says('live');

  const endMs = Date.now() + ms;
  const isOver = isOverAfter(ms);
  const working = new Set<Promise<unknown>>();
  const employed = (client: TestCurator) => {
    const ended = employ(client, {
      isOver,
      onHold: (hold) => void holds.push(hold),
      enters: (node) => void believed.add(node),
      leaves: (node) => void believed.delete(node),
    })
      .catch((error) => wrong.push(`a client: ${error}`))
      .finally(() => working.delete(ended));
    working.add(ended);
  };

  function anAction(): Action | null {
    const world = watch.world();
    const lock = any(world.locks.filter(({ key }) => key.startsWith('/s/')));
    const semaphore = any(world.semaphores);
    if (below(2) === 0 && lock !== undefined) {
      const waiter = any(lock.waiters ?? []);
      if (below(3) === 0 && waiter !== undefined) return removeWaiter(lock.key, waiter.sessionId);
      const holder = any(holdersOf(lock));
      if (holder === undefined) return null;
      return below(20) === 0 ? ask(lock.key, holder.sessionId) : release(lock.key, holder.sessionId);
    }
    if (semaphore === undefined) return null;
    const waiter = any(semaphore.waiters);
    if (below(2) === 0 && waiter !== undefined) return dropFrom(semaphore.prefix, waiter.sessionId);
    if (below(6) === 0) return resize(semaphore.prefix, 1 + below(countMax));
    const holder = any(semaphore.holders);
    return holder === undefined ? null : evict(semaphore.prefix, holder.sessionId);
  }
  const operates = async () => {
    while (!isOver()) {
      const action = anAction();
      if (action !== null) await strike(provider, action, deeds);
      await pause(5 + below(20));
    }
  };
  /** Asks the holder of the one lock that can be asked. The client may keep working, as its program may. */
  const asks = async () => {
    const holder = watch.lock(revocable)?.holder;
    if (holder) await strike(provider, ask(revocable, holder.sessionId), deeds);
  };
  /** Deletes the first place in the queue of a semaphore, which leaves a lease stuck. */
  const sabotages = async () => {
    const waits = watch.world().semaphores.filter(({ waiters }) => waiters.length > 1);
    const first = any(waits)?.waiters.find(({ entryKey }) => entryKey?.includes('/locks/'));
    if (first?.entryKey === undefined) return;
    sabotaged.add(first.entryKey);
    // Without a leader the place stays.
    await writer.delete(first.entryKey).catch(() => {});
  };
  let ended = false;
  /**
   * Releases stuck leases. A place deleted within two seconds of its lease leaves a lease that looks held under a fixed
   * limit. That one is evicted once no client believes to have it.
   */
  const mends = async () => {
    while (!ended) {
      const { semaphores } = watch.world();
      for (const { row, waiter } of ghostsOf(semaphores))
        if (row.kind === 'semaphore') await strike(provider, dropFrom(row.prefix, waiter.sessionId), deeds);
      for (const { prefix, holders } of Date.now() > endMs + believedMs ? semaphores : [])
        for (const { sessionId } of holders)
          if (!believed.has(`${prefix}/leases/${sessionId}`))
            await strike(provider, evict(prefix, sessionId), deeds);
      await pause(50);
    }
  };
  const kills = async () => {
    if (victim === null) return;
    await victim.kill9();
    killed.push(victim.own.path);
    victim = await start(victimMs);
    if (!isOver()) employed(victim);
  };
  const deposes = async () => {
    if (ensemble === null) return;
    const fromMs = Date.now();
    const led = await ensemble.depose();
    deposed += 1;
    say(`leader ${deposed} killed: another one after ${Date.now() - fromMs} ms`);
    await pause(2_000);
    await led.start();
    await until(led.mode, { what: 'the killed server to follow', timeoutMs: 60_000 });
  };

  for (const client of [...stable, ...(victim === null ? [] : [victim])]) employed(client);
  const mending = mends();
  await Promise.all([
    operates(),
    operates(),
    operates(),
    repeat(isOver, 100, asks),
    repeat(isOver, 600, sabotages),
    ...(killEveryMs === undefined ? [] : [repeat(isOver, killEveryMs, kills)]),
    ...(deposeEveryMs === undefined ? [] : [repeat(isOver, deposeEveryMs, deposes)]),
  ]);
  while (working.size > 0) await Promise.all(working);
  ended = true;
  await mending;

  // Everything is free again, and real clients take it.
  for (const client of stable) {
    const after = client.thread('after');
    for (const lock of locks)
      if (await after.acquire({ ...lock, waitMs: 40_000 })) await after.release(lock);
      else wrong.push(`${lock.kind} ${lock.path} cannot be taken any more`);
    for (const pool of pools) {
      const leases = await after.semaphore(pool).acquire({ waitMs: 40_000 });
      if (leases.length === 1) await after.semaphore(pool).release(...leases);
      else wrong.push(`${pool.path} gives no lease any more`);
    }
    await client.thread('bystander').release(client.own);
    // A session may have ended meanwhile, and another begun.
    clients.set(await client.session(), client.label);
  }
  for (const path of killed)
    await until(async () => ((await stable[0]?.thread('after').node(path).children()) ?? []).length === 0, {
      what: `the session of ${path} to end`,
      timeoutMs: 5 * victimMs,
      everyMs: 500,
    });
  await victim?.close();
  await watch.stop();
  provider.close();
  await writer.close();
  await Promise.all(servers.map((server) => until(server.mode, { what: 'every server serves' })));

  const txns = readTxns(servers.map(({ data }) => data));
  const verdict = judgeZooKeeper({ txns, holds, deeds, clients, sabotaged, limits });
  const done = (kind: Deed['kind']) => deeds.filter((one) => one.kind === kind && one.told === 'done').length;
  const told = (what: Deed['told']) => deeds.filter((one) => one.told === what).length;
  return {
    wrong: [...wrong, ...verdict.wrong],
    counts: {
      holds: holds.length,
      evicted: done('evict'),
      'waiters removed': done('waiter'),
      asked: done('ask'),
      'of these heard': everyone.flatMap(({ events }) => events.filter(({ event }) => event === 'asked'))
        .length,
      limits: done('limit'),
      refused: told('refused'),
      'not known': told('unknown'),
      sabotaged: sabotaged.size,
      'clients killed': killed.length,
      'leaders killed': deposed,
      transactions: txns.length,
      'nodes made': verdict.created,
      'nodes removed by actions': verdict.removed,
      'nodes ended with their session': verdict.endedWithSession,
    },
  };
}
