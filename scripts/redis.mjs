/**
 * A Redis for the tests: `REDIS_BIN` (a `redis-server`), else the one on the PATH if new enough, else Debian's package.
 * That is unpacked into the folder of fetched programs.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { unpackedFromDebian } from './debian.mjs';
import { keptFolder } from './kept.mjs';
import { endGroup, guard, leash, signalGroup } from './leash.mjs';
import { onPath } from './on-path.mjs';
import { connectResp, ReplyError } from './resp.mjs';

const run = promisify(execFile);

/** Redis 7 brings sharded channels, which Redisson's clients use in a cluster. */
const majorMin = 7;
/** Debian 12: Redis 7.0. */
const suite = 'bookworm';
/** The program is in the package of tools, which the server's only links to. The rest are its libraries. */
const packages = [
  ...['redis-server', 'redis-tools', 'liblzf1', 'libjemalloc2', 'liblua5.1-0', 'libhiredis0.14', 'lua-cjson'],
  ...['lua-bitop', 'libatomic1', 'libssl3', 'libsystemd0'],
];

/**
 * @typedef {object} Redis
 * @property {string} server path of `redis-server`
 * @property {NodeJS.ProcessEnv} env for it
 * @property {string} version as `7.0.15`
 */

/** @type {Promise<Redis> | null} */
let found = null;

/**
 * Finds a Redis that runs, and fetches one when there is none. Throws the attempts and the next step.
 * @param {{ say?: (line: string) => void, fetch?: boolean }} [options] `fetch`: false where only what is here will do
 * @returns {Promise<Redis>}
 */
export function findRedis({ say = () => {}, fetch = true } = {}) {
  found ??= find(say, fetch).catch((error) => {
    found = null;
    throw error;
  });
  return found;
}

/**
 * @param {string} server
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Redis>}
 */
async function checked(server, env) {
  const { stdout } = await run(server, ['--version'], { env, timeout: 20_000 });
  const version = /\bv=(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${server} does not say which Redis it is`);
  if (Number(version.split('.')[0]) < majorMin) throw new Error(`${server} is Redis ${version}: too old`);
  return { server, env, version };
}

/** @param {(line: string) => void} say @param {boolean} fetch */
async function find(say, fetch) {
  const plain = { ...process.env, LC_ALL: 'C' };
  if (process.env.REDIS_BIN) return checked(resolve(process.env.REDIS_BIN), plain);
  const installed = onPath('redis-server', process.env);
  const own = installed === null ? null : await checked(installed, plain).catch(() => null);
  if (own !== null) return own;
  try {
    const make = async (/** @type {string} */ dir) => {
      say("No Redis here yet: fetching Debian's package redis-server …");
      const mirror = process.env.SIGNALBOX_DEBIAN_MIRROR || null;
      const files = await unpackedFromDebian({ dir, suite, packages, mirror });
      await unpacked(files);
      return files;
    };
    return await unpacked(await keptFolder(`redis-${majorMin}-${suite}`, fetch ? make : null));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `There is no Redis for the tests and none could be fetched: ${why}.\n` +
        `Install Redis ${majorMin} or newer, or set REDIS_BIN to its redis-server.`,
      { cause },
    );
  }
}

/** @param {string} root where the packages were unpacked */
function unpacked(root) {
  const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  const libraries = ['usr/lib', 'lib'].map((folder) => join(root, folder, triplet));
  return checked(join(root, 'usr/bin/redis-server'), {
    ...process.env,
    LC_ALL: 'C',
    LD_LIBRARY_PATH: libraries.join(':'),
  });
}

/**
 * @typedef {object} RedisServer
 * @property {number} port
 * @property {string} address `127.0.0.1:<port>`
 * @property {() => string} log what it has printed so far
 * @property {(...command: (string | number | Buffer)[]) => Promise<any>} call one command on a connection that is
 *   kept, and opened again where it was lost
 * @property {() => import('./resp.mjs').Resp} connect a connection of its own, closed with the server
 * @property {() => void} pause SIGSTOP: connections stay open and nothing answers
 * @property {() => void} resume
 * @property {() => Promise<void>} kill SIGKILL; resolves when it is gone
 * @property {() => Promise<void>} start starts it again after `kill`, empty (a replica fills itself); resolves once it answers
 * @property {() => Promise<void>} stop ends it and removes its folder
 */

/**
 * Starts a server on loopback, in memory alone. Resolves once it answers.
 * @param {{ port: number, settings?: Record<string, string>, lines?: string[], sentinel?: boolean }} options `settings`: of
 *   its configuration, over the usual; `lines`: more of it, for what may stand there twice
 * @returns {Promise<RedisServer>}
 */
export async function startRedis({ port, settings = {}, lines = [], sentinel = false }) {
  const { server, env } = await findRedis();
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-redis-'));
  const all = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    loglevel: 'notice',
    ...(sentinel ? {} : { save: '""', appendonly: 'no' }),
    ...settings,
  };
  const file = join(dir, 'redis.conf');
  const text = [...Object.entries(all).map(([name, value]) => `${name} ${value}`), ...lines, ''].join('\n');
  let log = '';
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  /** @type {Set<import('./resp.mjs').Resp>} */
  const connections = new Set();
  /** @type {import('./resp.mjs').Resp | null} */
  let own = null;
  const connect = () => {
    const connection = connectResp({ port });
    connections.add(connection);
    return connection;
  };
  const call = async (/** @type {(string | number | Buffer)[]} */ ...command) => {
    if (own === null || own.closed()) own = connect();
    return own.call(...command);
  };
  const hangUp = () => {
    for (const connection of connections) connection.close();
    connections.clear();
    own = null;
  };
  const stop = async () => {
    hangUp();
    // A test's data needs no orderly end.
    if (child !== null) await endGroup(child, { graceMs: 0 });
    rmSync(dir, { recursive: true, force: true });
  };
  const start = async () => {
    writeFileSync(file, text);
    guard();
    const started = leash(
      spawn(server, [file, ...(sentinel ? ['--sentinel'] : [])], {
        env,
        cwd: dir,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream?.setEncoding('utf8').on('data', (part) => {
        log += part;
      });
    const endMs = Date.now() + 20_000;
    while (!(await answers(port))) {
      if (started.exitCode !== null || started.signalCode !== null || Date.now() > endMs) {
        await stop();
        throw new Error(`Redis did not start:\n${log}`);
      }
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  await start();
  return {
    port,
    address: `127.0.0.1:${port}`,
    log: () => log,
    call,
    connect,
    pause: () => void signalGroup(child?.pid, 'SIGSTOP'),
    resume: () => void signalGroup(child?.pid, 'SIGCONT'),
    kill: async () => {
      hangUp();
      signalGroup(child?.pid, 'SIGKILL');
      if (child !== null) await endGroup(child, { graceMs: 0 });
    },
    start,
    stop,
  };
}

/** @param {number} port whether a server answers there; one that asks for a password does */
async function answers(port) {
  const connection = connectResp({ port });
  try {
    await connection.call('PING');
    return true;
  } catch (error) {
    return error instanceof ReplyError && !/^LOADING/.test(error.message);
  } finally {
    connection.close();
  }
}
