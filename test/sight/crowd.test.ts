/** Many people cost Consul what their different rights cost, and none of them is kept out by the others. */
import { afterAll, expect, test } from 'vitest';
import type { World } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';
import { createConsulBackend } from '@/lib/providers/consul/backend';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { heldLock } from '@/test/actions/stage';
import { makeToken, readerOf } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

const consul = await startConsul({ acl: true });
const root = consul.client();
afterAll(() => consul.stop());

/** A watch, with what it said last. */
function watched(provider: ReturnType<ReturnType<typeof createConsulBackend>['provider']>, end: AbortSignal) {
  const seen: { world: World | null; source: SourceState | null } = { world: null, source: null };
  const listener = {
    world: (world: World) => {
      seen.world = world;
    },
    source: (source: SourceState) => {
      seen.source = source;
    },
  };
  return { seen, ended: provider.watch(listener, end), provider };
}

test('forty people of four kinds of rights see what is theirs, over no more connections than one', async () => {
  const proxy = await startFaultProxy(consul.address);
  const settings = { ...consulSettings({ CONSUL_HTTP_ADDR: proxy.address }), token: consul.token };
  const backend = createConsulBackend({ settings, renewalAgents: [], prefixes: [''], now: Date.now });
  const end = new AbortController();
  const everybody = [watched(backend.provider(null), end.signal)];
  try {
    await until(() => everybody[0]?.seen.source?.state === 'live', { what: 'the server sees' });
    for (let team = 0; team < 4; team += 1)
      for (let n = 0; n < 10; n += 1) {
        const { secret } = await makeToken(consul, readerOf(`team${team}/`));
        everybody.push(watched(backend.provider(secret), end.signal));
      }
    await heldLock(root, { key: 'team0/lock' });
    await heldLock(root, { key: 'team3/lock' });
    const keysOf = (at: number) => everybody[at]?.seen.world?.locks.map(({ key }) => key).join();
    await until(
      () =>
        Array.from(
          { length: 10 },
          (_, n) => keysOf(1 + n) === 'team0/lock' && keysOf(31 + n) === 'team3/lock',
        )
          .concat(Array.from({ length: 10 }, (_, n) => keysOf(11 + n) === ''))
          .every(Boolean),
      { what: 'everybody sees what is theirs, and nothing else' },
    );
    expect(everybody.slice(1).every(({ seen }) => seen.source?.sight === undefined)).toBe(true);
    // The pools of the server's own watch: blocking queries of one, and the two for calls.
    expect(proxy.connections).toBeLessThanOrEqual(3 + 6 + 6);
  } finally {
    end.abort();
    await Promise.all(everybody.map(({ ended }) => ended));
    for (const { provider } of everybody) provider.close();
    backend.close();
    await proxy.close();
  }
});

test('where the server itself may not read everything, each sees what their own token may read, and a note', async () => {
  const own = await makeToken(consul, readerOf('narrow/'));
  const settings = { ...consulSettings({ CONSUL_HTTP_ADDR: consul.address }), token: own.secret };
  const backend = createConsulBackend({ settings, renewalAgents: [], prefixes: [''], now: Date.now });
  const end = new AbortController();
  const server = watched(backend.provider(null), end.signal);
  const person = watched(backend.provider((await makeToken(consul, readerOf('mine/'))).secret), end.signal);
  try {
    const { key } = await heldLock(root, { key: 'mine/lock' });
    await until(() => person.seen.world?.locks.some((lock) => lock.key === key) ?? false, { what: 'theirs' });
    await until(() => person.seen.source?.sight === 'own', { what: 'the note' });
    expect(server.seen.source?.sight).toBeUndefined();
  } finally {
    end.abort();
    await Promise.all([server.ended, person.ended]);
    for (const { provider } of [server, person]) provider.close();
    backend.close();
  }
});
