/** Permits for a time, on a real Consul. */
import { afterAll, describe, expect, test } from 'vitest';
import { lostReason } from '@/packages/locks/src/lost';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { startConsul } from '@/test/support/consul';
import { remainsOf } from './remains';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
const { recorded, nothingLeft } = remainsOf(client);
afterAll(() => consul.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const semaphore = (prefix: string, limit: number, more = {}) =>
  new Semaphore(client, { prefix, limit, owner: prefix, ...more });

describe.concurrent('a permit', () => {
  test('a lease ends in time, and can be extended', async () => {
    const prefix = 'r/lease';
    const sem = semaphore(prefix, 1);
    await using short = await sem.acquire({ leaseMs: 300 });
    const next = await sem.acquire({ leaseMs: 5_000 });
    expect(lostReason(short.lost)).toBe('lease-expired');
    await next.extend(60_000);
    expect(next.leaseUntil).toBeGreaterThan(Date.now() + 30_000);
    await pause(5_500);
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
});
