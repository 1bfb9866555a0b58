/** The console's own server (`server.js`) on one address. */
import { get } from 'node:http';
import { nextEnv } from './build.mjs';
import { isFree, nextFree } from './ports.mjs';
import { inProject, inState, root } from './project.mjs';

/**
 * The address to listen on, from `HOST` (default loopback) and `PORT` (default 3000 and up). Throws when the requested
 * port is taken or invalid, or when the host is not of this machine.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Promise<{ host: string, port: number }>}
 */
export async function chooseAddress(env) {
  const host = env.HOST || '127.0.0.1';
  try {
    return await choosePort(env, host);
  } catch (cause) {
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (cause);
    // An unknown name, an address of another machine, or a family (IPv6) that this one lacks.
    if (!/^(ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/.test(code)) throw cause;
    throw new Error(
      `HOST names ${host}, where this machine cannot listen. Unset HOST, or set HOST=127.0.0.1.`,
      { cause },
    );
  }
}

/**
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {string} host
 * @returns {Promise<{ host: string, port: number }>}
 */
async function choosePort(env, host) {
  if (env.PORT) {
    const port = Number(env.PORT);
    if (!/^\d+$/.test(env.PORT) || port < 1 || port > 65_535)
      throw new Error(`PORT must be a number from 1 to 65535, not ${env.PORT}.`);
    if (!(await isFree(port, host)))
      throw new Error(
        `Port ${port} on ${host} is taken (PORT). Choose another one, or unset PORT to take the next free one.`,
      );
    return { host, port };
  }
  const port = await nextFree(3000, host);
  if (port === null)
    throw new Error(`No port from 3000 to 3099 is free on ${host}. Set PORT to one that is.`);
  return { host, port };
}

/**
 * The address for a browser on this machine.
 * @param {{ host: string, port: number }} address
 * @returns {string} without a slash at the end
 */
export function urlOf({ host, port }) {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Keeps the server's process small (docs/decisions/0032). Node keeps the memory that it once took for young objects,
 * twice 16 MB. glibc keeps that of large answers, unless it has a size from which to return it.
 */
const lean = {
  flags: ['--max-semi-space-size=8'],
  env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '262144' },
};

/**
 * Starts the server, leashed through the crew. Memory settings in `env` precede those set here.
 * @param {{ crew: import('./crew.mjs').Crew, mode: 'start' | 'dev', host: string, port: number,
 *   env: Readonly<Record<string, string | undefined>>, folder?: string,
 *   stdio?: import('node:child_process').StdioOptions }} options
 *   `env`: all of it, so that nothing meant for another Consul slips in. `folder`: what holds `.next`, if not the project
 * @returns {import('node:child_process').ChildProcess}
 */
export function startConsole({
  crew,
  mode,
  host,
  port,
  env,
  folder = root,
  stdio = ['ignore', 'inherit', 'inherit'],
}) {
  // Development runs a compiler in this process, which needs more.
  const { flags, env: given } = mode === 'start' ? lean : { flags: [], env: {} };
  return crew.start(
    process.execPath,
    [...flags, inProject('server.js'), ...(mode === 'dev' ? ['--dev'] : [])],
    {
      cwd: folder,
      env: nextEnv({ SIGNALBOX_DATA: inState('data'), ...given, ...env, HOSTNAME: host, PORT: String(port) }),
      stdio,
    },
  );
}

/**
 * @param {string} url
 * @param {number} timeoutMs
 * @returns {Promise<number | null>} the status, or null when there was no answer
 */
function status(url, timeoutMs) {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.complete ? (response.statusCode ?? null) : null));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
  });
}

/**
 * Waits until the page itself answers. Throws when the server exits, or when the time is over.
 * @param {{ url: string, server: import('node:child_process').ChildProcess, timeoutMs?: number }} options
 * @returns {Promise<void>}
 */
export async function whenAnswering({ url, server, timeoutMs = 120_000 }) {
  const until = Date.now() + timeoutMs;
  let last = 'no answer';
  while (Date.now() < until) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error('The console ended before it could answer (see above).');
    const code = await status(url, 30_000);
    if (code !== null && code < 400) return;
    if (code !== null) last = `status ${code}`;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The console did not answer at ${url} within ${timeoutMs / 1000} s (${last}).`);
}
