/**
 * A Postgres for the tests: `SIGNALBOX_POSTGRES` (a folder with `initdb` and `postgres`), else one fetched earlier, else
 * Debian's package, unpacked into the folder of fetched programs. It never runs as root, because it refuses to.
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { unpackedFromDebian } from './debian.mjs';
import { keptFolder } from './kept.mjs';
import { endGroup, leash, signalGroup } from './leash.mjs';

const run = promisify(execFile);

/** Debian 12, whose packages need a C library that is old enough for today's machines. */
const suite = 'bookworm';
const major = 15;
/** The server, and libraries that a small machine may lack. The query compiler (LLVM) is not loaded. */
const packages = [
  `postgresql-${major}`,
  ...['libpq5', 'libicu72', 'libldap-2.5-0', 'libsasl2-2', 'libxml2', 'liblz4-1', 'libzstd1', 'libssl3'],
  ...['libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3', 'libkrb5support0', 'libkeyutils1', 'libcom-err2'],
];
/** The user for the server when we are root: `nobody`, on every Linux. */
const nobody = { uid: 65_534, gid: 65_534 };
const asRoot = () => process.getuid?.() === 0;

/**
 * @typedef {object} Postgres
 * @property {string} bin the folder of its programs
 * @property {NodeJS.ProcessEnv} env for its programs
 */

/**
 * @param {string} root where the packages were unpacked
 * @returns {Postgres}
 */
function unpacked(root) {
  const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  const libraries = ['usr/lib', 'lib'].map((folder) => join(root, folder, triplet));
  return {
    bin: join(root, 'usr/lib/postgresql', String(major), 'bin'),
    env: /** @type {any} */ ({
      PATH: process.env.PATH,
      LD_LIBRARY_PATH: libraries.join(':'),
      LC_ALL: 'C',
    }),
  };
}

/** @param {Postgres} postgres */
async function runs({ bin, env }) {
  const { stdout } = await run(join(bin, 'postgres'), ['--version'], {
    env,
    cwd: tmpdir(),
    timeout: 20_000,
    ...(asRoot() ? nobody : {}),
  });
  if (!/^postgres \(PostgreSQL\) \d+/.test(stdout)) throw new Error(`${bin} holds no Postgres`);
}

/** @type {Promise<Postgres> | null} */
let found = null;

/**
 * Finds a Postgres that runs, and fetches one when there is none. Throws the attempts and the next step.
 * @param {{ say?: (line: string) => void }} [options]
 * @returns {Promise<Postgres>}
 */
export function findPostgres({ say = () => {} } = {}) {
  found ??= find(say).catch((error) => {
    found = null;
    throw error;
  });
  return found;
}

/** @param {(line: string) => void} say */
async function find(say) {
  if (process.env.SIGNALBOX_POSTGRES) {
    const given = {
      bin: resolve(process.env.SIGNALBOX_POSTGRES),
      env: /** @type {any} */ ({ PATH: process.env.PATH, LC_ALL: 'C' }),
    };
    await runs(given);
    return given;
  }
  try {
    const root = await keptFolder(`postgres-${major}-${suite}`, async (dir) => {
      say(`No Postgres here yet: fetching Debian's package postgresql-${major} …`);
      const mirror = process.env.SIGNALBOX_DEBIAN_MIRROR || null;
      const files = await unpackedFromDebian({ dir, suite, packages, mirror });
      await runsOrMoved(files);
      return files;
    });
    return await reachable(root);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `There is no Postgres for the tests and none could be fetched: ${why}.\n` +
        'Install Postgres 13 or newer and set SIGNALBOX_POSTGRES to the folder of its initdb.',
      { cause },
    );
  }
}

/** @param {string} files */
async function runsOrMoved(files) {
  const moved = await reachable(files);
  if (moved.bin !== unpacked(files).bin) rmSync(resolve(moved.bin, '../../../../..'), { recursive: true });
}

/**
 * The programs in a place that their user can reach. A checkout in root's home is closed to all others, so they are
 * copied to the folder for temporary files.
 * @param {string} root
 * @returns {Promise<Postgres>}
 */
async function reachable(root) {
  const here = unpacked(root);
  try {
    await runs(here);
    return here;
  } catch (error) {
    if (!asRoot() || /** @type {NodeJS.ErrnoException} */ (error).code !== 'EACCES') throw error;
  }
  const copy = mkdtempSync(join(tmpdir(), 'signalbox-postgres-programs-'));
  chmodSync(copy, 0o755);
  cpSync(root, copy, { recursive: true });
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  const there = unpacked(copy);
  await runs(there);
  return there;
}

/**
 * @typedef {object} PostgresServer
 * @property {number} port
 * @property {(database: string) => string} url
 * @property {() => string} log what it has printed so far
 * @property {() => Promise<void>} kill SIGKILL, to all of its processes; resolves when they are gone
 * @property {() => Promise<void>} start starts it again after `kill`, on its data; resolves once it answers
 * @property {(port: number) => Promise<PostgresServer>} standby another server on a copy of the data, which follows this one from
 *   then on; this one is stopped for a moment, and then confirms no commit before the other one has it, too
 * @property {() => Promise<void>} promote makes a standby a server of its own; resolves once it takes writes
 * @property {() => Promise<void>} stop ends it and removes its data
 */

/** Makes a database folder with its owner. */
function makeFolder() {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-postgres-'));
  if (asRoot()) chownSync(dir, nobody.uid, nobody.gid);
  return dir;
}

/**
 * Makes a database folder and starts a server on it, on loopback, without passwords.
 * @param {{ port: number, settings?: Record<string, string> }} options
 * @returns {Promise<PostgresServer>} once it answers
 */
export async function startPostgres({ port, settings = {} }) {
  const { bin, env } = await findPostgres();
  const dir = makeFolder();
  await run(
    join(bin, 'initdb'),
    ['-D', join(dir, 'data'), '-U', 'signalbox', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { env, cwd: dir, ...(asRoot() ? nobody : {}) },
  );
  return serve(dir, { port, settings });
}

/**
 * Starts a server on the data in this folder.
 * @param {string} dir
 * @param {{ port: number, settings: Record<string, string> }} options
 * @returns {Promise<PostgresServer>}
 */
async function serve(dir, { port, settings }) {
  const { bin, env } = await findPostgres();
  const data = join(dir, 'data');
  const options = { env, cwd: dir, ...(asRoot() ? nobody : {}) };
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    shared_buffers: '32MB',
    ...settings,
  };
  const configure = (/** @type {Record<string, string>} */ values) => {
    const lines = Object.entries(values).map(([name, value]) => `${name} = '${value}'\n`);
    writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
  };
  configure(all);
  let log = '';
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  const end = async (/** @type {NodeJS.Signals} */ signal) => {
    signalGroup(child?.pid, 'SIGCONT');
    signalGroup(child?.pid, signal);
    if (child !== null) await endGroup(child, { graceMs: 5_000 });
  };
  const stop = async () => {
    // SIGQUIT ends it at once, because a test's data needs no orderly end.
    await end('SIGQUIT');
    rmSync(dir, { recursive: true, force: true });
  };
  const start = async () => {
    const from = log.length;
    const started = leash(
      spawn(join(bin, 'postgres'), ['-D', data], {
        ...options,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        log += text;
      });
    const endMs = Date.now() + 30_000;
    while (!/ready to accept (read-only )?connections/.test(log.slice(from))) {
      if (started.exitCode !== null || Date.now() > endMs) {
        await stop();
        throw new Error(`Postgres did not start:\n${log}`);
      }
      await new Promise((done) => setTimeout(done, 25));
    }
  };
  await start();
  return {
    port,
    url: (database) => `postgres://signalbox@127.0.0.1:${port}/${database}`,
    log: () => log,
    kill: () => end('SIGKILL'),
    start,
    standby: async (other) => {
      // An orderly end, so that the copy is whole.
      await end('SIGINT');
      const copy = makeFolder();
      cpSync(data, join(copy, 'data'), { recursive: true, preserveTimestamps: true });
      writeFileSync(join(copy, 'data', 'standby.signal'), '');
      if (asRoot()) await run('chown', ['-R', `${nobody.uid}:${nobody.gid}`, copy]);
      // Each commit is confirmed only when both servers have it.
      configure({ ...all, synchronous_standby_names: '*' });
      await start();
      return serve(copy, {
        port: other,
        settings: { ...settings, primary_conninfo: `host=127.0.0.1 port=${port} user=signalbox` },
      });
    },
    promote: async () => {
      await run(join(bin, 'pg_ctl'), ['promote', '-D', data, '-w'], options);
    },
    stop,
  };
}
