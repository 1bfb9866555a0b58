/** Finds a `consul` binary. */
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * @typedef {object} ConsulBinary
 * @property {string} path
 * @property {string} version as `1.22.1`
 * @property {string} source where it came from, for people
 */

/**
 * A program on the PATH.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
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
  if (version === undefined) throw new Error(`${path} does not say which Consul it is.`);
  return version;
}

/**
 * @param {{ env?: NodeJS.ProcessEnv, say?: (line: string) => void }} [options]
 * @returns {Promise<ConsulBinary>}
 */
export async function findConsul({ env = process.env } = {}) {
  if (env.CONSUL_BIN)
    return { path: env.CONSUL_BIN, version: await consulVersion(env.CONSUL_BIN), source: 'CONSUL_BIN' };
  const path = onPath('consul', env);
  if (path !== null) return { path, version: await consulVersion(path), source: 'the PATH' };
  throw new Error('No consul binary: install Consul, or set CONSUL_BIN to one.');
}
