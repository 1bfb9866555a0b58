import { afterAll, describe, expect, test } from 'vitest';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { AcquireTimeoutError } from '@/packages/locks/src/deadline';
import { lostReason } from '@/packages/locks/src/lost';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { createPresence } from '@/test/recipes/presence';
import { type ConsulLock, runConsulLock, startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { remainsOf } from './remains';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
const { lockRow, sessionsNamed, nothingLeft } = remainsOf(client);
afterAll(() => consul.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const semaphore = (prefix: string, limit: number | 'follow', more = {}) =>
  new Semaphore(client, { prefix, limit, owner: prefix, ...more });

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
          // However slow the others are: it is used up to its limit.
          await until(() => presence.most() >= 3, { what: 'three inside', timeoutMs: 60_000 });
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

  test('a waiter whose session is ended comes back', async () => {
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

  test('kill -9 of a consul lock that holds frees its slot for us', async () => {
    const prefix = 'r/killed';
    const go = runConsulLock(consul, { n: 2, prefix, command: 'echo inside; sleep 50' });
    await until(() => go.output().includes('inside'), { what: 'consul lock is in' });
    const sem = semaphore(prefix, 2);
    const held = await sem.acquire();
    go.kill9();
    // Its session has a TTL of 15 s, and Consul takes up to twice that.
    const after = await sem.acquire({ timeoutMs: 90_000 });
    await Promise.all([held.release(), after.release()]);
    await nothingLeft(prefix);
  });
});
