/** Chooses the Consul: the given one, else the one that answers at the usual place, else our own. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { ask, withoutConsul } from './agent.mjs';
import { startEmbedded } from './embedded.mjs';

const usual = { host: '127.0.0.1', port: 8500 };
/** An agent on this machine answers at once, and a longer wait would delay every first start. */
const usualMs = 300;

/**
 * @typedef {object} Choice
 * @property {'given' | 'found' | 'embedded'} kind
 * @property {string} where for people
 * @property {NodeJS.ProcessEnv} env for the programs that speak to it
 * @property {boolean} demo true: another Signalbox runs the demo world there already
 * @property {import('./agent.mjs').Agent | null} agent the embedded one, when it is ours
 * @property {Promise<void>} ready as of `Embedded`; at once for one that is not ours
 */

/**
 * True when something accepts connections there.
 * @param {import('node:net').NetConnectOpts} where
 * @param {number} timeoutMs
 * @returns {Promise<boolean>}
 */
function accepts(where, timeoutMs) {
  return new Promise((resolve) => {
    const socket = connect(where);
    const done = (/** @type {boolean} */ answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/**
 * The endpoint of the `consul` command for this address.
 * @param {string} address as in CONSUL_HTTP_ADDR
 * @returns {import('node:net').NetConnectOpts | null} null when it is not an address
 */
export function endpoint(address) {
  if (address.startsWith('unix://')) return { path: address.slice('unix://'.length) };
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(address) ? address : `http://${address}`);
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
  } catch {
    return null;
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<boolean>} true when a Consul agent answers at the usual place
 */
async function answersAtUsualPlace(env) {
  // With TLS the answer cannot be read without the certificates, so an open port must do.
  if (/^(1|t|true)$/i.test(env.CONSUL_HTTP_SSL ?? '')) return accepts(usual, usualMs);
  const leader = await ask(`${usual.host}:${usual.port}`, '/v1/status/leader', { timeoutMs: usualMs });
  return typeof leader === 'string';
}

/**
 * The addresses of SIGNALBOX_SOURCES and of the file in SIGNALBOX_SOURCES_FILE, as `lib/server/process/source-list.ts`
 * reads them. An unreadable file counts as empty, because the console ends with a sentence about it.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {readonly string[] | null} `null`: neither is set
 */
export function namedSources({ SIGNALBOX_SOURCES: words = '', SIGNALBOX_SOURCES_FILE: path = '' }) {
  let lines = '';
  try {
    if (path !== '') lines = readFileSync(path, 'utf8').replace(/(^|\s)#.*$/gm, '');
  } catch {}
  const named = `${words} ${lines}`.split(/\s+/).filter(Boolean);
  return path === '' && named.length === 0 ? null : named;
}

/**
 * True when the sources leave `CONSUL_HTTP_ADDR` out, so that no agent need be found or started.
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export const namesOthersOnly = (env) =>
  namedSources(env)?.every((address) => !/^consul:\/\/\/?(\?|$)/.test(address)) ?? false;

/**
 * Chooses, and starts the embedded agent if necessary.
 * @param {{ env: NodeJS.ProcessEnv, demo: boolean | null, crew: import('./crew.mjs').Crew, say: (line: string) => void }} options
 *   `demo`: whether the demo world was asked for; `null` = by default
 * @returns {Promise<Choice>}
 */
export async function chooseConsul({ env, demo, crew, say }) {
  if (namesOthersOnly(env))
    return {
      kind: 'given',
      where: `as ${env.SIGNALBOX_SOURCES_FILE ? 'SIGNALBOX_SOURCES_FILE' : 'SIGNALBOX_SOURCES'} says`,
      env,
      demo: false,
      agent: null,
      ready: Promise.resolve(),
    };
  const given = env.CONSUL_HTTP_ADDR?.trim();
  if (given) {
    const where = endpoint(given);
    if (where === null)
      throw new Error(
        `CONSUL_HTTP_ADDR is not an address: ${given}\nWrite host:port, http(s)://host:port or unix:///path, or unset it.`,
      );
    if (!(await accepts(where, 2_000)))
      say(
        `Nothing answers at ${given} (CONSUL_HTTP_ADDR) right now: the page will show it as soon as it does.`,
      );
    return { kind: 'given', where: given, env, demo: false, agent: null, ready: Promise.resolve() };
  }
  if (await answersAtUsualPlace(env))
    return {
      kind: 'found',
      where: `${usual.host}:${usual.port}`,
      env: { ...env, CONSUL_HTTP_ADDR: `${usual.host}:${usual.port}` },
      demo: false,
      agent: null,
      ready: Promise.resolve(),
    };
  const embedded = await startEmbedded({ crew, say, demo: demo ?? true });
  return {
    kind: 'embedded',
    where: embedded.address,
    // Tokens and certificates belong to some other Consul.
    env: { ...withoutConsul(env), CONSUL_HTTP_ADDR: embedded.address },
    demo: !embedded.owned && embedded.demo,
    agent: embedded.agent,
    ready: embedded.ready,
  };
}
