import { describe, expect, test } from 'vitest';
import { JavaThrown } from '@/test/support/driven';
import { noRedis, startRedisCluster, startRedisSentinels, startTestRedis } from '@/test/support/redis';
import { noRedisson, type RedissonLock, startRedisson, type TestRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';

const absent = (await noRedis()) ?? (await noRedisson());
const here = absent === null;
const redis = here ? await startTestRedis() : null;
const client = redis === null ? null : await startRedisson(redis, { watchdogMs: 6_000 });

/** Only where the tests run, which are skipped otherwise. */
function rig(): { redis: NonNullable<typeof redis>; client: TestRedisson } {
  if (redis === null || client === null) throw new Error('There is no rig.');
  return { redis, client };
}

describe.skipIf(!here)('Redisson', () => {
  test.each<[RedissonLock, string[]]>([
    [{ kind: 'lock', name: 'k:lock' }, ['k:lock']],
    [{ kind: 'fair', name: 'k:fair' }, ['k:fair']],
    [{ kind: 'fenced', name: 'k:fenced' }, ['k:fenced']],
    [{ kind: 'spin', name: 'k:spin' }, ['k:spin']],
    [{ kind: 'non-reentrant', name: 'k:once' }, ['k:once']],
    [{ kind: 'non-reentrant-fair', name: 'k:once-fair' }, ['k:once-fair']],
    [{ kind: 'read', name: 'k:read' }, ['k:read']],
    [{ kind: 'write', name: 'k:write' }, ['k:write']],
    [{ kind: 'multi', names: ['k:m1', 'k:m2'] }, ['k:m1', 'k:m2']],
    [{ kind: 'faster-multi', name: 'k:faster', names: ['one', 'two'] }, ['k:faster']],
  ])('a lock is taken, known to be held, and released: %j', async (lock, keys) => {
    const { redis, client } = rig();
    const thread = client.thread('kinds');
    const got = await thread.acquire(lock);
    expect(lock.kind === 'fenced' ? got : got === true).toBe(lock.kind === 'fenced' ? '1' : true);
    for (const key of keys) expect(await redis.call('TYPE', key)).toBe('hash');
    if (lock.kind !== 'faster-multi') expect(await thread.held(lock)).toMatchObject({ held: true });
    if (lock.kind === 'lock')
      expect(await redis.call('HGETALL', 'k:lock')).toEqual([await thread.party(), '1']);
    await thread.release(lock);
    for (const key of keys) expect(await redis.call('EXISTS', key)).toBe(0);
  });

  test('threads hold on their own, wait, give up, are interrupted, and say what Java threw', async () => {
    const { redis, client } = rig();
    const lock = { kind: 'lock', name: 'k:threads' } as const;
    const [first, second] = [client.thread('first'), client.thread('second')];
    await first.acquire({ ...lock, leaseMs: 60_000 });
    expect(await second.acquire({ ...lock, waitMs: 10 })).toBe(false);
    await expect(second.release(lock)).rejects.toMatchObject({
      thrown: 'java.lang.IllegalMonitorStateException',
    });
    const waits = second.acquire({ ...lock, waitMs: 60_000 });
    await until(
      async () => (await redis.call('PUBSUB', 'NUMSUB', 'redisson_lock__channel:{k:threads}'))[1] === 1,
      {
        what: 'the second waits',
      },
    );
    await second.interrupt();
    await expect(waits).rejects.toBeInstanceOf(JavaThrown);
    expect(await first.held(lock)).toMatchObject({ held: true, count: 1, locked: true });
    expect((await first.held(lock)).ttlMs).toBeGreaterThan(6_000);
    const next = second.acquire(lock);
    await first.release(lock);
    expect(await next).toBe(true);
    await second.release(lock);
  });

  test('semaphores, expirable permits and latches count', async () => {
    const { redis, client } = rig();
    const thread = client.thread('counts');
    const semaphore = thread.semaphore('k:semaphore');
    await semaphore.set(3);
    expect(await semaphore.acquire({ permits: 2 })).toBe(true);
    expect(await redis.call('GET', 'k:semaphore')).toBe('1');
    expect(await semaphore.acquire({ permits: 2, waitMs: 10 })).toBe(false);
    await semaphore.release(2);
    expect(await semaphore.available()).toBe(3);
    const permits = thread.permits('k:permits');
    await permits.set(2);
    const [id = ''] = await permits.acquire({ leaseMs: 60_000 });
    const members: string[] = await redis.call('ZRANGE', '{k:permits}:timeout', 0, -1);
    expect(members.map((one) => Buffer.from(one, 'latin1').toString('hex'))).toEqual([id]);
    await permits.release(id);
    expect(await permits.tryRelease(id)).toBe(false);
    const latch = thread.latch('k:latch');
    expect(await latch.set(1)).toBe(true);
    const open = client.thread('awaits').latch('k:latch').await();
    await latch.countDown();
    expect(await open).toBe(true);
  });

  test('a client that is killed with -9 renews no more, and one that is stopped only once it runs again', async () => {
    const { redis } = rig();
    const [killed, stopped] = await Promise.all([
      startRedisson(redis, { watchdogMs: 1_500 }),
      startRedisson(redis, { watchdogMs: 1_500 }),
    ]);
    const thread = stopped.thread('a');
    const [first, second] = [
      { kind: 'lock', name: 'k:killed' },
      { kind: 'lock', name: 'k:stopped' },
    ] as const;
    await killed.thread('a').acquire(first);
    await thread.acquire(second);
    // Never granted: its refusal may go unheard.
    void killed.thread('b').acquire(first);
    await killed.kill9();
    stopped.pause();
    await expect(killed.thread('a').held(first)).rejects.toThrow('has ended');
    for (const { name } of [first, second])
      await until(async () => (await redis.call('EXISTS', name)) === 0, { what: 'its lease runs out' });
    stopped.resume();
    expect(await thread.held(second)).toMatchObject({ held: false });
    await expect(thread.release(second)).rejects.toMatchObject({
      thrown: 'java.lang.IllegalMonitorStateException',
    });
  });

  test('a client works through sentinels and in a cluster', async () => {
    const [set, cluster] = await Promise.all([startRedisSentinels(), startRedisCluster()]);
    const clients = await Promise.all([startRedisson(set), startRedisson(cluster)]);
    const lock = { kind: 'fair', name: 'k:spread' } as const;
    for (const one of clients) expect(await one.thread('a').acquire(lock)).toBe(true);
    expect(await (await set.primary())?.call('EXISTS', 'k:spread')).toBe(1);
    expect(await (await cluster.ownerOf('k:spread')).call('EXISTS', 'k:spread')).toBe(1);
    await Promise.all(clients.map((one) => one.thread('a').release(lock)));
  });
});
