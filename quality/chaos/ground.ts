/** The servers under a run: one agent or three servers, with ACLs. Faults of one ground share one stage. */
import { startCluster, type TestCluster } from '@/test/support/cluster';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { grantAll, newTokens, type Tokens } from './tokens';
import { furnishWorld } from './world';

export interface Grounds {
  /** The agent; `null` for a cluster. */
  readonly consul: TestConsul | null;
  readonly cluster: TestCluster | null;
  /** Addresses of all servers, `host:port`. Signalbox uses the first, through the proxy. */
  readonly addresses: readonly string[];
  /** Signalbox's server, when it is not the first of `addresses`. */
  readonly consoleAddress?: string;
  readonly tokens: Tokens;
  /** Additions to Signalbox's environment that are known only once the ground runs. */
  readonly env?: Readonly<Record<string, string>>;
  /** A layer between Signalbox and the proxy: the address that Signalbox uses, and the environment that it needs. */
  readonly front?: (proxyAddress: string) => Promise<{
    readonly address: string;
    readonly env: Readonly<Record<string, string>>;
    stop(): Promise<void>;
  }>;
  stop(): Promise<void>;
}

export interface Ground {
  readonly name: string;
  /** Additions to Signalbox's environment. */
  readonly env?: Readonly<Record<string, string>>;
  raise(): Promise<Grounds>;
}

/** Makes the tokens and the world, also for an agent that has lost its data. */
export async function furnish(addresses: readonly string[], tokens: Tokens): Promise<void> {
  await grantAll(addresses, tokens);
  await furnishWorld(addresses, tokens.management);
}

/** One server. `extra`: additions to its configuration. */
export async function raiseAgent(
  options: { extraConfig?: Record<string, unknown>; dataDir?: string } = {},
): Promise<Grounds & { readonly consul: TestConsul }> {
  const consul = await startConsul({ acl: true, ...options });
  const addresses = [consul.address];
  const tokens = newTokens(consul.token ?? '');
  try {
    await furnish(addresses, tokens);
  } catch (error) {
    await consul.stop();
    throw error;
  }
  return { consul, cluster: null, addresses, tokens, stop: consul.stop };
}

export const agent: Ground = { name: 'one agent', raise: () => raiseAgent() };

/** Three servers, of which the first does not lead at first. */
export async function raiseCluster(options: Parameters<typeof startCluster>[0] = {}): Promise<Grounds> {
  const { extraConfig = () => ({}) } = options;
  const servers = await startCluster({
    acl: true,
    ...options,
    // A server that is killed for a while keeps its sessions, among them those of the deeds.
    extraConfig: (n, ports) => ({ autopilot: { cleanup_dead_servers: false }, ...extraConfig(n, ports) }),
  });
  const { addresses, stop } = servers;
  const tokens = newTokens(servers.token ?? '');
  try {
    if ((await servers.leader()) === 0) await servers.depose();
    await furnish(addresses, tokens);
  } catch (error) {
    await stop();
    throw error;
  }
  return { consul: null, cluster: servers, addresses, tokens, stop };
}

export const cluster: Ground = { name: 'three servers', raise: () => raiseCluster() };
