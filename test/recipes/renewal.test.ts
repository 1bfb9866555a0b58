/** How long a kept session asks for its renewal, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { type Clock, systemClock } from '@/packages/locks/src/clock';
import { KeptSession } from '@/packages/locks/src/session';
import { startConsul } from '@/test/support/consul';

const consul = await startConsul();
const client = consul.client();
afterAll(() => consul.stop());

/** Resolves with how long the first renewal may take that begins when so much time has passed as `aheadMs` and half a TTL. */
async function firstRenewal(aheadMs: number): Promise<number | undefined> {
  let passedMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + passedMs };
  let session: KeptSession | undefined;
  const timeoutMs = await new Promise<number | undefined>((resolve) => {
    const own: ConsulClient = {
      ...client,
      renewSession: (id, options) => {
        resolve(options?.timeoutMs);
        return client.renewSession(id, options);
      },
    };
    const request = { name: 'renewed', ttlMs: 10_000, behavior: 'delete', lockDelayMs: 0 } as const;
    void KeptSession.create(own, request, clock).then((made) => {
      session = made;
      passedMs = aheadMs;
    });
  });
  await session?.end();
  return timeoutMs;
}

test('a renewal does not outlast its TTL, so that a loss is reported when the TTL is over', async () => {
  const [intime, late, stopped] = await Promise.all([0, 3_500, 60_000].map(firstRenewal));
  expect(intime).toBeLessThanOrEqual(5_000);
  expect(late).toBeLessThanOrEqual(1_500);
  expect(late).toBeGreaterThan(0);
  expect(stopped, 'of a process that was stopped for longer: one short question').toBe(1_000);
});
