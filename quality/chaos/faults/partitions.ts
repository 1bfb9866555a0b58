/**
 * Servers that are cut from each other, and still answer clients. Traffic between agents passes through proxies: each
 * server binds one address, and advertises another, on which our proxy listens. Gossip bypasses the proxies, so no
 * server is declared failed.
 */
import type { Fault } from '@/quality/chaos/fault';
import { furnish, type Ground, type Grounds, raiseCluster } from '@/quality/chaos/ground';
import { newTokens } from '@/quality/chaos/tokens';
import { startConsul } from '@/test/support/consul';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';

/** The address of server `n` (from 0), and the one that it advertises. */
const ownAddress = (n: number) => `127.0.10.${n + 1}`;
const toldAddress = (n: number) => `127.0.11.${n + 1}`;
const addressesOf = (n: number) => ({
  bind_addr: ownAddress(n),
  serf_lan: toldAddress(n),
  advertise_addr: toldAddress(n),
});

const between = new Map<Ground, readonly FaultProxy[]>();
const cut = (ground: Ground): Pick<Fault, 'inject' | 'mend'> => ({
  inject: async () => {
    for (const proxy of between.get(ground) ?? []) proxy.stall();
  },
  mend: async () => {
    for (const proxy of between.get(ground) ?? []) {
      // Both ends have given up waiting by now.
      proxy.reset();
      proxy.resume();
    }
  },
});

/** The grounds, with proxies that end with them. */
const withProxies = (ground: Ground, grounds: Grounds, proxies: readonly FaultProxy[]): Grounds => {
  between.set(ground, proxies);
  return {
    ...grounds,
    stop: async () => {
      await grounds.stop();
      for (const proxy of proxies) await proxy.close();
    },
  };
};

/** Signalbox uses a client agent, as it runs on every machine; all others use the server. */
const besideServer: Ground = {
  name: 'a client agent and its server',
  raise: async () => {
    const consul = await startConsul({ acl: true, extraConfig: addressesOf(0) });
    const link = await startFaultProxy(`${ownAddress(0)}:${consul.serverPort}`, {
      listen: { host: toldAddress(0), port: consul.serverPort },
    });
    const client = await startConsul({
      beside: consul,
      extraConfig: { retry_join: [`${toldAddress(0)}:${consul.serfPort}`] },
    });
    const tokens = newTokens(consul.token ?? '');
    const addresses = [consul.address];
    await furnish(addresses, tokens);
    const stop = async () => {
      await client.stop();
      await consul.stop();
    };
    return withProxies(
      besideServer,
      { consul, cluster: null, addresses, consoleAddress: client.address, tokens, stop },
      [link],
    );
  },
};

const clientCut: Fault = {
  name: 'client-agent-cut-off',
  title: 'The client agent that Signalbox uses is cut off from its servers; it still answers',
  ground: besideServer,
  hits: 'console',
  lastsMs: [8_000, 14_000],
  ...cut(besideServer),
};

/** Signalbox uses the first of three servers, which can be cut off from the other two. */
const divisible: Ground = {
  name: 'three servers with proxies between them',
  raise: async () => {
    const proxies: FaultProxy[] = [];
    try {
      const grounds = await raiseCluster({
        extraConfig: (n, ports) => ({
          ...addressesOf(n),
          retry_join: ports.flatMap(({ serfLan }, other) =>
            other === n ? [] : [`${toldAddress(other)}:${serfLan}`],
          ),
        }),
        // Runs before the servers look for each other.
        prepare: async (ports) => {
          for (const [n, { server: port }] of ports.entries())
            proxies.push(
              await startFaultProxy(`${ownAddress(n)}:${port}`, {
                listen: { host: toldAddress(n), port },
                // Traffic between the other two passes.
                ...(n === 0 ? {} : { from: ownAddress(0) }),
              }),
            );
        },
      });
      return withProxies(divisible, grounds, proxies);
    } catch (error) {
      for (const proxy of proxies) await proxy.close();
      throw error;
    }
  },
};

const followerCut: Fault = {
  name: 'follower-cut-off',
  title: 'The follower that Signalbox uses is cut off from the other two servers; it still answers',
  ground: divisible,
  // The returning server has stood for election meanwhile, so the others elect again.
  hits: 'clients',
  lastsMs: [8_000, 14_000],
  ...cut(divisible),
};

export const partitionFaults: readonly Fault[] = [clientCut, followerCut];
