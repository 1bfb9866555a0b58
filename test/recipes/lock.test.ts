import { afterAll, describe, expect, test } from 'vitest';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { AcquireTimeoutError } from '@/packages/locks/src/deadline';
import { Lock, type LockOptions } from '@/packages/locks/src/lock';
import { lostReason } from '@/packages/locks/src/lost';
import { sessionsEnded } from '@/packages/locks/src/session';
import { createPresence } from '@/test/recipes/presence';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

// Consul itself allows no TTL below ten seconds.
const consul = await startConsul({ extraConfig: { session_ttl_min: '3s' } });
const client = consul.client({ maxPolls: 60 });
afterAll(() => consul.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const lock = (key: string, more: Partial<LockOptions> = {}) =>
  new Lock(client, { key, sessionName: key, ...more });
const row = async (key: string) => (await client.get(key)).value;
const sessionsNamed = async (name: string) => (await client.sessions()).value.filter((s) => s.name === name);
const noSession = (name: string) =>
  until(async () => (await sessionsNamed(name)).length === 0, { what: `no session ${name} is left` });

describe.concurrent('a lock', () => {
  test('mixed with real consul lock -n=1, one is inside at a time, all get in, nothing is left', async () => {
    const presence = createPresence();
    const key = 'l/mixed/.lock';
    const gos = [0, 1, 2, 3].map((i) =>
      runConsulLock(consul, { n: 1, prefix: 'l/mixed', command: presence.command(`go-${i}`, 0.2) }),
    );
    await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        for (let round = 0; round < 2; round++)
          await lock(key).run(async ({ lost }) => {
            presence.enter(`ts-${i}-${round}`);
            await pause(80);
            expect(lostReason(lost)).toBeNull();
            presence.leave(`ts-${i}-${round}`);
          });
      }),
    );
    const codes = await Promise.all(gos.map((go) => go.exited));
    expect(codes, gos.map((go) => go.output()).join('')).toEqual([0, 0, 0, 0]);
    expect(presence.entered()).toHaveLength(16);
    expect(presence.most()).toBe(1);
    await noSession(key);
    expect(await lock(key).destroy()).toBe(true);
    expect(await row(key)).toBeNull();
    presence.remove();
  });

  test('closing the client after a release, once its sessions are ended, leaves none behind', async () => {
    const own = consul.client();
    const key = 'l/closed';
    for (let round = 0; round < 3; round += 1)
      await new Lock(own, { key, sessionName: key }).run(async () => {});
    await sessionsEnded(own);
    own.close();
    expect(await sessionsNamed(key)).toEqual([]);
  });

  test('the fencing token grows with every holder; the value stays as api.Lock leaves it', async () => {
    const key = 'l/fence';
    const own = lock(key, { value: 'me' });
    const first = await own.acquire();
    expect(await own.isLocked()).toBe(true);
    expect(await lock(key).tryAcquire()).toBeNull();
    expect(await own.destroy(), 'in use').toBe(false);
    await first.release();
    await first.release();
    expect(await own.isLocked()).toBe(false);
    const second = await lock(key, { value: 'you' }).acquire();
    expect(second.fencingToken).toBe(first.fencingToken + 1n);
    await second.release();
    expect(await row(key)).toMatchObject({ flags: lockFlags, session: null, value: Buffer.from('you') });
    await noSession(key);
  });

  test('an acquire out of time, or aborted, leaves no session', async () => {
    const key = 'l/late';
    const held = await lock(key).acquire();
    const late = lock(key, { sessionName: 'l/late waiter' });
    await expect(late.acquire({ timeoutMs: 200 })).rejects.toBeInstanceOf(AcquireTimeoutError);
    expect(await late.tryAcquire(100)).toBeNull();
    expect(await sessionsNamed('l/late waiter')).toEqual([]);
    const controller = new AbortController();
    const waiting = late.acquire({ signal: controller.signal });
    await until(async () => (await sessionsNamed('l/late waiter')).length === 1, { what: 'it waits' });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(await sessionsNamed('l/late waiter')).toEqual([]);
    await held.release();
  });

  test('a destroyed session is noticed, and its lock-delay is waited out', async () => {
    const key = 'l/delay';
    const held = await lock(key, { lockDelayMs: 2_000 }).acquire();
    const waiting = lock(key, { lockDelayMs: 0 }).acquire();
    // The delay begins before the answer, which may be late.
    const at = performance.now();
    await client.destroySession(held.session);
    await until(() => held.lost.aborted, { what: 'the holder learns of it' });
    expect(lostReason(held.lost)).toBe('session-invalidated');
    const next = await waiting;
    expect(performance.now() - at, 'not before the delay is over').toBeGreaterThan(1_900);
    await next.release();
    await held.release();
    await noSession(key);
  });

  test('a forced release is noticed, and its session is not left behind', async () => {
    const key = 'l/forced';
    const held = await lock(key).acquire();
    await client.release({ key, value: Buffer.alloc(0), flags: lockFlags, session: held.session });
    await until(() => held.lost.aborted, { what: 'the holder learns of it' });
    expect(lostReason(held.lost)).toBe('force-released');
    await noSession(key);
  });

  test('a waiter whose session is ended tries again with a new one', async () => {
    const key = 'l/kicked';
    const held = await lock(key).acquire();
    const waiting = lock(key, { sessionName: 'l/kicked waiter' }).acquire();
    const [first] = await until(
      async () => {
        const found = await sessionsNamed('l/kicked waiter');
        return found.length === 1 && found;
      },
      { what: 'it waits' },
    );
    await client.destroySession(first?.id ?? '');
    await held.release();
    const next = await waiting;
    expect(next.session).not.toBe(first?.id);
    await next.release();
    await noSession('l/kicked waiter');
  });

  test('a value of 390 kB is kept; a larger one is refused as invalid and leaves no session', async () => {
    const key = 'l/value';
    const of = (bytes: number) => lock(key, { value: Buffer.alloc(bytes, 97) }).acquire();
    await (await of(390_000)).release();
    expect((await row(key))?.value).toHaveLength(390_000);
    await expect(of(400_000)).rejects.toMatchObject({ problem: { code: 'invalid' } });
    await noSession(key);
  });

  test('a key with foreign flags is refused and not touched', async () => {
    const key = 'l/foreign';
    await client.cas({ key, value: Buffer.from('x'), flags: '7', index: '0' });
    const before = await row(key);
    const refused = { problem: { code: 'conflict-in-use' } };
    await expect(lock(key).acquire()).rejects.toMatchObject(refused);
    await expect(lock(key).tryAcquire()).rejects.toMatchObject(refused);
    await expect(lock(key).destroy()).rejects.toMatchObject(refused);
    expect(await row(key)).toEqual(before);
    await noSession(key);
  });

  test('one session may hold two locks; it is neither shared within one nor ended by a release', async () => {
    const id = await client.createSession({
      name: 'l/pair',
      ttlMs: 120_000,
      behavior: 'release',
      lockDelayMs: 0,
    });
    const [left, right] = ['l/pair/left', 'l/pair/right'].map((key) => lock(key, { session: { id } }));
    if (left === undefined || right === undefined) throw new Error('two locks');
    const [a, b] = [await left.acquire(), await right.acquire()];
    expect([a.session, b.session]).toEqual([id, id]);
    await expect(left.acquire()).rejects.toMatchObject({ problem: { code: 'conflict-in-use' } });
    await a.release();
    expect((await client.session(id)).value?.id).toBe(id);
    expect(lostReason(b.lost)).toBeNull();
    await (await left.acquire()).release();
    await client.destroySession(id);
    await until(() => b.lost.aborted, { what: 'the other is lost with its session' });
    await expect(left.acquire()).rejects.toMatchObject({ reason: 'session-invalidated' });
  });

  test('of those who wait in one process one asks Consul, they are served in order, and one that leaves is passed over', async () => {
    const key = 'l/line';
    const sessions = async () =>
      (await client.sessions()).value.filter(({ name }) => name.startsWith('in-line-')).length;
    const first = await lock(key, { sessionName: 'in-line-first' }).acquire();
    const served: number[] = [];
    const leaving = new AbortController();
    const waiting = [1, 2, 3, 4].map(async (i) => {
      const own = lock(key, { sessionName: `in-line-${i}` });
      const hold = await own.acquire(i === 2 ? { signal: leaving.signal } : {});
      served.push(i);
      await hold.release();
    });
    await until(async () => (await sessions()) === 2, { what: 'the holder, and the one in front' });
    leaving.abort(new Error('enough'));
    await expect(waiting[1]).rejects.toThrow('enough');
    expect(await sessions(), 'the others wait without one').toBe(2);
    await first.release();
    await Promise.all([waiting[0], waiting[2], waiting[3]]);
    expect(served).toEqual([1, 3, 4]);
    await until(async () => (await sessions()) === 0, { what: 'no session is left' });
  });

  test('the session of a release passes to a waiter in the same process, and the last one ends it', async () => {
    const key = 'l/hand-to-hand';
    const used: string[] = [];
    const tokens: bigint[] = [];
    await Promise.all(
      Array.from({ length: 8 }, () =>
        lock(key).run(async (hold) => {
          expect((await row(key))?.session).toBe(hold.session);
          used.push(hold.session);
          tokens.push(hold.fencingToken);
        }),
      ),
    );
    expect(used).toHaveLength(8);
    expect(new Set(used).size, 'one holds and one is in front').toBeLessThanOrEqual(3);
    expect(tokens).toEqual(Array.from({ length: 8 }, (_, i) => BigInt(i + 1)));
    await noSession(key);
  });

  test('an owner enters what it holds, and leaves with its last release', async () => {
    const own = lock('l/again');
    const [one, two] = await Promise.all([
      own.acquire({ reentrantKey: 'me' }),
      own.acquire({ reentrantKey: 'me' }),
    ]);
    expect(one.session).toBe(two.session);
    expect(own.holdCount('me')).toBe(2);
    expect(await own.tryAcquire(0, { reentrantKey: 'you' })).toBeNull();
    await one.release();
    await one.release();
    expect(await own.isLocked()).toBe(true);
    await two.release();
    expect(await own.isLocked()).toBe(false);
    expect(own.holdCount('me')).toBe(0);
  });

  test('an acquire that waits is not ended by an attempt of the same owner that gives up sooner', async () => {
    const key = 'l/again-waits';
    const held = await lock(key).acquire();
    const own = lock(key);
    const once = own.tryAcquire(0, { reentrantKey: 'me' });
    const soon = own.tryAcquire(100, { reentrantKey: 'me' });
    const waiting = own.acquire({ reentrantKey: 'me' });
    expect(await once).toBeNull();
    expect(await soon).toBeNull();
    await held.release();
    const hold = await waiting;
    expect(own.holdCount('me')).toBe(1);
    await hold.release();
    expect(own.holdCount('me')).toBe(0);
    await noSession(key);
  });

  test('kill -9 of a consul lock that holds frees the lock for us', async () => {
    const go = runConsulLock(consul, { n: 1, prefix: 'l/killed', command: 'echo inside; sleep 90' });
    await until(() => go.output().includes('inside'), { what: 'consul lock is in' });
    go.kill9();
    // TTL 15 s, twice that in practice, and then its lock-delay of 15 s.
    const hold = await lock('l/killed/.lock').acquire({ timeoutMs: 100_000 });
    await hold.release();
  });

  test('a session outlives many TTLs while it is held', async () => {
    const held = await lock('l/kept', { sessionTtlMs: 3_000, lockDelayMs: 0 }).acquire();
    await pause(10_000);
    expect(lostReason(held.lost)).toBeNull();
    expect((await row('l/kept'))?.session).toBe(held.session);
    await held.release();
  });

  test('an outage within its patience costs nothing; one beyond it ends the claim', async () => {
    const proxy = await startFaultProxy(consul.address);
    const through = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
    const own = new Lock(through, {
      key: 'l/outage',
      monitorRetries: 8,
      monitorRetryMs: 200,
      lockDelayMs: 0,
    });
    const held = await own.acquire();
    proxy.refuse();
    await pause(500);
    proxy.accept();
    expect(await until(() => own.isLocked(), { what: 'it is asked again' })).toBe(true);
    expect(lostReason(held.lost)).toBeNull();
    proxy.refuse();
    await until(() => held.lost.aborted, { what: 'it gives up' });
    expect(lostReason(held.lost)).toBe('monitor-failed');
    await expect(own.acquire()).rejects.toMatchObject({ problem: { code: 'unavailable' } });
    proxy.accept();
    await held.release();
    through.close();
    await proxy.close();
  });

  test('the answer to an acquire that is lost on the way does not cost the lock', async () => {
    const proxy = await startFaultProxy(consul.address);
    const through = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
    let cuts = 0;
    // The write is made, and its answer never arrives.
    const cut = {
      ...through,
      txn: async (...args: Parameters<typeof through.txn>) => {
        await client.txn(...args);
        cuts += 1;
        proxy.stall();
        setTimeout(() => {
          proxy.reset();
          proxy.resume();
        }, 200);
        return through.txn(...args);
      },
    };
    const hold = await new Lock(cut, {
      key: 'l/unknown',
      sessionName: 'l/unknown',
      monitorRetryMs: 100,
    }).acquire();
    expect((await row('l/unknown'))?.session).toBe(hold.session);
    expect(cuts, 'the key told that it was ours').toBe(1);
    await hold.release();
    expect((await row('l/unknown'))?.session).toBeNull();
    await noSession('l/unknown');
    through.close();
    await proxy.close();
  });
});
