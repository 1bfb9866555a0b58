/** The contract on Redis, by hands that write what Redisson writes. `redisson.test.ts` has the real library. */
import { randomBytes, randomUUID } from 'node:crypto';
import { describe } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { noRedis, type RedisServer, startTestRedis } from '@/test/support/redis';
import { type Contender, providerContract } from './contract';

const leaseMs = 600_000;
const never = 922_337_203_685_477;
const party = () => `${randomUUID()}:${1 + Math.floor(Math.random() * 100)}`;

/** Every key with what is in it and when it ends, without the moments that pass by themselves. */
async function storedIn(redis: RedisServer): Promise<string> {
  const keys: string[] = (await redis.call('KEYS', '*')).sort();
  const rows = keys.map(async (key) => [
    key,
    await redis.call('DUMP', key),
    await redis.call('PEXPIRETIME', key),
  ]);
  return JSON.stringify(await Promise.all(rows));
}

/** `parameters`: of the address. `lines`: of the server's configuration. */
const contender = (
  name: string,
  {
    parameters = '',
    lines = [],
    env = {},
  }: { parameters?: string; lines?: string[]; env?: Record<string, string> } = {},
): Contender => ({
  name,
  start: async () => {
    const redis = await startTestRedis({ lines });
    const take = async (key: string, ms = leaseMs) => {
      const id = party();
      if ((await redis.call('EXISTS', key)) === 1) throw new Error(`${key} is taken.`);
      await redis.call(
        'EVAL',
        "redis.call('HSET',KEYS[1],ARGV[1],1) redis.call('PEXPIRE',KEYS[1],ARGV[2])",
        '1',
        key,
        id,
        String(ms),
      );
      return id;
    };
    return {
      stop: async () => void (await redis.stop()),
      stage: async () => {
        const proxy = await startFaultProxy(redis.address);
        const [source] = readSources({
          ...env,
          SIGNALBOX_SOURCES: `redis://${proxy.address}?id=redis&${parameters}`,
        });
        if (source === undefined) throw new Error('no source');
        /** Waiters of a fair lock listen, each on a channel of its own. */
        const listener = await redis.connect();
        return {
          backend: createRedisBackend({ settings: redisSource(source), now: Date.now }),
          hands: {
            hold: (key) => take(key),
            letGo: async (key) => void (await redis.call('DEL', key)),
            queue: async (key, clients) => {
              const ids = Array.from({ length: clients }, party);
              for (const id of ids) {
                await listener.call('SUBSCRIBE', `redisson_lock__channel:{${key}}:${id}`);
                await redis.call('ZADD', `redisson_lock_timeout:{${key}}`, String(Date.now() + leaseMs), id);
                await redis.call('RPUSH', `redisson_lock_queue:{${key}}`, id);
              }
              return ids;
            },
            semaphore: async (prefix, limit, holders) => {
              const ids = Array.from({ length: holders }, () => randomBytes(16));
              await redis.call('SET', prefix, String(limit - holders));
              for (const id of ids) await redis.call('ZADD', `{${prefix}}:timeout`, String(never), id);
              return ids.map((id) => id.toString('hex'));
            },
            holdAndDie: async (key) => ({ holder: await take(key, 6_000), freedMs: 6_000 }),
            cut: async () => proxy.refuse(),
            restore: async () => proxy.accept(),
            stored: () => storedIn(redis),
          },
          close: async () => {
            listener.close();
            await proxy.close();
          },
        };
      },
    };
  },
});

describe.skipIf((await noRedis()) !== null)('Redis', () => {
  providerContract(contender('Redis, by client tracking'));
  providerContract(
    contender('Redis, by keyspace events', {
      parameters: 'user=box&password-env=BOX',
      lines: ['user box on >hush ~* &* +@all -client|tracking', 'notify-keyspace-events KA'],
      env: { BOX: 'hush' },
    }),
  );
  providerContract(
    contender('Redis, by asking again', {
      parameters: 'user=box&password-env=BOX',
      lines: ['user box on >hush ~* &* +@all -client|tracking -config'],
      env: { BOX: 'hush' },
    }),
  );
});
