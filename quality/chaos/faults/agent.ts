/** Faults of the Consul that Signalbox uses. */
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fault } from '@/quality/chaos/fault';
import { agent, cluster } from '@/quality/chaos/ground';
import { consoleAddress } from '@/quality/chaos/stage';
import { until } from '@/test/support/until';

const stopped: Fault = {
  name: 'agent-stopped',
  title: 'The agent is stopped (SIGSTOP): connections stay open, nothing answers',
  ground: agent,
  hits: 'clients',
  lastsMs: [6_000, 9_000],
  inject: async (stage) => stage.consul().pause(),
  mend: async (stage) => stage.consul().resume(),
};

const restarted: Fault = {
  name: 'agent-restarted',
  title: 'The agent is killed (SIGKILL) and started again on its data',
  ground: agent,
  hits: 'clients',
  lastsMs: [500, 5_000],
  inject: async (stage) => stage.consul().kill(),
  mend: async (stage) => stage.consul().restart(),
};

const emptied: Fault = {
  name: 'agent-emptied',
  title: 'The agent is killed and comes back without its data: every index begins anew, every lock is gone',
  ground: agent,
  hits: 'clients',
  lastsMs: [500, 4_000],
  inject: async (stage) => {
    await stage.consul().kill();
    rmSync(`${stage.consul().dir}/data`, { recursive: true, force: true });
    stage.undone.push({ fromMs: 0, toMs: performance.now() });
  },
  mend: async (stage) => {
    await stage.consul().restart();
    // All tokens are gone, and are made again with the same secrets.
    await stage.refurnish();
  },
};

const restored: Fault = {
  name: 'snapshot-restored',
  title:
    'An older snapshot of Consul is restored under the running agent: indexes fall, sessions come back or go',
  ground: agent,
  hits: 'clients',
  lastsMs: [3_000, 6_000],
  inject: async (stage) => {
    const url = `http://${stage.addresses[0]}/v1/snapshot`;
    const span = { fromMs: performance.now(), toMs: Number.POSITIVE_INFINITY };
    stage.undone.push(span);
    const headers = { 'x-consul-token': stage.tokens.management };
    const taken = await (await fetch(url, { headers, signal: AbortSignal.timeout(10_000) })).arrayBuffer();
    const beats = stage.workload.pulse.beats;
    await until(() => stage.workload.pulse.beats > beats + 10, {
      what: 'work that the snapshot does not know',
    });
    const response = await fetch(url, {
      method: 'PUT',
      headers,
      body: taken,
      signal: AbortSignal.timeout(20_000),
    });
    if (!response.ok) throw new Error(`The snapshot was not restored: ${await response.text()}`);
    span.toMs = performance.now();
  },
  mend: async () => {},
};

const hogs = new Map<object, Socket[]>();
const capped: Fault = {
  name: 'connections-capped',
  title:
    'All 200 connections that the agent allows to one address are taken by others; some of Signalbox’s are broken first',
  ground: agent,
  hits: 'console',
  lastsMs: [6_000, 10_000],
  inject: async (stage) => {
    const [host = '', port = ''] = (stage.addresses[0] ?? '').split(':');
    const taken: Socket[] = [];
    hogs.set(stage, taken);
    stage.proxy.reset();
    for (let n = 0; n < 200; n += 1) {
      const socket = connect({ host, port: Number(port), localAddress: consoleAddress });
      socket.on('error', () => socket.destroy());
      socket.resume();
      taken.push(socket);
    }
    await delay(200);
  },
  mend: async (stage) => {
    for (const socket of hogs.get(stage) ?? []) socket.destroy();
    hogs.delete(stage);
  },
};

const leaderKilled: Fault = {
  name: 'leader-killed',
  title: 'The leader of three servers is killed; the others elect a new one',
  ground: cluster,
  hits: 'clients',
  lastsMs: [4_000, 8_000],
  inject: async (stage) => {
    const servers = stage.cluster();
    // Signalbox stays on its server, because this fault is an election, not a missing agent.
    if ((await until(() => servers.leader(), { what: 'a leader' })) === 0) await servers.depose();
    const led = await until(() => servers.leader(), { what: 'a leader' });
    killed.set(stage, led);
    await servers.kill(led);
  },
  mend: async (stage) => {
    const led = killed.get(stage);
    killed.delete(stage);
    if (led !== undefined) await stage.cluster().restart(led);
  },
};
const killed = new Map<object, number>();

const quorumLost: Fault = {
  name: 'quorum-lost',
  title: 'Two of three servers are killed: no leader, no writes; then they are back',
  ground: cluster,
  hits: 'clients',
  lastsMs: [5_000, 10_000],
  inject: async (stage) => stage.cluster().killOthers(),
  mend: async (stage) => stage.cluster().restartOthers(),
};

const revoked: Fault = {
  name: 'token-revoked',
  title: 'The token of Signalbox is deleted, and made again',
  ground: agent,
  hits: 'console',
  lastsMs: [5_000, 9_000],
  inject: async (stage) => {
    const tokens = JSON.parse(await stage.call('acl/tokens', { method: 'GET' })) as {
      AccessorID: string;
      Policies: { Name: string }[] | null;
    }[];
    const own = tokens.find(({ Policies }) => Policies?.some(({ Name }) => Name === 'chaos-console'));
    await stage.call(`acl/token/${own?.AccessorID}`, { method: 'DELETE' });
  },
  mend: (stage) => stage.refurnish(),
};

export const agentFaults: readonly Fault[] = [
  leaderKilled,
  quorumLost,
  stopped,
  restarted,
  emptied,
  restored,
  capped,
  revoked,
];
