/** The same in a cluster of three masters, where clients listen on the channels of the slot. */
import { afterAll, describe, expect, test } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { watching } from '@/test/provider/watching';
import { noRedis, startRedisCluster } from '@/test/support/redis';
import { noRedisson, startRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { evict, release, removeWaiter, startActor, wake } from './stage';

const absent = (await noRedis()) ?? (await noRedisson());
const cluster = absent === null ? await startRedisCluster() : null;
const watchdogMs = 60_000;
const client = cluster === null ? null : await startRedisson(cluster, { watchdogMs });
const actor =
  cluster === null
    ? null
    : await startActor(
        cluster.servers.map(({ port }) => port),
        { cluster: true },
      );
afterAll(() => actor?.close());

function rig() {
  if (cluster === null || client === null || actor === null) throw new Error('There is no rig.');
  return { cluster, client, actor };
}

/** Names in slots of all three masters. */
const names = ['c:one', 'c:two', 'c:three', 'c:four', 'c:five'];

async function listens(key: string, channel: string): Promise<void> {
  const owner = await rig().cluster.ownerOf(key);
  await until(async () => (await owner.call('PUBSUB', 'SHARDNUMSUB', channel))[1] > 0, {
    what: `somebody listens to ${channel}`,
  });
}

describe.skipIf(absent !== null)('in a cluster', () => {
  test('an action goes to the master of its key and wakes who listens there', async () => {
    const { cluster, client, actor } = rig();
    const owners = new Set<number>();
    for (const name of names) {
      const lock = { kind: 'lock', name } as const;
      owners.add((await cluster.ownerOf(name)).port);
      await client.thread(`old ${name}`).acquire(lock);
      const waits = client.thread(`next ${name}`).acquire(lock);
      await listens(name, `redisson_lock__channel:{${name}}`);
      const planned = await actor.plan(release(name));
      expect(planned.plan.warnings).toContainEqual({ code: 'redis-clients-wait', facts: { clients: 1 } });
      expect(planned.plan.manual[0]?.command).toContain('spublish');
      await actor.apply(release(name), planned);
      expect(await waits).toBe(true);
      await client.thread(`next ${name}`).release(lock);
    }
    expect(owners.size).toBeGreaterThan(1);
  });

  test('fair, read-write, permits and a wake as well', async () => {
    const { cluster, client, actor } = rig();
    const [old, next] = [client.thread('old'), client.thread('next')];
    const party = await next.party();
    const fair = { kind: 'fair', name: 'c:fair' } as const;
    await old.acquire(fair);
    const owner = await cluster.ownerOf(fair.name);
    const dead = '00000000-0000-4000-8000-000000000000:1';
    await owner.call('RPUSH', `redisson_lock_queue:{${fair.name}}`, dead);
    await owner.call('ZADD', `redisson_lock_timeout:{${fair.name}}`, Date.now() + 300_000, dead);
    const waits = next.acquire(fair);
    await listens(fair.name, `redisson_lock__channel:{${fair.name}}:${party}`);
    const freed = await actor.act(release(fair.name));
    expect(freed.warnings.map(({ code }) => code)).toEqual(['redis-next-dead']);
    await actor.act(removeWaiter(fair.name, dead));
    expect(await waits).toBe(true);
    await next.release(fair);

    const write = { kind: 'write', name: 'c:write' } as const;
    await old.acquire(write);
    const reads = next.acquire({ kind: 'read', name: write.name });
    await listens(write.name, `redisson_rwlock:{${write.name}}`);
    await actor.act(release(write.name));
    expect(await reads).toBe(true);

    const [mine, other] = [old.permits('c:pool'), client.thread('third').permits('c:pool')];
    await mine.set(1);
    const [id = ''] = await mine.acquire();
    const gets = other.acquire();
    await listens('c:pool', 'redisson_sc:{c:pool}');
    await actor.act(evict('c:pool', id));
    expect(await gets).toHaveLength(1);

    const plain = { kind: 'lock', name: 'c:asleep' } as const;
    await old.acquire(plain);
    const sleeps = client.thread('sleeper').acquire(plain);
    await listens(plain.name, `redisson_lock__channel:{${plain.name}}`);
    await (await cluster.ownerOf(plain.name)).call('DEL', plain.name);
    await actor.act(wake(plain.name));
    expect(await sleeps).toBe(true);
  });

  test('without the right to track, the keyspace events of all masters tell; where one sends none, names are asked for', async () => {
    const { cluster, client } = rig();
    const kept = ['k:1', 'k:2', 'k:3', 'k:4', 'k:5', 'k:6'];
    expect(
      new Set(await Promise.all(kept.map(async (name) => (await cluster.ownerOf(name)).port))).size,
    ).toBe(3);
    const addresses = cluster.servers.map(({ address }) => address).join(',');
    const user = ['box', 'on', '>hush', '~*', '&*', '+@all', '-client|tracking'];
    for (const server of cluster.servers) await server.call('ACL', 'SETUSER', ...user);
    const thread = client.thread('events');
    /** How many patterns each server is asked to tell of, while all locks come into view and go out of it. */
    const followed = async (): Promise<readonly number[]> => {
      const [source] = readSources({
        SIGNALBOX_SOURCES: `redis://${addresses}?topology=cluster&id=jobs&prefixes=k:&user=box&password-env=BOX`,
        BOX: 'hush',
      });
      if (source === undefined) throw new Error('no source');
      const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
      const watch = watching(provider);
      try {
        await watch.says('live');
        const patterns = await Promise.all(cluster.servers.map((server) => server.call('PUBSUB', 'NUMPAT')));
        for (const name of kept) await thread.acquire({ kind: 'lock', name });
        for (const name of kept)
          await until(() => watch.lock(name)?.state === 'held', {
            what: `${name} to be held`,
            timeoutMs: 30_000,
          });
        for (const name of kept) await thread.release({ kind: 'lock', name });
        for (const name of kept)
          await until(() => watch.lock(name)?.state !== 'held', {
            what: `${name} to be free`,
            timeoutMs: 30_000,
          });
        return patterns;
      } finally {
        await watch.stop();
        provider.close();
      }
    };
    for (const server of cluster.servers) await server.call('CONFIG', 'SET', 'notify-keyspace-events', 'KA');
    expect((await followed()).every((patterns) => patterns > 0)).toBe(true);
    const [silent] = cluster.servers;
    await silent?.call('CONFIG', 'SET', 'notify-keyspace-events', '');
    expect((await followed())[0]).toBe(0);
  });
});
