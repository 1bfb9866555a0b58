/** The client before a Consul that refuses, is silent, or breaks off in the middle of a word. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

let consul: TestConsul;
let proxy: FaultProxy;
let client: ConsulClient;
const flags = '0';
const value = Buffer.from('x');

beforeAll(async () => {
  consul = await startConsul({ acl: true });
  proxy = await startFaultProxy(consul.address);
  client = through(proxy);
});
afterAll(async () => {
  client.close();
  await proxy.close();
});

function through(to: FaultProxy, sockets: { maxPolls?: number; maxCalls?: number } = {}): ConsulClient {
  return createConsulClient(
    { ...consulSettings({ CONSUL_HTTP_ADDR: to.address }), token: consul.token },
    sockets,
  );
}

/** The problem that a call ends with. */
async function problem(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConsulError))
    throw new Error('The call did not fail as expected.', { cause: error });
  return error.problem.code;
}

describe('refusals', () => {
  test('a token that Consul does not know is signed out', async () => {
    const stranger = consul.client({ token: '00000000-1111-2222-3333-444444444444' });
    expect(await problem(stranger.get('a'))).toBe('signed-out');
    expect(await problem(stranger.cas({ key: 'a', value, flags, index: '0' }))).toBe('signed-out');
    expect(await problem(stranger.strays('', () => []))).toBe('signed-out');
  });

  test('a call that the token may not make is forbidden, while lists are silently shorter', async () => {
    const nobody = consul.client({ token: null });
    expect(await problem(nobody.get('a'))).toBe('forbidden');
    expect(await problem(nobody.cas({ key: 'a', value, flags, index: '0' }))).toBe('forbidden');
    expect((await nobody.list('')).value).toEqual([]);
    expect((await nobody.sessions()).value).toEqual([]);
    expect((await nobody.nodes()).value).toEqual([]);
    const refused = await nobody.txn([{ verb: 'set', key: 'a', value, flags }]);
    // Newer versions go on with the right and the key.
    const what = expect.stringMatching(/^Permission denied(: |$)/);
    expect(refused).toMatchObject({ done: false, errors: [{ op: 0, what }] });
  });

  test('a request that Consul finds malformed is invalid, and its own words stay on the server', async () => {
    const session = { name: 'secret-name', behavior: 'release', lockDelayMs: 0 } as const;
    const call = client.createSession({ ...session, ttlMs: 9_000 });
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConsulError);
    if (!(error instanceof ConsulError)) return;
    expect(error.problem.code).toBe('invalid');
    expect(error.body).toContain('Invalid Session TTL');
    expect(JSON.stringify(error.problem)).not.toContain('TTL');
    const dead = '00000000-1111-2222-3333-444444444444';
    expect(await problem(client.acquire({ key: 'a', value, flags, session: dead }))).toBe('invalid');
  });
});

describe('silence', () => {
  test('a read without an answer is unavailable, a write is of unknown result', async () => {
    await consul.silence();
    try {
      const soon = { timeoutMs: 300 };
      expect(await problem(client.get('a', soon))).toBe('unavailable');
      expect(await problem(client.cas({ key: 'a', value, flags, index: '0' }, soon))).toBe('unknown-result');
      const get = { verb: 'get', key: 'a' } as const;
      expect(await problem(client.txn([get], soon))).toBe('unavailable');
      const set = { verb: 'set', key: 'a', value, flags } as const;
      expect(await problem(client.txn([get, set], soon))).toBe('unknown-result');
      expect(await problem(client.sessions({ ...soon, block: { index: '1', waitMs: 60_000 } }))).toBe(
        'unavailable',
      );
    } finally {
      consul.resume();
    }
    await until(() => client.self(), { what: 'Consul answers again' });
  });

  test('nothing listens: the write was surely not made', async () => {
    const gone = await startFaultProxy(consul.address);
    const lost = through(gone);
    await gone.close();
    expect(await problem(lost.cas({ key: 'a', value, flags, index: '0' }))).toBe('unavailable');
    lost.close();
  });

  test('a connection that is reset leaves a write unknown', async () => {
    proxy.refuse();
    expect(await problem(client.get('a'))).toBe('unavailable');
    expect(await problem(client.cas({ key: 'a', value, flags, index: '0' }))).toBe('unknown-result');
    proxy.accept();
    expect((await client.get('missing')).value).toBeNull();
  });
});

describe('an answer that is cut in the middle fails at once', () => {
  test.each(['cut', 'reset'] as const)('%s', async (how) => {
    for (const key of ['big/1', 'big/2', 'big/3', 'big/4'])
      await client.txn([{ verb: 'set', key, value: Buffer.alloc(300_000, 65), flags }]);
    const slow = through(proxy);
    proxy.slow(200_000);
    const before = proxy.bytesPassed;
    // The test's own limit is shorter than this one: only a call that notices the cut can pass.
    const reading = problem(slow.list('big/', { timeoutMs: 600_000 }));
    await until(() => proxy.bytesPassed - before > 20_000, { what: 'the answer is on its way' });
    proxy[how]();
    proxy.resume();
    expect(await reading).toBe('unavailable');
    slow.close();
  });
});

describe('names and entries in the memory of the answer before', () => {
  const keys = Array.from(
    { length: 600 },
    (_, n) => `names/${String(n).padStart(3, '0')}/${'x'.repeat(300)}`,
  );
  const entries = async (by: ConsulClient) => (await by.list('names/')).value.map(({ key }) => key);
  const names = (by: ConsulClient) => by.strays('names/', () => [], { timeoutMs: 600_000 });

  test('are there or not, after an answer of any kind', async () => {
    const own = through(proxy);
    expect((await names(own)).value).toEqual({ any: false, names: [] });
    expect(await entries(own)).toEqual([]);
    for (let from = 0; from < keys.length; from += 60)
      await own.txn(keys.slice(from, from + 60).map((key) => ({ verb: 'set', key, value, flags })));
    const { value: all, index } = await names(own);
    expect(all).toEqual({ any: true, names: keys });
    expect(index).toMatch(/^\d+$/);
    const stranger = consul.client({ token: '00000000-1111-2222-3333-444444444444' });
    expect(await problem(names(stranger))).toBe('signed-out');
    const both = await Promise.all([names(own), entries(own), names(own), entries(own)]);
    for (const one of both) expect(Array.isArray(one) ? one : one.value.names).toEqual(keys);
    own.close();
  });

  test.each(['cut', 'reset'] as const)(
    'and nothing of an answer that is broken off (%s) is kept',
    async (how) => {
      const slow = through(proxy);
      proxy.slow(100_000);
      const before = proxy.bytesPassed;
      const reading = names(slow).catch((thrown: unknown) => thrown);
      await until(() => proxy.bytesPassed - before > 20_000, { what: 'the answer is on its way' });
      proxy[how]();
      proxy.resume();
      expect(await reading).toMatchObject({ problem: { code: 'unavailable' }, body: '' });
      expect((await names(slow)).value.names).toEqual(keys);
      slow.close();
    },
  );
});

test('connections are bounded, for blocking queries and for calls apart', async () => {
  const own = await startFaultProxy(consul.address);
  const bounded = through(own, { maxPolls: 2, maxCalls: 3 });
  const { index } = await bounded.nodes();
  const abort = new AbortController();
  // Consul keeps an aborted query, and its side of the connection, until its wait is over.
  const block = { index: index ?? '', waitMs: 5_000 };
  const polls = Array.from({ length: 6 }, () =>
    bounded.nodes({ block, signal: abort.signal }).catch(() => null),
  );
  let most = 0;
  const calls = Array.from({ length: 30 }, () =>
    bounded.list('').then(() => {
      most = Math.max(most, own.connections);
    }),
  );
  await Promise.all(calls);
  expect(most).toBeGreaterThan(2);
  expect(most).toBeLessThanOrEqual(5);
  abort.abort();
  await Promise.all(polls);
  bounded.close();
  await until(() => own.connections === 0, { what: 'a closed client leaves no connection' });
  await own.close();
});
