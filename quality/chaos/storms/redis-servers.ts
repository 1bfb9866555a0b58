/** The servers of a storm on Redis: one server, a cluster, or a set under sentinels; and the death of a master. */
import {
  type RedisCluster,
  type RedisSentinels,
  type RedisServer,
  startRedisCluster,
  startRedisSentinels,
  startTestRedis,
} from '@/test/support/redis';
import { until } from '@/test/support/until';
import { pause } from './history';
import type { Failover } from './redis-judge';

export type Topology = 'single' | 'cluster' | 'sentinel';

/** The time until clients know the new master, and the time that the old one stays away. */
const settleMs = 500;
const awayMs = 2_000;
/** A master that is silent for less counts as slow, so that no takeover comes without a kill. */
const downMs = 5_000;

export interface Servers {
  readonly topology: Topology;
  readonly rig: RedisServer | RedisCluster | RedisSentinels;
  readonly all: readonly RedisServer[];
  readonly address: string;
  masterOf(name: string): Promise<RedisServer>;
  /** The number of takeovers by replicas, from the servers' own logs. */
  takeovers(): number;
}

const countIn = (servers: readonly RedisServer[], line: RegExp): number[] =>
  servers.map((server) => [...server.log().matchAll(line)].length);

export async function serversOf(topology: Topology): Promise<Servers> {
  if (topology === 'single') {
    const rig = await startTestRedis();
    return {
      topology,
      rig,
      all: [rig],
      address: `redis://${rig.address}?id=jobs`,
      masterOf: async () => rig,
      takeovers: () => 0,
    };
  }
  if (topology === 'cluster') {
    const rig = await startRedisCluster({ replicas: true, downMs });
    return {
      topology,
      rig,
      all: rig.servers,
      address: `redis://${rig.servers.map(({ address }) => address).join(',')}?topology=cluster&id=jobs`,
      masterOf: rig.ownerOf,
      takeovers: () => countIn(rig.servers, /Failover election won/g).reduce((a, b) => a + b, 0),
    };
  }
  const rig = await startRedisSentinels({ downMs });
  const hosts = rig.sentinels.map(({ address }) => address).join(',');
  return {
    topology,
    rig,
    all: rig.servers,
    address: `redis://${hosts}?master=${rig.master}&id=jobs`,
    masterOf: async () => until(rig.primary, { what: 'a primary' }),
    takeovers: () => Math.max(...countIn(rig.sentinels, /\+switch-master/g)),
  };
}

/** A failover whose end is `Infinity` until another master serves. */
export type Underway = Failover & { toMs: number };

/**
 * Kills the master of a name, reads its replica's copy of `names` before the takeover, and makes the old master a
 * replica. `begins` receives the failover before anything happens.
 */
export async function depose(
  { topology, rig, all, masterOf }: Servers,
  {
    name,
    locks,
    pools,
    counters,
    begins,
  }: {
    readonly name: string;
    readonly locks: readonly string[];
    readonly pools: readonly string[];
    readonly counters: readonly string[];
    readonly begins: (failover: Underway) => void;
  },
): Promise<void> {
  const old = await masterOf(name);
  const places: string[] = [];
  for (const one of [...locks, ...pools, ...counters]) if ((await masterOf(one)) === old) places.push(one);
  const roles = await Promise.all(
    all.map(async (server) => ({ server, role: await server.call('ROLE').catch(() => []) })),
  );
  const replica = roles.find(({ role }) => role[0] === 'slave' && role[2] === old.port)?.server;
  if (replica === undefined) throw new Error('The master has no replica.');
  const had = new Set<string>();
  const free = new Map<string, number>();
  const failover: Underway = {
    fromMs: Date.now(),
    toMs: Number.POSITIVE_INFINITY,
    places: new Set(places),
    had,
    free,
  };
  begins(failover);
  await old.kill();
  if (topology === 'cluster') await replica.call('READONLY');
  for (const place of places) {
    if (counters.includes(place)) {
      free.set(place, Number(await replica.call('GET', place)));
      continue;
    }
    const who: string[] = pools.includes(place)
      ? (await replica.call('ZRANGE', `{${place}}:timeout`, 0, -1)).map((id: string) =>
          Buffer.from(id, 'latin1').toString('hex'),
        )
      : await replica.call('HKEYS', place);
    for (const one of who) had.add(`${place} ${one}`);
  }
  await until(async () => (await replica.call('ROLE'))[0] === 'master', {
    what: 'the replica to take over',
    timeoutMs: 60_000,
  });
  if ('whole' in rig) await rig.whole();
  failover.toMs = Date.now() + settleMs;
  await pause(awayMs);
  await old.start();
  // The sentinels would do so sooner or later, and close all connections for it.
  if (topology === 'sentinel') await old.call('REPLICAOF', '127.0.0.1', replica.port).catch(() => {});
  await until(async () => (await old.call('ROLE'))[3] === 'connected', {
    what: 'the old master to be a replica',
    timeoutMs: 60_000,
  });
}
