/**
 * The embedded Consul: a real server of our own, for a machine where no Consul is given and none answers. Its data
 * is in `.signalbox/consul` and outlives restarts; so do its ports, where they are still free, so that a
 * `CONSUL_HTTP_ADDR` in somebody's shell stays right.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentConfig, ask, spawnAgent, whenReady } from './agent.mjs';
import { findConsul } from './consul-binary.mjs';
import { signalGroup } from './leash.mjs';
import { claimPorts } from './ports.mjs';
import { inState } from './project.mjs';

const nodeName = 'signalbox';

/**
 * What is written beside the data while an agent runs on it.
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
 * True when the process is an agent on this folder: a process id alone may belong to anyone by now.
 * @param {number} pid
 * @param {string} dir
 */
function isAgent(pid, dir) {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(
      join(dir, 'agent.json'),
    );
  } catch {
    return false;
  }
}

/**
 * Starts the embedded agent, or joins the one that another Signalbox of this folder already runs. Throws what went
 * wrong and what to do.
 * @param {{ crew: import('./crew.mjs').Crew, say: (line: string) => void, demo: boolean, dir?: string }} options
 * @returns {Promise<Embedded>}
 */
export async function startEmbedded({ crew, say, demo, dir = inState('consul') }) {
  mkdirSync(dir, { recursive: true });
  const mark = readMark(dir);
  if (mark !== null && isAgent(mark.agentPid, dir)) {
    const address = `127.0.0.1:${mark.ports.http}`;
    const leader = await ask(address, '/v1/status/leader', { timeoutMs: 2_000 });
    if (typeof leader === 'string' && leader !== '') {
      say(
        `Joining the Consul of another Signalbox in this folder (process ${mark.ownerPid}); it ends with that one.`,
      );
      return { address, owned: false, demo: mark.demo, agent: null };
    }
    say('An agent on this folder does not answer: ending it.');
    signalGroup(mark.agentPid, 'SIGKILL');
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
  try {
    await whenReady(agent, { nodeName });
  } catch (cause) {
    throw new Error(
      `${cause instanceof Error ? cause.message : cause}\nTo begin with empty data, remove ${dir} and try again.`,
      { cause },
    );
  }
  say(`Consul ${version} (${source}) runs on ${agent.address}; its data is kept in ${dir}`);
  return { address: agent.address, owned: true, demo, agent };
}
