/**
 * Takes the pictures of the documentation: `node scripts/screenshots.mjs [http://127.0.0.1:3000]` while `npm start`
 * shows the demo world. Writes `docs/screenshots/<screen>-<theme>-<width>.png`.
 */
import { chromium } from '@playwright/test';
import { installedChromium } from './chromium.mjs';
import { inProject } from './project.mjs';

const base = process.argv[2] ?? 'http://127.0.0.1:3000';
const executablePath = installedChromium(process.env);

/** @type {Record<string, string>} */
const screens = {
  board: '/',
  semaphore: '/semaphore?prefix=semaphore%2Fbank-gateway',
  lock: '/lock?key=tf%2Fprod%2Fnetwork%2F.lock',
  sessions: '/sessions',
};

const browser = await chromium.launch({
  ...(executablePath === null ? {} : { executablePath }),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
for (const colorScheme of /** @type {const} */ (['dark', 'light']))
  for (const width of [360, 768, 1440]) {
    const page = await browser.newPage({
      colorScheme,
      viewport: { width, height: width === 360 ? 780 : 900 },
    });
    for (const [name, path] of Object.entries(screens)) {
      await page.goto(base + path);
      await page.getByText(/^live/).first().waitFor();
      // The pointer rests on nothing, and fonts are there: a picture of a page at rest.
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path: inProject(`docs/screenshots/${name}-${colorScheme}-${width}.png`) });
    }
    await page.close();
  }
await browser.close();
