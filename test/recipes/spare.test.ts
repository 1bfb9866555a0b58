/** Sessions that outlive a release for a moment, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/consul/client';
import { ProblemError } from '@/lib/domain/problem';
import { Lock } from '@/lib/recipes/lock';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
afterAll(() => consul.stop());

const noSession = (key: string) =>
  until(async () => !(await client.sessions()).value.some(({ name }) => name === key), {
    what: 'no session is left',
  });

test('one that takes a key again at once does it by the same session, as a new holder, and leaves no session', async () => {
  const key = 'spare/again';
  const lock = new Lock(client, { key, sessionName: key });
  const holds: { session: string; fencingToken: bigint }[] = [];
  for (let n = 0; n < 5; n += 1)
    await lock.run(async ({ session, fencingToken }) => {
      expect((await client.get(key)).value?.session).toBe(session);
      holds.push({ session, fencingToken });
    });
  expect(new Set(holds.map(({ session }) => session)).size).toBe(1);
  expect(holds.map(({ fencingToken }) => fencingToken)).toEqual([1n, 2n, 3n, 4n, 5n]);
  await noSession(key);
  expect((await client.get(key)).value?.session).toBeNull();
});

test('a lock that wants other things of its session gets a session of its own', async () => {
  const key = 'spare/other';
  const used: string[] = [];
  for (const sessionTtlMs of [15_000, 20_000])
    await new Lock(client, { key, sessionName: key, sessionTtlMs }).run(async ({ session }) => {
      expect((await client.session(session)).value?.ttlMs).toBe(sessionTtlMs);
      used.push(session);
    });
  expect(new Set(used).size).toBe(2);
  await noSession(key);
});

test('after a release whose answer was lost nobody holds by that session again: the write may still come', async () => {
  const key = 'spare/late';
  let lose = true;
  const own: ConsulClient = {
    ...client,
    release: async (write, options) => {
      const made = await client.release(write, options);
      if (!lose) return made;
      lose = false;
      throw new ProblemError({ code: 'unknown-result' });
    },
  };
  const lock = new Lock(own, { key, sessionName: key, monitorRetryMs: 1 });
  const first = await lock.acquire();
  await first.release();
  const second = await lock.acquire();
  expect(second.session).not.toBe(first.session);
  await second.release();
  await noSession(key);
});

test('of two processes that take a key again and again, neither keeps it from the other', async () => {
  const key = 'spare/two';
  const hands: number[] = [];
  const changes = () => hands.filter((who, at) => at > 0 && hands[at - 1] !== who).length;
  await Promise.all(
    [0, 1].map(async (who) => {
      const lock = new Lock(consul.client(), { key, sessionName: key });
      while (changes() < 30)
        await lock.run(async () => {
          hands.push(who);
        });
    }),
  );
  await noSession(key);
});
