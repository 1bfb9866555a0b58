/** The watch while this machine's clock is set back. */
import { expect, test } from 'vitest';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { type Watching, watching } from '@/test/provider/watching';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { until } from '@/test/support/until';

const absent = await noRedis();
const id = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f';
const hourMs = 3_600_000;

/** Runs `step` beside a watch of this address, whose clock `setBack` sets back an hour. */
async function watched(
  address: string,
  step: (rig: { watch: Watching; now: () => number; setBack: () => void }) => Promise<void>,
): Promise<void> {
  let backMs = 0;
  const now = () => Date.now() - backMs;
  const setBack = () => {
    backMs = hourMs;
  };
  const [source] = readSources({ SIGNALBOX_SOURCES: `redis://${address}` });
  if (source === undefined) throw new Error('no source');
  const provider = createRedisBackend({ settings: redisSource(source), now }).provider(null);
  const watch = watching(provider);
  try {
    await watch.says('live');
    await step({ watch, now, setBack });
  } finally {
    await watch.stop();
    provider.close();
  }
}

test.skipIf(absent !== null)(
  'a clock that is set back an hour neither stops the view nor leaves times ahead of it',
  async () => {
    const redis = await startTestRedis();
    for (const name of ['freed', 'kept']) await redis.call('HSET', name, `${id}:1`, '1');
    await watched(redis.address, async ({ watch, now, setBack }) => {
      await redis.call('RPUSH', 'redisson_lock_queue:{kept}', `${id}:2`);
      await until(() => watch.lock('kept')?.waiters?.[0]?.verdict === 'ghost', { what: 'a ghost' });
      setBack();
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
    });
  },
);

test.skipIf(absent !== null)(
  'a clock that is set back while Redis is not reached leaves no time ahead of it either',
  async () => {
    const redis = await startTestRedis();
    await redis.call('HSET', 'kept', `${id}:1`, '1');
    const proxy = await startFaultProxy(redis.address);
    try {
      await watched(proxy.address, async ({ watch, now, setBack }) => {
        await until(() => watch.lock('kept')?.state === 'held', { what: 'the lock to be held' });
        proxy.refuse();
        await watch.says('stale', 'down');
        setBack();
        proxy.accept();
        await watch.says('live');
        await redis.call('HSET', 'later', `${id}:2`, '1');
        await until(() => watch.lock('later')?.state === 'held', { what: 'a change to show' });
        expect(watch.lock('kept')?.holder?.since?.atMs).toBeLessThanOrEqual(now());
      });
    } finally {
      await proxy.close();
    }
  },
);
