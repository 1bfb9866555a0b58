/** A provider names its source in everything that it tells, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Subject, World } from '@/lib/domain/model';
import { isProblem } from '@/lib/domain/problem';
import type { SourceState } from '@/lib/domain/source-state';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { createConsulProvider } from '@/lib/providers/consul/provider';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const consul = await startConsul();
afterAll(() => consul.stop());
const signal = () => AbortSignal.timeout(30_000);

/** Every `source` of a subject, a row or an action in it. Evidence has a word of that name, too. */
function sourcesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { source, ...rest } = value as { source?: unknown };
  const isEvidence = 'code' in value && 'detail' in value && 'atMs' in value;
  const own = typeof source === 'string' && !isEvidence ? [source] : [];
  return [...own, ...Object.values(rest).flatMap(sourcesIn)];
}

test('rows, plans and outcomes of another source than the first are of it, and so is its state', async () => {
  const client = consul.client();
  const session = await client.createSession({
    name: 'worker',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
  });
  for (const key of ['a/leader', 'a/other'])
    await client.acquire({ key, session, flags: '0', value: Buffer.from('x') });
  const settings = {
    ...consulSettings({ CONSUL_HTTP_ADDR: consul.address }),
    id: 'other',
    title: 'Payments',
  };
  const provider = createConsulProvider({ settings, prefixes: [''], now: Date.now });
  const told: { world: World | null; source: SourceState | null } = { world: null, source: null };
  const end = new AbortController();
  const watching = provider.watch(
    {
      world: (world) => {
        told.world = world;
      },
      source: (source) => {
        told.source = source;
      },
    },
    end.signal,
  );
  await until(() => told.world?.locks.length === 2 && told.source?.state === 'live', {
    what: 'both locks in view',
    timeoutMs: 20_000,
  });
  expect(provider.id).toBe('other');
  expect(told.source).toMatchObject({ id: 'other', title: 'Payments', provider: 'consul' });
  const world = told.world as World;
  expect(world.sessions.map(({ holds }) => holds.length)).toEqual([2]);
  expect(new Set(sourcesIn([world.locks, world.sessions]))).toEqual(new Set(['other']));

  const action: Action = { type: 'lock.release', source: 'other', key: 'a/leader', how: 'destroy-session' };
  const planned = await provider.plan(action, signal());
  if (isProblem(planned)) throw new Error(planned.code);
  expect(planned.plan.touches).toHaveLength(1);
  expect(new Set(sourcesIn(planned.plan))).toEqual(new Set(['other']));
  const outcome = await provider.apply(action, planned.expect, signal());
  if (isProblem(outcome)) throw new Error(outcome.code);
  const freed: readonly Subject[] = outcome.freed;
  expect(freed).toContainEqual({ source: 'other', kind: 'lock', key: 'a/leader' });
  expect(new Set(sourcesIn(outcome))).toEqual(new Set(['other']));
  end.abort();
  await watching;
  provider.close();
});

test('a lock of another source is not in view of an action on the first', async () => {
  const provider = createConsulProvider({
    settings: consulSettings({ CONSUL_HTTP_ADDR: consul.address }),
    prefixes: [''],
    now: Date.now,
  });
  const client = consul.client();
  await client.cas({ key: 'b/idle', value: Buffer.from('x'), flags: '3304740253564472344', index: '0' });
  const on = (source: string) => provider.plan({ type: 'lock.delete', source, key: 'b/idle' }, signal());
  expect(isProblem(await on('consul'))).toBe(false);
  expect(await on('other')).toMatchObject({ code: 'not-found' });
  provider.close();
});
