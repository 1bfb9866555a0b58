/** A primary and its replica: what is not copied yet may be undone, and clients may listen on either. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { openLink } from '@/lib/providers/redis/client/link';
import { waiterChannel } from '@/lib/providers/redis/client/names';
import { lookForAudience } from '@/lib/providers/redis/watch/audience';
import { noRedis, startRedisSentinels, startTestRedis } from '@/test/support/redis';
import { until } from '@/test/support/until';
import { release, settingsFor, startActor } from './stage';

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

test.skipIf(absent !== null)('only a primary proves that nobody listens', async () => {
  const primary = await startTestRedis();
  const waiter = `${randomUUID()}:1`;
  const channel = waiterChannel('jobs', waiter);
  const look = async (port: number) => {
    const link = await openLink({ settings: settingsFor([port]), signal: AbortSignal.timeout(30_000) });
    try {
      const found = await lookForAudience(link, { now: Date.now, shared: false });
      if (found === null) throw new Error('Redis refused the question.');
      return { proves: found.proves(channel), listened: [...found.clients.keys()] };
    } finally {
      link.close();
    }
  };
  expect(await look(primary.port)).toEqual({ proves: true, listened: [] });
  const replica = await startTestRedis({ settings: { replicaof: `127.0.0.1 ${primary.port}` } });
  await until(async () => (await replica.call('ROLE'))[3] === 'connected', { what: 'the replica' });
  expect(await look(primary.port)).toEqual({ proves: false, listened: [] });
  expect(await look(replica.port)).toEqual({ proves: false, listened: [] });
  const other = 'redisson_lock__channel:{other}';
  for (const server of [primary, replica]) await server.connect().call('SUBSCRIBE', other);
  expect(await look(primary.port)).toEqual({ proves: true, listened: [other] });
  expect(await look(replica.port)).toEqual({ proves: false, listened: [other] });
});

test.skipIf(absent !== null)('one who may not ask for the role proves nothing, and asks once', async () => {
  const password = 'a-secret-of-this-test';
  const server = await startTestRedis({ lines: [`user box on >${password} ~* &* +@all -role`] });
  const link = await openLink({
    settings: settingsFor([server.port], { user: 'box', password }),
    signal: AbortSignal.timeout(30_000),
  });
  try {
    const proven: (boolean | undefined)[] = [];
    for (let look = 0; look < 3; look += 1) {
      const found = await lookForAudience(link, { now: Date.now, shared: false });
      proven.push(found?.proves('any'));
    }
    expect(proven).toEqual([false, false, false]);
    const [entry] = await server.call('ACL', 'LOG');
    expect(entry.slice(0, 2)).toEqual(['count', 1]);
  } finally {
    link.close();
  }
});
