/** Runs a TypeScript program of this project: benches, chaos, fuzz. */
import { withoutConsul } from './agent.mjs';
import { ensureBuild, nextEnv } from './build.mjs';
import { bundle } from './bundle.mjs';
import { findVersions } from './consul-versions.mjs';
import { createCrew, endOnSignals } from './crew.mjs';
import { ensurePackages } from './packages.mjs';
import { inState } from './project.mjs';

/**
 * The things that a program finds: packages, the newest available Consul, the production build unless it needs none,
 * and its own file.
 * @typedef {object} Ready
 * @property {import('./crew.mjs').Crew} crew
 * @property {(text: string) => void} say
 * @property {import('./consul-binary.mjs').ConsulBinary} consul
 * @property {string} folder of the file, for whatever it writes
 * @property {string} program path of the file
 * @property {NodeJS.ProcessEnv} env without the caller's Consul; the binary is in `CONSUL_BIN`, its version in `SIGNALBOX_BENCH_CONSUL`
 */

/**
 * Packages with a native part, or that look for their own files; and scripts, which find the project from their own
 * place.
 */
const external = [
  'libsql',
  '@redis/client',
  'pg',
  'kysely',
  '@playwright/test',
  'playwright-core',
  /^\/.*\/scripts\/[^/]+\.mjs$/,
];

/**
 * Makes everything ready, bundles `entry` into `.signalbox/<name>`, and lets `run` run it. Its answer is the exit code
 * of this process, after everything that it started has ended.
 * @param {{ name: string, entry: string, build?: boolean, run: (ready: Ready) => Promise<number | null> }} options
 *   `build`: false where the program needs no production build
 * @returns {Promise<void>}
 */
export async function runProgram({ name, entry, build = true, run }) {
  const crew = createCrew();
  endOnSignals(crew);
  const say = (/** @type {string} */ text) => console.log(text);
  await ensurePackages({ crew, say });
  const { main: consul } = await findVersions({ say });
  if (build) await ensureBuild({ crew, say });
  const folder = await bundle({ entries: { main: entry }, outDir: inState(name), external });
  const env = {
    ...nextEnv(withoutConsul(process.env)),
    CONSUL_BIN: consul.path,
    SIGNALBOX_BENCH_CONSUL: consul.version,
  };
  process.exitCode = (await run({ crew, say, consul, folder, program: `${folder}/main.mjs`, env })) ?? 1;
  await crew.end();
}
