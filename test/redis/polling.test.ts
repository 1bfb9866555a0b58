/** The watch by a user without tracking and keyspace events, who reads every name again and again. */
import { expect, test } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { watching } from '@/test/provider/watching';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { until } from '@/test/support/until';

const absent = await noRedis();
const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f';

test.skipIf(absent !== null)('a hold that begins between two polls may be older than it shows', async () => {
  const redis = await startTestRedis({
    lines: ['user box on >hush ~* &* +@all -client|tracking -config'],
  });
  const [source] = readSources({
    SIGNALBOX_SOURCES: `redis://${redis.address}?user=box&password-env=P`,
    P: 'hush',
  });
  if (source === undefined) throw new Error('no source');
  const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
  const watch = watching(provider);
  const heldBy = (thread: number) =>
    until(
      () => {
        const holder = watch.lock('a')?.holder;
        return holder?.sessionId === `${id}:${thread}` && holder;
      },
      { what: `thread ${thread} to hold` },
    );
  try {
    await redis.call('HSET', 'a', `${id}:1`, '1');
    await watch.says('live');
    await heldBy(1);
    await redis.call('DEL', 'a');
    await redis.call('HSET', 'a', `${id}:2`, '1');
    expect((await heldBy(2)).since?.basis).toBe('at-least');
  } finally {
    await watch.stop();
    provider.close();
  }
});
