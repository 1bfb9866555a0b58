import { expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { startCluster } from '@/test/support/cluster';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching } from './watching';

/** Servers that may vote: a new one is only trusted with that after ten seconds. */
async function voters({ address }: TestConsul): Promise<number> {
  const answer = await fetch(`http://${address}/v1/operator/raft/configuration`);
  const { Servers } = (await answer.json()) as { Servers: { Voter: boolean }[] };
  return Servers.filter(({ Voter }) => Voter).length;
}

test('an election is noticed, and is evidence for every session until its next renewal', async () => {
  const first = await startConsul();
  const second = await startConsul({ beside: first, extraConfig: { server: true } });
  await startConsul({ beside: first, extraConfig: { server: true, node_name: 'third-node' } });
  await until(async () => (await voters(second)) === 3, { what: 'three voters', timeoutMs: 40_000 });

  const client = second.client();
  const watching = startWatching(client, [''], [consulSettings({ CONSUL_HTTP_ADDR: second.address })]);
  await watching.reaches('live');
  await until(() => watching.sources.at(-1)?.renewals[0]?.state === 'observed', { what: 'observed' });
  const session = await client.createSession({
    name: 'election',
    ttlMs: 60_000,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'election', session, flags: '0', value: Buffer.alloc(0) });
  await client.renewSession(session);
  const evidence = () => watching.lock('election')?.holder?.evidence ?? [];
  await until(() => evidence().some(({ code }) => code === 'renewal-observed'), { what: 'its renewal' });

  const killedMs = Date.now();
  await first.kill();
  const restart = await until(() => evidence().find(({ code }) => code === 'timers-restarted') ?? null, {
    what: 'the election to be noticed',
    timeoutMs: 30_000,
  });
  expect(restart.atMs).toBeGreaterThan(killedMs);
  expect(watching.lock('election')?.holder?.verdict).toBe('alive');
  await client.renewSession(session);
  await until(() => evidence().every(({ code }) => code !== 'timers-restarted'), {
    what: 'the renewal after it',
  });
  await watching.stop();
}, 120_000);

test('a wait that Consul holds although there is a leader again is replaced by a read', async () => {
  const cluster = await startCluster();
  try {
    const real = cluster.client();
    let holds = false;
    let held = 0;
    // As Consul 1.22.7 does with a query from a time without a leader: it answers everything but that one.
    const sessions: ConsulClient['sessions'] = async (options = {}) => {
      const reply = await real.sessions(options);
      if (!holds || options.block === undefined) return reply;
      held += 1;
      return new Promise((_, reject) => {
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason), { once: true });
      });
    };
    const watching = startWatching({ ...real, sessions });
    await watching.reaches('live');
    const names = () => watching.world().sessions.map(({ name }) => name);
    const make = (name: string) =>
      cluster.client().createSession({ name, ttlMs: null, behavior: 'release', lockDelayMs: 0 });
    holds = true;
    // Seldom enough that it is waited for: after a change it is read without, until nothing new comes.
    await until(async () => (await make('waking')) !== '' && held > 0, {
      what: 'a wait to be held',
      everyMs: 500,
    });
    await cluster.killOthers();
    await until(() => watching.state() !== 'live', { what: 'the leader to be missed', timeoutMs: 30_000 });
    holds = false;
    await cluster.restartOthers();
    // Whoever leads now may still lose the connection to who led before, and answer with that.
    await until(() => make('afterwards').catch(() => null), { what: 'a session' });
    await watching.reaches('live');
    await until(() => names().includes('afterwards'), { what: 'the session', timeoutMs: 30_000 });
    await watching.stop();
  } finally {
    await cluster.stop();
  }
}, 120_000);
