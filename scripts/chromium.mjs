/** Finds a Chromium: an installed one, else Playwright's own, else Debian's package, of which the tests prefer the shell. */
import { existsSync } from 'node:fs';
import { installWithApt, starts } from './browser.mjs';
import { onPath } from './on-path.mjs';
import { inProject, root } from './project.mjs';

/** Chromium without a window system, which the tests prefer (decision 78). */
const shells = ['chromium-headless-shell', 'chrome-headless-shell'];
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const macApps = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * The browsers that are installed on this machine, the preferred one first. `SIGNALBOX_CHROMIUM` names one outright.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {{ shell?: boolean }} [options] `shell`: a headless shell comes first
 * @returns {string[]}
 */
function allInstalled(env, { shell = false } = {}) {
  if (env.SIGNALBOX_CHROMIUM) return [env.SIGNALBOX_CHROMIUM];
  const onThePath = (shell ? [...shells, ...names] : names).flatMap((name) => onPath(name, env) ?? []);
  return [...onThePath, ...(process.platform === 'darwin' ? macApps.filter((path) => existsSync(path)) : [])];
}

/**
 * The preferred one of them; `null`: there is none.
 * @type {(...asked: Parameters<typeof allInstalled>) => string | null}
 */
export const installedChromium = (env, options) => allInstalled(env, options)[0] ?? null;

/** @returns {Promise<string>} where Playwright keeps, or would keep, its own browser */
async function playwrightsOwn() {
  const { chromium } = await import('@playwright/test');
  return chromium.executablePath();
}

/**
 * Finds a browser that starts, and installs one when there is none. Throws the next step when that is impossible.
 * @param {{ crew: import('./crew.mjs').Crew, say: (line: string) => void, env?: Readonly<Record<string, string | undefined>>, shell?: boolean }} options
 *   `shell`: a headless shell will do, and is preferred
 * @returns {Promise<string>}
 */
export async function findChromium({ crew, say, env = process.env, shell = false }) {
  for (const installed of allInstalled(env, { shell })) if (await starts(installed)) return installed;
  const own = await playwrightsOwn();
  if (await starts(own)) return own;
  const withApt = async (/** @type {string} */ name) => {
    await installWithApt(name, { crew, say, env });
    const path = onPath(name, env);
    return path !== null && (await starts(path)) ? path : null;
  };
  // Older releases of Debian lack it.
  const ofDebian = shell ? await withApt('chromium-headless-shell') : null;
  if (ofDebian !== null) return ofDebian;

  if (!existsSync(own)) {
    say("No Chromium here yet: fetching Playwright's …");
    const cli = inProject('node_modules', '@playwright', 'test', 'cli.js');
    await crew.run(process.execPath, [cli, 'install', 'chromium', '--no-shell'], {
      cwd: root,
      env: { ...process.env, PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '8000' },
    });
    if (await starts(own)) return own;
    say("Skipped Playwright's: it could not be fetched, or lacks libraries on this machine.");
  }
  const whole = await withApt('chromium');
  if (whole !== null) return whole;
  throw new Error(
    'There is no Chromium for the end-to-end tests, and none could be installed. Install Chromium or Chrome (on Debian\n' +
      '`sudo apt-get install chromium`), or run `sudo npx playwright install --with-deps chromium`, or set\n' +
      'SIGNALBOX_CHROMIUM to one.',
  );
}
