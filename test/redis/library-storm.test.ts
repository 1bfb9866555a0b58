/** The storm among real Redisson clients, for some seconds and on one server; `npm run chaos -- redis` is as long as its claim. */
import { expect, test } from 'vitest';
import { stormOnRedis } from '@/quality/chaos/storms/redis';
import { noRedis } from '@/test/support/redis';
import { noRedisson } from '@/test/support/redisson';

const stormMs = Number(process.env.SIGNALBOX_STORM_MS ?? 8_000);
const absent = (await noRedis()) ?? (await noRedisson());

test.skipIf(absent !== null)(
  'each loss is an eviction, each eviction a loss, nothing is left, and all of them go on',
  async () => {
    const { wrong, counts } = await stormOnRedis('single', {
      ms: stormMs,
      killEveryMs: stormMs / 3,
      say: () => {},
    });
    console.log('storm:', counts);
    expect(wrong).toEqual([]);
    for (const what of ['found lost', 'sweeps', 'permits returned', 'clients killed'])
      expect(counts[what], what).toBeGreaterThan(0);
  },
  stormMs + 240_000,
);
