/**
 * Takes the pictures for the documentation: `node scripts/screenshots.mjs [http://127.0.0.1:3000 [screen…]]` while
 * `npm start` shows the demo world. Writes `docs/screenshots/<screen>-<theme>-<width>.png`.
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
  findings: '/findings',
  graph: '/graph',
  audit: '/audit',
  history: '/history?figures=true',
  past: `/?at=${encodeURIComponent(new Date(Date.now() - 60_000).toISOString())}`,
  plan: '/semaphore?prefix=semaphore%2Fmg-init',
};
const asked = process.argv.slice(3);
/** @param {string} name */
const isAsked = (name) => asked.length === 0 || asked.includes(name);
const widths = [360, 768, 1440];

const browser = await chromium.launch({
  ...(executablePath === null ? {} : { executablePath }),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});

/**
 * One picture of a page at rest, with its fonts, and without a hovered element.
 * @param {import('@playwright/test').Page} page
 * @param {{ path: string, live: RegExp, file: string, isPlan?: boolean }} picture `isPlan`: with the dialog of an eviction
 */
async function take(page, { path, live, file, isPlan = false }) {
  await page.goto(base + path);
  await page.getByText(live).first().waitFor();
  // The frame comes before the page in it.
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  // The history is read separately.
  await page
    .getByText(/^Reading the/)
    .first()
    .waitFor({ state: 'hidden' });
  await page.evaluate(() => document.fonts.ready);
  if (isPlan) {
    await page
      .getByRole('button', { name: /^Evict/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('Will be written').waitFor();
  }
  // One pixel of the picture for each of the page, because twice as many quadruple the size of the repository.
  await page.screenshot({ path: inProject(`docs/screenshots/${file}.png`), scale: 'css' });
}

for (const colorScheme of /** @type {const} */ (['dark', 'light']))
  for (const width of widths) {
    const viewport = { width, height: width === 360 ? 780 : 900 };
    const page = await browser.newPage({ colorScheme, viewport, locale: 'en-GB' });
    for (const [name, path] of Object.entries(screens).filter(([name]) => isAsked(name)))
      await take(page, {
        path,
        // The past is not live, and offers the way back.
        live: name === 'past' ? /^Back to live/ : /^live/,
        file: `${name}-${colorScheme}-${width}`,
        isPlan: name === 'plan',
      });
    await page.close();
  }

const chinese = await browser.newPage({
  colorScheme: 'dark',
  viewport: { width: 1440, height: 900 },
  locale: 'zh-CN',
});
for (const name of ['board', 'semaphore'].filter(isAsked))
  await take(chinese, { path: screens[name] ?? '/', live: /^实时/, file: `${name}-zh-dark-1440` });
await browser.close();
