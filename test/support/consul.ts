/** Real Consul agents and real `consul lock` processes for tests. Whatever is started here ends with its test file. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { type Agent, agentConfig, ask, spawnAgent, whenReady, withoutConsul } from '@/scripts/agent.mjs';
import { findConsul } from '@/scripts/consul-binary.mjs';
import { endGroup, leash, signalGroup } from '@/scripts/leash.mjs';
import { claimPorts } from '@/scripts/ports.mjs';

export interface TestConsul {
  /** `127.0.0.1:<port>` of the HTTP API. */
  readonly address: string;
  readonly nodeName: string;
  /** Where other agents join it. */
  readonly serfPort: number;
  /** Where it is known to the others as a server, and named as leader. */
  readonly serverPort: number;
  /** Management token; `null` with ACLs off. */
  readonly token: string | null;
  /** For child processes: `CONSUL_HTTP_ADDR`, and the token when there is one. */
  readonly env: Readonly<Record<string, string>>;
  readonly binary: string;
  /** As `1.8.7`. */
  readonly version: string;
  readonly dir: string;
  /** A new client, closed when the agent stops. `token`: another one than the management token; `null` for none. */
  client(options?: { token?: string | null; maxPolls?: number; maxCalls?: number }): ConsulClient;
  /** SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  /** Pauses it, and resolves once a question went unanswered: a busy machine may take its time to stop every thread. */
  silence(): Promise<void>;
  resume(): void;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts the agent again after `kill`, on the same ports and data; resolves when it has a leader. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Runs until its test file ends; the setup file calls `stopAll`. */
const running = new Set<() => Promise<void>>();

/** Ends everything that this module started. Called after each test file, passed or failed. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((stop) => stop()));
}

/**
 * Starts an agent and waits until it can take sessions (2-3 s). `acl`: ACLs on, default deny. `extraConfig` is merged
 * over the agent's configuration at the top level, its ports one by one. `dataDir`: kept when given, otherwise fresh and removed. `beside`:
 * not a server but a client agent of that one's cluster, as they run on every machine. `openPaths`: where transactions refuse some keys
 * (Consul 2.0 and later), paths take them all the same, so that there are such keys.
 */
export async function startConsul({
  acl = false,
  dataDir,
  extraConfig = {},
  openPaths = false,
  beside,
  nodeName = beside === undefined ? 'test-node' : 'client-node',
}: {
  acl?: boolean;
  dataDir?: string;
  extraConfig?: Record<string, unknown>;
  openPaths?: boolean;
  beside?: TestConsul;
  nodeName?: string;
} = {}): Promise<TestConsul> {
  const { path: binary, version } = await findConsul();
  const dir = dataDir ?? mkdtempSync(join(tmpdir(), 'signalbox-consul-'));
  const block = await claimPorts(3);
  const [http = 0, server = 0, serfLan = 0] = block.ports;
  const ports = { http, server, serfLan };
  const token = beside?.token ?? (acl ? randomUUID() : null);
  const base = agentConfig({ version, dir, ports, nodeName, managementToken: token });
  const config = {
    ...base,
    ...(beside === undefined
      ? {}
      : // A count of servers is an error for a client, `null` the same as no setting.
        { server: false, bootstrap_expect: null, retry_join: [`127.0.0.1:${beside.serfPort}`] }),
    ...(openPaths && Number(version.split('.')[0]) >= 2 ? { disable_kv_key_validation: true } : {}),
    ...extraConfig,
    // Merged one by one: a test that wants one more port knows nothing of the others.
    ports: { ...(base.ports as object), ...(extraConfig.ports as object | undefined) },
  };
  const address = `127.0.0.1:${http}`;
  const clients = new Set<ConsulClient>();
  let agent: Agent | null = null;

  const start = async () => {
    agent = spawnAgent({ binary, dir, config, ports });
    await whenReady(agent, { nodeName, token });
  };
  const stop = async () => {
    running.delete(stop);
    for (const client of clients) client.close();
    clients.clear();
    // Nothing in a test's data is worth an orderly end.
    if (agent !== null) await endGroup(agent.process, { graceMs: 0 });
    agent = null;
    block.release();
    if (dataDir === undefined) rmSync(dir, { recursive: true, force: true });
  };
  running.add(stop);
  try {
    await start();
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    address,
    nodeName,
    serfPort: serfLan,
    serverPort: server,
    token,
    env: { CONSUL_HTTP_ADDR: address, ...(token === null ? {} : { CONSUL_HTTP_TOKEN: token }) },
    binary,
    version,
    dir,
    client: ({ token: other = token, ...sockets } = {}) => {
      const client = createConsulClient(
        { ...consulSettings({ CONSUL_HTTP_ADDR: address }), token: other },
        sockets,
      );
      clients.add(client);
      return client;
    },
    pause: () => void signalGroup(agent?.process.pid, 'SIGSTOP'),
    silence: async () => {
      signalGroup(agent?.process.pid, 'SIGSTOP');
      while ((await ask(address, '/v1/status/leader', { timeoutMs: 500 })) !== null);
    },
    resume: () => void signalGroup(agent?.process.pid, 'SIGCONT'),
    kill: async () => {
      signalGroup(agent?.process.pid, 'SIGKILL');
      await agent?.exited;
    },
    restart: start,
    stop,
  };
}

export interface ConsulLock {
  readonly pid: number;
  /** Standard output and error so far, of `consul lock` and of its command. */
  output(): string;
  /** Whether it runs its command, which it does while it holds. */
  isHolding(): boolean;
  /** SIGKILL to `consul lock`, and to its command as well: the machine is gone. */
  kill9(): void;
  /** SIGKILL to `consul lock` alone: its command runs on as an orphan, as it does in life. */
  kill9KeepingCommand(): void;
  /** SIGTERM to `consul lock`, which passes it on, releases and leaves. */
  terminate(): void;
  /** Exit code, or `null` when a signal ended it. */
  readonly exited: Promise<number | null>;
}

/** All processes below `pid`, deepest last. `consul lock` puts its command into a group of its own. */
function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const found = [pid];
  for (const parent of found)
    for (const [child, above] of rows) if (above === parent && child !== undefined) found.push(child);
  return found.slice(1);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

/**
 * Runs `consul lock -n=<n> <args> <prefix> <command>`; the command is one shell line. With n = 1 it is a lock on
 * `<prefix>/.lock`, above that a semaphore on `<prefix>`.
 */
export function runConsulLock(
  consul: Pick<TestConsul, 'binary' | 'env'>,
  { n, prefix, command, args = [] }: { n: number; prefix: string; command: string; args?: readonly string[] },
): ConsulLock {
  const child: ChildProcess = leash(
    spawn(consul.binary, ['lock', `-n=${n}`, ...args, prefix, command], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...withoutConsul(process.env), ...consul.env },
    }),
  );
  if (child.pid === undefined) throw new Error(`${consul.binary} lock could not be started.`);
  const { pid } = child;
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  // Orphans hold the pipes open, so the process's own end is what counts, not that of its output.
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const orphans = new Set<number>();
  const killAll = () => {
    const below = child.exitCode === null && child.signalCode === null ? descendants(pid) : [];
    kill(pid, 'SIGKILL');
    for (const process of [...below, ...orphans]) kill(process, 'SIGKILL');
  };
  const stop = async () => {
    running.delete(stop);
    killAll();
    await exited;
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  running.add(stop);
  exited.then(() => {
    if (orphans.size === 0) running.delete(stop);
  });
  return {
    pid,
    output: () => text,
    isHolding: () => descendants(pid).length > 0,
    kill9: killAll,
    kill9KeepingCommand: () => {
      for (const orphan of descendants(pid)) orphans.add(orphan);
      kill(pid, 'SIGKILL');
    },
    terminate: () => kill(pid, 'SIGTERM'),
    exited,
  };
}
