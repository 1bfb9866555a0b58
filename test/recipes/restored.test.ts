/**
 * A snapshot of Consul restored under a holder: a holder that is in no record any more notices it, and not at the end
 * of a wait.
 */
import { afterAll, expect, test } from 'vitest';
import { Lock } from '@/packages/locks/src/lock';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
afterAll(() => consul.stop());

/** Longer than the test: no renewal reveals it. */
const sessionTtlMs = 600_000;
/** Long before a wait is over, which takes 30 s. */
const soon = { timeoutMs: 25_000 };

test('a lock and a slot that were taken after the snapshot are lost when it is restored', async () => {
  const url = `http://${consul.address}/v1/snapshot`;
  const taken = await (await fetch(url)).arrayBuffer();
  const permit = await new Semaphore(client, { prefix: 'restored/pool', limit: 1, sessionTtlMs }).acquire();
  const lease = await new Lock(client, { key: 'restored/lock', sessionTtlMs }).acquire();
  // Both wait by then, for longer than an answer that was not waited for.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect([permit.lost.aborted, lease.lost.aborted]).toEqual([false, false]);
  const response = await fetch(url, { method: 'PUT', body: taken });
  expect(response.ok).toBe(true);
  await until(() => permit.lost.aborted && lease.lost.aborted, { what: 'both to be lost', ...soon });
});
