/** A cluster without agents beside the programs: they speak to the servers, each of which logs what it answers itself. */
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { startCluster, type TestCluster } from '@/test/support/cluster';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

let cluster: TestCluster;
beforeAll(async () => {
  // Or the others would remove one that is killed, and end the sessions that were made there, as soon as they look (10 s).
  cluster = await startCluster({ extraConfig: () => ({ autopilot: { cleanup_dead_servers: false } }) });
});
afterAll(() => cluster.stop());

const at = (address: string) => consulSettings({ CONSUL_HTTP_ADDR: address });
const watch = (addresses: readonly string[]) => startWatching(cluster.client(), [''], addresses.map(at));
const states = ({ sources }: Watching) => sources.at(-1)?.renewals.map(({ state }) => state) ?? [];

/** Through one server, as a program does that was given its address. */
async function hold(key: string, server: number, ttlMs: number | null): Promise<string> {
  const client = cluster.client(server);
  const session = await client.createSession({ name: key, ttlMs, behavior: 'release', lockDelayMs: 0 });
  await client.acquire({ key, session, flags: '3304740253564472344', value: Buffer.alloc(0) });
  return session;
}

test('renewals through each server are seen where all servers are listed', async () => {
  const watching = watch(cluster.addresses);
  await until(() => states(watching).filter((state) => state === 'observed').length === 3, {
    what: 'all servers to be observed',
  });
  for (const [server, address] of cluster.addresses.entries()) {
    const key = `through-${server}`;
    const session = await hold(key, server, 15_000);
    await cluster.client(server).renewSession(session);
    const seen = () => watching.lock(key)?.holder?.evidence.find(({ code }) => code === 'renewal-observed');
    const fact = await until(seen, { what: `the renewal through ${address}` });
    expect(fact.detail).toBe(`http://${address}`);
    // The server that was asked is the session's node, and says nothing of the holder's machine.
    expect(watching.lock(key)?.holder?.evidence).toContainEqual(
      expect.objectContaining({ code: 'server-node', detail: `server-${server}` }),
    );
  }
  await watching.stop();
});

test('a session without a TTL is bound to the server that made it, and the evidence says that its holder does not end it', async () => {
  const watching = watch([]);
  await hold('bound', 1, null);
  const holder = await until(
    () => {
      const found = watching.lock('bound')?.holder;
      return found?.evidence.some(({ code }) => code === 'bound-to-server') ? found : null;
    },
    { what: 'the evidence' },
  );
  expect(holder).toMatchObject({ verdict: 'node-bound', expiry: { kind: 'with-node' } });
  expect(holder.evidence).toContainEqual(
    expect.objectContaining({ code: 'bound-to-server', source: 'catalog', detail: 'server-1' }),
  );
  await watching.stop();
});

test('a server that is killed makes no holder suspect whose session was made there', async () => {
  const watching = watch([]);
  const client = cluster.client(2);
  const session = await client.createSession({
    name: 'elsewhere',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    // With the check of the node Consul would end it.
    checks: [],
  });
  await client.acquire({
    key: 'elsewhere',
    session,
    flags: '3304740253564472344',
    value: Buffer.alloc(0),
  });
  const facts = () => watching.lock('elsewhere')?.holder?.evidence.map(({ code }) => code) ?? [];
  await until(() => facts().includes('server-node'), { what: 'the evidence' });
  await cluster.kill(2);
  await until(() => facts().includes('node-critical'), {
    what: 'the server to be critical',
    timeoutMs: 45_000,
  });
  expect(facts()).toContain('server-node');
  const verdicts = watching.worlds.flatMap(({ locks }) =>
    locks.filter(({ key }) => key === 'elsewhere').map(({ holder }) => holder?.verdict),
  );
  expect(new Set(verdicts)).toEqual(new Set(['immortal']));
  await watching.stop();
  await cluster.restart(2);
});

test('an address with several servers behind it is not observed, also where its first streams meet one of them', async () => {
  const ends = new Set<Socket>();
  let taken = 0;
  // The first stream and our own calls meet one server, the second stream another.
  const balancer = createServer((client) => {
    const [host = '', port] = (cluster.addresses[Math.floor(taken++ / 2) % 3] ?? '').split(':');
    const server = connect(Number(port), host);
    for (const end of [client, server]) ends.add(end.on('error', () => {}));
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  const watching = watch([`127.0.0.1:${(balancer.address() as { port: number }).port}`]);
  await until(() => states(watching)[0] === 'observed', { what: 'the first server alone' });
  await until(() => states(watching)[0] === 'connecting', { what: 'the second one', timeoutMs: 20_000 });
  await watching.stop();
  for (const end of ends) end.destroy();
  await new Promise((resolve) => balancer.close(resolve));
});
