/** A slot of a cluster on its way to another server: any key that a server lacks may be on either. */
import { expect, test } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { permitsKey, readHoldKey } from '@/lib/providers/redis/client/names';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { watching } from '@/test/provider/watching';
import { noRedis, startRedisCluster } from '@/test/support/redis';
import { until } from '@/test/support/until';

const absent = await noRedis();
const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f';

test.skipIf(absent !== null)(
  'what moves between servers is unknown until it has moved, and nothing else is',
  async () => {
    const cluster = await startRedisCluster();
    const from = await cluster.ownerOf('{moves}');
    const to = cluster.servers.find((server) => server !== from);
    if (to === undefined) throw new Error('no rig');
    const slot = await from.call('CLUSTER', 'KEYSLOT', '{moves}');
    const [fromId, toId] = [await from.call('CLUSTER', 'MYID'), await to.call('CLUSTER', 'MYID')];
    const hold = (key: string) => from.call('HSET', key, `${id}:1`, '1');
    await hold('{moves}:lock');
    await from.call('SET', '{moves}:pool', '2');
    await from.call('ZADD', permitsKey('{moves}:pool'), '922337203685477', '0123456789abcdef');
    await from.call('HSET', '{moves}:read', 'mode', 'read', `${id}:2`, '1');
    await from.call('SET', readHoldKey('{moves}:read', `${id}:2`, 1), '1');
    const [source] = readSources({
      SIGNALBOX_SOURCES: `redis://${from.address}?topology=cluster`,
    });
    if (source === undefined) throw new Error('no source');
    const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
    const watch = watching(provider);
    const shows = (key: string, state: string) =>
      until(() => watch.lock(key)?.state === state, { what: `${key} to be ${state}` });
    try {
      await watch.says('live');
      for (const key of ['{moves}:lock', '{moves}:read']) await shows(key, 'held');
      const { length } = watch.sources;
      await to.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
      await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
      const move = (key: string) => from.call('MIGRATE', '127.0.0.1', to.port, key, 0, 5_000);
      await move('{moves}:lock');
      await move('{moves}:pool');
      await shows('{moves}:lock', 'unknown');
      await until(() => watch.semaphore('{moves}:pool')?.available === null, { what: 'the pool' });
      expect(watch.semaphore('{moves}:pool')).toMatchObject({
        recorded: null,
        holders: [{ verdict: 'unknown', expiry: { kind: 'unknown' } }],
      });
      // Its second hold may be on the other server.
      await from.call('HINCRBY', '{moves}:read', `${id}:2`, '1');
      await shows('{moves}:read', 'unknown');
      // The rest is followed as ever, also on the same server.
      const beside = await until(
        async () => {
          for (let n = 0; n < 20; n += 1)
            if ((await cluster.ownerOf(`beside:${n}`)) === from) return `beside:${n}`;
          return null;
        },
        { what: 'a name of another slot' },
      );
      await hold(beside);
      await shows(beside, 'held');
      expect(watch.sources).toHaveLength(length);
      for (const key of await from.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) await move(key);
      for (const server of [to, from]) await server.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
      await shows('{moves}:lock', 'held');
      await shows('{moves}:read', 'held');
      await until(() => watch.semaphore('{moves}:pool')?.available === 2, { what: 'the pool again' });
      expect(watch.semaphore('{moves}:pool')).toMatchObject({
        limit: 3,
        recorded: 1,
        holders: [{ verdict: 'immortal' }],
      });
    } finally {
      await watch.stop();
      provider.close();
    }
  },
);
