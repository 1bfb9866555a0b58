/** A world that is too large for a browser: the page gets its part from the server, and stays live. */
import type { Page } from '@playwright/test';
import { expect, startSignalbox, test } from '@/e2e/support/signalbox';
import { languages } from '@/lib/i18n/messages';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';

const { en } = languages;
const count = 400;
const keyOf = (n: number) => `large/lock-${String(n).padStart(3, '0')}`;
const search = (page: Page) => page.getByRole('searchbox', { name: en.shell.search.label });
const live = (page: Page) => expect(page.getByText(en.shell.freshness.live('')).first()).toBeVisible();

/** A Consul with more locks than a page gets here, all held by `worker`. */
async function startLarge() {
  const consul = await startConsul();
  const client = consul.client();
  const session = await client.createSession({
    name: 'worker',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
  });
  const entry = (n: number) => ({ key: keyOf(n), value: Buffer.from('x'), flags: '0', session });
  for (let n = 0; n < count; n += 1) await client.acquire(entry(n));
  return { consul, client, entry };
}

test('a world too large for a browser is searched, followed and never streamed', async ({
  page,
  newStore,
}) => {
  const { consul, client, entry } = await startLarge();
  const env = { ...(await newStore()), SIGNALBOX_PAGE_ROWS_MAX: '300' };
  const signalbox = await startSignalbox({ consulAddress: consul.address, env });
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/events')) streams.push(request.url());
  });

  await page.goto(signalbox.baseUrl);
  await live(page);
  await expect(page.getByText(en.board.firstOfLarge(60, count))).toBeVisible();
  await page.getByRole('button', { name: en.board.showMore }).click();
  await expect(page.getByText(en.board.firstOfLarge(300, count))).toBeVisible();

  // Not among the rows that came first, and known to the server alone.
  await search(page).fill(keyOf(399));
  await expect(page.getByRole('row').filter({ hasText: 'lock-399' })).toHaveCount(1);
  await search(page).press('Enter');
  await expect(page).toHaveURL(/\/lock\?key=large%2Flock-399/);
  await expect(page.getByRole('heading', { name: keyOf(399) })).toBeVisible();
  await expect(page.getByText('worker').first()).toBeVisible();

  // Live: another one lets go of it.
  await client.release(entry(399));
  await expect(page.getByText(en.subject.none.holder).first()).toBeVisible();

  // Another page shows nothing of what is here, and what it cannot have it says.
  await page.getByRole('link', { name: en.shell.nav.sessions, exact: true }).click();
  await expect(page.getByText(en.shell.tooLarge(count + 1))).toBeVisible();
  await page.getByRole('link', { name: en.shell.nav.graph, exact: true }).click();
  await expect(page.getByText(en.shell.tooLarge(count + 1))).toBeVisible();
  await page.getByRole('link', { name: en.shell.nav.board, exact: true }).click();
  await expect(page.getByText(en.board.firstOfLarge(60, count))).toBeVisible();

  expect(streams).toEqual([]);
  await page.goto('about:blank');
  await signalbox.stop();
  await consul.stop();
});

test('the view of a large world is called old when the server is gone, and live again when it is back', async ({
  page,
  newStore,
  consoleErrors,
}) => {
  consoleErrors.allow(/Failed to load resource|ERR_CONNECTION|fetch/);
  const { consul } = await startLarge();
  const env = { ...(await newStore()), SIGNALBOX_PAGE_ROWS_MAX: '300' };
  const server = await startServer({ consulAddress: consul.address, env });
  await page.goto(server.baseUrl);
  await live(page);
  await server.terminate();
  await expect(page.getByText(en.shell.freshness.live('')).first()).toBeHidden({ timeout: 30_000 });
  await expect(page.getByRole('row').filter({ hasText: 'lock-000' })).toHaveCount(1);
  await server.start();
  await expect(page.getByText(en.shell.freshness.live('')).first()).toBeVisible({ timeout: 30_000 });
  // It did not take the empty world of a server that has just started for all there is.
  await expect(page.getByText(en.board.firstOfLarge(60, count))).toBeVisible();
  await page.goto('about:blank');
  await server.stop();
  await consul.stop();
});
