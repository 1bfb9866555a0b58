/** Names with braces, which share what Redisson keeps beside them, and names outside of what a source watches. */
import { describe, expect, test } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { openLink } from '@/lib/providers/redis/client/link';
import { redisSource } from '@/lib/providers/redis/source';
import { createDiscovery } from '@/lib/providers/redis/watch/discovery';
import { readSources } from '@/lib/server/process/source-list';
import { type Watching, watching } from '@/test/provider/watching';
import { noRedis, startRedisCluster, startTestRedis } from '@/test/support/redis';
import { until } from '@/test/support/until';
import { release, startActor } from './stage';

const absent = await noRedis();
const redis = absent === null ? await startTestRedis() : null;
const [one, two] = ['11111111-1111-4111-8111-111111111111:1', '22222222-2222-4222-8222-222222222222:2'];

async function watched(address: string, look: (watch: Watching) => Promise<void>): Promise<void> {
  const [source] = readSources({ SIGNALBOX_SOURCES: address });
  if (source === undefined) throw new Error('no source');
  const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
  const watch = watching(provider);
  try {
    await look(watch);
  } finally {
    await watch.stop();
    provider.close();
  }
}

describe.skipIf(absent !== null)('names', () => {
  test('a long value is shown cut at a character, and with its whole length', async () => {
    if (redis === null) throw new Error('There is no rig.');
    await redis.call('SET', 'words', '語'.repeat(100));
    await watched(`redis://${redis.address}?semaphores=words`, async (watch) => {
      const shown = () => watch.semaphore('words')?.value ?? null;
      await until(() => shown() !== null, { what: 'the value' });
      expect(shown()).toEqual({ encoding: 'text', content: '語'.repeat(42), bytes: 300, truncated: true });
    });
    await redis.call('DEL', 'words');
  });

  test('are looked for once, also where one prefix lies within another', async () => {
    if (redis === null) throw new Error('There is no rig.');
    const [source] = readSources({ SIGNALBOX_SOURCES: `redis://${redis.address}` });
    if (source === undefined) throw new Error('no source');
    const link = await openLink({ settings: redisSource(source), signal: AbortSignal.timeout(30_000) });
    try {
      await redis.call('HSET', 'job:red:a', one, '1');
      const discovery = createDiscovery(['job:', 'job:red:']);
      const found: string[] = [];
      for (let page = await discovery.next(link); page !== null; page = await discovery.next(link))
        found.push(...page);
      expect(found).toEqual(['job:red:a']);
    } finally {
      link.close();
      await redis.call('FLUSHALL');
    }
  });

  test('a lock with a queue or with clients that wait is one row: its name in braces is none', async () => {
    if (redis === null) throw new Error('There is no rig.');
    await redis.call('HSET', 'orders', one, '1');
    await redis.call('RPUSH', 'redisson_lock_queue:{orders}', two);
    await redis.call('ZADD', 'redisson_lock_timeout:{orders}', String(Date.now() + 300_000), two);
    await redis.call('HSET', '{braced}', one, '1');
    const listener = await redis.connect();
    for (const name of ['plain', 'braced'])
      await listener.call('SUBSCRIBE', `redisson_lock__channel:{${name}}`);
    await watched(`redis://${redis.address}?id=jobs`, async (watch) => {
      await until(() => watch.lock('plain') && watch.lock('{braced}')?.waitingClients === 1, {
        what: 'those who listen to be counted',
      });
      expect(watch.world().locks.map(({ key }) => key)).toEqual(['orders', 'plain', '{braced}']);
      expect(watch.lock('orders')?.waiters).toHaveLength(1);
      // Another change of the queue brings no other row.
      await redis.call('RPUSH', 'redisson_lock_queue:{orders}', one);
      await until(() => watch.lock('orders')?.waiters?.length === 2, { what: 'the second to wait' });
      // The same the other way round, once the key of its own comes.
      await redis.call('HSET', '{plain}', one, '1');
      await until(() => watch.lock('{plain}')?.state === 'held', { what: 'the lock in braces' });
      expect(watch.world().locks.map(({ key }) => key)).toEqual(['orders', '{braced}', '{plain}']);
    });
    listener.close();
  });

  test('in a cluster a key whose companions would be in another slot does not end the watch', async () => {
    const cluster = await startRedisCluster();
    for (const name of ['cache:{}', 'x}y', 'a{b', '}'])
      await (await cluster.ownerOf(name)).call('SET', name, '1');
    for (const name of ['c{d', 'e}f']) {
      await (await cluster.ownerOf(name)).call('HSET', name, one, '1');
      const queue = name.includes('{') ? `redisson_lock_queue:${name}` : `redisson_lock_queue:{${name}}`;
      await (await cluster.ownerOf(queue)).call('RPUSH', queue, two);
    }
    const hosts = cluster.servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
    await watched(`redis://${hosts}?id=jobs&topology=cluster`, async (watch) => {
      await watch.says('live');
      expect(watch.world().locks.map(({ key, state }) => [key, state])).toEqual(
        expect.arrayContaining([
          ['c{d', 'held'],
          ['e}f', 'held'],
        ]),
      );
      expect(watch.sources.some(({ state }) => state === 'down')).toBe(false);
    });
  });

  test('of somebody else’s large hash only a glimpse is read, and of a lock with many readers all of them', async () => {
    const server = await startTestRedis({ settings: { 'hash-max-listpack-entries': '8' } });
    const value = 'x'.repeat(10_000);
    for (let at = 0; at < 2_000; at += 100)
      await server.call(
        'HSET',
        'session',
        ...Array.from({ length: 100 }, (_, i) => [`f${at + i}`, value]).flat(),
      );
    const readers = Array.from({ length: 40 }, (_, i) => `${one.slice(0, -1)}${i + 1}`);
    await server.call('HSET', 'shared', 'mode', 'read', ...readers.flatMap((reader) => [reader, '1']));
    for (const reader of readers) await server.call('SET', `{shared}:${reader}:rwlock_timeout:1`, '1');
    const sent = async () =>
      Number(/total_net_output_bytes:(\d+)/.exec(String(await server.call('INFO', 'stats')))?.[1]);
    const before = await sent();
    await watched(`redis://${server.address}?id=jobs`, async (watch) => {
      await watch.says('live');
      const lock = watch.lock('shared');
      expect(lock?.layout).toBe('redisson-read-write');
      expect(lock?.readers).toHaveLength(39);
      expect(watch.world().locks).toHaveLength(1);
      expect((await sent()) - before).toBeLessThan(1_000_000);
    });
  });

  test('what a plan of another source saw is not applied to a name outside of this one', async () => {
    if (redis === null) throw new Error('There is no rig.');
    await redis.call('HSET', 'other:a', one, '1');
    const wide = await startActor([redis.port]);
    const narrow = await startActor([redis.port], { prefixes: ['job:'] });
    try {
      const planned = await wide.plan(release('other:a'));
      expect(await narrow.stale(release('other:a'), planned)).toMatchObject({
        code: 'not-found',
        why: { code: 'outside-view' },
      });
      expect(await redis.call('EXISTS', 'other:a')).toBe(1);
    } finally {
      wide.close();
      narrow.close();
    }
  });
});
