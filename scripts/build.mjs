/** The production build in `.next`, kept in step with the sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject, root } from './project.mjs';

const folders = ['app', 'components', 'lib', 'public'];
const stamp = () => inProject('.next', 'signalbox-sources');

/**
 * The environment for Next. A foreign NODE_ENV breaks its build.
 * @param {Readonly<Record<string, string | undefined>>} [from]
 * @returns {NodeJS.ProcessEnv}
 */
export function nextEnv(from = process.env) {
  /** @type {Record<string, string | undefined>} */
  const env = { ...from, NEXT_TELEMETRY_DISABLED: '1' };
  delete env.NODE_ENV;
  return /** @type {NodeJS.ProcessEnv} */ (env);
}

/** The contents of every source of a build. A clone resets the times, so they do not count. */
function sources() {
  const hash = createHash('sha256').update(process.version);
  const add = (/** @type {string} */ path) =>
    hash.update(`\0${path}\0`).update(readFileSync(inProject(path)));
  const walk = (/** @type {string} */ folder) => {
    if (!existsSync(inProject(folder))) return;
    const entries = readdirSync(inProject(folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (!/\.test\.tsx?$/.test(entry.name)) add(path);
    }
  };
  // All files of the top folder that configure or extend the app: next.config, postcss.config, instrumentation, proxy,
  // …
  for (const name of readdirSync(root).sort())
    if (/^(package-lock\.json|tsconfig\.json|[\w.-]+\.(js|mjs|ts))$/.test(name)) {
      if (!/^(next-env\.d|vitest\.config|playwright\.config)\.ts$/.test(name)) add(name);
    }
  for (const folder of folders) walk(folder);
  return hash.digest('hex');
}

/** @returns {boolean} true when `.next` holds a build of exactly these sources */
export function buildIsCurrent() {
  return (
    existsSync(inProject('.next', 'BUILD_ID')) &&
    existsSync(stamp()) &&
    readFileSync(stamp(), 'utf8') === sources()
  );
}

export const nextCommand = () => inProject('node_modules', 'next', 'dist', 'bin', 'next');

/**
 * Runs `next build` when the sources changed since the last one. Throws what to do when it fails.
 * @param {{ crew: import('./crew.mjs').Crew, say: (line: string) => void }} options
 * @returns {Promise<void>}
 */
export async function ensureBuild({ crew, say }) {
  if (buildIsCurrent()) return;
  say(`Building (${existsSync(stamp()) ? 'the sources changed' : 'first time'}, less than a minute) …`);
  const before = sources();
  const code = await crew.run(process.execPath, [nextCommand(), 'build'], { cwd: root, env: nextEnv() });
  if (code !== 0)
    throw new Error(
      'The build failed (see above). On an unchanged clone, remove .next and node_modules and try again.',
    );
  writeFileSync(stamp(), before);
}
