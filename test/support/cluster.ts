/** Three real Consul servers on loopback, for what one alone cannot show: losing the quorum and getting it back. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { type Agent, agentConfig, ask, spawnAgent, whenReady } from '@/scripts/agent.mjs';
import { findConsul } from '@/scripts/consul-binary.mjs';
import { endGroup, signalGroup } from '@/scripts/leash.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { until } from './until';

export interface TestCluster {
  readonly binary: string;
  /** Management token; `null` with ACLs off. */
  readonly token: string | null;
  /** `host:port` of the first server's HTTP API; `killOthers` leaves it alone. */
  readonly address: string;
  /** Of all servers, the first one's first. */
  readonly addresses: readonly string[];
  readonly ports: readonly ClusterPorts[];
  /** Of any server, to write past the first. */
  client(server?: number): ConsulClient;
  /** The server that leads, as the others know it; `null` when there is no leader. */
  leader(): Promise<number | null>;
  /** Makes another server than the leader lead: kills that one, waits for the election, and brings it back. */
  depose(): Promise<void>;
  /** SIGKILL to one; resolves when it is gone. */
  kill(server: number): Promise<void>;
  /** Makes one leave the cluster for good, which ends its process; resolves when it is gone. */
  leave(server: number): Promise<void>;
  /** Starts one again on its data, with this binary from now on; resolves when it has a leader. */
  restart(server: number, binary?: { readonly path: string; readonly version: string }): Promise<void>;
  /** SIGKILL to every server but the first: no majority, so no leader. */
  killOthers(): Promise<void>;
  /** Starts them again on their data; resolves when there is a leader. */
  restartOthers(): Promise<void>;
  stop(): Promise<void>;
}

const size = 3;

export interface ClusterPorts {
  readonly http: number;
  readonly server: number;
  readonly serfLan: number;
}

/**
 * Starts the servers and waits for their leader (3-5 s). Stop it in the test: it is not ended with the test file. `acl`: ACLs on,
 * default deny. `binary`: another one than the tests run on. `ownAddresses`: each server at an address of its own
 * (127.0.0.1, .2, .3) and all on the same ports, as on machines of their own; Linux only.
 */
export async function startCluster({
  acl = false,
  binary: given,
  ownAddresses = false,
  extraConfig = () => ({}),
  prepare = async () => {},
}: {
  acl?: boolean;
  binary?: { readonly path: string; readonly version: string };
  ownAddresses?: boolean;
  /** Of each server, over the usual. */
  extraConfig?: (server: number, ports: readonly ClusterPorts[]) => Record<string, unknown>;
  /** Called before the first one starts. */
  prepare?: (ports: readonly ClusterPorts[]) => Promise<void>;
} = {}): Promise<TestCluster> {
  const found = given ?? (await findConsul());
  const token = acl ? randomUUID() : null;
  const root = mkdtempSync(join(tmpdir(), 'signalbox-cluster-'));
  const blocks = await Promise.all(Array.from({ length: ownAddresses ? 1 : size }, () => claimPorts(3)));
  const ports = Array.from({ length: size }, (_, n) => {
    const [http = 0, server = 0, serfLan = 0] = blocks[n % blocks.length]?.ports ?? [];
    return { http, server, serfLan };
  });
  const hostOf = (n: number) => `127.0.0.${ownAddresses ? n + 1 : 1}`;
  const clients = new Set<ConsulClient>();
  const agents: Agent[] = [];
  const binaries = Array.from({ length: size }, () => found);
  const start = (n: number): Agent => {
    const { path: binary, version } = binaries[n] ?? found;
    const own = ports[n];
    if (own === undefined) throw new Error(`There is no server ${n}.`);
    const dir = join(root, String(n));
    const config = {
      ...agentConfig({ version, dir, ports: own, nodeName: `server-${n}`, managementToken: token }),
      bind_addr: hostOf(n),
      client_addr: hostOf(n),
      bootstrap_expect: size,
      retry_join: ports.flatMap(({ serfLan }, other) => (other === n ? [] : [`${hostOf(other)}:${serfLan}`])),
      retry_interval: '1s',
      ...extraConfig(n, ports),
    };
    const agent = spawnAgent({ binary, dir, config, ports: own, host: hostOf(n) });
    agents[n] = agent;
    return agent;
  };
  const ready = () =>
    Promise.all(agents.map((agent, n) => whenReady(agent, { nodeName: `server-${n}`, token })));
  const stop = async () => {
    for (const client of clients) client.close();
    await Promise.all(agents.map((agent) => endGroup(agent.process, { graceMs: 0 })));
    for (const block of blocks) block.release();
    rmSync(root, { recursive: true, force: true });
  };
  try {
    await prepare(ports);
    for (let n = 0; n < size; n += 1) start(n);
    await ready();
  } catch (error) {
    await stop();
    throw error;
  }
  const addressOf = (n: number) => `${hostOf(n)}:${ports[n]?.http}`;
  const addresses = ports.map((_, n) => addressOf(n));
  const others = () => agents.slice(1);
  const leader = async () => {
    for (const address of addresses) {
      const known = await ask(address, '/v1/status/leader');
      if (typeof known !== 'string' || known === '') continue;
      // With one port for all only the address tells them apart; elsewhere a server may advertise another one.
      const led = ports.findIndex(({ server }, n) =>
        known.endsWith(ownAddresses ? `${hostOf(n)}:${server}` : `:${server}`),
      );
      // A server that was just killed is still named for a moment.
      if (led !== -1 && (await ask(addressOf(led), '/v1/status/leader')) === known) return led;
    }
    return null;
  };
  const kill = async (n: number) => {
    signalGroup(agents[n]?.process.pid, 'SIGKILL');
    await agents[n]?.exited;
  };
  const leave = async (n: number) => {
    const headers: Record<string, string> = token === null ? {} : { 'x-consul-token': token };
    // It may end before it has answered.
    await fetch(`http://${addressOf(n)}/v1/agent/leave`, { method: 'PUT', headers }).catch(() => {});
    await agents[n]?.exited;
  };
  const restart = async (n: number, other?: typeof found) => {
    if (other !== undefined) binaries[n] = other;
    await whenReady(start(n), { nodeName: `server-${n}`, token });
  };
  return {
    binary: found.path,
    token,
    address: addressOf(0),
    addresses,
    ports,
    leader,
    depose: async () => {
      const led = await until(leader, { what: 'a leader' });
      await kill(led);
      await until(leader, { what: 'another leader', timeoutMs: 30_000 });
      await restart(led);
    },
    kill,
    leave,
    restart,
    client: (server = 0) => {
      const client = createConsulClient({
        ...consulSettings({ CONSUL_HTTP_ADDR: addressOf(server) }),
        token,
      });
      clients.add(client);
      return client;
    },
    killOthers: async () => {
      for (const agent of others()) signalGroup(agent.process.pid, 'SIGKILL');
      await Promise.all(others().map(({ exited }) => exited));
    },
    restartOthers: async () => {
      for (let n = 1; n < size; n += 1) start(n);
      await ready();
    },
    stop,
  };
}
