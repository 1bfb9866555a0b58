/** The watch beside sentinels that accept connections and do not answer, or that answer wrongly. */
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
      /** Writes while no sentinel answers. False when the check of the sentinels ended before the change showed. */
      const showsBeside = async (name: string): Promise<boolean> => {
        await watch.says('live');
        await until(() => second.connections === 0, { what: 'the answer' });
        const { length } = watch.sources;
        second.stall();
        await until(() => second.connections > 0, { what: 'the second to be asked' });
        await primary.call('HSET', name, `${id}:1`, '1');
        const isHeld = () => watch.lock(name)?.state === 'held';
        await until(() => isHeld() || watch.sources.length > length, { what: 'the change, or an outage' });
        const shown = isHeld();
        second.resume();
        return shown;
      };
      // A busy machine may take longer than a check.
      expect((await showsBeside('a')) || (await showsBeside('b')) || (await showsBeside('c'))).toBe(true);
    } finally {
      await watch.stop();
      provider.close();
      await Promise.all([first.close(), second.close()]);
    }
  },
);

test.skipIf(absent !== null)(
  'a sentinel that is cut off and names a dead master does not keep the watch from the others',
  async () => {
    const { master, sentinels } = await startRedisSentinels({ downMs: 60_000 });
    const [cutOff, other] = sentinels;
    if (cutOff === undefined || other === undefined) throw new Error('no rig');
    await cutOff.call('SENTINEL', 'REMOVE', master);
    await cutOff.call('SENTINEL', 'MONITOR', master, '127.0.0.1', '1', '2');
    const [source] = readSources({
      SIGNALBOX_SOURCES: `redis://${cutOff.address},${other.address}?master=${master}`,
    });
    if (source === undefined) throw new Error('no source');
    const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
    const watch = watching(provider);
    try {
      await watch.says('down');
      await watch.says('live');
    } finally {
      await watch.stop();
      provider.close();
    }
  },
);
