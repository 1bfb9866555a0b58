/** How long a waiter leaves a key alone, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { systemClock } from '@/packages/locks/src/clock';
import { Lock } from '@/packages/locks/src/lock';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
afterAll(() => consul.stop());

test('one that has lost many races does not rest away the time that it has', async () => {
  const key = 'rests/timed';
  let looks = 0;
  const own: ConsulClient = {
    ...client,
    get: (name, options) => {
      if (options?.block !== undefined) looks += 1;
      return client.get(name, options);
    },
  };
  let chance = 0;
  const clock = { ...systemClock, random: () => chance };
  const lock = new Lock(own, { key, restMaxMs: 20_000, clock });

  const rivals = await Promise.all(
    ['one', 'two'].map((name) =>
      client.createSession({ name, ttlMs: 600_000, behavior: 'release', lockDelayMs: 0 }),
    ),
  );
  const [one, two] = rivals as [string, string];
  const common = { key, value: Buffer.alloc(0), flags: lockFlags };
  await client.txn([{ verb: 'lock', ...common, session: one }]);
  const giveUp = new AbortController();
  const gone = expect(lock.acquire({ signal: giveUp.signal })).rejects.toThrow('enough');
  // Every second hand-over is a race that it was awake for and lost. After nine it may rest for 12 s.
  for (let n = 0; n < 18; n += 1) {
    await until(() => looks > n, { what: 'it looks' });
    const [from, to] = n % 2 === 0 ? [one, two] : [two, one];
    const { done } = await client.txn([
      { verb: 'unlock', ...common, session: from },
      { verb: 'lock', ...common, session: to },
    ]);
    expect(done).toBe(true);
  }
  giveUp.abort(new Error('enough'));
  await gone;

  chance = 0.9;
  const before = (await client.sessions()).value.length;
  const waiting = lock.tryAcquire(8_000);
  await until(async () => (await client.sessions()).value.length > before, { what: 'it waits' });
  for (const id of rivals) await client.destroySession(id);
  const hold = await waiting;
  expect(hold).not.toBeNull();
  await hold?.release();
});

test('a lock-delay is no tight loop of writes where queries do not block', async () => {
  const key = 'rests/delayed';
  let writes = 0;
  const own: ConsulClient = {
    ...client,
    get: (name, options = {}) => {
      const { block: _block, ...plain } = options;
      return client.get(name, plain);
    },
    txn: (ops, options) => {
      writes += 1;
      return client.txn(ops, options);
    },
  };
  const id = await client.createSession({
    name: 'dies',
    ttlMs: 600_000,
    behavior: 'delete',
    lockDelayMs: 3_000,
  });
  const held = { key, value: Buffer.alloc(0), flags: lockFlags, session: id };
  await client.txn([{ verb: 'lock', ...held }]);
  await client.destroySession(id);
  const hold = await new Lock(own, { key }).acquire();
  expect(writes).toBeGreaterThan(1);
  // Each but the last was refused, and they are a quarter of a second apart or more, after the first two.
  expect(writes).toBeLessThan(18);
  await hold.release();
});
