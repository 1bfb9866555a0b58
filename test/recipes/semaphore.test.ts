import { afterAll, describe, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/consul/client';
import { createConsulClient } from '@/lib/consul/client';
import { readCoordination, semaphoreFlags } from '@/lib/consul/coordination';
import { consulSettings } from '@/lib/consul/settings';
import { AcquireTimeoutError } from '@/lib/recipes/deadline';
import { lostReason } from '@/lib/recipes/lost';
import { Semaphore } from '@/lib/recipes/semaphore';
import { createPresence } from '@/test/recipes/presence';
import { type ConsulLock, runConsulLock, startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
afterAll(() => consul.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const keys = async (prefix: string) => (await client.list(`${prefix}/`)).value.map((row) => row.key);
const lockRow = async (prefix: string) => (await client.get(`${prefix}/.lock`)).value;
const recorded = async (prefix: string) =>
  readCoordination((await lockRow(prefix))?.value ?? Buffer.alloc(0)).holders ?? [];
const sessionsNamed = async (part: string, of: ConsulClient = client) =>
  (await of.sessions()).value.filter(({ name }) => name.includes(part));
const semaphore = (prefix: string, limit: number | 'follow', more = {}) =>
  new Semaphore(client, { prefix, limit, owner: prefix, ...more });
/**
 * A `consul lock` ends its session in passing, while its process is about to exit: one that exits sooner leaves the
 * session to its TTL, of which Consul makes up to two.
 */
const goSessionMsMax = 2 * 15_000;
const nothingLeft = (prefix: string) =>
  until(
    async () => {
      const left = {
        sessions: (await sessionsNamed(prefix)).map(({ name }) => name),
        recorded: await recorded(prefix),
        keys: (await keys(prefix)).filter((key) => key !== `${prefix}/.lock`),
      };
      expect(left).toEqual({ sessions: [], recorded: [], keys: [] });
      return true;
    },
    { what: `nothing of ${prefix} is left`, timeoutMs: goSessionMsMax + 10_000 },
  );

describe.concurrent('a semaphore', () => {
  test('mixed with real consul lock processes, the limit is never exceeded, all get in, nothing is left', async () => {
    const presence = createPresence();
    const prefix = 'r/mixed';
    const locks: ConsulLock[] = [];
    for (let i = 0; i < 6; i++)
      locks.push(
        runConsulLock(consul, {
          n: 3,
          prefix,
          command: presence.command(`go-${i}`, 0.4),
          args: ['-monitor-retry=3'],
        }),
      );
    const ours = Array.from({ length: 8 }, async (_, i) => {
      const own = semaphore(prefix, 3, { sessionName: `${prefix} ${i}` });
      for (let round = 0; round < 2; round++)
        await own.run(async ({ lost }) => {
          presence.enter(`ts-${i}-${round}`);
          await pause(150 + 40 * i);
          expect(lostReason(lost)).toBeNull();
          presence.leave(`ts-${i}-${round}`);
        });
    });
    await Promise.all(ours);
    // A `consul lock` that meets another's Destroy at the wrong moment ends in an error of its own; its output says so.
    const codes = await Promise.all(locks.map((lock) => lock.exited));
    expect(codes, locks.map((lock) => lock.output()).join('')).toEqual(codes.map(() => 0));
    expect(presence.entered().sort()).toEqual(
      [
        ...locks.map((_, i) => `go-${i}`),
        ...Array.from({ length: 8 }, (_, i) => [`ts-${i}-0`, `ts-${i}-1`]).flat(),
      ].sort(),
    );
    expect(presence.most()).toBe(3);
    await nothingLeft(prefix);
    presence.remove();
  });

  test('permits of one acquire come all or none, and those behind it wait their turn', async () => {
    const prefix = 'r/turn';
    const sem = semaphore(prefix, 3);
    const first = await sem.acquire({ permits: 2 });
    expect(first.sessions).toHaveLength(2);
    const order: string[] = [];
    const wide = sem.acquire({ permits: 3 }).then((permit) => {
      order.push('wide');
      return permit;
    });
    await until(async () => (await sem.queueLength()) === 3, { what: 'the wide one waits' });
    expect(await sem.availablePermits()).toBe(1);
    expect(await sem.tryAcquire(), 'a newcomer does not overtake').toBeNull();
    const narrow = sem.acquire().then((permit) => {
      order.push('narrow');
      return permit;
    });
    await until(async () => (await sem.queueLength()) === 4, { what: 'the narrow one waits behind it' });
    await first.release();
    const held = await wide;
    await held.release(1);
    await (await narrow).release();
    expect(held.permits).toBe(2);
    expect(lostReason(held.lost)).toBeNull();
    await held.release();
    expect(order).toEqual(['wide', 'narrow']);
    await nothingLeft(prefix);
  });

  test('many waiters are served in order of arrival', async () => {
    const prefix = 'r/order';
    const sem = semaphore(prefix, 1);
    const first = await sem.acquire();
    const order: number[] = [];
    const all: Promise<void>[] = [];
    for (let i = 0; i < 8; i++) {
      all.push(sem.run(async () => void order.push(i)));
      await until(async () => (await sem.queueLength()) === i + 1, { what: `waiter ${i} is in` });
    }
    await first.release();
    await Promise.all(all);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await nothingLeft(prefix);
  });

  test('a full semaphore costs tryAcquire no session; an acquire out of time leaves nothing', async () => {
    const prefix = 'r/full';
    const sem = semaphore(prefix, 1, { sessionName: `${prefix} holder` });
    const held = await sem.acquire();
    const before = (await lockRow(prefix))?.modifyIndex;
    expect(await sem.tryAcquire()).toBeNull();
    const late = semaphore(prefix, 1, { sessionName: `${prefix} late` });
    await expect(late.acquire({ timeoutMs: 200 })).rejects.toBeInstanceOf(AcquireTimeoutError);
    expect(await late.tryAcquire(200)).toBeNull();
    expect(await sessionsNamed(`${prefix} late`)).toEqual([]);
    const controller = new AbortController();
    const waiting = late.acquire({ signal: controller.signal });
    await until(async () => (await sem.queueLength()) === 1, { what: 'it waits' });
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(await sessionsNamed(`${prefix} late`)).toEqual([]);
    expect((await lockRow(prefix))?.modifyIndex).toBe(before);
    await held.release();
    await nothingLeft(prefix);
  });

  test('another limit is refused as Go does, followed when asked, and resized by compare-and-set', async () => {
    const prefix = 'r/limit';
    const go = runConsulLock(consul, { n: 2, prefix, command: 'echo inside; cat; sleep 20' });
    await until(() => go.output().includes('inside'), { what: 'consul lock is in' });
    const refused = { problem: { code: 'conflict-in-use' } };
    await expect(semaphore(prefix, 3).acquire()).rejects.toMatchObject(refused);
    const follow = semaphore(prefix, 'follow');
    await expect(semaphore('r/limit-none', 'follow').acquire()).rejects.toMatchObject({
      problem: { code: 'not-found' },
    });
    expect(await follow.limit()).toBe(2);
    const one = await follow.acquire();
    const waiting = follow.acquire();
    await until(async () => (await follow.queueLength()) === 1, { what: 'the second one waits' });
    expect(await follow.setLimit(5, { expect: 3 })).toBe(false);
    expect(await follow.setLimit(3, { expect: 2 })).toBe(true);
    const two = await waiting;
    expect(await follow.addPermits(2)).toBe(5);
    expect(await follow.reducePermits(1)).toBe(4);
    await expect(follow.reducePermits(4)).rejects.toBeInstanceOf(RangeError);
    const rest = await follow.drainPermits();
    expect(rest?.permits).toBe(1);
    expect(await follow.drainPermits()).toBeNull();
    expect(await follow.destroy(), 'in use').toBe(false);
    const row = await lockRow(prefix);
    expect(row?.flags).toBe(semaphoreFlags);
    expect(lostReason(one.lost)).toBeNull();
    await Promise.all([one.release(), two.release(), rest?.release()]);
    go.terminate();
    expect(await go.exited).not.toBeNull();
    await until(async () => (await recorded(prefix)).length === 0, { what: 'consul lock is out' });
    expect(await follow.destroy()).toBe(true);
    expect(await keys(prefix)).toEqual([]);
  });

  test('a follower that waits gets in when the last consul lock leaves and takes the limit with it', async () => {
    const prefix = 'r/last';
    const gos = [1, 2].map(() => runConsulLock(consul, { n: 2, prefix, command: 'echo inside; sleep 1.5' }));
    await until(() => gos.every((go) => go.output().includes('inside')), { what: 'both are in' });
    const permit = await semaphore(prefix, 'follow').acquire({ timeoutMs: 10_000 });
    await Promise.all(gos.map((go) => go.exited));
    expect(lostReason(permit.lost)).toBeNull();
    expect(readCoordination((await lockRow(prefix))?.value ?? Buffer.alloc(0)).limit).toBe(2);
    await permit.release();
    await nothingLeft(prefix);
  });

  test('parallel changes of the limit add up', async () => {
    const prefix = 'r/parallel';
    const sem = semaphore(prefix, 'follow', { initialLimit: 1 });
    await (await sem.acquire()).release();
    await Promise.all(Array.from({ length: 6 }, () => sem.addPermits(1)));
    expect(await sem.limit()).toBe(7);
  });

  test('foreign flags and unreadable values are refused and not touched', async () => {
    for (const [prefix, value, flags] of [
      ['r/foreign-1', '{"Limit":1,"Holders":{}}', '42'],
      ['r/foreign-2', '{"Limit":1,"Holders":"x"}', semaphoreFlags],
      ['r/foreign-3', 'hello', '0'],
    ] as const) {
      await client.cas({ key: `${prefix}/.lock`, value: Buffer.from(value), flags, index: '0' });
      const before = await lockRow(prefix);
      await expect(semaphore(prefix, 1).acquire()).rejects.toMatchObject({
        problem: { code: 'conflict-in-use' },
      });
      expect(await lockRow(prefix)).toEqual(before);
      expect(await sessionsNamed(prefix)).toEqual([]);
    }
  });

  test('the list layout is written back as found: letter case, flags 0, empty entries, ghosts pruned, limit kept', async () => {
    const prefix = 'r/list';
    const ghost = '0a0a0a0a-1111-2222-3333-444444444444';
    const value = Buffer.from(`{ "note":"x", "limit":2, "holders":["${ghost}"] }`);
    await client.cas({ key: `${prefix}/.lock`, value, flags: '0', index: '0' });
    const sem = semaphore(prefix, 'follow');
    expect(await sem.availablePermits()).toBe(2);
    const a = await sem.acquire();
    const b = await sem.acquire();
    expect(await sem.tryAcquire()).toBeNull();
    const row = await lockRow(prefix);
    expect(row?.value.toString()).toBe(
      `{ "note":"x", "limit":2, "holders":["${a.sessions[0]}","${b.sessions[0]}"] }`,
    );
    expect(row?.flags).toBe('0');
    const entry = (await client.get(`${prefix}/${a.sessions[0]}`)).value;
    expect(entry).toMatchObject({ flags: '0', session: a.sessions[0] });
    expect(entry?.value).toHaveLength(0);
    await expect(sem.setLimit(1, { expect: 2 })).rejects.toMatchObject({
      problem: { code: 'conflict-in-use' },
    });
    const waiting = sem.acquire();
    await until(async () => (await sem.queueLength()) === 1, { what: 'it waits' });
    await a.release();
    await (await waiting).release();
    await b.release();
    expect((await lockRow(prefix))?.value.toString()).toBe('{ "note":"x", "limit":2, "holders":[] }');
    await nothingLeft(prefix);
  });

  test('the holder learns of it: session destroyed, slot taken, entry deleted; what is left of it is given back', async () => {
    const prefix = 'r/lost';
    const sem = semaphore(prefix, 4);
    const destroyed = await sem.acquire({ permits: 2 });
    const evicted = await sem.acquire();
    const token = evicted.fencingToken;
    expect(token).toBeGreaterThan(destroyed.fencingToken);
    const waiting = sem.acquire({ permits: 2 });
    await until(async () => (await sem.queueLength()) === 2, { what: 'another waits' });
    await client.destroySession(destroyed.sessions[0] ?? '');
    await until(() => destroyed.lost.aborted, { what: 'the destroyed one learns of it' });
    expect(lostReason(destroyed.lost)).toBe('session-invalidated');
    const next = await waiting;
    // The destroyed one gives back its other slot at the same time, so the entry may move in between.
    await until(
      async () => {
        const row = await lockRow(prefix);
        return client.cas({
          key: `${prefix}/.lock`,
          value: Buffer.from(
            JSON.stringify({ Limit: 4, Holders: Object.fromEntries(next.sessions.map((s) => [s, true])) }),
          ),
          flags: semaphoreFlags,
          index: row?.modifyIndex ?? '',
        });
      },
      { what: 'the write that evicts' },
    );
    await until(() => evicted.lost.aborted, { what: 'the evicted one learns of it' });
    expect(lostReason(evicted.lost)).toBe('force-released');
    expect(lostReason(next.lost)).toBeNull();
    await Promise.all([destroyed.release(), evicted.release(), next.release()]);
    await nothingLeft(prefix);
  });

  test('a waiter whose session is ended comes back by itself', async () => {
    const prefix = 'r/kicked';
    const sem = semaphore(prefix, 1);
    const held = await sem.acquire();
    const waiting = sem.acquire();
    const [kicked] = await until(
      async () => {
        const found = await sem.waiters();
        return found.length === 1 && found;
      },
      { what: 'it waits' },
    );
    await client.destroySession(kicked?.session ?? '');
    await until(async () => (await sem.waiters()).some(({ session }) => session !== kicked?.session), {
      what: 'it waits again',
    });
    await held.release();
    await (await waiting).release();
    await nothingLeft(prefix);
  });

  test('a lease ends by itself, and can be extended', async () => {
    const prefix = 'r/lease';
    const sem = semaphore(prefix, 1);
    await using short = await sem.acquire({ leaseMs: 300 });
    const next = await sem.acquire({ leaseMs: 300 });
    expect(lostReason(short.lost)).toBe('lease-expired');
    await next.extend(60_000);
    expect(next.leaseUntil).toBeGreaterThan(Date.now() + 30_000);
    await pause(400);
    expect(lostReason(next.lost)).toBeNull();
    await next.release();
    await nothingLeft(prefix);
  });

  test('a lease is extended after a part was given back', async () => {
    const prefix = 'r/lease-part';
    const sem = semaphore(prefix, 3);
    const held = await sem.acquire({ permits: 3, leaseMs: 60_000 });
    await held.release(1);
    await held.extend(120_000);
    expect(lostReason(held.lost)).toBeNull();
    expect(held.leaseUntil).toBeGreaterThan(Date.now() + 60_000);
    await Promise.all([held.extend(120_000), held.release(1)]);
    expect(lostReason(held.lost)).toBeNull();
    expect(await recorded(prefix)).toEqual(held.sessions);
    await held.release();
    await nothingLeft(prefix);
  });

  test('kill -9 of a consul lock that holds frees its slot for us', async () => {
    const prefix = 'r/killed';
    const go = runConsulLock(consul, { n: 2, prefix, command: 'echo inside; sleep 50' });
    await until(() => go.output().includes('inside'), { what: 'consul lock is in' });
    const sem = semaphore(prefix, 2);
    const held = await sem.acquire();
    go.kill9();
    // Its session has a TTL of 15 s, and Consul takes up to twice that.
    const after = await sem.acquire({ timeoutMs: 40_000 });
    await Promise.all([held.release(), after.release()]);
    await nothingLeft(prefix);
  });

  test('an outage shorter than its patience does not cost a holder its slot, a longer one does', async () => {
    const proxy = await startFaultProxy(consul.address);
    const through = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
    const options = {
      prefix: 'r/outage',
      owner: 'r/outage',
      limit: 2,
      monitorRetries: 8,
      monitorRetryMs: 200,
    };
    const sem = new Semaphore(through, options);
    const held = await sem.acquire();
    proxy.refuse();
    await pause(500);
    proxy.accept();
    await pause(300);
    expect(lostReason(held.lost)).toBeNull();
    expect((await sem.holders()).map((h) => h.session)).toEqual(held.sessions);
    proxy.refuse();
    await until(() => held.lost.aborted, { what: 'it gives up' });
    expect(lostReason(held.lost)).toBe('monitor-failed');
    proxy.accept();
    await held.release();
    through.close();
    await proxy.close();
  });
});
