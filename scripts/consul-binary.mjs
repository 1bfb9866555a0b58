/**
 * Finds a `consul` binary: `CONSUL_BIN`, else `consul` on the PATH, else one fetched earlier, else HashiCorp's release,
 * else Debian's package. Fetched ones are kept in `.signalbox/bin` (or `SIGNALBOX_CACHE`).
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
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
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { consulFromModule } from './consul-module.mjs';
import { consulFromDebian, debianPackage } from './debian.mjs';
import { consulRelease, pinnedVersion } from './hashicorp.mjs';
import { onPath } from './on-path.mjs';
import { inState } from './project.mjs';

const run = promisify(execFile);

/** @typedef {Readonly<Record<string, string | undefined>>} Env */

/**
 * @typedef {object} ConsulBinary
 * @property {string} path
 * @property {string} version as `1.22.7`, or `2.1.0-dev`
 * @property {string} source where it came from, for people
 */

/**
 * @typedef {object} Search
 * @property {Env} [env] `CONSUL_BIN`, `PATH`, `SIGNALBOX_CACHE`, `SIGNALBOX_CONSUL_RELEASES` (another
 *   base address for HashiCorp's releases), `SIGNALBOX_DEBIAN_MIRROR` (instead of the one in apt's configuration)
 * @property {(line: string) => void} [say] hears of every step that takes long and of every source that is skipped
 */

/**
 * The version that a binary reports about itself. Throws when it does not run or is not Consul.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function consulVersion(path) {
  const { stdout } = await run(path, ['version'], { timeout: 20_000 });
  const version = /^Consul v(\d+\.\d+\.\d+(?:-[\w.]+)?)/m.exec(stdout)?.[1];
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
  const given = (await named(env)) ?? (await installed({ env, say }));
  if (given !== null) return given;
  const { release, module, debian } = sources;
  // A binary that the tests built is used, but never built here, which would delay a first start by eight minutes.
  const kept = await cached([release, module, debian], env);
  if (kept !== null) return kept;
  /** @type {string[]} */
  const skipped = [];
  const found = await fetched([release, debian], { env, say, skipped });
  if (found !== null) return found;
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
 * The binary that `CONSUL_BIN` names; `null` when it names none. Throws when it names one that is no Consul.
 * @param {Env} env
 * @returns {Promise<ConsulBinary | null>}
 */
export async function named(env) {
  if (!env.CONSUL_BIN) return null;
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

/**
 * The `consul` on the PATH; `null` when there is none that runs.
 * @param {Required<Search>} search
 * @returns {Promise<ConsulBinary | null>}
 */
export async function installed({ env, say }) {
  const path = onPath('consul', env);
  if (path === null) return null;
  try {
    return { path, version: await consulVersion(path), source: 'the PATH' };
  } catch (error) {
    say(`Skipped ${path}: it does not run as Consul (${sentence(error)}).`);
    return null;
  }
}

/**
 * The folder of fetched programs, inside the project by default, so that a removed clone leaves nothing.
 * @param {Env} env
 * @returns {string}
 */
export function cacheFolder(env) {
  return resolve(env.SIGNALBOX_CACHE || inState('bin'));
}

/**
 * @typedef {object} Source
 * @property {string} file its name in the cache
 * @property {string} name for people
 * @property {(search: { env: Env, say: (line: string) => void, dir: string }) => Promise<string>} fetch the path of the
 *   binary inside `dir`, an empty folder
 */

/** @satisfies {Record<string, Source>} */
export const sources = {
  release: {
    file: `consul-${pinnedVersion}`,
    name: `HashiCorp's release ${pinnedVersion}`,
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
  module: {
    file: `consul-${pinnedVersion}-module`,
    name: `its Go module ${pinnedVersion}`,
    fetch: ({ env, say, dir }) => {
      say('  A first build takes some eight minutes on two cores.');
      return consulFromModule({ dir, env });
    },
  },
  debian: {
    file: `consul-${debianPackage.version}`,
    name: `Debian's package ${debianPackage.version}`,
    fetch: ({ env, dir }) => consulFromDebian({ dir, mirror: env.SIGNALBOX_DEBIAN_MIRROR || null }),
  },
};

/**
 * The first of these sources that was fetched earlier.
 * @param {Source[]} from
 * @param {Env} env
 * @returns {Promise<ConsulBinary | null>}
 */
export async function cached(from, env) {
  for (const { file, name } of from) {
    const path = join(cacheFolder(env), file);
    if (!existsSync(path)) continue;
    try {
      return { path, version: await consulVersion(path), source: name };
    } catch {
      // Damaged, or of another machine that shares the folder, so it is fetched again.
      rmSync(path, { force: true });
    }
  }
  return null;
}

/**
 * Fetches from the first of these sources that has it; `null` when none does, with the reasons in `skipped`.
 * @param {Source[]} from
 * @param {Required<Search> & { skipped: string[] }} search
 * @returns {Promise<ConsulBinary | null>}
 */
export async function fetched(from, { env, say, skipped }) {
  const cache = cacheFolder(env);
  mkdirSync(cache, { recursive: true });
  removeAbandoned(cache);
  for (const { file, name, fetch } of from) {
    say(`Fetching Consul from ${name} …`);
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
  return null;
}

/**
 * Removes the remains of killed fetches. A fetch under way is younger, because the slowest gives up in minutes.
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
 * Moves a program into the cache in one step, because another process may do the same, and none may run half a file.
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
