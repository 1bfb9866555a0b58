/** The servers behind the table: one agent of Consul for most rows, and worlds of their own. */
import { setTimeout as delay } from 'node:timers/promises';
import { noRedisStage, setRedisStage } from '@/quality/truth/redis-stage';
import type { Keys, Stages, WorldName } from '@/quality/truth/situation';
import { type Stage, setStage } from '@/quality/truth/stage';
import { noZooKeeperStage, setZooKeeperStage } from '@/quality/truth/zookeeper-stage';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { isRuled } from '@/test/support/ruled-keys';
import { until } from '@/test/support/until';

export interface TruthWorld {
  readonly stages: Stages;
  /** Signalbox's settings beside the defaults. */
  readonly env: Readonly<Record<string, string>>;
  /** The address of Signalbox's agent, unless its settings name other sources. */
  readonly address: string;
  /** The keys that a world on Consul takes. */
  readonly keys: Keys;
  end(): Promise<void>;
}

type Started = Omit<TruthWorld, 'keys'>;

const joins = (...others: TestConsul[]) => ({
  retry_join: others.map(({ serfPort }) => `127.0.0.1:${serfPort}`),
  retry_interval: '1s',
});

async function shared(): Promise<Started> {
  const consul = await startConsul({ extraConfig: { enable_script_checks: true }, openPaths: true });
  const stage = setStage({ consul });
  return { stages: { consul: stage }, env: {}, address: consul.address, end: () => over(stage, [consul]) };
}

/** A server, and a second agent on its own node, as a machine that can go down. */
async function nodes(): Promise<Started> {
  const consul = await startConsul();
  const far = await startConsul({ beside: consul, nodeName: 'far-node' });
  const stage = setStage({ consul, agents: { far } });
  await until(
    async () =>
      (await stage.client.checks()).value.some((c) => c.node === 'far-node' && c.status === 'passing'),
    { what: 'the second node' },
  );
  return {
    stages: { consul: stage },
    env: {},
    address: consul.address,
    end: () => over(stage, [far, consul]),
  };
}

/** Signalbox's own rights in the world of permissions. */
const rules = `
key_prefix "" { policy = "read" }
key_prefix "truth/part/" { policy = "deny" }
key "truth/part/.lock" { policy = "read" }
session "seen-node" { policy = "read" }
node "seen-node" { policy = "read" }
session "bare-node" { policy = "read" }
`;

/**
 * ACLs on, with three nodes: a visible one, one with hidden health, and the server's, which is hidden. Each has an
 * agent, because Consul removes a node without one a minute after the election, with its sessions (`reconcileReaped` in
 * leader.go).
 */
async function permissions(): Promise<Started> {
  const consul = await startConsul({ acl: true });
  const stage = setStage({ consul });
  const nodes = ['seen-node', 'bare-node'];
  const agents = await Promise.all(nodes.map((nodeName) => startConsul({ beside: consul, nodeName })));
  await until(
    async () => {
      const passing = (await stage.client.checks()).value.filter(({ status }) => status === 'passing');
      return nodes.every((name) => passing.some(({ node }) => node === name));
    },
    { what: 'both nodes', timeoutMs: 30_000 },
  );
  const { ID } = (await stage.request('acl/policy', { Name: 'reader', Rules: rules })) as { ID: string };
  const { SecretID } = (await stage.request('acl/token', { Policies: [{ ID }] })) as { SecretID: string };
  return {
    stages: { consul: stage },
    // Anonymous operators see everything that this token may read.
    env: { CONSUL_HTTP_TOKEN: SecretID, SIGNALBOX_ANONYMOUS: 'on' },
    address: consul.address,
    end: () => over(stage, [...agents, consul]),
  };
}

/** Three servers. Signalbox reads one that does not lead at first. */
async function cluster(): Promise<Started> {
  const one = await startConsul({
    nodeName: 'server-one',
    // A new server votes at once, because no upgrade happens here.
    extraConfig: { autopilot: { server_stabilization_time: '10ms' } },
  });
  const server = (nodeName: string, ...others: TestConsul[]) =>
    startConsul({ nodeName, extraConfig: { bootstrap_expect: null, ...joins(...others) } });
  const two = await server('server-two', one);
  // The first server will be gone for good, so the third must find the second without it.
  const three = await server('server-three', one, two);
  await until(
    async () => {
      const response = await fetch(`http://${one.address}/v1/operator/raft/configuration`);
      const { Servers } = (await response.json()) as { Servers: { Voter: boolean }[] };
      return Servers.filter((server) => server.Voter).length === 3;
    },
    { what: 'three voters', timeoutMs: 30_000 },
  );
  const stage = setStage({ consul: two, agents: { one, three } });
  return {
    stages: { consul: stage },
    env: {},
    address: two.address,
    end: () => over(stage, [three, two, one]),
  };
}

async function over(stage: Stage & { end(): void }, agents: readonly TestConsul[]): Promise<void> {
  stage.end();
  // A renewal under way ends before its agent does.
  await delay(0);
  for (const agent of agents) await agent.stop();
}

async function redis(): Promise<Started> {
  const { stage, env, end } = await setRedisStage();
  return { stages: { redis: stage }, env, address: '127.0.0.1:8500', end };
}

async function zookeeper(): Promise<Started> {
  const { stage, env, end } = await setZooKeeperStage();
  return { stages: { zookeeper: stage }, env, address: '127.0.0.1:8500', end };
}

const start: Readonly<Record<WorldName, () => Promise<Started>>> = {
  shared,
  stored: shared,
  nodes,
  permissions,
  cluster,
  redis,
  zookeeper,
};

const absent: Partial<Record<WorldName, () => Promise<string | null>>> = {
  redis: noRedisStage,
  zookeeper: noZooKeeperStage,
};

/** The reason why this machine lacks such a world; `null`: it has it. As `whyAbsent`. */
export const noWorld = async (name: WorldName): Promise<string | null> => absent[name]?.() ?? null;

export async function startWorld(name: WorldName): Promise<TruthWorld> {
  const world = await start[name]();
  const { consul } = world.stages;
  return { ...world, keys: consul !== undefined && (await isRuled(consul.client)) ? 'ruled' : 'any' };
}
