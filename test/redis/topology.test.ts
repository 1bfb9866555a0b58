/** The watch through what becomes of servers: killed, hung, emptied, failed over, moved. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { Provider } from '@/lib/domain/seam/provider';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { type Watching, watching } from '@/test/provider/watching';
import { noRedis, startRedisCluster, startRedisSentinels, startTestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';

const absent = await noRedis();
const withoutJava = absent ?? (await noRedisson());
const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f';

let open: { provider: Provider; watch: Watching } | null = null;
async function watched(address: string, env: Record<string, string> = {}): Promise<Watching> {
  const [source] = readSources({ SIGNALBOX_SOURCES: address, ...env });
  if (source === undefined) throw new Error('no source');
  const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
  const watch = watching(provider);
  open = { provider, watch };
  await watch.says('live');
  return watch;
}
afterEach(async () => {
  await open?.watch.stop();
  open?.provider.close();
  open = null;
});

const holds = (watch: Watching, key: string, by: string | null = null) =>
  until(
    () => {
      const lock = watch.lock(key);
      return lock?.state === 'held' && (by === null || lock.holder?.sessionId === by) && lock;
    },
    { what: `${key} to be held`, timeoutMs: 20_000 },
  );

describe.skipIf(absent !== null)('one server', () => {
  test('one that is killed and comes back empty is down with its rows, and then live without them', async () => {
    const redis = await startTestRedis();
    await redis.call('HSET', 'a', `${id}:1`, '1');
    const watch = await watched(`redis://${redis.address}`);
    await holds(watch, 'a');
    await redis.kill();
    const down = await watch.says('down');
    expect(down.problem?.why).toMatchObject({ code: 'not-reached', facts: { errno: 'ECONNREFUSED' } });
    expect(watch.lock('a')?.state).toBe('held');
    await redis.start();
    await watch.says('live');
    expect(watch.lock('a')?.state).not.toBe('held');
    await redis.call('HSET', 'b', `${id}:2`, '1');
    await holds(watch, 'b');
  });

  test('one that hangs is told from one that is gone, and is live again once it goes on', async () => {
    const redis = await startTestRedis();
    await redis.call('HSET', 'a', `${id}:1`, '1');
    const watch = await watched(`redis://${redis.address}`);
    redis.pause();
    const down = await watch.says('down', 'stale');
    expect(down.problem?.why?.code).toBe('no-answer');
    expect(watch.lock('a')?.state).toBe('held');
    redis.resume();
    await watch.says('live');
    await redis.call('HSET', 'b', `${id}:2`, '1');
    await holds(watch, 'b');
  });

  test('what happens while nobody listens is read afterwards, and emptied data shows at once', async () => {
    const redis = await startTestRedis();
    const watch = await watched(`redis://${redis.address}?prefixes=t:`);
    await redis.call('HSET', 't:a', `${id}:1`, '1');
    await holds(watch, 't:a');
    // Every connection is closed; what is written right then is pushed to nobody.
    await redis.call('MULTI');
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await redis.call('DEL', 't:a');
    await redis.call('HSET', 't:b', `${id}:2`, '1');
    await redis.call('EXEC');
    await holds(watch, 't:b');
    expect(watch.lock('t:a')?.state).not.toBe('held');
    await watch.says('live');
    await redis.call('FLUSHALL');
    await until(() => watch.lock('t:b')?.state !== 'held', { what: 'the flush to show' });
  });

  test('a key that its user may not read is said as that, not as a command', async () => {
    const redis = await startTestRedis({ lines: ['user box on >hush ~job:* ~{job:* ~redisson_* &* +@all'] });
    const [source] = readSources({
      SIGNALBOX_SOURCES: `redis://${redis.address}?user=box&password-env=P`,
      P: 'hush',
    });
    if (source === undefined) throw new Error('no source');
    await redis.call('SET', 'other', '1');
    const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
    const watch = watching(provider);
    open = { provider, watch };
    const down = await watch.says('down');
    expect(down.problem).toMatchObject({ code: 'forbidden', why: { code: 'redis-key-not-permitted' } });
  });

  test('a wrong password and a missing right end in one sentence each, and a right that comes is used', async () => {
    const redis = await startTestRedis({ lines: ['user box on >hush ~* &* +@all -hscan'] });
    const [wrong] = readSources({
      SIGNALBOX_SOURCES: `redis://${redis.address}?user=box&password-env=P`,
      P: 'wrong',
    });
    const [right] = readSources({
      SIGNALBOX_SOURCES: `redis://${redis.address}?user=box&password-env=P`,
      P: 'hush',
    });
    for (const [source, code] of [
      [wrong, 'redis-sign-in-refused'],
      [right, 'redis-not-permitted'],
    ] as const) {
      if (source === undefined) throw new Error('no source');
      await redis.call('HSET', 'a', `${id}:1`, '1');
      const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
      const watch = watching(provider);
      open = { provider, watch };
      const down = await watch.says('down');
      expect(down.problem).toMatchObject({ code: 'forbidden', why: { code } });
      if (source === right) {
        await redis.call('ACL', 'SETUSER', 'box', '+hscan');
        await watch.says('live');
        expect(watch.lock('a')?.state).toBe('held');
      }
      await watch.stop();
      provider.close();
      open = null;
    }
  });

  test('the rights that the documentation names are enough to see all that is shown', async () => {
    // Its last line is for those who act.
    const [, rights = ''] =
      /^user signalbox on >SECRET (.*\n.*)\n.*\n```$/m.exec(readFileSync('docs/redis.md', 'utf8')) ?? [];
    const redis = await startTestRedis({
      lines: [`user box on >hush ${rights.replaceAll('job:', 't:').replace(/\s+/g, ' ')}`],
    });
    await redis.call('HSET', 't:read', 'mode', 'read', `${id}:1`, '1');
    await redis.call('SET', `{t:read}:${id}:1:rwlock_timeout:1`, '1', 'PX', '600000');
    await redis.call('SET', 't:pool', '2');
    await redis.call('ZADD', '{t:pool}:timeout', '922337203685477', '0123456789abcdef');
    await redis.call('RPUSH', 'redisson_lock_queue:{t:fair}', `${id}:2`);
    await redis.call('HSET', 't:fenced', `${id}:3`, '1');
    await redis.call('SET', 'redisson_lock_token:{t:fenced}', '9');
    const watch = await watched(`redis://${redis.address}?prefixes=t:&user=box&password-env=P`, {
      P: 'hush',
    });
    expect(watch.lock('t:read')).toMatchObject({ state: 'held', holder: { mode: 'read', verdict: 'alive' } });
    expect(watch.semaphore('t:pool')).toMatchObject({ limit: 3, recorded: 1 });
    expect(watch.lock('t:fenced')?.lockIndex).toBe('9');
    // Nobody listens for it: that may be asked, too.
    await until(() => watch.lock('t:fair')?.waiters?.[0]?.verdict === 'ghost', { what: 'a ghost' });
    const atMs = Date.now();
    await redis.call('HSET', 't:pushed', `${id}:4`, '1');
    await holds(watch, 't:pushed');
    expect(watch.lock('t:pushed')?.holder?.since?.basis, String(Date.now() - atMs)).toBe('observed');
    expect(await redis.call('ACL', 'LOG')).toEqual([]);
  });

  test('more rows than there is room for are refused with the bound, and what was known stays', async () => {
    const redis = await startTestRedis();
    for (let n = 0; n < 50; n += 1) await redis.call('HSET', `lock ${n}`, `${id}:${n}`, '1');
    const [source] = readSources({ SIGNALBOX_SOURCES: `redis://${redis.address}` });
    if (source === undefined) throw new Error('no source');
    const settings = redisSource(source);
    const provider = createRedisBackend({ settings, now: Date.now, bytesMax: 100_000 }).provider(null);
    const watch = watching(provider);
    open = { provider, watch };
    const down = await watch.says('down');
    expect(down.problem?.why).toEqual({ code: 'world-too-large', facts: { bytes: 100_000 } });
  });

  test('a hash of another program is never read whole', async () => {
    const redis = await startTestRedis();
    await redis.call('EVAL', "for i=1,200000 do redis.call('HSET','big',i,i) end", '0');
    await redis.call('HSET', 'a', `${id}:1`, '1');
    const watch = await watched(`redis://${redis.address}`);
    await holds(watch, 'a');
    expect(watch.lock('big')).toBeUndefined();
    const stats: string = await redis.call('INFO', 'commandstats');
    expect(stats).not.toMatch(/cmdstat_(hgetall|keys|smembers|config\|set)/);
  });
});

describe.skipIf(withoutJava !== null)('several servers, with real Redisson clients', () => {
  test('a cluster of three is one list, with its waiters and its dead head, and live again after a failover', async () => {
    const cluster = await startRedisCluster({ replicas: true });
    const [client, dies] = await Promise.all([startRedisson(cluster), startRedisson(cluster)]);
    const [a, b, h] = [client.thread('a'), client.thread('b'), dies.thread('h')];
    const [first] = cluster.servers;
    const watch = await watched(`redis://${first?.address}?topology=cluster&prefixes=t:`);
    const names = ['t:1', 't:2', 't:3', 't:4', 't:5', 't:6'];
    const owners = new Set(await Promise.all(names.map(async (name) => (await cluster.ownerOf(name)).port)));
    expect(owners.size).toBe(3);
    for (const name of names) await a.acquire({ kind: 'fair', name });
    for (const name of names) await holds(watch, name, await a.party());
    const [head, second] = [await h.party(), await b.party()];
    void h.acquire({ kind: 'fair', name: 't:2' }).catch(() => {});
    await until(() => watch.lock('t:2')?.waiters?.[0]?.verdict === 'alive', { what: 'the head to live' });
    void b.acquire({ kind: 'fair', name: 't:2' }).catch(() => {});
    await until(() => watch.lock('t:2')?.waiters?.length === 2, { what: 'two to wait' });
    await dies.kill9();
    await until(() => watch.lock('t:2')?.waiters?.[0]?.verdict === 'ghost', {
      what: 'the head to be a ghost',
    });
    expect(watch.lock('t:2')?.waiters?.map(({ sessionId }) => sessionId)).toEqual([head, second]);
    const owner = await cluster.ownerOf('t:1');
    await owner.kill();
    const away = await watch.says('stale', 'down');
    expect(away.problem).not.toBeNull();
    expect(watch.lock('t:1')?.state).toBe('held');
    await cluster.whole();
    await watch.says('live');
    const after = client.thread('after');
    await until(() => after.acquire({ kind: 'lock', name: 't:after', waitMs: 1_000 }), {
      what: 'a client to get a lock again',
      timeoutMs: 20_000,
    });
    await holds(watch, 't:after');
    await client.kill9();
  }, 180_000);

  test('a set under sentinels is followed to its new master', async () => {
    const set = await startRedisSentinels();
    const client = await startRedisson(set);
    const a = client.thread('a');
    const hosts = set.sentinels.map(({ address }) => address).join(',');
    const watch = await watched(`redis://${hosts}?master=${set.master}`);
    await a.acquire({ kind: 'lock', name: 'a' });
    await holds(watch, 'a', await a.party());
    await set.failOver();
    await watch.says('live');
    const now = client.thread('now');
    await until(() => now.acquire({ kind: 'lock', name: 'now', waitMs: 1_000 }), {
      what: 'a client to get a lock again',
      timeoutMs: 20_000,
    });
    await holds(watch, 'now', await now.party());
    await client.kill9();
  }, 180_000);
});
