/**
 * The embedded Consul: our own real server, for a machine where no Consul is given and none answers. Its data in
 * `.signalbox/consul` outlives restarts. So do its ports, if still free, so that a `CONSUL_HTTP_ADDR` in a shell stays
 * right.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentConfig, ask, spawnAgent, whenReady } from './agent.mjs';
import { findConsul } from './consul-binary.mjs';
import { signalGroup } from './leash.mjs';
import { claimPorts } from './ports.mjs';
import { commandOf } from './processes.mjs';
import { inState } from './project.mjs';

const nodeName = 'signalbox';
/** Longest wait for an election, which takes two to three seconds. */
const electionMsMax = 15_000;
/** Longest silence of an agent, which opens its port within a second of its start, and then answers unless stopped. */
const silentMsMax = 4_000;

/**
 * The file beside the data while an agent runs on it.
 * @typedef {object} Mark
 * @property {number} agentPid
 * @property {number} ownerPid
 * @property {import('./agent.mjs').AgentPorts} ports
 * @property {boolean} demo
 */

/**
 * @typedef {object} Embedded
 * @property {string} address
 * @property {boolean} owned false: another Signalbox runs it, and it ends with that one
 * @property {boolean} demo true: the owner runs the demo world on it
 * @property {import('./agent.mjs').Agent | null} agent null unless owned
 * @property {Promise<void>} ready when it has a leader and takes sessions. Rejects with what went wrong and what to do
 */

/**
 * @param {string} dir
 * @returns {Mark | null}
 */
function readMark(dir) {
  try {
    return JSON.parse(readFileSync(join(dir, 'running.json'), 'utf8'));
  } catch {
    return null;
  }
}

/**
 * True when the process is an agent on this folder, because another process may have its id by now.
 * @param {number} pid
 * @param {string} dir
 */
function isAgent(pid, dir) {
  return commandOf(pid)?.includes(join(dir, 'agent.json')) ?? false;
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Waits for an agent that may have just started, because a second Signalbox must not end the first one's agent during
 * its election.
 * @param {Mark} mark
 * @param {string} dir
 * @returns {Promise<'leads' | 'leaderless' | 'gone'>} `leaderless`: it answers, and its owner lives; `gone`: it
 *   does not answer, or its owner is gone
 */
async function observe(mark, dir) {
  const begun = Date.now();
  let answered = begun;
  while (isAgent(mark.agentPid, dir)) {
    const leader = await ask(`127.0.0.1:${mark.ports.http}`, '/v1/status/leader', { timeoutMs: 2_000 });
    if (typeof leader === 'string' && leader !== '') return 'leads';
    const now = Date.now();
    if (leader !== null) answered = now;
    if (now - answered > silentMsMax || !isAlive(mark.ownerPid)) return 'gone';
    if (now - begun > electionMsMax) return 'leaderless';
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return 'gone';
}

/**
 * Starts the embedded agent, or joins the one that another Signalbox of this folder runs. Resolves as soon as its
 * address is certain, so that readers start during its election of one to two seconds. Throws the fault and the next
 * step.
 * @param {{ crew: import('./crew.mjs').Crew, say: (line: string) => void, demo: boolean, dir?: string }} options
 * @returns {Promise<Embedded>}
 */
export async function startEmbedded({ crew, say, demo, dir = inState('consul') }) {
  mkdirSync(dir, { recursive: true });
  const mark = readMark(dir);
  if (mark !== null && isAgent(mark.agentPid, dir)) {
    const address = `127.0.0.1:${mark.ports.http}`;
    const state = await observe(mark, dir);
    if (state === 'leads') {
      say(
        `Joining the Consul of another Signalbox in this folder (process ${mark.ownerPid}); it ends with that one.`,
      );
      return { address, owned: false, demo: mark.demo, agent: null, ready: Promise.resolve() };
    }
    if (state === 'leaderless')
      throw new Error(
        `Another Signalbox (process ${mark.ownerPid}) runs a Consul on ${dir} that answers but has no leader. End that one and try again.`,
      );
    if (isAgent(mark.agentPid, dir)) {
      say('An agent on this folder does not answer: ending it.');
      signalGroup(mark.agentPid, 'SIGKILL');
    }
  }

  const { path, version, source } = await findConsul({ say });
  const block = await claimPorts(3, { prefer: mark === null ? [] : Object.values(mark.ports) });
  const [http = 0, server = 0, serfLan = 0] = block.ports;
  const ports = { http, server, serfLan };
  const config = agentConfig({ version, dir, ports, nodeName });
  const agent = spawnAgent({ binary: path, dir, config, ports });
  crew.adopt(agent.process);
  const running = { agentPid: agent.process.pid ?? 0, ownerPid: process.pid, ports, demo };
  writeFileSync(join(dir, 'running.json'), JSON.stringify(running));
  const ready = whenReady(agent, { nodeName }).then(
    () => say(`Consul ${version} (${source}) runs on ${agent.address}; its data is kept in ${dir}`),
    (cause) => {
      throw new Error(
        `${cause instanceof Error ? cause.message : cause}\nTo begin with empty data, remove ${dir} and try again.`,
        { cause },
      );
    },
  );
  // The caller that awaits it gets the failure. Until then it must not count as unhandled.
  ready.catch(() => {});
  return { address: agent.address, owned: true, demo, agent, ready };
}
