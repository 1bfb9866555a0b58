/**
 * Where a run plays: real servers, a proxy between them and Signalbox, Signalbox itself as it is built, viewers, and work
 * that goes on all along. Faults change it; the invariants look at it.
 */
import type { TestCluster } from '@/test/support/cluster';
import type { TestConsul } from '@/test/support/consul';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import type { Chance } from './fault';
import type { Ground } from './ground';
import { createReader, type Reader } from './reader';
import { type Server, startServer } from './server';
import { openViewer, type Viewer } from './viewer';
import { startWorkload, type Workload } from './workload';

export interface Stage {
  readonly ground: Ground;
  /** The one agent. Throws where there is a cluster. */
  consul(): TestConsul;
  /** The three servers. Throws where there is one. */
  cluster(): TestCluster;
  /** Addresses past the proxy. */
  readonly addresses: readonly string[];
  /** What reads and writes everything in Consul; `null` with ACLs off. */
  readonly token: string | null;
  /** Signalbox's own; `null` with ACLs off. */
  readonly consoleToken: string | null;
  /** Between Signalbox and the first address. Signalbox comes from `consoleAddress`, all others from 127.0.0.1. */
  readonly proxy: FaultProxy;
  readonly server: Server;
  /** Screens, looked at by the invariants. The first two are there from the beginning. */
  readonly viewers: Viewer[];
  readonly workload: Workload;
  /** Looks at Consul past everything of ours. */
  readonly reader: Reader;
  say(text: string): void;
  /** Calls `end` when the stage is struck, the last one first. */
  defer(end: () => unknown): void;
  strike(): Promise<void>;
}

/** Where Consul sees Signalbox come from. */
export const consoleAddress = '127.0.0.3';

/** Sets everything up and waits until the screen is live. `env`: of Signalbox, over that of the ground. */
export async function raiseStage({
  ground,
  chance,
  say,
  env = {},
}: {
  ground: Ground;
  chance: Chance;
  say: (text: string) => void;
  env?: Readonly<Record<string, string>>;
}): Promise<Stage> {
  const ends: (() => unknown)[] = [];
  const defer = (end: () => unknown) => void ends.push(end);
  const strike = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  try {
    const grounds = await ground.raise();
    const { addresses, token, consoleToken } = grounds;
    defer(grounds.stop);
    const proxy = await startFaultProxy(addresses[0] ?? '', { localAddress: consoleAddress });
    defer(proxy.close);
    const server = await startServer({
      consulAddress: proxy.address,
      env: {
        ...(consoleToken === null ? {} : { CONSUL_HTTP_TOKEN: consoleToken, SIGNALBOX_ANONYMOUS: 'on' }),
        ...ground.env,
        ...grounds.env,
        ...env,
      },
    });
    defer(server.stop);
    const reader = createReader({ addresses, token });
    defer(reader.close);
    const viewers = [openViewer(server.baseUrl), openViewer(server.baseUrl)];
    defer(() => {
      for (const viewer of viewers) viewer.close();
    });
    const workload = await startWorkload({ grounds, proxy, server, reader, chance });
    defer(workload.stop);
    await until(() => viewers.every(({ screen }) => screen().live), {
      what: 'every screen to be live',
      timeoutMs: 60_000,
    });
    const known = <T>(one: T | null, what: string): T => {
      if (one === null) throw new Error(`There is no ${what} on the ground "${ground.name}".`);
      return one;
    };
    return {
      ground,
      consul: () => known(grounds.consul, 'single agent'),
      cluster: () => known(grounds.cluster, 'cluster'),
      addresses,
      token,
      consoleToken,
      proxy,
      server,
      viewers,
      workload,
      reader,
      say,
      defer,
      strike,
    };
  } catch (error) {
    await strike();
    throw error;
  }
}
