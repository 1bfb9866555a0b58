/** A set under sentinels: what no replica has yet may be undone by a failover, and an action says so. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { noRedis, startRedisSentinels } from '@/test/support/redis';
import { until } from '@/test/support/until';
import { release, startActor } from './stage';

const absent = await noRedis();
const set = absent === null ? await startRedisSentinels({ downMs: 60_000 }) : null;
const actor =
  set === null
    ? null
    : await startActor(
        set.sentinels.map(({ port }) => port),
        { topology: { kind: 'sentinel', master: set.master } },
      );
afterAll(() => actor?.close());

describe.skipIf(absent !== null)('under sentinels', () => {
  test('an action says when no replica has confirmed it', async () => {
    if (set === null || actor === null) throw new Error('There is no rig.');
    const [primary, replica] = set.servers;
    if (primary === undefined || replica === undefined) throw new Error('The set is not whole.');
    const act = async () => {
      const key = `failover:${randomUUID()}`;
      await primary.call('HSET', key, `${randomUUID()}:1`, 1);
      await primary.call('PEXPIRE', key, 60_000);
      const { warnings } = await actor.act(release(key));
      return warnings.map(({ code }) => code);
    };
    await until(async () => (await primary.call('ROLE'))[2].length > 0, { what: 'the replica follows' });
    // A busy machine may be slow to confirm.
    await expect.poll(act).toEqual([]);
    await replica.pause();
    expect(await act()).toEqual(['redis-not-replicated']);
    await replica.resume();
    await expect.poll(act).toEqual([]);
  });
});
