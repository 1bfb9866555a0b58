/** Clients that listen in another database of the same Redis. Channels belong to no database. */
import { expect, test } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { type Watching, watching } from '@/test/provider/watching';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { until } from '@/test/support/until';
import { release, wake } from './stage';

const absent = await noRedis();
const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f';

async function watched(
  address: string,
  look: (watch: Watching, provider: Provider) => Promise<void>,
): Promise<void> {
  const [source] = readSources({ SIGNALBOX_SOURCES: address, P: 'hush' });
  if (source === undefined) throw new Error('no source');
  const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
  const watch = watching(provider);
  try {
    await watch.says('live');
    await look(watch, provider);
  } finally {
    await watch.stop();
    provider.close();
  }
}

/** Locks and a number in database 1, one of each here, and clients that wait for each of them and for a free lock. */
async function rig() {
  const redis = await startTestRedis({ lines: ['user box on >hush ~* &* +@all -info'] });
  const line = await redis.connect();
  for (const name of ['there', 'both', 'free'])
    await line.call('SUBSCRIBE', `redisson_lock__channel:{${name}}`);
  await line.call('SUBSCRIBE', 'redisson_sc:{pool}');
  const other = await redis.connect();
  await other.call('SELECT', '1');
  for (const name of ['there', 'both']) await other.call('HSET', name, `${id}:1`, '1');
  await redis.call('HSET', 'both', `${id}:2`, '1');
  for (const database of [redis, other]) await database.call('SET', 'pool', '1');
  return { redis, other };
}

test.skipIf(absent !== null)(
  'locks that clients wait for in another database are no locks of this one, nor are they counted',
  async () => {
    const { redis, other } = await rig();
    await watched(`redis://${redis.address}`, async (watch) => {
      // A number is known by its listeners alone, so they were asked for.
      await until(() => watch.semaphore('pool'), { what: 'the semaphore' });
      expect(watch.worlds.flatMap(({ locks }) => locks.map(({ key }) => key))).not.toContain('there');
      expect(watch.lock('both')).toMatchObject({ state: 'held', holder: { sessionId: `${id}:2` } });
      expect(watch.lock('both')).not.toHaveProperty('waitingClients');
      expect(watch.lock('free')).toBeUndefined();
    });
    // Alone in its Redis, a database counts them all.
    await other.call('FLUSHDB');
    await watched(`redis://${redis.address}`, async (watch) => {
      await until(() => watch.lock('both')?.waitingClients === 1, { what: 'one that waits' });
      await until(() => watch.lock('free')?.waitingClients === 1, { what: 'a lock with no key' });
    });
  },
);

test.skipIf(absent !== null)(
  'a user who may not ask for the other databases sees no lock by its listeners but in database 0',
  async () => {
    const { redis } = await rig();
    const user = 'user=box&password-env=P';
    await watched(`redis://${redis.address}/1?${user}`, async (watch) => {
      await until(() => watch.semaphore('pool'), { what: 'the semaphore' });
      expect(watch.world().locks.map(({ key }) => key)).toEqual(['both', 'there']);
      expect(watch.lock('there')).not.toHaveProperty('waitingClients');
    });
    await watched(`redis://${redis.address}?${user}`, async (watch) => {
      await until(() => watch.lock('free')?.waitingClients === 1, { what: 'a lock with no key' });
    });
  },
);

test.skipIf(absent !== null)(
  'a plan does not count clients that may wait in another database, nor is it for a lock that only they know',
  async () => {
    const { redis } = await rig();
    await watched(`redis://${redis.address}?id=jobs`, async (watch, provider) => {
      await until(() => watch.semaphore('pool'), { what: 'the semaphore' });
      const signal = AbortSignal.timeout(30_000);
      const planned = await provider.plan(release('both'), signal);
      if (isProblem(planned)) throw new Error(JSON.stringify(planned));
      expect(planned.plan.warnings).toContainEqual({ code: 'redis-clients-wait', facts: { clients: null } });
      expect(await provider.plan(wake('free'), signal)).toMatchObject({ why: { code: 'no-lock' } });
      const outcome = await provider.apply(release('both'), planned.expect, signal);
      expect(outcome).toMatchObject({ done: true, after: { state: 'free' } });
      expect(outcome).not.toHaveProperty('after.waitingClients');
    });
  },
);
