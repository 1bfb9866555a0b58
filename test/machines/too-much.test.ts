/** Whoever may write keys may write more than Signalbox can hold. Nobody else may lose their console for it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GET as snapshot } from '@/app/api/v1/snapshot/route';
import { outageOf } from '@/lib/domain/outage';
import { runtime } from '@/lib/server/runtime';
import { type Served, serve, whenLive } from '@/test/machines/served';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

vi.mock('server-only', () => ({}));

const consul = await startConsul();
const client = consul.client();
let served: Served;

beforeAll(async () => {
  served = await serve(consul, { SIGNALBOX_ANSWER_MAX_MB: '1', SIGNALBOX_RENEWAL_AGENTS: 'off' });
  await whenLive();
});
afterAll(async () => {
  await served.stop();
  await consul.stop();
});

const source = () => runtime().viewpoints.own.hub.snapshot().source;

test('an answer beyond the bound is not read: the old view stays, is called old with its reason, and lives again', async () => {
  const session = await client.createSession({
    name: 'web',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'a/leader', value: Buffer.from('web'), flags: '0', session });
  await until(() => runtime().viewpoints.own.hub.snapshot().locks.length === 1, { what: 'the lock in view' });
  for (const name of ['b/1', 'b/2', 'b/3'])
    await client.cas({ key: name, value: Buffer.alloc(400_000, 'x'), flags: '0', index: '0' });
  await until(() => outageOf(source()) === 'too-much-to-read', { what: 'the bound to be told' });
  expect(source().problem).toMatchObject({
    why: { code: 'answer-too-large', facts: { bytes: 1024 * 1024 } },
  });
  const response = await served.ask(snapshot, '/api/v1/snapshot');
  expect(response.status).toBe(200);
  const { locks } = (await response.json()) as { locks: { key: string }[] };
  expect(locks.map(({ key }) => key)).toEqual(['a/leader']);
  const big = await client.list('b/');
  for (const { key, modifyIndex } of big.value) await client.deleteCas(key, modifyIndex);
  await whenLive();
});
