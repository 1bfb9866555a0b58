/** The limit of a semaphore: agreed with, followed, changed; on a real Consul. */
import { afterAll, describe, expect, test } from 'vitest';
import { readCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { lostReason } from '@/packages/locks/src/lost';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { remainsOf } from './remains';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
const { keys, lockRow, recorded, nothingLeft } = remainsOf(client);
afterAll(() => consul.stop());

const semaphore = (prefix: string, limit: number | 'follow', more = {}) =>
  new Semaphore(client, { prefix, limit, owner: prefix, ...more });

describe.concurrent('the limit of a semaphore', () => {
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

  test('a map under flags 0 is not resized below its holders: its clients may test equality', async () => {
    const prefix = 'r/limit-guide';
    const value = Buffer.from('{"Limit":3,"Holders":{}}');
    await client.cas({ key: `${prefix}/.lock`, value, flags: '0', index: '0' });
    const sem = semaphore(prefix, 'follow');
    const permit = await sem.acquire({ permits: 3 });
    await expect(sem.setLimit(2, { expect: 3 })).rejects.toMatchObject({
      problem: { code: 'conflict-in-use' },
    });
    expect(await sem.limit()).toBe(3);
    await permit.release(1);
    expect(await sem.setLimit(2, { expect: 3 })).toBe(true);
    await permit.release();
    await nothingLeft(prefix);
  });

  test('a follower that waits gets in when the last consul lock leaves and takes the limit with it', async () => {
    const prefix = 'r/last';
    const gos = [1, 2].map(() => runConsulLock(consul, { n: 2, prefix, command: 'echo inside; sleep 5' }));
    await until(() => gos.every((go) => go.output().includes('inside')), { what: 'both are in' });
    const permit = await semaphore(prefix, 'follow').acquire({ timeoutMs: 60_000 });
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
});
