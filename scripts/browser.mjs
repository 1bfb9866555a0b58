/** Browsers on this machine: checks that one starts, and installs Debian's package of one. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { onPath } from './on-path.mjs';

const run = promisify(execFile);

/**
 * True when the browser starts: some lack system libraries on a bare machine.
 * @param {string | null} path
 */
export async function starts(path) {
  if (path === null || !existsSync(path)) return false;
  return run(path, ['--version'], { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
}

/**
 * Installs a package as root on a machine with apt. Does nothing on any other.
 * @param {string} name
 * @param {{ crew: import('./crew.mjs').Crew, say: (line: string) => void, env: Readonly<Record<string, string | undefined>> }} options
 */
export async function installWithApt(name, { crew, say, env }) {
  if (process.getuid?.() !== 0 || onPath('apt-get', env) === null) return;
  say(`Installing Debian's ${name} …`);
  const apt = (/** @type {string[]} */ args) =>
    crew.run('apt-get', ['-qq', '-y', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  await apt(['update']);
  await apt(['install', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300', name]);
}
