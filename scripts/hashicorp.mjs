/** Consul from HashiCorp's release archive (https://releases.hashicorp.com/consul/). */
import { download, sha256 } from './download.mjs';
import { unzip } from './unzip.mjs';

/**
 * The newest Consul that Signalbox is tested with. For a newer one, change this line and `scripts/consul/go.mod`, and
 * run `npm test`. HashiCorp publishes the checksums beside each release. Read the release's notes first for changes to
 * KV, sessions and `consul lock`.
 */
export const pinnedVersion = '1.22.7';

/** @type {Record<string, string>} */
const architectures = { x64: 'amd64', arm64: 'arm64', ia32: '386', arm: 'arm' };
const platforms = new Set(['linux', 'darwin', 'freebsd']);

/**
 * The binary, checked against the release's SHA256SUMS. Throws when there is none for this platform, when the
 * source cannot be reached, or when the checksum differs.
 * @param {{ base?: string, platform?: string, arch?: string, progress?: (done: number, total: number | null) => void }} [options]
 *   `base`: the folder that holds a folder for each version
 * @returns {Promise<Buffer>}
 */
export async function consulRelease({
  base = 'https://releases.hashicorp.com/consul',
  platform = process.platform,
  arch = process.arch,
  progress,
} = {}) {
  const machine = architectures[arch];
  if (machine === undefined || !platforms.has(platform))
    throw new Error(`there is no release for ${platform} on ${arch}`);
  const archive = `consul_${pinnedVersion}_${platform}_${machine}.zip`;
  const folder = `${base.replace(/\/+$/, '')}/${pinnedVersion}`;
  const sums = (await download(`${folder}/consul_${pinnedVersion}_SHA256SUMS`)).toString('utf8');
  const expected = sums
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .find(([, name]) => name === archive)?.[0];
  if (expected === undefined) throw new Error(`the published checksums do not name ${archive}`);
  const bytes = await download(`${folder}/${archive}`, progress === undefined ? {} : { progress });
  if (sha256(bytes) !== expected.toLowerCase())
    throw new Error(`${archive} does not have its published checksum: it was refused`);
  return unzip(bytes, 'consul');
}
