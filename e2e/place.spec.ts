/** Whoever has scrolled is where they were when the page comes again; and a page stands in its document, in its place. */
import type { Page } from '@playwright/test';
import { expect, type Signalbox, startSignalbox, test } from '@/e2e/support/signalbox';
import { startConsul, type TestConsul } from '@/test/support/consul';

/** With their findings more than stand in the first document: the rest of the list comes with the stream. */
const locks = 320;
/** So many are taken at the same time. */
const together = 16;
/** As the clients of plain locks write them. */
const flags = '3304740253564472344';
const name = (n: number) => `place/lock-${String(n).padStart(3, '0')}`;

let consul: TestConsul;
let signalbox: Signalbox;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  consul = await startConsul();
  const client = consul.client();
  const session = await client.createSession({
    name: 'place-one',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  const take = async (from: number) => {
    for (let n = from; n < locks; n += together)
      await client.acquire({ key: name(n), value: Buffer.from('x'), flags, session });
  };
  await Promise.all(Array.from({ length: together }, (_, n) => take(n)));
  signalbox = await startSignalbox({ consulAddress: consul.address });
});
test.afterAll(async () => {
  await signalbox?.stop();
  await consul?.stop();
});

const live = (page: Page) =>
  expect(page.getByRole('banner').getByText(/^live/)).toBeVisible({ timeout: 20_000 });

/** The thing on top of the window, and where it begins. */
const seen = (page: Page) =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll('main [data-row], main li')) {
      const { top, bottom } = one.getBoundingClientRect();
      if (bottom > 100) {
        // A row of the board says for how long as well, which goes on.
        const what = one.getAttribute('data-row') ?? one.textContent?.slice(0, 60);
        return { what, top: Math.round(top) };
      }
    }
    return null;
  });

/** The visible rows, once they stay. */
async function settled(page: Page) {
  let last = '';
  await expect
    .poll(
      async () => {
        const before = last;
        last = JSON.stringify([await seen(page), await page.evaluate(() => Math.round(window.scrollY))]);
        return last === before;
      },
      { intervals: [400] },
    )
    .toBe(true);
  return seen(page);
}

async function scrollTo(page: Page, px: number): Promise<void> {
  await page.mouse.move(200, 400);
  for (let turned = 0; turned < px; turned += 300) {
    await page.mouse.wheel(0, 300);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
  // Rows are held while a person points at them.
  await page.mouse.move(2, 2);
}

/** A few pixels are lost where a row turns out higher than it was thought. */
async function expectAt(page: Page, at: Awaited<ReturnType<typeof seen>>): Promise<void> {
  await expect.poll(async () => (await seen(page))?.what, { timeout: 15_000 }).toBe(at?.what);
  const now = await settled(page);
  expect(now?.what).toBe(at?.what);
  expect(Math.abs((now?.top ?? 0) - (at?.top ?? 0))).toBeLessThanOrEqual(3);
}

for (const width of [390, 1280])
  for (const path of ['/', '/findings'])
    test(`at ${width} pixels ${path} is where it was, loaded anew and gone back to`, async ({ page }) => {
      test.setTimeout(180_000);
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${signalbox.baseUrl}${path}`);
      await live(page);
      // Scrolled far, and with heights that were measured on the way.
      await scrollTo(page, path === '/' ? 4_500 : 900);
      const at = await settled(page);
      expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(600);

      await page.reload();
      await live(page);
      await expectAt(page, at);

      await page
        .getByRole('link', { name: /place\/?lock-|lock-\d+/ })
        .and(page.locator(':visible'))
        .first()
        .evaluate((link) => {
          const links = [...document.querySelectorAll<HTMLElement>('main a[href^="/lock?key="]')];
          const inSight = links.find((one) => {
            const { top, bottom } = one.getBoundingClientRect();
            return top > 150 && bottom < 600;
          });
          (inSight ?? (link as HTMLElement)).click();
        });
      await expect(page).toHaveURL(/lock\?key=/);
      await expect(page.locator('main h1').filter({ hasText: 'place/' })).toBeVisible();
      await page.goBack();
      await expectAt(page, at);

      await page.goto(`${signalbox.baseUrl}/healthz`);
      await page.goBack();
      await live(page);
      await expectAt(page, at);
    });

test('back undoes a search as a whole, and stands where one was before it', async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto(`${signalbox.baseUrl}/sessions`);
  await live(page);
  await page
    .getByRole('banner')
    .getByRole('link', { name: /^Board/ })
    .click();
  await expect(page.getByRole('table').getByText('lock-000')).toBeVisible();
  await scrollTo(page, 4_500);
  const at = await settled(page);
  await page.keyboard.press('/');
  await page.getByRole('searchbox').pressSequentially('lock-0', { delay: 300 });
  await page.getByRole('button', { name: /^Locks/ }).click();
  await expect(page).toHaveURL(/\?q=lock-0&show=locks$/);
  await expect(page.getByText(/^100 of 3\d\d shown/)).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole('searchbox')).toHaveValue('');
  await expectAt(page, at);
  await page.goForward();
  await expect(page.getByRole('searchbox')).toHaveValue('lock-0');
  await expect(page.getByText(/^100 of 3\d\d shown/)).toBeVisible();
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(/\/sessions$/);
});

test('back undoes a search as a whole when the language was switched within it', async ({ page }) => {
  await page.goto(`${signalbox.baseUrl}/sessions`);
  await live(page);
  await page
    .getByRole('banner')
    .getByRole('link', { name: /^Board/ })
    .click();
  // Input on the way there belongs to the page that is left.
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole('table').getByText('lock-000')).toBeVisible();
  const search = page.getByRole('searchbox');
  await search.fill('lock-00');
  await expect(page).toHaveURL(/\?q=lock-00$/);
  await page.getByRole('button', { name: '中文' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', /^zh/);
  // The router has loaded the page again, and has written its own state into the entry.
  await page.waitForFunction(() => window.history.state?.signalboxSaid === undefined);
  await search.fill('lock-001');
  await expect(page).toHaveURL(/\?q=lock-001$/);
  await page.goBack();
  await expect(page).toHaveURL(/\/$/);
  await expect(search).toHaveValue('');
});

test('a person who walks a list by its keys continues from the row that they come back from', async ({
  page,
}) => {
  await page.goto(`${signalbox.baseUrl}/`);
  await live(page);
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('j');
  const row = () =>
    page.evaluate(() => document.activeElement?.closest('[data-row]')?.getAttribute('data-row'));
  await expect.poll(row).toMatch(/place\/lock-/);
  const left = await row();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/lock\?key=/);
  await page.goBack();
  await live(page);
  await expect.poll(() => page.locator('[data-row]').count()).toBeGreaterThan(1);
  await page.keyboard.press('j');
  await expect.poll(row).toBe(left);
  await page.keyboard.press('j');
  await expect.poll(row).not.toBe(left);
});

test('a change above does not move a reloaded page off its row', async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto(`${signalbox.baseUrl}/?show=locks&sort=name`);
  await live(page);
  await scrollTo(page, 3_000);
  const at = await settled(page);
  const client = consul.client();
  const session = await client.createSession({
    name: 'place-two',
    ttlMs: null,
    behavior: 'delete',
    lockDelayMs: 0,
    checks: [],
  });
  const before = await page.evaluate(() => window.scrollY);
  // No page receives the next events: without its last page the stream's worker ends.
  await page.goto('about:blank');
  try {
    for (const n of [1, 2, 3])
      await client.acquire({ key: `place/above-${n}`, value: Buffer.from('x'), flags, session });
    await page.goBack();
    await live(page);
    await expectAt(page, at);
    expect((await page.evaluate(() => window.scrollY)) - before).toBeGreaterThan(60);
  } finally {
    await client.destroySession(session);
  }
});

for (const path of ['/', '/findings'])
  test(`${path} stands in its document, in its place, for whoever has no script`, async ({ browser }) => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    try {
      const page = await context.newPage();
      await page.goto(`${signalbox.baseUrl}${path}`);
      await expect(page.locator('main').getByText('lock-000').first()).toBeVisible();
    } finally {
      await context.close();
    }
  });

test('a page that is pressed says that it is on its way, for as long as its server thinks', async ({
  page,
}) => {
  await page.goto(`${signalbox.baseUrl}/`);
  await live(page);
  const link = page
    .getByRole('banner')
    .getByRole('link', { name: /^Sessions/ })
    .first();
  // It asks for the tree of the page first, and only then for what there is to show on the way.
  const ahead = page.waitForResponse(
    (response) =>
      /_rsc=/.test(response.url()) &&
      response.request().headers()['next-router-segment-prefetch'] !== '/_tree',
  );
  await link.hover();
  await ahead;
  let release = () => {};
  const may = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/_rsc=/, async (route) => {
    await may;
    await route.continue();
  });
  await link.click({ noWaitAfter: true });
  await expect(page.getByRole('main').getByRole('status')).toHaveText(/^Reading/);
  release();
  await expect(page.getByRole('main').getByText('place-one').first()).toBeVisible();
});

test('all rows of a long list are on paper, wherever the window stands', async ({ page }) => {
  await page.goto(signalbox.baseUrl);
  await live(page);
  const drawn = () => page.locator('[data-row^="lock:place/"]').count();
  await expect(page.getByText(`${locks} shown`)).toBeVisible();
  expect(await drawn()).toBeLessThan(locks);
  await page.evaluate(() =>
    window.addEventListener('beforeprint', () =>
      Object.assign(window, { printed: document.querySelectorAll('[data-row^="lock:place/"]').length }),
    ),
  );
  await page.pdf();
  expect(await page.evaluate(() => (window as unknown as { printed?: number }).printed)).toBe(locks);
  expect(await drawn()).toBeLessThan(locks);
});
