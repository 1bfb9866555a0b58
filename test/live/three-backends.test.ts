/** Consul, Redis and ZooKeeper on one board, with real clients of each, through what the server joins them with. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { isProblem } from '@/lib/domain/problem';
import { noCredentials } from '@/lib/domain/seam/source-settings';
import { createConsulBackend } from '@/lib/providers/consul/backend';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { createZooKeeperBackend } from '@/lib/providers/zookeeper/backend';
import { zookeeperSource } from '@/lib/providers/zookeeper/source';
import { joinBackends } from '@/lib/server/sources/joined-backend';
import { watching } from '@/test/provider/watching';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { startCurator } from '@/test/support/curator';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';

const absent = (await noRedis()) ?? (await noRedisson()) ?? (await noZooKeeper());

const named = (id: string, text: string) => {
  const address = new URL(text);
  return {
    id,
    kind: id,
    title: id,
    address,
    hosts: [address.host],
    credentials: noCredentials,
    access: null,
  };
};

async function rig() {
  const [consul, redis, zookeeper] = await Promise.all([
    startConsul(),
    startTestRedis(),
    startTestZooKeeper(),
  ]);
  const now = Date.now;
  const backend = joinBackends([
    createConsulBackend({
      settings: consulSettings({ CONSUL_HTTP_ADDR: consul.address }),
      renewalAgents: [],
      prefixes: [''],
      now,
    }),
    createRedisBackend({
      settings: redisSource(named('redis', `redis://${redis.address}?semaphores=pool:printers:3`)),
      now,
    }),
    createZooKeeperBackend({
      ...zookeeperSource(named('zookeeper', `zookeeper://${zookeeper.address}?prefixes=/locks/`)),
      now,
    }),
  ]);
  const provider = backend.provider(null);
  const watch = watching(provider);
  const [redisson, curator] = await Promise.all([startRedisson(redis), startCurator(zookeeper.address)]);
  const signal = () => AbortSignal.timeout(30_000);
  const act = async (action: Action) => {
    const planned = await provider.plan(action, signal());
    if (isProblem(planned)) return planned;
    return provider.apply(action, planned.expect, signal());
  };
  return {
    ...{ consul, redis, zookeeper, watch, redisson, curator, act },
    stop: async () => {
      await watch.stop();
      backend.close();
    },
  };
}

const made = absent === null ? await rig() : null;
afterAll(() => made?.stop());

function here() {
  if (made === null) throw new Error('There is no rig.');
  return made;
}

/** It was done, and neither refused nor left unknown. */
const sound = (result: unknown) => {
  if (isProblem(result)) throw new Error(JSON.stringify(result));
};

describe.skipIf(absent !== null)('three backends on one board', () => {
  test('a stuck semaphore of Redisson, a queue of Curator and a lock of Consul are each mended by their own action', async () => {
    const { consul, redis, watch, redisson, curator, act } = here();
    const printers = redisson.thread('sets').semaphore('pool:printers');
    await printers.set(3);
    const doomed = await startRedisson(redis);
    await doomed.thread('a').semaphore('pool:printers').acquire({ permits: 2 });
    await doomed.kill9();
    const prints = redisson.thread('prints').semaphore('pool:printers').acquire({ permits: 2 });

    const deploy = { kind: 'mutex', path: '/locks/deploy' } as const;
    await curator.thread('hangs').acquire(deploy);
    const deploys = curator.thread('next').acquire(deploy);

    const hung = runConsulLock(consul, { n: 1, prefix: 'jobs/report', command: 'sleep 600' });
    await until(() => hung.isHolding(), { what: 'the first holds', timeoutMs: 30_000 });
    const next = runConsulLock(consul, { n: 1, prefix: 'jobs/report', command: 'echo mine; sleep 600' });

    await until(
      () =>
        watch.semaphore('pool:printers')?.waitingClients === 1 &&
        watch.lock('/locks/deploy')?.waiters?.length === 1 &&
        watch.lock('jobs/report/.lock')?.state === 'held',
      { what: 'all three are on the board', timeoutMs: 30_000 },
    );
    sound(
      await act({
        type: 'semaphore.return-permits',
        source: 'redis',
        prefix: 'pool:printers',
        permits: 2,
      }),
    );
    expect(await prints).toBe(true);
    const release = { type: 'lock.release', how: 'hand-over' } as const;
    sound(await act({ ...release, source: 'zookeeper', key: '/locks/deploy' }));
    expect(await deploys).toBe(true);
    sound(await act({ ...release, source: 'consul', key: 'jobs/report/.lock' }));
    await until(() => next.output().includes('mine'), { what: 'the next one has it', timeoutMs: 30_000 });
    next.kill9();
    hung.kill9();
  });

  test('two sources are down and the third is live: its actions go on, those of the others are refused', async () => {
    const { consul, redis, zookeeper, watch, act } = here();
    await Promise.all([redis.kill(), zookeeper.kill()]);
    const client = consul.client();
    const session = await client.createSession({
      name: 'after',
      // Nobody renews it while the others are found to be away.
      ttlMs: 600_000,
      behavior: 'release',
      lockDelayMs: 0,
    });
    await client.acquire({ key: 'jobs/after', value: Buffer.from('x'), flags: '0', session });
    await until(() => watch.lock('jobs/after')?.state === 'held', {
      what: 'Consul is live',
      timeoutMs: 30_000,
    });
    // What was seen of the others stays on the board.
    expect(watch.semaphore('pool:printers')?.source).toBe('redis');
    expect(watch.lock('/locks/deploy')?.source).toBe('zookeeper');
    const release = { type: 'lock.release', how: 'hand-over' } as const;
    for (const action of [
      { type: 'semaphore.return-permits', source: 'redis', prefix: 'pool:printers', permits: 1 },
      { ...release, source: 'zookeeper', key: '/locks/deploy' },
    ] as const)
      expect(await act(action)).toMatchObject({ code: 'unavailable' });
    sound(await act({ ...release, source: 'consul', key: 'jobs/after' }));
    await until(() => watch.lock('jobs/after')?.state !== 'held', { what: 'it is free', timeoutMs: 30_000 });
    await Promise.all([redis.start(), zookeeper.start()]);
    const says = await watch.says('live');
    expect(says.problem).toBeNull();
    // It is named by its configuration, and an empty Redis stores nothing of it.
    await until(() => watch.semaphore('pool:printers')?.available === null, {
      what: 'nobody knows what is free in a Redis that came back empty',
      timeoutMs: 30_000,
    });
  });
});
