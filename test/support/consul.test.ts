import { afterAll, describe, expect, test } from 'vitest';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

const consul = await startConsul();
afterAll(() => consul.stop());

test('an agent takes sessions as soon as it is handed out', async () => {
  const client = consul.client();
  const id = await client.createSession({
    name: 'first',
    ttlMs: 10_000,
    behavior: 'release',
    lockDelayMs: 0,
  });
  expect((await client.session(id)).value?.name).toBe('first');
});

test('data and address survive kill -9 and restart', async () => {
  const own = await startConsul();
  const before = own.client();
  await before.cas({ key: 'kept', value: Buffer.from('yes'), flags: '0', index: '0' });
  await own.kill();
  await expect(before.get('kept')).rejects.toMatchObject({ problem: { code: 'unavailable' } });
  await own.restart();
  await until(async () => (await before.get('kept')).value?.value?.toString() === 'yes', {
    what: 'the key is back',
  });
  await own.stop();
});

test('with ACLs only the token reads', async () => {
  const own = await startConsul({ acl: true });
  const client = own.client();
  await until(() => client.cas({ key: 'a', value: Buffer.from('1'), flags: '0', index: '0' }), {
    what: 'written',
  });
  expect((await client.get('a')).value).not.toBeNull();
  expect(
    (
      await own
        .client({ token: null })
        .get('a')
        .catch(() => ({ value: null }))
    ).value,
  ).toBeNull();
});

test('consul lock holds, and kill -9 leaves its session behind', async () => {
  const client = consul.client();
  const lock = runConsulLock(consul, { n: 2, prefix: 'sem/k9', command: 'echo started; sleep 60' });
  await until(() => lock.output().includes('started'), { what: 'the command runs' });
  const entry = (await client.get('sem/k9/.lock')).value;
  expect(entry?.value?.toString()).toContain('"Limit":2');
  lock.kill9();
  expect(await lock.exited).toBeNull();
  const left = (await client.sessions()).value.filter(({ name }) => name.includes('sem/k9'));
  expect(left).toHaveLength(1);
});

describe('fault proxy', () => {
  const read = async (address: string, signal: AbortSignal = AbortSignal.timeout(20_000)) =>
    (await fetch(`http://${address}/v1/status/leader`, { signal, headers: { connection: 'close' } })).text();

  test('passes, refuses, accepts, stalls, slows and resets', async () => {
    const proxy = await startFaultProxy(consul.address);
    const leader = await read(proxy.address);
    expect(leader).toContain('127.0.0.1');
    proxy.refuse();
    await expect(read(proxy.address)).rejects.toThrow();
    proxy.accept();
    expect(await read(proxy.address)).toBe(leader);
    proxy.stall();
    const stalled = read(proxy.address);
    await until(() => proxy.connections === 1, { what: 'the connection is accepted' });
    proxy.resume();
    expect(await stalled).toBe(leader);
    proxy.slow(2_000);
    expect(await read(proxy.address)).toBe(leader);
    proxy.stall();
    const broken = read(proxy.address).catch((error: Error) => error);
    await until(() => proxy.connections === 1, { what: 'the connection is accepted' });
    proxy.reset();
    expect(await broken).toBeInstanceOf(Error);
    await proxy.close();
  });
});
