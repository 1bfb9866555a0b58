/** The watch while this machine's clock is set back. */
import { expect, test } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { watching } from '@/test/provider/watching';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { until } from '@/test/support/until';

const absent = await noRedis();
const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f';
const hourMs = 3_600_000;

test.skipIf(absent !== null)(
  'a clock that is set back an hour neither stops the view nor leaves times ahead of it',
  async () => {
    const redis = await startTestRedis();
    let backMs = 0;
    const now = () => Date.now() - backMs;
    const [source] = readSources({ SIGNALBOX_SOURCES: `redis://${redis.address}` });
    if (source === undefined) throw new Error('no source');
    const provider = createRedisBackend({ settings: redisSource(source), now }).provider(null);
    const watch = watching(provider);
    try {
      for (const name of ['freed', 'kept']) await redis.call('HSET', name, `${id}:1`, '1');
      await watch.says('live');
      const queue = ['RPUSH', 'redisson_lock_queue:{kept}', `${id}:2`];
      await redis.call(...queue);
      await until(() => watch.lock('kept')?.waiters?.[0]?.verdict === 'ghost', { what: 'a ghost' });
      backMs = hourMs;
      await redis.call('DEL', 'freed');
      await until(() => watch.lock('freed')?.state !== 'held', { what: 'the lock to be free' });
      const held = await until(
        () => {
          const lock = watch.lock('kept');
          return lock?.waiters?.[0]?.verdict === 'ghost' && (lock.holder?.since?.atMs ?? 0) <= now() && lock;
        },
        { what: 'a ghost by the new clock' },
      );
      expect(held.holder?.since?.basis).toBe('at-least');
      await watch.says('live');
      expect(watch.sources.every(({ problem }) => problem === null)).toBe(true);
    } finally {
      await watch.stop();
      provider.close();
    }
  },
);
