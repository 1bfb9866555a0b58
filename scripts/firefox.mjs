/** Finds a Firefox for its smoke test: an installed one, else Debian's package. */
import { installWithApt, starts } from './browser.mjs';
import { onPath } from './on-path.mjs';

const names = ['firefox-esr', 'firefox'];

/**
 * Throws the next step when there is none and none can be installed.
 * @param {{ crew: import('./crew.mjs').Crew, say: (line: string) => void, env?: Readonly<Record<string, string | undefined>> }} options
 * @returns {Promise<string>}
 */
export async function findFirefox({ crew, say, env = process.env }) {
  const installed = () => names.map((name) => onPath(name, env)).find((path) => path !== null) ?? null;
  const path = env.SIGNALBOX_FIREFOX ?? installed();
  if (path !== null && (await starts(path))) return path;
  await installWithApt('firefox-esr', { crew, say, env });
  const fresh = installed();
  if (fresh !== null && (await starts(fresh))) return fresh;
  throw new Error('There is no Firefox that starts (on Debian: `sudo apt-get install firefox-esr`).');
}
