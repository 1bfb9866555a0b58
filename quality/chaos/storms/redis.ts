/**
 * A storm on Redis: clients of Redisson take and let go, an operator acts through Signalbox at random, and clients and
 * masters are killed. The locks of an untouched client must be there at the end.
 */
import type { Action } from '@/lib/domain/actions/action';
import { createRedisProvider } from '@/lib/providers/redis/provider';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { requestsOf } from '@/test/provider/requests';
import { watching } from '@/test/provider/watching';
import { type RedissonThread, startRedisson, type TestRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { type Change, freeOf } from './counter-judge';
import { counterFirst, counters, counts, dies, graves } from './counter-work';
import { any, below, type Deed, type Hold, pause, touches } from './history';
import { judgeRedis } from './redis-judge';
import { depose, serversOf, type Topology, type Underway } from './redis-servers';
import { bystanders, createWork, isGone, locks, permitLeaseMs, pools } from './redisson-work';
import {
  ghostsOf,
  holdersOf,
  isOverAfter,
  repeat,
  type StormOptions,
  type StormReport,
  strike,
} from './storm';

/** A watchdog renews every third of this, which is longer than a failover. */
const watchdogMs = 30_000;
const threadsEach = 4;
const firstLimit = 3;
const lockNames = [...new Set(locks.map(({ name }) => name))];
const { release, removeWaiter, wake, evict, prune, resize, returnPermits } = requestsOf('jobs');

export async function stormOnRedis(topology: Topology, options: StormOptions): Promise<StormReport> {
  const { ms, killEveryMs, deposeEveryMs, say } = options;
  const servers = await serversOf(topology);
  const holds: Hold[] = [];
  const deeds: Deed[] = [];
  const failovers: Underway[] = [];
  const changes: Change[] = [];
  /** Permits of plain semaphores that were lost with their holder, and not given back by an operator yet. */
  const lost = new Map(counters.map((place) => [place, 0]));
  const lose = (place: string, permits: number) => void lost.set(place, (lost.get(place) ?? 0) + permits);
  const wrong: string[] = [];
  const start = () => startRedisson(servers.rig, { watchdogMs });
  const [first, ...victims] = await Promise.all([start(), start(), start()]);
  if (first === undefined) throw new Error('There is no client.');
  const bystander = first.thread('bystander');
  // A new client may still be looking for its servers.
  for (const lock of bystanders) {
    await until(
      async () => {
        await bystander.acquire(lock);
        if ((await bystander.held(lock)).count === 1) return true;
        // Under sentinels the first call is sometimes done twice. The library knows one hold, and stops its watchdog at
        // the first release.
        await bystander.force(lock);
        return false;
      },
      { what: `${lock.name} to be held once` },
    );
  }
  const sets = first.thread('sets');
  for (const pool of [...pools, ...graves])
    await until(
      () =>
        sets
          .permits(pool)
          .set(firstLimit)
          .then(() => true),
      { what: `${pool} to be set` },
    );
  for (const counter of counters)
    await until(() => sets.semaphore(counter).set(counterFirst), { what: `${counter} to be set` });

  const [source] = readSources({
    SIGNALBOX_SOURCES: `${servers.address}&semaphores=${counters.map((name) => `${name}:${counterFirst}`).join(',')}`,
  });
  if (source === undefined) throw new Error('There is no source.');
  const provider = createRedisProvider({ settings: redisSource(source), now: Date.now });
  const watch = watching(provider);
  await watch.says('live');

  const isOver = isOverAfter(ms);
  const works = createWork({
    isOver,
    fell: (place, span) => failovers.some((one) => one.places.has(place) && touches(one, span)),
    onHold: (hold) => void holds.push(hold),
  });
  const dead = new Set<TestRedisson>();
  const working = new Set<Promise<void>>();
  let threads = 0;
  const joins = (ends: Promise<void>) => {
    const ended = ends
      .catch((error) => {
        if (!isGone(error)) wrong.push(`a client: ${error}`);
      })
      .finally(() => working.delete(ended));
    working.add(ended);
  };
  const employ = (client: TestRedisson) => {
    const isDead = () => dead.has(client);
    for (let n = 0; n < threadsEach; n += 1) {
      threads += 1;
      joins(works(client.thread(`t${threads}`), isDead));
    }
    joins(
      counts(client.thread('counts'), {
        ...{ isOver, isDead },
        onChange: (change) => void changes.push(change),
        onLost: (place) => lose(place, 1),
      }),
    );
  };

  function anAction(): Action | null {
    const world = watch.world();
    const lock = any(world.locks.filter(({ key }) => lockNames.includes(key)));
    const pool = any(world.semaphores.filter(({ prefix }) => pools.includes(prefix)));
    if (below(3) > 0 && lock !== undefined) {
      const waiter = any(lock.waiters ?? []);
      if (below(3) === 0 && waiter !== undefined) return removeWaiter(lock.key, waiter.sessionId);
      const holder = any(holdersOf(lock));
      return holder === undefined ? wake(lock.key) : release(lock.key, holder.sessionId);
    }
    if (pool === undefined) return null;
    if (below(2) === 0 && pool.holders.some(({ verdict }) => verdict === 'ghost')) return prune(pool.prefix);
    if (below(6) === 0) return resize(pool.prefix, 2 + below(3));
    const holder = any(pool.holders);
    return holder === undefined ? null : evict(pool.prefix, holder.sessionId);
  }
  /** Only one operator sets limits, so that the last limit is known. */
  const operates = async (setsLimits: boolean) => {
    while (!isOver()) {
      const action = anAction();
      if (action !== null && (setsLimits || action.type !== 'semaphore.resize'))
        await strike(provider, action, deeds);
      await pause(10 + below(20));
    }
  };
  let ended = false;
  /** Removes dead waiters to the end, because a dead head keeps all others out for five minutes. */
  const buries = async () => {
    while (!ended) {
      for (const { row, waiter } of ghostsOf(watch.world().locks))
        if (row.kind === 'lock') await strike(provider, removeWaiter(row.key, waiter.sessionId), deeds);
      await pause(200);
    }
  };
  /** Gives back the permits of lost holders to the end, so that all are free then. */
  const returns = async () => {
    while (!ended) {
      for (const [place, permits] of lost) {
        const deed = permits > 0 ? await strike(provider, returnPermits(place, permits), deeds) : null;
        if (deed !== null && deed.told !== 'refused') lose(place, -permits);
      }
      await pause(100);
    }
  };
  /** Prunes expired permits before the next client sweeps them. */
  const sweeps = async () => {
    while (!isOver()) {
      const over = watch
        .world()
        .semaphores.filter(
          ({ prefix, holders }) =>
            graves.includes(prefix) && holders.some(({ verdict }) => verdict === 'ghost'),
        );
      for (const { prefix } of over) await strike(provider, prune(prefix), deeds);
      await pause(100);
    }
  };
  const kills = async () => {
    const victim = victims.shift();
    if (victim === undefined) return;
    const next = start();
    dead.add(victim);
    await victim.kill9();
    const client = await next;
    victims.push(client);
    if (!isOver()) employ(client);
  };
  const deposes = async () => {
    await depose(servers, {
      name: any([...lockNames, ...pools]) ?? '',
      locks: [...lockNames, ...bystanders.map(({ name }) => name)],
      pools: [...pools, ...graves],
      counters,
      begins: (failover) => void failovers.push(failover),
    });
    const { fromMs, toMs, had } = failovers.at(-1) as Underway;
    say(`failover ${failovers.length}: ${toMs - fromMs} ms, the replica had ${had.size} holds`);
  };

  for (const client of [first, ...victims]) employ(client);
  joins(dies(first.thread('dies'), { isOver, onHold: (hold) => void holds.push(hold) }));
  const mending = Promise.all([buries(), returns()]);
  await Promise.all([
    operates(true),
    operates(false),
    sweeps(),
    ...(killEveryMs === undefined ? [] : [repeat(isOver, killEveryMs, kills)]),
    ...(deposeEveryMs === undefined ? [] : [repeat(isOver, deposeEveryMs, deposes)]),
  ]);
  while (working.size > 0) await Promise.all(working);

  /** The possible last limits of a pool, because a failover may bring back an earlier one. */
  const limitsOf = (pool: string) => {
    let possible = new Set([firstLimit]);
    for (const { kind, place, told, limit, toMs } of deeds) {
      if (kind !== 'limit' || place !== pool || told === 'refused' || limit === undefined) continue;
      const isShaken =
        told === 'unknown' ||
        failovers.some((one) => one.places.has(pool) && one.fromMs <= toMs + 1_000 && toMs <= one.toMs);
      possible = isShaken ? possible.add(limit) : new Set([limit]);
    }
    return possible;
  };
  async function poolIsWhole(pool: string, thread: RedissonThread): Promise<void> {
    const server = await servers.masterOf(pool);
    const permits = thread.permits(pool);
    const recorded = async () => Number(await server.call('ZCARD', `{${pool}}:timeout`));
    await until(
      async () => {
        // A client that asks also sweeps expired permits.
        const ids = await permits.acquire({ waitMs: 500, leaseMs: permitLeaseMs });
        if (ids.length > 0) await permits.release(...ids);
        return ids.length > 0 && (await recorded()) === 0;
      },
      { what: `${pool} to be free`, timeoutMs: 2 * permitLeaseMs, everyMs: 500 },
    ).catch(() => wrong.push(`${pool} keeps permits`));
    const total = Number(await server.call('GET', pool)) + (await recorded());
    const limits = limitsOf(pool);
    if (!limits.has(total)) wrong.push(`${pool} has ${total} permits, of ${[...limits].join(' or ')}`);
  }
  // A real client takes everything once more, and nothing else may be left.
  const after = first.thread('after');
  for (const lock of bystanders) {
    const { count } = await bystander.held(lock);
    if (count === 1) await bystander.release(lock);
    else wrong.push(`${lock.name}, which nobody touched, is held ${count} times`);
  }
  for (const lock of locks)
    if ((await after.acquire({ ...lock, waitMs: 3 * watchdogMs })) === false)
      wrong.push(`${lock.kind} ${lock.name} cannot be taken any more`);
    else await after.release(lock);
  for (const pool of [...pools, ...graves]) await poolIsWhole(pool, after);
  await until(() => [...lost.values()].every((permits) => permits === 0), {
    what: 'every permit of whoever is gone to be given back',
    timeoutMs: 30_000,
  }).catch((error) => wrong.push(error.message));
  const kept = [...pools, ...graves, ...counters];
  const masters = new Set(await Promise.all([...lockNames, ...kept].map(servers.masterOf)));
  for (const master of masters)
    for (const key of (await master.call('KEYS', '*')) as string[])
      if (!kept.includes(key) && !/^redisson_(unlock_latch|lock_token):/.test(key))
        wrong.push(`${key} is left`);
  ended = true;
  await mending;
  for (const { kind, told, place, permits = 0, fromMs, toMs } of deeds)
    if (kind === 'return' && told !== 'refused')
      changes.push({ place, permits, fromMs, toMs, told: told === 'done' ? 'done' : 'unsure' });
  for (const place of counters) {
    const free = Number(await (await servers.masterOf(place)).call('GET', place));
    const [least, most] = freeOf(place, { first: counterFirst, changes, failovers });
    if (free < least || free > most) wrong.push(`${place} has ${free} free, of ${least} to ${most}`);
  }
  await watch.stop();
  provider.close();

  // The judge did not read the replica of such a takeover, so its losses look like those of an action.
  if (servers.takeovers() !== failovers.length)
    throw new Error(
      `Replicas took over ${servers.takeovers()} times, and ${failovers.length} masters were killed: this machine is too busy for a storm.`,
    );
  const verdict = judgeRedis({ holds, deeds, failovers, leaseMs: permitLeaseMs });
  const done = (kind: Deed['kind']) => deeds.filter((one) => one.kind === kind && one.told === 'done').length;
  const returned = deeds.reduce(
    (sum, { kind, told, permits = 0 }) => sum + (kind === 'return' && told === 'done' ? permits : 0),
    0,
  );
  const told = (what: Deed['told']) => deeds.filter((one) => one.told === what).length;
  return {
    wrong: [...wrong, ...verdict.wrong],
    counts: {
      holds: holds.filter(({ fromMs }) => fromMs !== null).length,
      evicted: done('evict'),
      'found lost': verdict.matched,
      'waiters removed': done('waiter'),
      sweeps: done('sweep'),
      'permits returned': returned,
      limits: done('limit'),
      wakes: done('wake'),
      refused: told('refused'),
      'not known': told('unknown'),
      'clients killed': dead.size,
      'masters killed': failovers.length,
      'lost, brought back or taken twice by failovers': verdict.byFailover,
    },
  };
}
