/**
 * The place of a run: real servers, a proxy between them and Signalbox, Signalbox as built, viewers, and constant work.
 * Faults change it, and invariants check it.
 */
import type { TestCluster } from '@/test/support/cluster';
import type { TestConsul } from '@/test/support/consul';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';
import { type Server, startServer } from '@/test/support/server';
import { until } from '@/test/support/until';
import type { Chance } from './chance';
import { furnish, type Ground } from './ground';
import { inTime } from './in-time';
import { createReader, type Reader } from './reader';
import { callConsul, type Tokens } from './tokens';
import { openViewer, type Viewer } from './viewer';
import { startWorkload, type Workload } from './workload';

export interface Stage {
  readonly ground: Ground;
  /** The one agent. Throws for a cluster. */
  consul(): TestConsul;
  /** The three servers. Throws for a single agent. */
  cluster(): TestCluster;
  /** Addresses past the proxy. */
  readonly addresses: readonly string[];
  readonly tokens: Tokens;
  /** Calls Consul past everything of ours, with its management token. */
  call(path: string, options?: { readonly method?: string; readonly body?: string }): Promise<string>;
  /** Makes new tokens and a new world after a loss of data. */
  refurnish(): Promise<void>;
  /**
   * The proxy between Signalbox and the first address. Signalbox comes from `consoleAddress`, all others from
   * 127.0.0.1.
   */
  readonly proxy: FaultProxy;
  readonly server: Server;
  /**
   * The screens that the invariants check: an anonymous one, a person's, one of a person who may read one lock, and
   * later ones.
   */
  readonly viewers: Viewer[];
  readonly workload: Workload;
  /** Looks at Consul past everything of ours. */
  readonly reader: Reader;
  /** Times whose writes a fault has undone, as a restored snapshot does. */
  readonly undone: Span[];
  say(text: string): void;
  /** Calls `end` when the stage is struck, in reverse order. */
  defer(end: () => unknown, what?: string): void;
  /** Ends everything, one after the other. Late ends are reported and left. Never rejects. */
  strike(): Promise<void>;
}

/** A span between instants of `performance.now()`. */
export interface Span {
  readonly fromMs: number;
  toMs: number;
}

/** Longest time to strike a stage, and the least share of it for each end. */
const strikeMs = 60_000;
const endMs = 2_000;

/** The address from which Signalbox reaches Consul. */
export const consoleAddress = '127.0.0.3';

/**
 * Sets everything up, and waits until the screen is live. `env`: additions to the ground's environment of Signalbox.
 */
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
  const ends: { end: () => unknown; what: string }[] = [];
  const defer = (end: () => unknown, what = 'what a fault has left') => void ends.push({ end, what });
  const strike = async () => {
    const overMs = performance.now() + strikeMs;
    for (let last = ends.pop(); last !== undefined; last = ends.pop()) {
      const { end, what } = last;
      const leftMs = Math.max(endMs, (overMs - performance.now()) / 2);
      // Each end runs whatever the one before did, because a process must end in any case.
      await inTime(leftMs, what, (async () => end())()).catch((error: unknown) => {
        say(`   left behind: ${error instanceof Error ? error.message : error}`);
      });
    }
  };
  try {
    const grounds = await ground.raise();
    const { addresses, tokens } = grounds;
    const token = tokens.management;
    defer(grounds.stop, 'Consul');
    const proxy = await startFaultProxy(grounds.consoleAddress ?? addresses[0] ?? '', {
      localAddress: consoleAddress,
    });
    defer(proxy.close, 'the proxy');
    const front = await grounds.front?.(proxy.address);
    if (front !== undefined) defer(front.stop, 'what stands before the proxy');
    const server = await startServer({
      consulAddress: front?.address ?? proxy.address,
      env: {
        CONSUL_HTTP_TOKEN: tokens.console,
        SIGNALBOX_ANONYMOUS: 'on',
        ...front?.env,
        ...ground.env,
        ...grounds.env,
        ...env,
        // Each brings a program of its own, and all of them must load.
        NODE_OPTIONS: [ground.env, grounds.env, env].flatMap((one) => one?.NODE_OPTIONS ?? []).join(' '),
      },
    });
    defer(server.stop, 'Signalbox');
    const reader = createReader({ addresses, token });
    defer(reader.close, 'the reader');
    const as = (secret: string) => ({ 'x-consul-token': secret });
    const viewers = [
      openViewer(server.baseUrl),
      openViewer(server.baseUrl, { headers: as(tokens.editor) }),
      openViewer(server.baseUrl, { headers: as(tokens.narrow), part: true }),
    ];
    defer(() => {
      for (const viewer of viewers) viewer.close();
    }, 'the viewers');
    const workload = await startWorkload({ grounds, proxy, server, reader, chance });
    defer(workload.stop, 'the work');
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
      tokens,
      call: (path, options) => callConsul(addresses, token, { path, ...options }),
      refurnish: () => furnish(addresses, tokens),
      proxy,
      server,
      viewers,
      workload,
      reader,
      undone: [],
      say,
      defer,
      strike,
    };
  } catch (error) {
    await strike();
    throw error;
  }
}
