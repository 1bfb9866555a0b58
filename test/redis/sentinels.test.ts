/** The watch beside sentinels that accept connections and do not answer. */
import { expect, test } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { watching } from '@/test/provider/watching';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { noRedis, startRedisSentinels } from '@/test/support/redis';
import { until } from '@/test/support/until';

const absent = await noRedis();
const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f';

test.skipIf(absent !== null)(
  'a sentinel that does not answer is asked last, and changes show while none answers',
  async () => {
    const set = await startRedisSentinels({ downMs: 60_000 });
    const [primary] = set.servers;
    const [first, second] = await Promise.all(
      set.sentinels.slice(0, 2).map(({ address }) => startFaultProxy(address)),
    );
    if (primary === undefined || first === undefined || second === undefined) throw new Error('no rig');
    first.stall();
    const [source] = readSources({
      SIGNALBOX_SOURCES: `redis://${first.address},${second.address}?master=${set.master}`,
    });
    if (source === undefined) throw new Error('no source');
    const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
    const watch = watching(provider);
    try {
      await watch.says('live');
      const before = first.connections;
      const passed = second.bytesPassed;
      const asked = await until(
        () => (first.connections > before ? 'first' : second.bytesPassed > passed ? 'second' : null),
        { what: 'a sentinel to be asked again' },
      );
      expect(asked).toBe('second');
      await until(() => second.connections === 0, { what: 'the answer' });
      const { length } = watch.sources;
      second.stall();
      await until(() => second.connections > 0, { what: 'the second to be asked' });
      await primary.call('HSET', 'a', `${id}:1`, '1');
      await until(() => watch.lock('a')?.state === 'held', { what: 'the lock to be held' });
      expect(watch.sources).toHaveLength(length);
    } finally {
      await watch.stop();
      provider.close();
      await Promise.all([first.close(), second.close()]);
    }
  },
);
