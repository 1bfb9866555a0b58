/** Real Redis servers for a test file: one, a set under sentinels, a cluster. All of them end with their file. */
import { claimPorts } from '@/scripts/ports.mjs';
import { findRedis, type RedisServer, startRedis } from '@/scripts/redis.mjs';
import { whyAbsent } from './absence';
import type { Authority } from './certificate';
import { endsWithFile } from './endings';
import { writePemFiles } from './pem-files';
import { until } from './until';

export type { RedisServer };

/** Why there is no Redis here, `null` where there is one; as `whyAbsent` has it. */
export const noRedis = () => whyAbsent(findRedis, 'SKIPPED: every test on Redis in this file.');

/** A server, and the port where it speaks TLS, when it was told to. */
export type TestRedis = RedisServer & { readonly tlsPort: number | null };

/**
 * Starts one server on a free port (50 ms). `settings` and `lines` are of its configuration, as `startRedis` takes them; `tls`: it
 * also speaks TLS, with a certificate of this authority, and takes clients with one or without.
 */
export async function startTestRedis({
  tls,
  settings,
  ...options
}: {
  readonly settings?: Record<string, string>;
  readonly lines?: string[];
  readonly tls?: Authority;
} = {}): Promise<TestRedis> {
  let tlsPort: number | null = null;
  const secured = (port: number): Record<string, string> => {
    if (tls === undefined) return {};
    tlsPort = port;
    const { ca, cert, key } = writePemFiles(tls);
    return {
      'tls-port': String(port),
      'tls-ca-cert-file': ca,
      'tls-cert-file': cert,
      'tls-key-file': key,
      'tls-auth-clients': 'optional',
    };
  };
  const [server] = await startAll([
    (_, spare) => ({ ...options, settings: { ...secured(spare), ...settings } }),
  ]);
  if (server === undefined) throw new Error('No server was started.');
  return { ...server, tlsPort };
}

type Options = Omit<Parameters<typeof startRedis>[0], 'port'>;

/** Starts several, each with what its function says of its own port and of the one after it, which is free for its bus. */
async function startAll(
  each: readonly ((port: number, spare: number) => Options)[],
): Promise<readonly RedisServer[]> {
  const started = await Promise.allSettled(
    each.map(async (options) => {
      const block = await claimPorts(2);
      const [port = 0, spare = 0] = block.ports;
      try {
        const server = await startRedis({ port, ...options(port, spare) });
        const stop = endsWithFile(async () => {
          await server.stop();
          block.release();
        });
        return { ...server, stop };
      } catch (error) {
        block.release();
        throw error;
      }
    }),
  );
  return started.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

export interface RedisSentinels {
  /** The name that the sentinels know the set by. */
  readonly master: string;
  /** The first one is the primary at first. */
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];
  /** The server that the first sentinel that answers names as primary; `null` when none does. */
  primary(): Promise<RedisServer | null>;
  /** Kills the primary (SIGKILL) and waits until another one is: 2 to 6 s. The old one stays down. */
  failOver(): Promise<RedisServer>;
}

/**
 * Starts a primary, its replica and three sentinels, which fail over after `downMs`; resolves once they know each other (2 to
 * 4 s). Redisson asks for at least two sentinels, and a failover for a majority.
 */
export async function startRedisSentinels({ downMs = 1_000 } = {}): Promise<RedisSentinels> {
  const master = 'test-set';
  const [first] = await startAll([() => ({})]);
  if (first === undefined) throw new Error('No server was started.');
  const [second] = await startAll([
    () => ({ settings: { replicaof: `127.0.0.1 ${first.port}`, 'repl-diskless-sync-delay': '0' } }),
  ]);
  if (second === undefined) throw new Error('No server was started.');
  const servers = [first, second];
  const watch = () => ({
    sentinel: true,
    lines: [
      `sentinel monitor ${master} 127.0.0.1 ${first.port} 2`,
      `sentinel down-after-milliseconds ${master} ${downMs}`,
      `sentinel failover-timeout ${master} 4000`,
    ],
  });
  const sentinels = await startAll([watch, watch, watch]);
  const counts = async (sentinel: RedisServer) => {
    const facts: string[] = await sentinel.call('SENTINEL', 'MASTER', master);
    const fact = (name: string) => Number(facts[facts.indexOf(name) + 1]);
    return { replicas: fact('num-slaves'), others: fact('num-other-sentinels') };
  };
  await until(
    async () => {
      const all = await Promise.all(sentinels.map(counts));
      return all.every(({ replicas, others }) => replicas === 1 && others === 2);
    },
    { what: 'the sentinels know each other', timeoutMs: 30_000, everyMs: 100 },
  );
  const primary = async () => {
    for (const sentinel of sentinels) {
      const named: string[] | null = await sentinel
        .call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master)
        .catch(() => null);
      if (named !== null) return servers.find(({ port }) => port === Number(named[1])) ?? null;
    }
    return null;
  };
  return {
    master,
    servers,
    sentinels,
    primary,
    failOver: async () => {
      const old = await until(primary, { what: 'a primary' });
      await old.kill();
      return until(
        async () => {
          const now = await primary();
          if (now === null || now === old) return null;
          return (await now.call('ROLE'))[0] === 'master' ? now : null;
        },
        { what: 'another primary', timeoutMs: 30_000, everyMs: 50 },
      );
    },
  };
}

export interface RedisCluster {
  /** Three masters; then their replicas, where there are any, in the same order. */
  readonly servers: readonly RedisServer[];
  /** The master that has a key's slot, as a node that answers says now. */
  ownerOf(key: string): Promise<RedisServer>;
  /** Waits until every node that runs says that the cluster is whole. */
  whole(): Promise<void>;
}

const slots = 16_384;
const masters = 3;

/** Starts a cluster of three masters, and as many replicas where asked; resolves once it is whole (1 to 4 s). */
export async function startRedisCluster({
  replicas = false,
  downMs = 2_000,
}: {
  replicas?: boolean;
  /** `cluster-node-timeout`: so long until a replica takes over. */
  downMs?: number;
} = {}): Promise<RedisCluster> {
  const node = (_: number, bus: number) => ({
    settings: {
      'cluster-enabled': 'yes',
      'cluster-port': String(bus),
      'cluster-node-timeout': String(downMs),
      'repl-diskless-sync-delay': '0',
    },
  });
  const servers = await startAll(Array.from({ length: masters * (replicas ? 2 : 1) }, () => node));
  const [first] = servers;
  if (first === undefined) throw new Error('No server was started.');
  await Promise.all(
    servers.map(async (server, n) => {
      if (n < masters) {
        const from = Math.floor((slots * n) / masters);
        const to = Math.floor((slots * (n + 1)) / masters) - 1;
        await server.call('CLUSTER', 'ADDSLOTSRANGE', from, to);
      }
      await server.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1);
    }),
  );
  for (const server of servers) {
    const bus = (await server.call('CONFIG', 'GET', 'cluster-port'))[1];
    if (server !== first) await first.call('CLUSTER', 'MEET', '127.0.0.1', server.port, bus);
  }
  const whole = async () => {
    await until(
      async () => {
        const told = await Promise.all(
          servers.map((server) => server.call('CLUSTER', 'INFO').catch(() => null)),
        );
        const running = told.filter((info) => info !== null);
        return running.length > 0 && running.every((info) => info.includes('cluster_state:ok'));
      },
      { what: 'the cluster is whole', timeoutMs: 30_000, everyMs: 50 },
    );
  };
  await whole();
  await Promise.all(
    servers.slice(masters).map(async (server, n) => {
      const id = await servers[n]?.call('CLUSTER', 'MYID');
      await until(() => server.call('CLUSTER', 'REPLICATE', id), { what: 'the replica knows its master' });
      await until(async () => (await server.call('ROLE'))[3] === 'connected', {
        what: 'the replica has its data',
        timeoutMs: 30_000,
      });
    }),
  );
  return {
    servers,
    whole,
    ownerOf: async (key) => {
      const told = await Promise.any(
        servers.map(async (server) => ({
          slot: Number(await server.call('CLUSTER', 'KEYSLOT', key)),
          ranges: (await server.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][],
        })),
      );
      const port = told.ranges.find(([from, to]) => from <= told.slot && told.slot <= to)?.[2][1];
      const owner = servers.find((server) => server.port === port);
      if (owner === undefined) throw new Error(`Nobody has the slot of ${key}.`);
      return owner;
    },
  };
}
