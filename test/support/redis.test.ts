import { describe, expect, test } from 'vitest';
import { connectResp } from '@/scripts/resp.mjs';
import { newAuthority } from '@/test/support/certificate';
import { noRedis, startRedisCluster, startRedisSentinels, startTestRedis } from '@/test/support/redis';

const absent = await noRedis();

describe.skipIf(absent !== null)('Redis', () => {
  test('a server answers, and after kill -9 and a start it is empty on the same port', async () => {
    const redis = await startTestRedis({ settings: { 'notify-keyspace-events': 'Kg$' } });
    expect(await redis.call('SET', 'kept', Buffer.from([0, 255]))).toBe('OK');
    expect(Buffer.from(await redis.call('GET', 'kept'), 'latin1')).toEqual(Buffer.from([0, 255]));
    expect(await redis.call('CONFIG', 'GET', 'notify-keyspace-events')).toEqual([
      'notify-keyspace-events',
      'g$K',
    ]);
    await expect(redis.call('NO-SUCH')).rejects.toThrow('unknown command');
    await redis.kill();
    await expect(redis.call('PING')).rejects.toThrow();
    await redis.start();
    expect(await redis.call('GET', 'kept')).toBeNull();
    await redis.stop();
    await expect(redis.call('PING')).rejects.toThrow();
  });

  test('a server speaks TLS, and shows a certificate of the authority that it was given', async () => {
    const authority = newAuthority();
    const redis = await startTestRedis({ tls: authority });
    const port = redis.tlsPort ?? 0;
    const trusting = connectResp({ port, tls: { ca: authority.pem } });
    expect(await trusting.call('PING')).toBe('PONG');
    trusting.close();
    const strange = connectResp({ port, tls: { ca: newAuthority().pem } });
    await expect(strange.call('PING')).rejects.toThrow();
  });

  // Both wait most of the time.
  test.concurrent('sentinels name another primary after the first is killed, and it has what was written', async () => {
    const set = await startRedisSentinels();
    const first = await set.primary();
    expect(first?.port).toBe(set.servers[0]?.port);
    await first?.call('SET', 'kept', 'yes');
    expect(await first?.call('WAIT', 1, 30_000)).toBe(1);
    const second = await set.failOver();
    expect(second.port).toBe(set.servers[1]?.port);
    expect(await second.call('GET', 'kept')).toBe('yes');
    expect(await second.call('SET', 'more', 'yes')).toBe('OK');
  });

  test.concurrent('a cluster spreads its keys over three masters, and a replica takes over from a killed one', async () => {
    const cluster = await startRedisCluster({ replicas: true });
    const owners = await Promise.all(['a', 'b', 'c'].map((key) => cluster.ownerOf(key)));
    expect(new Set(owners.map(({ port }) => port)).size).toBe(3);
    const [owner] = owners;
    await owner?.call('SET', 'a', 'kept');
    expect(await owner?.call('WAIT', 1, 30_000)).toBe(1);
    await owner?.kill();
    await expect
      .poll(async () => (await cluster.ownerOf('a')).port, { timeout: 30_000 })
      .not.toBe(owner?.port);
    await cluster.whole();
    expect(await (await cluster.ownerOf('a')).call('GET', 'a')).toBe('kept');
  });
});
