/**
 * Programs from Debian's packages, without root and without touching the machine's package state. apt runs with private
 * state folders, and packages are unpacked, not installed.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { sha256 } from './download.mjs';

const run = promisify(execFile);

export const debianPackage = {
  name: 'consul',
  version: '1.8.7+dfsg1-2+b3',
  suite: 'bullseye',
  arch: 'amd64',
  sha256: 'e4e888bba104daba1d9161f49bfc52649a7e4efd45b1a7ead5bc54f2cb9c89d9',
};
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * The base address of a Debian mirror in what `apt-get update --print-uris` prints: `'<address>' <file> …` a line.
 * A machine that only knows Ubuntu's gets the same host's `/debian/`, which many mirrors have.
 * @param {string} text
 * @returns {string | null}
 */
export function mirrorIn(text) {
  const addresses = [...text.matchAll(/^'([^']+)'/gm)].map(([, address]) => address ?? '');
  const base = (/** @type {RegExp} */ pattern) =>
    addresses.map((address) => pattern.exec(address)?.[1]).find((found) => found !== undefined) ?? null;
  const debian = base(/^(\S*?\/debian\/)/);
  if (debian !== null) return debian;
  return base(/^(\S*?\/)ubuntu\//)?.concat('debian/') ?? null;
}

/**
 * The configuration that keeps apt inside `dir`. The machine's own `Acquire::` settings stay, with proxies and
 * certificates.
 * @param {{ dir: string, acquire: string, user: string }} options
 * @returns {string}
 */
function privateConfig({ dir, acquire, user }) {
  return [
    ...acquire.split('\n').filter((line) => line.startsWith('Acquire::')),
    `Dir::Etc::sourcelist "${dir}/sources.list";`,
    `Dir::Etc::sourceparts "${dir}/parts";`,
    `Dir::Etc::preferences "${dir}/none";`,
    `Dir::Etc::preferencesparts "${dir}/parts";`,
    `Dir::State "${dir}/state";`,
    `Dir::State::status "${dir}/state/status";`,
    `Dir::Cache "${dir}/cache";`,
    `Dir::Log "${dir}/log";`,
    `APT::Sandbox::User "${user}";`,
    'APT::Update::Post-Invoke "";',
    // By default apt counts an update from an unreachable mirror as done.
    'APT::Update::Error-Mode "any";',
    'Acquire::Languages "none";',
    'Acquire::http::Timeout "8";',
    'Acquire::https::Timeout "8";',
    'Acquire::Retries "1";',
    // The suite is old and no longer refreshed, and the package's own checksum is pinned.
    'Acquire::Check-Valid-Until "false";',
    '',
  ].join('\n');
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<string>}
 */
async function output(command, args, { cwd, env = process.env } = {}) {
  try {
    const { stdout } = await run(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 180_000,
      maxBuffer: 16 * 1024 * 1024,
    });
    return stdout;
  } catch (cause) {
    const { stderr = '', message } = /** @type {Error & { stderr?: string }} */ (cause);
    // The first error is the cause, and the last one only says that there was one.
    const first =
      stderr
        .split('\n')
        .find((line) => line.startsWith('E:'))
        ?.slice(2) ?? message;
    const action = args.find((arg) => !arg.startsWith('-')) ?? '';
    throw new Error(`${command} ${action} failed: ${first.trim()}`, { cause });
  }
}

/**
 * An apt of our own inside `dir`, with the lists of one suite. Throws a sentence for people when this is no such machine.
 * @param {{ dir: string, suite: string, machine: string, mirror: string | null, pinned: boolean }} options
 *   `mirror`: instead of the one in apt's configuration; `pinned`: a checksum vouches for what is fetched, so that
 *   Debian's keys need not be there
 * @returns {Promise<(packages: string[]) => Promise<string[]>>} downloads packages; their files inside `dir`
 */
async function aptIn({ dir, suite, machine, mirror, pinned }) {
  const acquire = await output('apt-config', ['dump']).catch((cause) => {
    throw new Error('this machine has no apt', { cause });
  });
  const base = mirror ?? mirrorIn(await output('apt-get', ['update', '--print-uris']));
  if (base === null)
    throw new Error("apt's configuration names no Debian mirror (set SIGNALBOX_DEBIAN_MIRROR)");
  if (!pinned && !existsSync(keyring))
    throw new Error(`Debian's keys are not on this machine (package debian-archive-keyring, ${keyring})`);

  for (const folder of ['parts', 'state/lists/partial', 'cache/archives/partial', 'log', 'package'])
    mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, 'state/status'), '');
  // Without Debian's keys (on Ubuntu) the pinned checksum alone vouches for the package.
  const trust = existsSync(keyring) ? `signed-by=${keyring}` : 'trusted=yes';
  writeFileSync(join(dir, 'sources.list'), `deb [${trust} arch=${machine}] ${base} ${suite} main\n`);
  writeFileSync(join(dir, 'apt.conf'), privateConfig({ dir, acquire, user: userInfo().username }));

  const env = { ...process.env, APT_CONFIG: join(dir, 'apt.conf') };
  await output('apt-get', ['-qq', 'update'], { env });
  return async (packages) => {
    const folder = join(dir, 'package');
    await output('apt-get', ['-qq', 'download', ...packages], { env, cwd: folder });
    const files = readdirSync(folder).filter((entry) => entry.endsWith('.deb'));
    if (files.length < packages.length) throw new Error('apt downloaded too few packages');
    return files.map((file) => join(folder, file));
  };
}

/**
 * Fetches Consul and unpacks it inside `dir`. Throws a sentence for people when this is no such machine or the mirror
 * has it not.
 * @param {{ dir: string, mirror?: string | null, platform?: string, arch?: string }} options
 *   `dir`: an empty folder of our own; `mirror`: instead of the one in apt's configuration
 * @returns {Promise<string>} the path of the binary inside `dir`
 */
export async function consulFromDebian({
  dir,
  mirror = null,
  platform = process.platform,
  arch = process.arch,
}) {
  if (platform !== 'linux' || arch !== 'x64') throw new Error(`not for ${platform} on ${arch}`);
  return join(await pinnedFromDebian({ dir, mirror, wanted: debianPackage }), 'usr/bin/consul');
}

/**
 * Fetches one package whose checksum is pinned, and unpacks it inside `dir`.
 * @param {{ dir: string, mirror: string | null, wanted: { name: string, version: string, suite: string, arch: string, sha256: string } }} options
 *   `dir`: an empty folder of our own
 * @returns {Promise<string>} the folder inside `dir`
 */
export async function pinnedFromDebian({ dir, mirror, wanted: { name, version, suite, arch, ...pinned } }) {
  // Packages for all machines are in the lists of each.
  const machine = arch === 'all' ? 'amd64' : arch;
  const download = await aptIn({ dir, suite, machine, mirror, pinned: true });
  const [path = ''] = await download([`${arch === 'all' ? name : `${name}:${arch}`}=${version}`]);
  if (sha256(readFileSync(path)) !== pinned.sha256)
    throw new Error(`${basename(path)} does not have the pinned checksum: it was refused`);
  await output('dpkg-deb', ['-x', path, join(dir, 'files')]);
  return join(dir, 'files');
}

/**
 * Fetches packages of a suite that still moves, and unpacks them all into one folder. Debian's signature vouches for
 * them, not a pinned checksum.
 * @param {{ dir: string, suite: string, packages: string[], mirror: string | null }} options `dir`: an empty folder
 * @returns {Promise<string>} the folder inside `dir`
 */
export async function unpackedFromDebian({ dir, suite, packages, mirror }) {
  const machine = { x64: 'amd64', arm64: 'arm64' }[/** @type {string} */ (process.arch)];
  if (process.platform !== 'linux' || machine === undefined)
    throw new Error(`not for ${process.platform} on ${process.arch}`);
  const download = await aptIn({ dir, suite, machine, mirror, pinned: false });
  for (const file of await download(packages.map((name) => `${name}:${machine}`)))
    await output('dpkg-deb', ['-x', file, join(dir, 'files')]);
  return join(dir, 'files');
}
