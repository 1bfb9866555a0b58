/** How long a kept session asks for its renewal, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { type Clock, systemClock } from '@/packages/locks/src/clock';
import { KeptSession } from '@/packages/locks/src/session';
import { startConsul } from '@/test/support/consul';

const consul = await startConsul();
const client = consul.client();
afterAll(() => consul.stop());

const ttlMs = 10_000;

interface FirstRenewal {
  readonly timeoutMs: number;
  /** What was left of the TTL when the session asked, by its own clock. */
  readonly leftMs: number;
}

/** The first renewal of a session whose clock jumps ahead by `aheadMs` once it is made. */
async function firstRenewal(aheadMs: number): Promise<FirstRenewal> {
  let passedMs = 0;
  const readMs: number[] = [];
  const clock: Clock = {
    ...systemClock,
    monotonicMs: () => {
      const nowMs = systemClock.monotonicMs() + passedMs;
      readMs.push(nowMs);
      return nowMs;
    },
  };
  let session: KeptSession | undefined;
  const timeoutMs = await new Promise<number>((resolve) => {
    const own: ConsulClient = {
      ...client,
      renewSession: (id, options) => {
        resolve(options?.timeoutMs ?? Number.POSITIVE_INFINITY);
        return client.renewSession(id, options);
      },
    };
    const request = { name: 'renewed', ttlMs, behavior: 'delete', lockDelayMs: 0 } as const;
    void KeptSession.create(own, request, clock).then((made) => {
      session = made;
      passedMs = aheadMs;
    });
  });
  await session?.end();
  const [madeMs, askedMs] = readMs;
  if (madeMs === undefined || askedMs === undefined) throw new Error('The session did not read its clock.');
  return { timeoutMs, leftMs: madeMs + ttlMs - askedMs };
}

test('a renewal does not outlast its TTL, so that a loss is reported when the TTL is over', async () => {
  const [intime, late, stopped] = await Promise.all([
    firstRenewal(0),
    firstRenewal(2_000),
    firstRenewal(60_000),
  ]);
  expect(intime.timeoutMs).toBeLessThanOrEqual(5_000);
  // A timer of Node may fire up to 1 ms early, so the TTL is reckoned from when the session asked.
  expect(late.timeoutMs).toBeLessThanOrEqual(Math.ceil(late.leftMs));
  expect(late.timeoutMs).toBeGreaterThan(0);
  expect(late.leftMs, 'half a TTL and the jump have passed').toBeLessThan(3_010);
  expect(stopped.timeoutMs, 'of a process that was stopped for longer: one short question').toBe(1_000);
});
