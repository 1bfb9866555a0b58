/** What the watch of Redis shows of real Redisson clients, form by form, and what becomes of those that die. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Lock, Semaphore } from '@/lib/domain/model';
import type { Provider } from '@/lib/domain/seam/provider';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { noRedis, type RedisServer, startTestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson, type TestRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { type Watching, watching } from './watching';

const absent = (await noRedis()) ?? (await noRedisson());
/** A client that a busy machine lets wait for a second or two has renewed in time all the same. */
const watchdogMs = 6_000;

export const settingsOf = (address: string, parameters = '') => {
  const [source] = readSources({
    SIGNALBOX_SOURCES: `redis://${address}?id=redis&${parameters}`,
  });
  if (source === undefined) throw new Error('no source');
  return redisSource(source);
};

const evidenceOf = (
  party:
    | { readonly evidence: Lock['holder'] extends infer _ ? readonly { code: string }[] : never }
    | null
    | undefined,
) => party?.evidence.map(({ code }) => code) ?? [];

describe.skipIf(absent !== null)('a watch of Redis, beside real Redisson clients', () => {
  let redis: RedisServer;
  let client: TestRedisson;
  let other: TestRedisson;
  let provider: Provider;
  let watch: Watching;

  beforeAll(async () => {
    redis = await startTestRedis();
    [client, other] = await Promise.all([
      startRedisson(redis, { watchdogMs }),
      startRedisson(redis, { watchdogMs }),
    ]);
  }, 180_000);
  afterAll(async () => {
    await client?.kill9();
    await other?.kill9();
  });
  beforeEach(async () => {
    provider = createRedisBackend({
      settings: settingsOf(redis.address, 'prefixes=t:,{t}:&semaphores=t:named:4'),
      now: Date.now,
    }).provider(null);
    watch = watching(provider);
    await watch.says('live');
  });
  afterEach(async () => {
    await watch.stop();
    provider.close();
  });

  const lock = (key: string, what: string, is: (lock: Lock) => boolean) =>
    until(
      () => {
        const found = watch.lock(key);
        return found !== undefined && is(found) && found;
      },
      { what: `${key}: ${what}; it is ${JSON.stringify(watch.lock(key))}` },
    );
  const semaphore = (prefix: string, what: string, is: (one: Semaphore) => boolean) =>
    until(
      () => {
        const found = watch.semaphore(prefix);
        return found !== undefined && is(found) && found;
      },
      { what: `${prefix}: ${what}` },
    );

  test.each(['t:plain', '{t}:plain', 't:{a}b'])(
    'a lock shows who holds it, how often, and how many clients wait: %s',
    async (name) => {
      const [a, b] = [client.thread('a'), other.thread('b')];
      const of = { kind: 'lock', name } as const;
      const takenMs = Date.now();
      await a.acquire(of);
      const party = await a.party();
      const held = await lock(name, 'to be held', ({ state }) => state === 'held');
      expect(held).toMatchObject({
        layout: 'redisson-lock',
        waiters: null,
        holder: {
          sessionId: party,
          verdict: 'alive',
          since: { basis: 'observed' },
          expiry: { kind: 'lease' },
        },
      });
      expect(held.holder?.count).toBeUndefined();
      const latestMs = held.holder?.expiry.latestMs ?? 0;
      // A lease from when it was taken, or renewed since.
      expect(latestMs).toBeGreaterThan(takenMs + watchdogMs - 500);
      expect(latestMs).toBeLessThan(Date.now() + watchdogMs + 500);
      await a.acquire(of);
      await lock(name, 'to be held twice', ({ holder }) => holder?.count === 2);
      const waiting = b.acquire(of);
      await lock(name, 'one client to wait', ({ waitingClients }) => waitingClients === 1);
      await a.release(of);
      await a.release(of);
      await waiting;
      const next = await b.party();
      await lock(name, 'the next to hold', ({ holder }) => holder?.sessionId === next);
      await b.release(of);
      const free = await lock(name, 'to be free', ({ state }) => state === 'free');
      expect(free).toMatchObject({ holder: null, value: null });
    },
  );

  test('a lease that a watchdog renews is told from a fixed one, and rows rest while it is renewed', async () => {
    const [a, b] = [client.thread('a'), client.thread('b')];
    await a.acquire({ kind: 'lock', name: 't:dog' });
    await b.acquire({ kind: 'lock', name: 't:fixed', leaseMs: 12_000 });
    const dog = await lock('t:dog', 'to be seen renewed', ({ holder }) =>
      evidenceOf(holder).includes('redis-lease-renewed'),
    );
    expect(dog.holder).toMatchObject({ verdict: 'alive', expiry: { kind: 'lease' } });
    expect(Math.abs((dog.holder?.expiry.withinMs ?? 0) - watchdogMs)).toBeLessThan(watchdogMs / 6);
    const fixed = await lock('t:fixed', 'to be seen not renewed', ({ holder }) =>
      evidenceOf(holder).includes('redis-lease-fixed'),
    );
    expect(fixed.holder?.verdict).toBe('alive');
    await lock('t:fixed', 'to end by itself', ({ state }) => state === 'free');
    expect(watch.lock('t:dog')?.holder?.verdict).toBe('alive');
    await a.release({ kind: 'lock', name: 't:dog' });
  });

  test('a client that is killed while its watchdog renews is overdue, and then out', async () => {
    const dies = await startRedisson(redis, { watchdogMs });
    const a = dies.thread('a');
    await a.acquire({ kind: 'lock', name: 't:dies' });
    await lock('t:dies', 'to be seen renewed', ({ holder }) =>
      evidenceOf(holder).includes('redis-lease-renewed'),
    );
    await dies.kill9();
    const overdue = await lock('t:dies', 'to be overdue', ({ holder }) => holder?.verdict === 'overdue');
    expect(evidenceOf(overdue.holder)).toContain('redis-renewal-overdue');
    await lock('t:dies', 'to be free', ({ state, holder }) => state === 'free' && holder === null);
  }, 180_000);

  test('a fenced lock shows its token', async () => {
    const a = client.thread('a');
    const of = { kind: 'fenced', name: 't:fenced' } as const;
    const token = await a.acquire(of);
    const held = await lock('t:fenced', 'to be held', ({ state }) => state === 'held');
    expect(held).toMatchObject({ layout: 'redisson-fenced', lockIndex: token });
    await a.release(of);
  });

  test('a read-write lock shows its writer, its readers and who waits', async () => {
    const [a, b, c] = [client.thread('a'), client.thread('b'), other.thread('c')];
    const read = { kind: 'read', name: 't:rw' } as const;
    const write = { kind: 'write', name: 't:rw' } as const;
    await a.acquire(read);
    await lock('t:rw', 'to be read', ({ holder }) => holder?.mode === 'read');
    await b.acquire(read);
    const read2 = await lock('t:rw', 'two to read', ({ readers }) => readers?.length === 1);
    expect(read2).toMatchObject({ layout: 'redisson-read-write', state: 'held', waiters: null });
    expect(read2.holder?.sessionId).toBe(await a.party());
    expect(read2.readers?.[0]).toMatchObject({ sessionId: await b.party(), mode: 'read' });
    const writing = c.acquire(write);
    await lock('t:rw', 'one to wait', ({ waitingClients }) => waitingClients === 1);
    await a.release(read);
    await b.release(read);
    await writing;
    const written = await lock('t:rw', 'to be written', ({ holder }) => holder?.mode === 'write');
    expect(written.holder?.sessionId).toBe(`${await c.party()}:write`);
    expect(written.readers).toBeUndefined();
    await c.acquire(read);
    const downgraded = await lock('t:rw', 'the writer to read, too', ({ readers }) => readers?.length === 1);
    expect(downgraded.holder?.mode).toBe('write');
    await c.release(read);
    await c.release(write);
    await lock('t:rw', 'to be free', ({ state }) => state === 'free');
  });

  test('a reader with a fixed lease that is over is no reader, although its field stays', async () => {
    const [a, b] = [client.thread('a'), client.thread('b')];
    const read = { kind: 'read', name: 't:over' } as const;
    await b.acquire(read);
    await a.acquire({ ...read, leaseMs: 6_000 });
    await lock('t:over', 'two to read', ({ readers }) => readers?.length === 1);
    const one = await lock('t:over', 'one to read', ({ readers }) => readers === undefined);
    expect(one.holder?.sessionId).toBe(await b.party());
    await b.release(read);
  });

  test('a fair queue is shown in its order, and a dead head as a ghost that bars a free lock', async () => {
    const dies = await startRedisson(redis, { watchdogMs });
    const of = { kind: 'fair', name: 't:fair' } as const;
    const [a, head, b] = [client.thread('a'), dies.thread('h'), other.thread('b')];
    await a.acquire(of);
    const [first, second] = [await head.party(), await b.party()];
    void head.acquire(of).catch(() => {});
    await lock('t:fair', 'one to wait', ({ waiters }) => waiters?.length === 1);
    void b.acquire(of).catch(() => {});
    const queued = await lock('t:fair', 'two to wait', ({ waiters }) => waiters?.length === 2);
    expect(queued.layout).toBe('redisson-fair');
    expect(queued.waiters?.map(({ sessionId }) => sessionId)).toEqual([first, second]);
    await lock(
      't:fair',
      'both to live',
      ({ waiters }) => waiters?.every(({ verdict }) => verdict === 'alive') === true,
    );
    await dies.kill9();
    const dead = await lock(
      't:fair',
      'the head to be a ghost',
      ({ waiters }) => waiters?.[0]?.verdict === 'ghost',
    );
    expect(evidenceOf(dead.waiters?.[0])).toContain('redis-not-subscribed');
    expect(dead.waiters?.[1]?.verdict).toBe('alive');
    await a.release(of);
    const barred = await lock('t:fair', 'to be free', ({ state }) => state === 'free');
    expect(barred.waiters?.map(({ verdict }) => verdict)).toEqual(['ghost', 'alive']);
    await redis.call('LREM', 'redisson_lock_queue:{t:fair}', '0', first);
    await redis.call('ZREM', 'redisson_lock_timeout:{t:fair}', first);
    await lock('t:fair', 'the next one to get it', ({ holder }) => holder?.sessionId === second);
    await b.release(of);
  }, 180_000);

  test('expirable permits show each holder by its id, the limit, and those whose time is over', async () => {
    const a = client.thread('a');
    const pool = a.permits('t:permits');
    await pool.set(3);
    const [endless = ''] = await pool.acquire();
    const [short = ''] = await pool.acquire({ leaseMs: 8_000 });
    const held = await semaphore('t:permits', 'two to hold', ({ holders }) => holders.length === 2);
    expect(held).toMatchObject({
      layout: 'redisson-permits',
      limit: 3,
      recorded: 2,
      effective: 2,
      available: 1,
    });
    expect(new Set(held.holders.map(({ sessionId }) => sessionId))).toEqual(new Set([endless, short]));
    const of = (id: string) =>
      watch.semaphore('t:permits')?.holders.find(({ sessionId }) => sessionId === id);
    expect(of(endless)).toMatchObject({ verdict: 'immortal', expiry: { kind: 'never' } });
    expect(of(short)).toMatchObject({ verdict: 'alive', expiry: { kind: 'lease' } });
    const over = await semaphore('t:permits', 'one to be over', ({ holders }) =>
      holders.some(({ verdict }) => verdict === 'ghost'),
    );
    expect(over).toMatchObject({ limit: 3, recorded: 2, effective: 1 });
    expect(evidenceOf(of(short))).toEqual(['redis-permit-over']);
    await pool.release(endless);
    await semaphore('t:permits', 'one to be left', ({ recorded }) => recorded === 1);
    // A client that asks for a permit sweeps those that are over.
    const [next = ''] = await pool.acquire();
    await semaphore(
      't:permits',
      'one to be swept',
      ({ holders }) => holders.map((one) => one.sessionId).join() === next,
    );
    await pool.release(next);
    await semaphore('t:permits', 'nobody to hold', ({ recorded }) => recorded === 0);
    expect(watch.semaphore('t:permits')).toMatchObject({ limit: 3, holders: [] });
  });

  test('a plain semaphore is known by its configuration or by those who wait, and never gets a limit by guess', async () => {
    const [a, b] = [client.thread('a'), other.thread('b')];
    await a.semaphore('t:named').set(4);
    await a.semaphore('t:named').acquire({ permits: 3 });
    const named = await semaphore('t:named', 'to be used', ({ available }) => available === 1);
    expect(named).toMatchObject({
      layout: 'redisson-semaphore',
      limit: 4,
      limitBasis: 'configured',
      recorded: 3,
      holders: [],
    });
    await a.semaphore('t:found').set(1);
    await a.semaphore('t:found').acquire();
    expect(watch.semaphore('t:found')).toBeUndefined();
    const waiting = b.semaphore('t:found').acquire();
    const found = await semaphore('t:found', 'to be known', ({ waitingClients }) => waitingClients === 1);
    expect(found).toMatchObject({ limit: null, recorded: null, effective: null, available: 0 });
    expect(found.limitBasis).toBeUndefined();
    await a.semaphore('t:found').release();
    await waiting;
    await semaphore('t:found', 'nobody to wait', ({ waitingClients }) => waitingClients === 0);
  });

  test('a latch with somebody who waits, and a FasterMultiLock, are shown', async () => {
    const [a, b] = [client.thread('a'), other.thread('b')];
    await a.latch('t:latch').set(2);
    const waiting = b.latch('t:latch').await();
    const found = await semaphore('t:latch', 'to be known', ({ layout }) => layout === 'redisson-latch');
    expect(found).toMatchObject({ available: 2, limit: null, waitingClients: 1 });
    await a.latch('t:latch').countDown();
    await semaphore('t:latch', 'one to be left', ({ available }) => available === 1);
    await a.latch('t:latch').countDown();
    await waiting;
    const faster = { kind: 'faster-multi', name: 't:faster', names: ['x', 'y'] } as const;
    // Longer than a busy machine takes to look.
    await a.acquire({ ...faster, leaseMs: 120_000 });
    const held = await lock('t:faster', 'to be held', ({ state }) => state === 'held');
    expect(held).toMatchObject({ layout: 'redisson-faster-multi', waiters: null });
    expect(held.holder?.sessionId).toBe(await a.party());
    expect(held.details).toHaveLength(2);
    await a.release(faster);
  });

  test('keys of other programs are left out, whatever they are', async () => {
    await redis.call('SET', 't:counter', '7');
    await redis.call('HSET', 't:hash', 'mode', 'read', 'x', '1');
    await redis.call('HSET', 't:mixed', `${await client.thread('a').party()}`, '1', 'note', 'x');
    await redis.call('ZADD', '{t:counter}:timeout', '5', 'somebody');
    await redis.call('RPUSH', 't:list', 'x');
    await redis.call('SET', Buffer.from([0x74, 0x3a, 0xff, 0xfe]), 'x');
    await client.thread('a').acquire({ kind: 'lock', name: 't:last' });
    await lock('t:last', 'to be held', ({ state }) => state === 'held');
    const names = ['t:counter', 't:hash', 't:mixed', 't:list'];
    expect(names.filter((name) => watch.lock(name) ?? watch.semaphore(name))).toEqual([]);
    await client.thread('a').release({ kind: 'lock', name: 't:last' });
  });

  test('parts of a MultiLock are locks of their own, spin and non-reentrant ones as well', async () => {
    const a = client.thread('a');
    const multi = { kind: 'multi', names: ['t:m1', 't:m2'] } as const;
    await a.acquire(multi);
    for (const name of multi.names) await lock(name, 'to be held', ({ state }) => state === 'held');
    await a.release(multi);
    for (const kind of ['spin', 'non-reentrant', 'non-reentrant-fair'] as const) {
      const name = `t:${kind}`;
      await a.acquire({ kind, name });
      await lock(name, 'to be held', ({ state }) => state === 'held');
      await a.release({ kind, name });
      await lock(name, 'to be free', ({ state }) => state === 'free');
    }
  });
});
