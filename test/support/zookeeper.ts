/** Real ZooKeeper servers for a test file: one, or an ensemble of three. All of them end with their file. */
import { findJava } from '@/scripts/java.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { startZooKeeper, type ZooKeeperPorts, type ZooKeeperServer } from '@/scripts/zookeeper.mjs';
import { whyAbsent } from './absence';
import type { Authority } from './certificate';
import { endsWithFile } from './endings';
import { writePemFiles } from './pem-files';
import { until } from './until';

export type { ZooKeeperServer };

/** Why there is no ZooKeeper here, nor Curator, `null` where there is; as `whyAbsent` has it. */
export const noZooKeeper = () =>
  whyAbsent((options) => findJava('curator', options), 'SKIPPED: every test on ZooKeeper in this file.');

type Options = Omit<Parameters<typeof startZooKeeper>[0], 'ports' | 'member'> & {
  /** It also speaks TLS, on its port `secure`, with a certificate of this authority, and takes clients with one or without. */
  readonly tls?: Authority;
};

function secured(tls: Authority | undefined, { secure }: ZooKeeperPorts): Record<string, string> {
  if (tls === undefined) return {};
  const { ca, both } = writePemFiles(tls);
  return {
    secureClientPort: String(secure),
    serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
    'ssl.keyStore.location': both,
    'ssl.keyStore.type': 'PEM',
    'ssl.trustStore.location': ca,
    'ssl.trustStore.type': 'PEM',
    'ssl.clientAuth': 'want',
  };
}

async function claimed(): Promise<{ readonly ports: ZooKeeperPorts; readonly release: () => void }> {
  const block = await claimPorts(5);
  const [client = 0, admin = 0, quorum = 0, election = 0, secure = 0] = block.ports;
  return { ports: { client, admin, quorum, election, secure }, release: block.release };
}

async function started(
  { ports, release }: Awaited<ReturnType<typeof claimed>>,
  { tls, settings, ...options }: Options,
  member: { id: number; lines: string[] } | null,
): Promise<ZooKeeperServer> {
  try {
    const server = await startZooKeeper({
      ports,
      member,
      settings: { ...secured(tls, ports), ...settings },
      ...options,
    });
    const stop = endsWithFile(async () => {
      await server.stop();
      release();
    });
    // The first page takes a second or more, and Signalbox asks slow servers rarely.
    if (server.admin !== null) await (await fetch(`${server.admin}/commands/connections`)).text();
    return { ...server, stop };
  } catch (error) {
    release();
    throw error;
  }
}

/** Starts one server (0.5 to 3 s), without AdminServer unless asked (that takes another 0.3 s). */
export async function startTestZooKeeper(options: Options = {}): Promise<ZooKeeperServer> {
  const server = await started(await claimed(), options, null);
  await until(server.mode, { what: 'ZooKeeper serves', timeoutMs: 30_000 });
  return server;
}

export interface ZooKeeperEnsemble {
  readonly servers: readonly ZooKeeperServer[];
  /** Of all servers, as clients take it: `127.0.0.1:1,127.0.0.1:2,127.0.0.1:3`. */
  readonly addresses: string;
  /** The server that leads; `null` while there is none. */
  leader(): Promise<ZooKeeperServer | null>;
  /** Kills the leader (SIGKILL), and waits until another one leads; gives the killed one, to be started again. */
  depose(): Promise<ZooKeeperServer>;
}

/** Starts an ensemble of three; resolves once every server serves (2 to 6 s). */
export async function startTestEnsemble(options: Options = {}): Promise<ZooKeeperEnsemble> {
  const claims = await Promise.all([claimed(), claimed(), claimed()]);
  const lines = claims.map(
    ({ ports: { quorum, election } }, n) => `server.${n + 1}=127.0.0.1:${quorum}:${election}`,
  );
  const servers = await Promise.all(claims.map((claim, n) => started(claim, options, { id: n + 1, lines })));
  await Promise.all(
    servers.map((server) => until(server.mode, { what: 'every server serves', timeoutMs: 60_000 })),
  );
  const leader = async () => {
    for (const server of servers) if ((await server.mode()) === 'leader') return server;
    return null;
  };
  return {
    servers,
    addresses: servers.map(({ address }) => address).join(','),
    leader,
    depose: async () => {
      const led = await until(leader, { what: 'a leader' });
      await led.kill();
      await until(async () => ((await leader()) ?? led) !== led, {
        what: 'another leader',
        timeoutMs: 60_000,
      });
      return led;
    },
  };
}
