/** A cluster without agents beside the programs: they speak to the servers, each of which logs what it answers itself. */
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { startCluster, type TestCluster } from '@/test/support/cluster';
import { startFaultProxy } from '@/test/support/fault-proxy';
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
const agents = ({ sources }: Watching) => sources.at(-1)?.renewals ?? [];
const states = ({ sources }: Watching) => sources.at(-1)?.renewals.map(({ state }) => state) ?? [];

/** Through one server, as a program does that was given its address. */
async function hold(key: string, server: number, ttlMs: number | null, of = cluster): Promise<string> {
  const client = of.client(server);
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

describe.runIf(process.platform === 'linux')('servers of which Signalbox was given one address', () => {
  let own: TestCluster;
  beforeAll(async () => {
    const extraConfig = () => ({ autopilot: { cleanup_dead_servers: false } });
    own = await startCluster({ ownAddresses: true, acl: true, extraConfig });
  });
  afterAll(() => own.stop());

  const origins = () => own.addresses.map((address) => `http://${address}`);
  function watchServers(address: string, token = own.token): Watching {
    const client = createConsulClient({ ...at(address), token });
    const watching = startWatching(client, [''], 'servers');
    onTestFinished(async () => {
      await watching.stop();
      client.close();
    });
    return watching;
  }
  const observed = (watching: Watching, servers: readonly string[]) =>
    until(
      () => {
        const seen = agents(watching);
        const names = seen.map(({ agent }) => agent);
        return (
          names.sort().join() === [...servers].sort().join() &&
          seen.every(({ state }) => state === 'observed')
        );
      },
      { what: `${servers.join(', ')} to be observed`, timeoutMs: 30_000 },
    );
  const evidence = (watching: Watching, key: string, code: string) =>
    watching.lock(key)?.holder?.evidence.find((fact) => fact.code === code);
  const seenOn = (watching: Watching, key: string, server: string) =>
    until(() => evidence(watching, key, 'renewal-observed')?.detail === server, {
      what: `the renewal through ${server}`,
    });

  test('a renewal through each server is seen, at the address of its own that the cluster names', async () => {
    const watching = watchServers(own.address);
    await observed(watching, origins());
    for (const [server, address] of origins().entries()) {
      const session = await hold(`own-${server}`, server, 15_000, own);
      await own.client(server).renewSession(session);
      await seenOn(watching, `own-${server}`, address);
    }
  });

  test('a server that leaves is followed no more and proves no silence, one that joins is followed, and the others are followed throughout', async () => {
    const [first = '', second = '', third = ''] = origins();
    const watching = watchServers(own.address);
    await observed(watching, [first, second, third]);
    const sinceMs = agents(watching).find(({ agent }) => agent === first)?.sinceMs;
    // Made where the server stays, as Consul ends a session with its node.
    const session = await hold('moves', 0, 60_000, own);
    await own.client(2).renewSession(session);
    await seenOn(watching, 'moves', third);
    await own.leave(2);
    await observed(watching, [first, second]);
    const left = watching.worlds.length;
    const why = () => evidence(watching, 'moves', 'renewals-not-observed')?.detail;
    await until(() => why() === 'left', { what: 'the missing evidence' });
    expect(await own.client(1).renewSession(session)).not.toBeNull();
    await seenOn(watching, 'moves', second);
    expect(why()).toBeUndefined();
    await own.restart(2);
    await observed(watching, [first, second, third]);
    expect(await own.client(2).renewSession(session)).not.toBeNull();
    await seenOn(watching, 'moves', `${second}, ${third}`);
    const verdicts = watching.worlds
      .slice(left)
      .flatMap(({ locks }) =>
        locks.filter(({ key }) => key === 'moves').map(({ holder }) => holder?.verdict),
      );
    expect(verdicts).not.toContain('overdue');
    expect(agents(watching).find(({ agent }) => agent === first)?.sinceMs).toBe(sinceMs);
  });

  test('an address that a client registers as a server in the catalog is no server, so it gets no token', async () => {
    const catalog = (what: string, row: Record<string, unknown>) =>
      fetch(`http://${own.address}/v1/catalog/${what}`, {
        method: 'PUT',
        headers: { 'x-consul-token': own.token ?? '' },
        body: JSON.stringify(row),
      });
    const registered = await catalog('register', {
      Node: 'posing',
      Address: '127.0.0.9',
      Service: { Service: 'consul' },
    });
    expect(registered.status).toBe(200);
    onTestFinished(() => catalog('deregister', { Node: 'posing' }).then(() => {}));
    const { value: nodes } = await own.client().servers();
    expect(nodes).toContain('posing');
    const [port = 0, host = '127.0.0.9'] = [own.ports[0]?.http];
    let came = 0;
    const posing = createServer((socket) => {
      came += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => posing.listen(port, host, resolve));
    onTestFinished(() => new Promise<void>((resolve) => void posing.close(() => resolve())));
    const watching = watchServers(own.address);
    await observed(watching, origins());
    expect(watching.sources.flatMap(({ renewals }) => renewals.map(({ agent }) => agent))).not.toContain(
      `http://${host}:${port}`,
    );
    expect(came).toBe(0);
  });

  test('a server that is killed stays in the list as unreachable', async () => {
    const watching = watchServers(own.address);
    await observed(watching, origins());
    await own.kill(2);
    const third = () => agents(watching).find(({ agent }) => agent === origins()[2])?.state;
    await until(() => third() === 'unreachable', { what: 'the killed server' });
    await own.restart(2);
    await observed(watching, origins());
  });

  test('a token without rights learns the servers, and each says that its log may not be read', async () => {
    const watching = watchServers(own.address, null);
    await until(() => agents(watching).every(({ state }) => state === 'forbidden'), { what: 'the refusals' });
    expect(agents(watching).map(({ agent }) => agent)).toEqual(origins());
  });

  test('where the servers cannot be learned that is said of the agent that was asked, and a list that was learned lasts while no answer comes', async () => {
    const listen = { host: '127.0.0.9', port: own.ports[0]?.http ?? 0 };
    const proxy = await startFaultProxy(own.address, { listen });
    onTestFinished(() => proxy.close());
    const unnamed = [{ agent: `http://${proxy.address}`, state: 'no-servers', sinceMs: null }];
    proxy.refuse();
    const watching = watchServers(proxy.address);
    await until(() => states(watching)[0] === 'no-servers', { what: 'no answer to be said' });
    expect(agents(watching)).toEqual(unnamed);
    proxy.accept();
    await observed(watching, origins());
    const known = watching.sources.length;
    proxy.answer({ status: 500, body: 'No cluster leader' });
    const asked = () => proxy.answered.filter((line) => line.includes('/v1/status/peers')).length;
    await until(() => asked() > 1, { what: 'the questions', timeoutMs: 20_000 });
    expect(states(watching)).toEqual(['observed', 'observed', 'observed']);
    expect(
      watching.sources.slice(known).flatMap(({ renewals }) => renewals.map(({ state }) => state)),
    ).not.toContain('no-servers');
    // A proxy or `block_endpoints` refuses this question. The first two refusals end nothing.
    proxy.answer({ status: 403, body: 'Forbidden' });
    const refused = asked();
    await until(() => asked() > refused + 1, { what: 'two refusals', timeoutMs: 30_000 });
    expect(states(watching)).toEqual(['observed', 'observed', 'observed']);
    await until(() => states(watching)[0] === 'no-servers', { what: 'the third one', timeoutMs: 30_000 });
    expect(agents(watching)).toEqual(unnamed);
    proxy.accept();
    await observed(watching, origins());
  });
});
