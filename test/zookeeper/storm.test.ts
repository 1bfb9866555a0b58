/** The storm among real Curator clients, for some seconds and on one server; `npm run chaos -- zookeeper` is as long as its claim. */
import { expect, test } from 'vitest';
import { stormOnZooKeeper } from '@/quality/chaos/storms/zookeeper';
import { noZooKeeper } from '@/test/support/zookeeper';

const absent = await noZooKeeper();
const stormMs = Number(process.env.SIGNALBOX_STORM_MS ?? 12_000);

test.skipIf(absent !== null)(
  'nothing is removed but what was seen, nobody is let in too many, and clients work on',
  async () => {
    const { wrong, counts } = await stormOnZooKeeper({
      ms: stormMs,
      killEveryMs: stormMs / 3,
      say: () => {},
    });
    console.log('storm:', counts);
    expect(wrong).toEqual([]);
    for (const what of ['evicted', 'waiters removed', 'asked', 'sabotaged', 'clients killed'])
      expect(counts[what], what).toBeGreaterThan(0);
    // What nobody acts on ends with the session of its client.
    expect(counts['nodes removed by actions']).toBeGreaterThan(0);
  },
  2 * stormMs + 240_000,
);
