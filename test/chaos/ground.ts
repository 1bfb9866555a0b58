/** What a run stands on: one agent, three servers, or an agent with ACLs. Faults of one ground share one stage. */
import { startCluster, type TestCluster } from '@/test/support/cluster';
import { startConsul, type TestConsul } from '@/test/support/consul';

export interface Grounds {
  /** The agent; `null` where there is a cluster. */
  readonly consul: TestConsul | null;
  readonly cluster: TestCluster | null;
  /** Addresses of all servers, `host:port`; Signalbox uses the first, by way of the proxy. */
  readonly addresses: readonly string[];
  /** For the workload and the reader; `null` with ACLs off. */
  readonly token: string | null;
  /** The token of Signalbox itself; `null` with ACLs off. */
  readonly consoleToken: string | null;
  /** Of Signalbox, over the usual: what is known only once the ground is raised. */
  readonly env?: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface Ground {
  readonly name: string;
  /** Of Signalbox, over the usual. */
  readonly env?: Readonly<Record<string, string>>;
  raise(): Promise<Grounds>;
}

/** One server, ACLs off. */
export const agent: Ground = {
  name: 'one agent',
  raise: async () => {
    const consul = await startConsul();
    const addresses = [consul.address];
    return { consul, cluster: null, addresses, token: null, consoleToken: null, stop: consul.stop };
  },
};

/** Three servers, ACLs off. The first is not the leader to begin with. */
export const cluster: Ground = {
  name: 'three servers',
  raise: async () => {
    const servers = await startCluster();
    const { addresses, stop } = servers;
    if ((await servers.leader()) === 0) await servers.depose();
    return { consul: null, cluster: servers, addresses, token: null, consoleToken: null, stop };
  },
};

/** One server with ACLs. Signalbox has a token of its own, with which whoever comes to it may act, too. */
export const guarded: Ground = {
  name: 'one agent with ACLs',
  raise: async () => {
    const consul = await startConsul({ acl: true });
    const addresses = [consul.address];
    const consoleToken = crypto.randomUUID();
    await grantConsole(consul, consoleToken);
    return { consul, cluster: null, addresses, token: consul.token, consoleToken, stop: consul.stop };
  },
};

const policyName = 'chaos-console';

/** Makes the token of Signalbox, of the same secret again after it was revoked. */
export async function grantConsole(consul: TestConsul, secret: string): Promise<void> {
  const put = async (path: string, body: unknown) => {
    const response = await fetch(`http://${consul.address}/v1/acl/${path}`, {
      method: 'PUT',
      headers: { 'x-consul-token': consul.token ?? '' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    if (!response.ok && !(await response.text()).includes('already exists'))
      throw new Error(`Consul refused ${path}: ${response.status}`);
  };
  const rules = ['key', 'session', 'node', 'agent'].map((what) => `${what}_prefix "" { policy = "write" }`);
  await put('policy', { Name: policyName, Rules: rules.join('\n') });
  await put('token', { SecretID: secret, Policies: [{ Name: policyName }] });
}
