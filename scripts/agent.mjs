/** A real single-server Consul agent on loopback, for the embedded default, the tests and the benchmarks. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { guard, leash } from './leash.mjs';

/**
 * @typedef {object} AgentPorts
 * @property {number} http
 * @property {number} server
 * @property {number} serfLan
 */

/**
 * @typedef {object} Agent
 * @property {string} address `<host>:<port>`
 * @property {import('node:child_process').ChildProcess} process leads its own process group
 * @property {Promise<void>} exited
 * @property {string} logFile
 */

/**
 * The agent's configuration. Never `-dev`, which indents every answer and keeps nothing.
 * @param {{ version: string, dir: string, ports: AgentPorts, nodeName: string, managementToken?: string | null }} agent
 * @returns {Record<string, unknown>}
 */
export function agentConfig({ version, dir, ports, nodeName, managementToken = null }) {
  const minor = Number(version.split('.')[1]) + 1000 * (Number(version.split('.')[0]) - 1);
  return {
    server: true,
    bootstrap_expect: 1,
    node_name: nodeName,
    data_dir: join(dir, 'data'),
    bind_addr: '127.0.0.1',
    client_addr: '127.0.0.1',
    log_level: 'WARN',
    disable_update_check: true,
    disable_anonymous_signature: true,
    // Elects within 2 s instead of 10, because no network between servers needs patience.
    performance: { raft_multiplier: 1 },
    ports: {
      http: ports.http,
      server: ports.server,
      serf_lan: ports.serfLan,
      serf_wan: -1,
      dns: -1,
      grpc: -1,
      // A server opens 8503 by default since 1.14. Before, the key is unknown and refused.
      ...(minor >= 14 ? { grpc_tls: -1 } : {}),
    },
    ...(managementToken === null
      ? {}
      : {
          acl: {
            enabled: true,
            default_policy: 'deny',
            tokens: { [minor >= 11 ? 'initial_management' : 'master']: managementToken },
          },
        }),
  };
}

/**
 * The end of an agent's log, for an error message.
 * @param {string} logFile
 * @returns {string}
 */
export function logTail(logFile) {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
  } catch {
    return '(no log)';
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv} without the variables that point programs at some Consul
 */
export function withoutConsul(env) {
  const rest = { ...env };
  for (const name of Object.keys(rest)) if (name.startsWith('CONSUL_')) delete rest[name];
  return rest;
}

/**
 * Starts an agent. It is leashed, so it ends with this process. Resolves when it has been spawned; see `whenReady`.
 * @param {{ binary: string, dir: string, config: Record<string, unknown>, ports: AgentPorts, host?: string }} options
 *   `host`: the address of its HTTP API, where `config` sets another than the usual
 * @returns {Agent}
 */
export function spawnAgent({ binary, dir, config, ports, host = '127.0.0.1' }) {
  mkdirSync(dir, { recursive: true });
  const configFile = join(dir, 'agent.json');
  // The file may hold the management token.
  writeFileSync(configFile, JSON.stringify(config, null, 2), { mode: 0o600 });
  const logFile = join(dir, 'agent.log');
  const log = openSync(logFile, 'w');
  guard();
  const child = leash(
    spawn(binary, ['agent', `-config-file=${configFile}`], {
      detached: true,
      stdio: ['ignore', log, log],
      // The agent must not take the address or token of another Consul from our environment.
      env: withoutConsul(process.env),
    }),
  );
  closeSync(log);
  /** @type {Promise<void>} */
  const exited = new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return { address: `${host}:${ports.http}`, process: child, exited, logFile };
}

/**
 * One GET, as parsed JSON; `null` for anything but a 200 with JSON in it.
 * @param {string} address
 * @param {string} path
 * @param {{ token?: string | null, timeoutMs?: number }} [options]
 * @returns {Promise<unknown>}
 */
export function ask(address, path, { token = null, timeoutMs = 1_000 } = {}) {
  return new Promise((resolve) => {
    const request = get(
      `http://${address}${path}`,
      { agent: false, timeout: timeoutMs, headers: token === null ? {} : { 'x-consul-token': token } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part) => {
          text += part;
        });
        response.on('error', () => resolve(null));
        response.on('end', () => {
          try {
            resolve(response.statusCode === 200 ? JSON.parse(text) : null);
          } catch {
            resolve(null);
          }
        });
      },
    );
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
  });
}

/**
 * Waits until the agent has elected itself and registered its node's `serfHealth`. Before, a session with the default
 * check is refused. Throws, with the end of the log, when the agent exits or the time is over.
 * @param {Agent} agent
 * @param {{ nodeName: string, token?: string | null, timeoutMs?: number }} options
 * @returns {Promise<void>}
 */
export async function whenReady(agent, { nodeName, token = null, timeoutMs = 30_000 }) {
  let exited = false;
  agent.exited.then(() => {
    exited = true;
  });
  const until = Date.now() + timeoutMs;
  while (Date.now() < until) {
    if (exited) throw new Error(`The Consul agent ended by itself. Its log:\n${logTail(agent.logFile)}`);
    const leader = await ask(agent.address, '/v1/status/leader');
    if (typeof leader === 'string' && leader !== '') {
      const checks = await ask(agent.address, `/v1/health/node/${nodeName}`, { token });
      if (
        Array.isArray(checks) &&
        checks.some((check) => check.CheckID === 'serfHealth' && check.Status === 'passing')
      )
        return;
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  throw new Error(
    `The Consul agent had no leader after ${timeoutMs / 1000} s. Its log:\n${logTail(agent.logFile)}`,
  );
}
