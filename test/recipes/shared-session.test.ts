/** Locks that hold by a passed session, on a real Consul. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { ProblemError } from '@/lib/domain/problem';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { connect, type Hold, lostReason } from '@/packages/locks/src/index';
import { Lock, type LockAcquireOptions } from '@/packages/locks/src/lock';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

// Consul itself allows no TTL below ten seconds.
const consul = await startConsul({ extraConfig: { session_ttl_min: '3s' } });
const client = consul.client();
afterAll(() => consul.stop());

const holder = async (key: string) => (await client.get(key)).value?.session ?? null;

/** A connection through a proxy of its own. */
async function ownLink() {
  const proxy = await startFaultProxy(consul.address);
  const own = connect({ address: proxy.address });
  onTestFinished(async () => {
    proxy.resume();
    proxy.accept();
    await own.close();
    await proxy.close();
  });
  return { proxy, own };
}

test('locks are lost with their shared session before another client has one, also without an answer', async () => {
  const { proxy, own } = await ownLink();
  const session = await own.session({ name: 's/shared', ttlMs: 3_000, lockDelayMs: 0 });
  const of = (key: string) => own.lock({ key, session: { id: session.id } });
  const [left, right] = [await of('s/shared/left').acquire(), await of('s/shared/right').acquire()];
  const given = await of('s/shared/given').acquire();
  await given.release();
  const rival = new Lock(client, { key: 's/shared/left', restMaxMs: 0 }).acquire().then((hold) => {
    return { hold, wasLost: left.lost.aborted };
  });
  proxy.stall();
  await until(() => session.lost.aborted, { what: 'the session gives up' });
  expect([left, right, given].map(({ lost }) => lostReason(lost))).toEqual([
    'monitor-failed',
    'monitor-failed',
    null,
  ]);
  await expect(of('s/shared/third').acquire(), 'by a lost session').rejects.toMatchObject({
    reason: 'monitor-failed',
  });
  const { hold, wasLost } = await rival;
  expect(wasLost).toBe(true);
  await hold.release();
  proxy.reset();
  proxy.resume();
  await session.end();
});

test('the end of a shared session loses its locks, also without an answer', async () => {
  const { proxy, own } = await ownLink();
  const session = await own.session({ name: 's/ended', ttlMs: 3_000, lockDelayMs: 0 });
  const hold = await own.lock({ key: 's/ended/key', session: { id: session.id } }).acquire();
  proxy.stall();
  const ended = session.end();
  expect(lostReason(hold.lost)).toBe('session-invalidated');
  expect(lostReason(session.lost)).toBeNull();
  proxy.reset();
  proxy.resume();
  await ended;
  await until(async () => (await holder('s/ended/key')) === null, { what: 'the key is free' });
});

test('neither released locks nor ended sessions stay in memory', async () => {
  const { own } = await ownLink();
  const session = await own.session({ name: 's/memory' });
  const over: WeakRef<object>[] = [];
  const take = async (id: string) => {
    const hold = await own.lock({ key: 's/memory/key', session: { id } }).acquire();
    over.push(new WeakRef(hold));
    await hold.release();
  };
  // In functions of their own, because a frame keeps its objects until it ends.
  const begin = async () => {
    const other = await own.session({ name: 's/memory/other' });
    over.push(new WeakRef(other));
    await take(other.id);
    await other.end();
  };
  for (let n = 0; n < 3; n += 1) {
    await take(session.id);
    await begin();
  }
  await until(
    () => {
      gc();
      return over.every((ref) => ref.deref() === undefined);
    },
    { what: 'all are collected' },
  );
  expect(over).toHaveLength(9);
  await session.end();
});

/** A lock by a passed session that gave up while Consul was away, and Consul itself, which is back. */
async function lostInOutage(key: string, owner: LockAcquireOptions = {}) {
  const { proxy, own } = await ownLink();
  const id = await client.createSession({ name: key, ttlMs: 120_000, behavior: 'release', lockDelayMs: 0 });
  const lock = own.lock({ key, session: { id }, monitorRetries: 1, monitorRetryMs: 50 });
  const hold = await lock.acquire(owner);
  // The lock watches its key from the next turn on.
  await until(() => proxy.connections > 1, { what: 'the watch' });
  proxy.refuse();
  await until(() => hold.lost.aborted, { what: 'it gives up' });
  expect(lostReason(hold.lost)).toBe('monitor-failed');
  expect(await holder(key), 'the session lives on').toBe(id);
  return { proxy, own, lock, hold, id };
}

test('a release after an outage frees the key of a passed session that lives on', async () => {
  const { proxy, lock, hold, id } = await lostInOutage('s/outage');
  proxy.accept();
  await hold.release();
  expect(await holder('s/outage')).toBeNull();
  await hold.release();
  await (await lock.acquire()).release();
  await client.destroySession(id);
});

test('a release that failed can be repeated when Consul is back', async () => {
  const { proxy, lock, hold, id } = await lostInOutage('s/repeated');
  await expect(hold.release()).rejects.toBeInstanceOf(ProblemError);
  proxy.accept();
  await hold.release();
  expect(await holder('s/repeated')).toBeNull();
  const next = await lock.acquire({ reentrantKey: 'me' });
  proxy.refuse();
  await expect(next.release()).rejects.toBeInstanceOf(ProblemError);
  proxy.accept();
  await next.release();
  expect(await holder('s/repeated')).toBeNull();
  await client.destroySession(id);
});

test('after a loss a run ends as its work does, also when its release fails', async () => {
  const { proxy, lock, hold, id } = await lostInOutage('s/run');
  proxy.accept();
  await hold.release();
  const outage = async ({ lost }: Hold) => {
    proxy.refuse();
    await until(() => lost.aborted, { what: 'the work learns of the loss' });
  };
  const done = await lock.run(async (held) => {
    await outage(held);
    return 'done';
  });
  expect(done).toBe('done');
  proxy.accept();
  const failing = lock.run(async (held) => {
    await outage(held);
    throw new Error('the own error');
  });
  await expect(failing).rejects.toThrow('the own error');
  proxy.accept();
  const holding = lock.run(async () => proxy.refuse());
  await expect(holding, 'without a loss, the release counts').rejects.toBeInstanceOf(ProblemError);
  proxy.accept();
  await client.destroySession(id);
});

test('a late release of a lost hold leaves the next one by the same session alone, also of another lock object', async () => {
  for (const by of ['same', 'other']) {
    const key = `s/next/${by}`;
    const { proxy, own, lock, hold, id } = await lostInOutage(key);
    proxy.accept();
    const other = own.lock({ key, session: { id } });
    const next = await (by === 'same' ? lock : other).acquire();
    await hold.release();
    expect(await holder(key), by).toBe(id);
    expect(lostReason(next.lost)).toBeNull();
    await next.release();
    expect(await holder(key)).toBeNull();
    await client.destroySession(id);
  }
});

test('of the locks of one connection only one at a time holds a key by a session, which Consul would grant it twice', async () => {
  const { own } = await ownLink();
  const session = await own.session({ name: 's/twice' });
  const of = (key: string) => own.lock({ key, session: { id: session.id } });
  const hold = await of('s/twice').acquire();
  const refused = { problem: { code: 'conflict-in-use' } };
  await expect(of('s/twice').acquire()).rejects.toMatchObject(refused);
  await expect(of('s/twice').tryAcquire()).rejects.toMatchObject(refused);
  await (await of('s/twice/beside').acquire()).release();
  await hold.release();
  await (await of('s/twice').acquire()).release();
  await session.end();
});

test('a refused or aborted acquire leaves a key alone that its session already holds through other software', async () => {
  const { proxy, own } = await ownLink();
  const id = await client.createSession({
    name: 's/others',
    ttlMs: 120_000,
    behavior: 'release',
    lockDelayMs: 0,
  });
  for (const flags of ['0', lockFlags]) {
    const key = `s/others/${flags}`;
    expect(await client.acquire({ key, value: Buffer.from('x'), flags, session: id })).toBe(true);
    const before = await client.get(key);
    const ended = new AbortController();
    proxy.stall();
    const sought = own.lock({ key, session: { id } }).acquire({ signal: ended.signal });
    const failed = expect(sought).rejects.toMatchObject(
      flags === '0' ? { problem: { code: 'conflict-in-use' } } : { message: 'enough' },
    );
    await until(() => proxy.connections > 0, { what: 'the first read is under way' });
    if (flags === lockFlags) ended.abort(new Error('enough'));
    proxy.resume();
    await failed;
    expect((await client.get(key)).value, flags).toEqual(before.value);
  }
  await client.destroySession(id);
});

test('an owner that enters a lost hold again still frees its key with the last release', async () => {
  const owner = { reentrantKey: 'me' };
  const { proxy, lock, hold, id } = await lostInOutage('s/entered', owner);
  await expect(lock.acquire(owner), 'Consul is away').rejects.toBeInstanceOf(ProblemError);
  proxy.accept();
  await hold.release();
  expect(await holder('s/entered')).toBeNull();
  await client.destroySession(id);
});

test('an acquire that gives up in an outage frees the key that an unanswered write has locked', async () => {
  const { proxy, own } = await ownLink();
  const key = 's/given-up';
  const id = await client.createSession({ name: key, ttlMs: 120_000, behavior: 'release', lockDelayMs: 0 });
  const through = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
  const ended = new AbortController();
  const outages: string[] = [];
  const firstAway = async <T>(name: string, call: () => Promise<T>) => {
    if (outages.includes(name)) return call();
    outages.push(name);
    proxy.refuse();
    return call().finally(() => proxy.accept());
  };
  const lost: ConsulClient = {
    ...through,
    txn: async (ops) => {
      await client.txn(ops);
      ended.abort(new Error('enough'));
      throw new ProblemError({ code: 'unknown-result' });
    },
    get: (name, options) => {
      const read = () => through.get(name, options);
      return options?.consistency === 'consistent' ? firstAway('read', read) : read();
    },
    release: (write, options) => firstAway('release', () => through.release(write, options)),
  };
  const lock = new Lock(lost, { key, session: { id }, monitorRetryMs: 50 });
  await expect(lock.acquire({ signal: ended.signal })).rejects.toThrow('enough');
  expect(outages).toEqual(['read', 'release']);
  expect(await holder(key)).toBeNull();
  await (await own.lock({ key, session: { id } }).acquire()).release();
  through.close();
  await client.destroySession(id);
});
