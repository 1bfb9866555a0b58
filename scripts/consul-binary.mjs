/**
 * Finds a `consul` binary: `CONSUL_BIN`, else `consul` on the PATH, else one fetched earlier, else HashiCorp's
 * release, else Debian's package. What is fetched is kept in `.signalbox/bin` (or `SIGNALBOX_CACHE`).
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { consulFromDebian, debianPackage } from './debian.mjs';
import { consulRelease, pinnedVersion } from './hashicorp.mjs';
import { inState } from './project.mjs';

const run = promisify(execFile);

/** @typedef {Readonly<Record<string, string | undefined>>} Env */

/**
 * @typedef {object} ConsulBinary
 * @property {string} path
 * @property {string} version as `1.22.1`
 * @property {string} source where it came from, for people
 */

/**
 * @typedef {object} Search
 * @property {Env} [env] `CONSUL_BIN`, `PATH`, `SIGNALBOX_CACHE`, `SIGNALBOX_CONSUL_RELEASES` (another
 *   base address for HashiCorp's releases), `SIGNALBOX_DEBIAN_MIRROR` (instead of the one in apt's configuration)
 * @property {(line: string) => void} [say] hears of every step that takes long and of every source that is skipped
 */

/**
 * A program on the PATH.
 * @param {string} name
 * @param {Env} env
 * @returns {string | null}
 */
export function onPath(name, env) {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Not here: the next folder.
    }
  }
  return null;
}

/**
 * The version that a binary reports about itself. Throws when it does not run or is not Consul.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function consulVersion(path) {
  const { stdout } = await run(path, ['version'], { timeout: 20_000 });
  const version = /^Consul v(\d+\.\d+\.\d+)/m.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${path} does not say which Consul it is`);
  return version;
}

/** @param {unknown} error */
const sentence = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Finds the binary, and fetches it when there is none. Throws one message that says what was tried and what to do.
 * @param {Search} [search]
 * @returns {Promise<ConsulBinary>}
 */
export async function findConsul({ env = process.env, say = () => {} } = {}) {
  if (env.CONSUL_BIN) {
    const path = resolve(env.CONSUL_BIN);
    try {
      return { path, version: await consulVersion(path), source: 'CONSUL_BIN' };
    } catch (cause) {
      throw new Error(
        `CONSUL_BIN names ${path}, which does not run as Consul (${sentence(cause)}). Correct or unset it.`,
        { cause },
      );
    }
  }
  const path = onPath('consul', env);
  if (path !== null) {
    try {
      return { path, version: await consulVersion(path), source: 'the PATH' };
    } catch (error) {
      say(`Skipped ${path}: it does not run as Consul (${sentence(error)}).`);
    }
  }
  return (await cached(env)) ?? (await fetched(env, say));
}

/**
 * The folder of fetched programs. Inside the project by default, so that removing the clone removes all of it.
 * @param {Env} env
 * @returns {string}
 */
export function cacheFolder(env) {
  return resolve(env.SIGNALBOX_CACHE || inState('bin'));
}

/** The sources in the order in which they are tried, the cached ones also in the order in which they are used. */
const sources = [
  {
    file: `consul-${pinnedVersion}`,
    name: `HashiCorp's release ${pinnedVersion}`,
    /** @type {(search: { env: Env, say: (line: string) => void, dir: string }) => Promise<string>} */
    fetch: async ({ env, say, dir }) => {
      let tenth = 0;
      const binary = await consulRelease({
        ...(env.SIGNALBOX_CONSUL_RELEASES ? { base: env.SIGNALBOX_CONSUL_RELEASES } : {}),
        progress: (done, total) => {
          if (total === null || Math.floor((done / total) * 5) <= tenth) return;
          tenth = Math.floor((done / total) * 5);
          say(`  ${Math.round(done / 1e6)} of ${Math.round(total / 1e6)} MB`);
        },
      });
      writeFileSync(join(dir, 'consul'), binary);
      return join(dir, 'consul');
    },
  },
  {
    file: `consul-${debianPackage.version}`,
    name: `Debian's package ${debianPackage.version}`,
    /** @type {(search: { env: Env, say: (line: string) => void, dir: string }) => Promise<string>} */
    fetch: ({ env, dir }) => consulFromDebian({ dir, mirror: env.SIGNALBOX_DEBIAN_MIRROR || null }),
  },
];

/**
 * @param {Env} env
 * @returns {Promise<ConsulBinary | null>}
 */
async function cached(env) {
  for (const { file, name } of sources) {
    const path = join(cacheFolder(env), file);
    if (!existsSync(path)) continue;
    try {
      return { path, version: await consulVersion(path), source: name };
    } catch {
      // Damaged, or of another machine that shares the folder: fetched anew.
      rmSync(path, { force: true });
    }
  }
  return null;
}

/**
 * @param {Env} env
 * @param {(line: string) => void} say
 * @returns {Promise<ConsulBinary>}
 */
async function fetched(env, say) {
  const cache = cacheFolder(env);
  mkdirSync(cache, { recursive: true });
  removeAbandoned(cache);
  /** @type {string[]} */
  const skipped = [];
  for (const { file, name, fetch } of sources) {
    say(`No Consul here yet: fetching ${name} …`);
    const dir = mkdtempSync(join(cache, 'fetch-'));
    try {
      const path = install(await fetch({ env, say, dir }), join(cache, file));
      return { path, version: await consulVersion(path), source: name };
    } catch (error) {
      say(`Skipped ${name}: ${sentence(error)}.`);
      skipped.push(`${name}: ${sentence(error)}`);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  throw new Error(
    [
      'There is no Consul on this machine and none could be fetched:',
      ...skipped.map((line) => `  - ${line}`),
      'Install Consul (https://developer.hashicorp.com/consul/install) and try again, or set CONSUL_BIN to its binary,',
      'or set CONSUL_HTTP_ADDR to a Consul that runs elsewhere.',
    ].join('\n'),
  );
}

/**
 * Removes what a fetch that was killed has left. One that runs now is younger: the slowest gives up in minutes.
 * @param {string} cache
 */
function removeAbandoned(cache) {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (!/^fetch-|\.part$/.test(name)) continue;
    if (Date.now() - statSync(path).mtimeMs > 60 * 60_000) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Moves a program into the cache in one step: another process may be doing the same, and none may run half a file.
 * @param {string} from
 * @param {string} to
 * @returns {string} `to`
 */
function install(from, to) {
  const part = `${to}.${randomUUID()}.part`;
  copyFileSync(from, part);
  chmodSync(part, 0o755);
  renameSync(part, to);
  return to;
}
