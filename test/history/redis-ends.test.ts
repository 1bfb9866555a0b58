/** How holds of real Redisson clients ended, as the history has it: let go, run out after a kill, and taken away from here. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Served, serve, whenLive } from '@/test/machines/served';
import { requestsOf } from '@/test/provider/requests';
import { startConsul } from '@/test/support/consul';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson, type TestRedisson } from '@/test/support/redisson';
import { endsOf } from './ends';

vi.mock('server-only', () => ({}));

const absent = (await noRedis()) ?? (await noRedisson());

describe.skipIf(absent !== null)('the ends of holds in Redis', () => {
  let served: Served;
  let client: TestRedisson;
  let doomed: TestRedisson;
  beforeAll(async () => {
    const redis = await startTestRedis();
    [client, doomed] = await Promise.all([
      startRedisson(redis, { watchdogMs: 30_000 }),
      startRedisson(redis, { watchdogMs: 4_000 }),
    ]);
    const consul = await startConsul();
    served = await serve(consul, {
      SIGNALBOX_SOURCES: `redis://${redis.address}?id=redis`,
      SIGNALBOX_WRITES: 'on',
    });
    // A hold that was there before began at an unknown time.
    await whenLive();
  }, 60_000);
  afterAll(() => served?.stop());

  const { shows, begun, ended, act } = endsOf(() => served, 'redis');

  test('one that a client let go was released', async () => {
    const thread = client.thread('lets go');
    const lock = { kind: 'lock', name: 'ends:released' } as const;
    await thread.acquire(lock);
    const {
      episodes: [hold],
    } = await begun(lock.name);
    expect(hold).toMatchObject({
      who: { id: await thread.party(), name: null },
      from: { basis: 'observed' },
    });
    await thread.release(lock);
    expect((await ended(lock.name)).episodes).toMatchObject([
      { end: 'released', to: { basis: 'observed' }, deed: null },
    ]);
  }, 60_000);

  test('one whose client was killed ended with its lease, and so did one with a lease of its own', async () => {
    const watched = { kind: 'lock', name: 'ends:killed' } as const;
    await doomed.thread('dies').acquire(watched);
    await begun(watched.name);
    await doomed.kill9();
    const fixed = { kind: 'lock', name: 'ends:fixed' } as const;
    await client.thread('fixed').acquire({ ...fixed, leaseMs: 3_000 });
    await begun(fixed.name);
    for (const { name } of [watched, fixed])
      expect((await ended(name)).episodes).toMatchObject([{ end: 'lease-ended', to: { basis: 'observed' } }]);
  }, 60_000);

  test('one that was released from here is named with who did it and why', async () => {
    const thread = client.thread('loses');
    const lock = { kind: 'lock', name: 'ends:evicted' } as const;
    await thread.acquire(lock);
    await begun(lock.name);
    await act(requestsOf('redis').release(lock.name), 'it hangs');
    const { episodes } = await shows(lock.name, ({ episodes: [first] }) => first?.deed != null);
    expect(episodes).toMatchObject([
      { end: 'evicted-here', deed: { type: 'lock.release', reason: 'it hangs' }, to: { basis: 'observed' } },
    ]);
  }, 60_000);
});
