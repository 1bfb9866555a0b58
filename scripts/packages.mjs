/** The packages in `node_modules`, kept in step with the lockfile. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { sha256 } from './download.mjs';
import { inProject, root } from './project.mjs';

const stamp = () => inProject('node_modules', '.signalbox-lock');

/** @returns {string} what `node_modules` must have been installed from */
function wanted() {
  return sha256(readFileSync(inProject('package-lock.json')));
}

/** @returns {boolean} */
function current() {
  if (existsSync(stamp())) return readFileSync(stamp(), 'utf8') === wanted();
  // Installed by hand, because npm writes this file at the end of an install.
  const own = inProject('node_modules', '.package-lock.json');
  return existsSync(own) && statSync(own).mtimeMs >= statSync(inProject('package-lock.json')).mtimeMs;
}

/**
 * Runs `npm ci` when `node_modules` is missing or comes from another lockfile. Throws the next step when it fails.
 * @param {{ crew: import('./crew.mjs').Crew, say: (line: string) => void }} options
 * @returns {Promise<void>}
 */
export async function ensurePackages({ crew, say }) {
  if (current()) return;
  say(
    `Installing packages (${existsSync(inProject('node_modules')) ? 'the lockfile changed' : 'first time'}) …`,
  );
  // The npm above gives its own path, so that the same one runs.
  const self = process.env.npm_execpath;
  const [command, before] = self?.endsWith('.js') ? [process.execPath, [self]] : ['npm', []];
  // Tailwind and TypeScript are development packages, and the build needs them whatever the NODE_ENV.
  const code = await crew.run(command, [...before, 'ci', '--include=dev', '--no-audit', '--no-fund'], {
    cwd: root,
  });
  if (code !== 0)
    throw new Error(
      'The packages could not be installed (see above). Check the connection to the npm registry (`npm ping`) and try again.',
    );
  writeFileSync(stamp(), wanted());
}
