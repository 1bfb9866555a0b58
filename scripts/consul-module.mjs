/** Consul built from its own Go module, for tests on machines with Go that cannot reach HashiCorp's releases. */
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pinnedVersion } from './hashicorp.mjs';
import { onPath } from './on-path.mjs';
import { inProject } from './project.mjs';

const run = promisify(execFile);
/** The version in `scripts/consul/go.mod`. */
const goNeeds = { major: 1, minor: 26 };
/** A cold build takes some eight minutes on two cores. */
const buildMsMax = 45 * 60_000;

/**
 * Builds the pinned Consul. Go checks every module against `scripts/consul/go.sum`. Throws a readable sentence when
 * there is no such Go, or the build fails.
 * @param {{ dir: string, env: Readonly<Record<string, string | undefined>> }} options `dir`: an empty folder of our own
 * @returns {Promise<string>} the path of the binary inside `dir`
 */
export async function consulFromModule({ dir, env }) {
  const go = onPath('go', env);
  if (go === null) throw new Error('this machine has no Go');
  const environment = {
    ...process.env,
    ...env,
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-mod=readonly',
    CGO_ENABLED: '0',
  };
  const { stdout } = await run(go, ['env', 'GOVERSION'], { env: environment, timeout: 20_000 });
  const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  if (major < goNeeds.major || (major === goNeeds.major && minor < goNeeds.minor))
    throw new Error(`it needs Go ${goNeeds.major}.${goNeeds.minor}, and this is ${stdout.trim()}`);
  cpSync(inProject('scripts', 'consul'), dir, { recursive: true });
  const binary = join(dir, `consul-${pinnedVersion}`);
  await run(go, ['build', '-trimpath', '-o', binary, 'github.com/hashicorp/consul'], {
    cwd: dir,
    env: environment,
    timeout: buildMsMax,
    maxBuffer: 16 * 1024 * 1024,
  }).catch((cause) => {
    const last = String(cause.stderr ?? '')
      .trim()
      .split('\n')
      .at(-1);
    throw new Error(`go build failed: ${last || cause.message}`, { cause });
  });
  return binary;
}
