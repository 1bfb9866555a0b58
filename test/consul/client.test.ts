/** The client on a real Consul, against the faults of the `consul` package. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { betterRoot } from '@/lib/providers/consul/client/root';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { isConsulSince } from '@/test/support/consul-version';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { socketsOf } from '@/test/support/sockets-of';
import { until } from '@/test/support/until';

let consul: TestConsul;
let client: ConsulClient;
let count = 0;
/** A prefix of its own for each test. */
const fresh = () => `client/${++count}`;
const none = Buffer.alloc(0);
/** Such a version stores no key that begins with a slash. */
const isRuled = await isConsulSince('2.0.0');

beforeAll(async () => {
  consul = await startConsul();
  client = consul.client();
});

const session = (change: Partial<Parameters<ConsulClient['createSession']>[0]> = {}) =>
  client.createSession({ name: 'test', ttlMs: 15_000, behavior: 'release', lockDelayMs: 0, ...change });

async function put(key: string, value: Buffer = none, flags = '0') {
  const outcome = await client.txn([{ verb: 'set', key, value, flags }]);
  if (!outcome.done) throw new Error(JSON.stringify(outcome.errors));
  return outcome.rows[0]?.modifyIndex ?? '';
}

describe('flags are exact', () => {
  test.each(['0', '1', '9007199254740993', lockFlags, semaphoreFlags, '18446744073709551615'])(
    '%s by query and by transaction, both ways',
    async (flags) => {
      const prefix = fresh();
      const id = await session();
      expect(await client.cas({ key: `${prefix}/cas`, value: none, flags, index: '0' })).toBe(true);
      expect(await client.acquire({ key: `${prefix}/lock`, value: none, flags, session: id })).toBe(true);
      await put(`${prefix}/txn`, none, flags);
      const listed = (await client.list(`${prefix}/`)).value;
      expect(listed.map((row) => row.flags)).toEqual([flags, flags, flags]);
      expect((await client.get(`${prefix}/txn`)).value?.flags).toBe(flags);
      const read = await client.txn([{ verb: 'get', key: `${prefix}/cas` }]);
      expect(read.done && read.rows[0]?.flags).toBe(flags);

      const [{ key, modifyIndex: index } = { key: '', modifyIndex: '' }] = listed;
      const swapped = await client.txn([{ verb: 'cas', key, value: Buffer.from('x'), flags, index }]);
      expect(swapped.done && swapped.rows[0]?.flags).toBe(flags);
      expect(await client.release({ key: `${prefix}/lock`, value: none, flags, session: id })).toBe(true);
      expect((await client.get(`${prefix}/lock`)).value).toMatchObject({ flags, session: null });
    },
  );
});

describe('no is no', () => {
  test('a compare-and-set against another index is false and writes nothing', async () => {
    const key = fresh();
    const index = await put(key, Buffer.from('one'));
    const write = { key, value: Buffer.from('two'), flags: '0' };
    expect(await client.cas({ ...write, index: '1' })).toBe(false);
    expect(await client.cas({ ...write, index: '0' })).toBe(false);
    expect(await client.cas({ ...write, key: `${key}/missing`, index: '7' })).toBe(false);
    expect((await client.get(key)).value?.value.toString()).toBe('one');
    expect(await client.cas({ ...write, index })).toBe(true);
  });

  test('a lock that another session holds is not acquired, and not released by a stranger', async () => {
    const key = fresh();
    const [holder, other] = [await session(), await session()];
    const write = { key, value: none, flags: '0' };
    expect(await client.acquire({ ...write, session: holder })).toBe(true);
    expect(await client.acquire({ ...write, session: other })).toBe(false);
    expect(await client.release({ ...write, session: other })).toBe(false);
    expect((await client.get(key)).value).toMatchObject({ session: holder, lockIndex: '1' });
    expect(await client.release({ ...write, session: holder })).toBe(true);
  });

  test('a delete is conditional, and true for a key that is gone', async () => {
    const key = fresh();
    const index = await put(key);
    expect(await client.deleteCas(key, '1')).toBe(false);
    expect(await client.deleteCas(key, index)).toBe(true);
    expect(await client.deleteCas(key, index)).toBe(true);
  });

  test('a transaction that is refused writes nothing and says which operation was at fault', async () => {
    const prefix = fresh();
    await put(`${prefix}/a`);
    const outcome = await client.txn([
      { verb: 'set', key: `${prefix}/b`, value: none, flags: '0' },
      { verb: 'check-index', key: `${prefix}/a`, index: '1' },
    ]);
    expect(outcome).toMatchObject({ done: false, errors: [{ op: 1 }] });
    expect((await client.get(`${prefix}/b`)).value).toBeNull();
  });
});

describe('nothing is nothing', () => {
  test('a missing key is null and an empty prefix is empty; both carry an index to wait on', async () => {
    const missing = await client.get(fresh());
    const empty = await client.list(`${fresh()}/`);
    expect(missing.value).toBeNull();
    expect(empty.value).toEqual([]);
    expect(Number(missing.index)).toBeGreaterThan(0);
    expect(Number(empty.index)).toBeGreaterThan(0);
  });

  test('a missing session is null, also when renewed, and destroying it is no error', async () => {
    const id = await session();
    await client.destroySession(id);
    expect((await client.session(id)).value).toBeNull();
    expect(await client.renewSession(id)).toBeNull();
    await expect(client.destroySession(id)).resolves.toBeUndefined();
  });

  test('any bytes are exact, and an empty value is empty', async () => {
    const key = fresh();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    expect(await client.cas({ key, value: bytes, flags: '0', index: '0' })).toBe(true);
    expect((await client.get(key)).value?.value).toEqual(bytes);
    await put(key, none);
    expect((await client.get(key)).value?.value).toEqual(none);
    await put(key, bytes);
    const read = await client.txn([{ verb: 'get', key }]);
    expect(read.done && read.rows[0]?.value).toEqual(bytes);
  });
});

describe('keys', () => {
  test.each(['a b', 'ü/語', 'a?b#c%d+e', 'a%2Fb', 'dir/', 'a"Flags":7'])(
    '%j is written, read and listed under its own name',
    async (name) => {
      const key = `${fresh()}/${name}`;
      expect(await client.cas({ key, value: Buffer.from(name), flags: '7', index: '0' })).toBe(true);
      expect((await client.get(key)).value).toMatchObject({ key, flags: '7' });
      expect((await client.list(key)).value.map((row) => row.key)).toEqual([key]);
    },
  );

  test.each(['a//b', 'a/./b', 'tab\t', 'line\n'])('%j is reached by a transaction', async (name) => {
    const key = `${fresh()}/${name}`;
    const id = await session();
    const locked = await client.txn([{ verb: 'lock', key, value: none, flags: lockFlags, session: id }]);
    expect(locked.done && locked.rows[0]).toMatchObject({ key, flags: lockFlags, session: id });
    const freed = await client.txn([
      { verb: 'check-session', key, session: id },
      { verb: 'unlock', key, value: none, flags: lockFlags, session: id },
    ]);
    expect(freed.done).toBe(true);
    const row = (await client.list('client/')).value.find((one) => one.key === key);
    expect(row).toMatchObject({ session: null, flags: lockFlags });
    expect((await client.txn([{ verb: 'delete-cas', key, index: row?.modifyIndex ?? '' }])).done).toBe(true);
  });
});

test.each(['my jobs/', 'Zürich/', '100%/', 'a.b/..c', '.lock', 'a%2Fb/'])(
  'the prefix %j is listed as it is written, so it may be configured',
  async (name) => {
    // Nothing may precede it: the text before a prefix decides how a path is cleaned.
    expect(betterRoot(name)).toBeNull();
    const key = `${name}${randomUUID()}`;
    expect((await client.txn([{ verb: 'set', key, value: none, flags: '0' }])).done).toBe(true);
    expect((await client.list(name)).value.map((row) => row.key)).toContain(key);
    expect((await client.keys(name)).value).toContain(key);
  },
);

describe('a prefix that Consul cleans may not be configured, because', () => {
  const listed = async (prefix: string) => (await client.list(prefix)).value.map(({ key }) => key);
  const redirected = {
    problem: { code: 'invalid', why: { code: 'call-refused', facts: { call: 'kv list', status: 301 } } },
  };

  test('since 1.22 two slashes at its end are read as one, and earlier versions refuse it', async () => {
    const name = randomUUID();
    const keys = [`${name}/a`, `${name}/b/c`];
    for (const key of keys) await put(key);
    expect(betterRoot(`${name}//`)).toBe(`${name}/`);
    if (await isConsulSince('1.22.0')) expect(await listed(`${name}//`)).toEqual(keys);
    else await expect(listed(`${name}//`)).rejects.toMatchObject(redirected);
  });

  test.skipIf(isRuled)(
    'since 1.22 one slash is the keys that begin so, not every key, and earlier versions refuse it',
    async () => {
      const key = `/${randomUUID()}`;
      await put(key);
      await put(key.slice(1));
      expect(betterRoot('/')).toBe('');
      if (await isConsulSince('1.22.0')) expect(await listed('/')).toEqual([key]);
      else await expect(listed('/')).rejects.toMatchObject(redirected);
    },
  );
});

describe('sessions', () => {
  test('a requested session is read back', async () => {
    const id = await session({ name: 'x "y"', ttlMs: 20_000, behavior: 'delete', lockDelayMs: 1_500 });
    const read = (await client.session(id)).value;
    expect(read).toMatchObject({
      id,
      name: 'x "y"',
      node: consul.nodeName,
      ttlMs: 20_000,
      behavior: 'delete',
      lockDelayMs: 1_500,
      checkIds: ['serfHealth'],
    });
    expect((await client.sessions()).value.find((one) => one.id === id)).toEqual(read);
    expect(await client.renewSession(id)).toEqual(read);
    const checks = (await client.checks()).value;
    expect(checks).toContainEqual(
      expect.objectContaining({ node: consul.nodeName, checkId: 'serfHealth', status: 'passing' }),
    );
    expect((await client.nodes()).value).toEqual([consul.nodeName]);
  });

  test('no TTL is null, no check is empty, no lock-delay is 0', async () => {
    const id = await session({ ttlMs: null, lockDelayMs: 0, checks: [] });
    expect((await client.session(id)).value).toMatchObject({ ttlMs: null, checkIds: [], lockDelayMs: 0 });
  });

  test('a lock-delay above 60 s is read as the 60 s that Consul applies', async () => {
    const id = await session({ lockDelayMs: 120_000 });
    expect((await client.session(id)).value?.lockDelayMs).toBe(60_000);
  });

  test('a key is freed in the very entry that ends its session, so its Session is always a live one', async () => {
    const key = fresh();
    const id = await session({ lockDelayMs: 60_000 });
    await client.acquire({ key, value: none, flags: '0', session: id });
    await client.destroySession(id);
    const row = (await client.get(key)).value;
    expect(row?.session).toBeNull();
    expect((await client.sessions()).index).toBe(row?.modifyIndex);
    // The lock-delay that the end of the session set: a refusal is a value here, too.
    const next = await session();
    expect(await client.acquire({ key, value: none, flags: '0', session: next })).toBe(false);
  });

  test('a node takes its sessions with it: a session whose node is missing cannot be seen for long', async () => {
    const catalog = (action: string, body: object) =>
      fetch(`http://${consul.address}/v1/catalog/${action}`, { method: 'PUT', body: JSON.stringify(body) });
    await catalog('register', { Node: 'passing-by', Address: '127.0.0.9' });
    const id = await session({ node: 'passing-by', checks: [], ttlMs: null });
    expect((await client.session(id)).value?.node).toBe('passing-by');
    await catalog('deregister', { Node: 'passing-by' });
    expect((await client.session(id)).value).toBeNull();
  });
});

describe('blocking queries', () => {
  test('one returns when something changes under its prefix, with a later index', async () => {
    const prefix = fresh();
    await put(`${prefix}/a`);
    const { index } = await client.list(`${prefix}/`);
    const waiting = client.list(`${prefix}/`, { block: { index: index ?? '', waitMs: 30_000 } });
    await put(`${prefix}/b`);
    const reply = await waiting;
    expect(reply.value.map((row) => row.key)).toEqual([`${prefix}/a`, `${prefix}/b`]);
    expect(Number(reply.index)).toBeGreaterThan(Number(index));
    expect(reply.knownLeader).toBe(true);
  });

  test('an abort ends one at once, with the reason of the signal', async () => {
    const { index } = await client.sessions();
    const reason = new Error('the viewer left');
    const abort = new AbortController();
    const waiting = client.sessions({ block: { index: index ?? '', waitMs: 60_000 }, signal: abort.signal });
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(client.get('a', { signal: abort.signal })).rejects.toBe(reason);
  });

  test('a call never waits behind blocking queries, however many there are', async () => {
    const small = consul.client({ maxPolls: 2, maxCalls: 1 });
    // A prefix without other writers: the catalog moves for a while after an agent's start.
    const quiet = `${fresh()}/`;
    await small.cas({ key: `${quiet}k`, value: Buffer.alloc(0), flags: '0', index: '0' });
    const { index } = await small.list(quiet);
    const abort = new AbortController();
    let ended = 0;
    const polls = [1, 2, 3, 4, 5].map(() =>
      small
        .list(quiet, { block: { index: index ?? '', waitMs: 60_000 }, signal: abort.signal })
        .catch(() => 'aborted')
        .finally(() => {
          ended += 1;
        }),
    );
    for (let i = 0; i < 5; i += 1) await small.list(`${fresh()}/`);
    expect(ended).toBe(0);
    abort.abort();
    expect(await Promise.all(polls)).toEqual(Array(5).fill('aborted'));
    await until(() => small.self(), { what: 'the client works on' });
  });
});

test('a connection, which stays, keeps nothing of the request for which it was opened, nor of those that use it', async () => {
  const fresh = consul.client();
  expect(await socketsOf(() => Promise.all([fresh.get('a'), fresh.sessions()]))).toEqual(['', '']);
  const used = await socketsOf(() => fresh.get('a'));
  expect(used.length).toBeGreaterThan(0);
  expect(new Set(used)).toEqual(new Set(['']));
});

test('an unused connection is closed long before Consul closes it, and one that waits is not', async () => {
  const proxy = await startFaultProxy(consul.address);
  const idle = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
  const prefix = fresh();
  const { index } = await idle.list(prefix);
  const waiting = idle.list(prefix, { block: { index: index ?? '1', waitMs: 20_000 } });
  await Promise.all([idle.leader(), idle.leader(), idle.leader()]);
  expect(proxy.connections).toBe(4);
  await until(() => proxy.connections === 1, { what: 'the unused ones to be closed', timeoutMs: 25_000 });
  await put(prefix);
  expect((await waiting).value).toHaveLength(1);
  expect(await idle.deleteCas(prefix, '1')).toBe(false);
  idle.close();
  await proxy.close();
}, 180_000);
