/** Each prefix and each part is read alone. Their sum has a bound of its own. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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
  served = await serve(consul, {
    SIGNALBOX_PREFIXES: 'a/,b/',
    SIGNALBOX_WORLD_MAX_MB: '1',
    SIGNALBOX_RENEWAL_AGENTS: 'off',
  });
  await whenLive();
});
afterAll(async () => {
  await served.stop();
  await consul.stop();
});

const now = () => runtime().viewpoints.own.hub.snapshot();
const put = (key: string) => client.cas({ key, value: Buffer.alloc(500_000, 'x'), flags: '0', index: '0' });

test('prefixes that are too large together are not shown: the old view stays, is called old with its reason, and lives again', async () => {
  const session = await client.createSession({
    name: 'web',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'a/leader', value: Buffer.from('web'), flags: '0', session });
  await put('a/1');
  await until(() => now().locks.length === 1 && now().source.state === 'live', { what: 'the lock in view' });
  await put('b/1');
  await until(() => outageOf(now().source) === 'too-much-to-show', { what: 'the bound to be told' });
  expect(now().source).toMatchObject({
    state: 'stale',
    problem: { why: { code: 'world-too-large', facts: { bytes: 1024 * 1024 } } },
  });
  expect(now().locks.map(({ key }) => key)).toEqual(['a/leader']);
  const { value: row } = await client.get('b/1');
  await client.deleteCas('b/1', row?.modifyIndex ?? '');
  await whenLive();
});
