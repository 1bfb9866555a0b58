/** What becomes of the fencing token when other software deletes the entry, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import { Lock } from '@/packages/locks/src/lock';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
afterAll(() => consul.stop());

const row = async (key: string) => (await client.get(key)).value;

/** The tokens of two holders before `deletion` of the entry, and of one after it. */
async function tokensAround(
  acquire: () => Promise<{ readonly fencingToken: bigint; release(): Promise<void> }>,
  deletion: () => Promise<void>,
) {
  const tokens: bigint[] = [];
  const hold = async () => {
    const held = await acquire();
    tokens.push(held.fencingToken);
    await held.release();
  };
  await hold();
  await hold();
  await deletion();
  await hold();
  return tokens;
}

test('a consul lock that shares the key of a lock starts its token again, and not that of a semaphore', async () => {
  const prefix = 'fencing/shared';
  const key = `${prefix}/.lock`;
  const visit = async () => {
    const go = runConsulLock(consul, { n: 1, prefix, command: 'true' });
    expect(await go.exited, go.output()).toBe(0);
    expect(await row(key)).toBeNull();
  };
  const [, second, third] = await tokensAround(() => new Lock(client, { key }).acquire(), visit);
  expect(third).toBeLessThan(second ?? 0n);

  const semaphore = new Semaphore(client, { prefix: 'fencing/slots', limit: 1, owner: 'us' });
  const destroy = async () => expect(await semaphore.destroy()).toBe(true);
  const [, before, after] = await tokensAround(() => semaphore.acquire(), destroy);
  expect(after).toBeGreaterThan(before ?? 0n);
});

test('a session of behavior delete that ends as it holds starts the token of its lock again', async () => {
  const key = 'fencing/delete';
  const lock = new Lock(client, { key, behavior: 'delete', lockDelayMs: 0 });
  const [, second, third] = await tokensAround(
    () => lock.acquire(),
    async () => {
      await client.destroySession((await lock.acquire()).session);
      await until(async () => (await row(key)) === null, { what: 'Consul deletes the key' });
    },
  );
  expect(third).toBeLessThan(second ?? 0n);
});
