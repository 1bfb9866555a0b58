/** For a browser on a phone only: fingers, low windows, and far too long names. */
import type { Page } from '@playwright/test';
import { expect, press, startSignalbox, test } from '@/e2e/support/signalbox';
import { startConsul, type TestConsul } from '@/test/support/consul';

test.use({ viewport: { width: 390, height: 780 }, hasTouch: true });

/** A session that locks these keys. */
async function hold(consul: TestConsul, { keys, name = '' }: { keys: readonly string[]; name?: string }) {
  const client = consul.client();
  const session = await client.createSession({
    name,
    ttlMs: 600_000,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  for (const key of keys) await client.acquire({ key, value: Buffer.from('x'), flags: '0', session });
  return session;
}

const lockPage = (key: string) => `/lock?key=${encodeURIComponent(key)}`;
const tooWide = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

test('a finger that taps an action that may not start reads why', async ({ page, consul }) => {
  await hold(consul, { keys: ['phone/off'] });
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: { SIGNALBOX_MODE: 'read-only' },
  });
  try {
    await page.goto(`${signalbox.baseUrl}${lockPage('phone/off')}`);
    const release = page.getByRole('button', { name: 'Release off' });
    await expect(release).toBeDisabled();
    // The reason of the data not being live yet gives way to the one that stays.
    await expect(release).toHaveAccessibleDescription(/read-only/);
    await release.tap({ force: true });
    const tip = page.getByRole('tooltip');
    await expect(tip).toContainText('read-only');
    await expect(tip).toBeInViewport({ ratio: 1 });
    await page.getByRole('heading', { level: 1 }).tap();
    await expect(tip).toBeHidden();
    await release.tap({ force: true });
    await expect(tip).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(tip).toBeHidden();
    await expect(release).not.toHaveAttribute('aria-describedby', / /);
  } finally {
    // The page keeps asking, and would report a server that has ended.
    await page.goto('about:blank');
    await signalbox.stop();
  }
});

test('the other parties it hits are in sight from the start, and with the keyboard up beside the fields', async ({
  page,
  consul,
}) => {
  await hold(consul, { keys: Array.from({ length: 12 }, (_, n) => `phone/many/${n}`) });
  await page.goto(lockPage('phone/many/3'));
  await press(page.getByRole('button', { name: 'Release 3' }));
  const dialog = page.getByRole('dialog');
  const sentence = dialog.getByText('The session also holds 11 other keys or slots and loses them too.');
  await expect(sentence).toBeInViewport({ ratio: 1 });
  const numbers = dialog.getByText('Frees 11 other locks or slots.');
  await expect(numbers).toBeInViewport({ ratio: 1 });
  // The fields stand below the part that scrolls, which may cover nothing of them.
  const [end, start] = await Promise.all([sentence.boundingBox(), numbers.boundingBox()]);
  expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThan(start?.y ?? 0);
  await page.setViewportSize({ width: 390, height: 440 });
  await dialog.getByLabel('Reason').click();
  await expect(numbers).toBeInViewport({ ratio: 1 });
});

/** What a finger has to hit, and is smaller than it. A checkbox is hit by its label. */
const tooSmall = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('button, select, summary, input:not([type=checkbox]), label, header nav a')]
      .filter(
        (one) =>
          one.checkVisibility() &&
          !one.hasAttribute('data-inline') &&
          one.closest('[class~=sr-only]') === null,
      )
      .map((one) => ({ box: one.getBoundingClientRect(), of: one.outerHTML.slice(0, 120) }))
      .filter(({ box }) => box.height > 1 && (box.height < 44 || (box.width < 44 && box.width > 1)))
      .map(({ box, of }) => `${Math.round(box.width)}x${Math.round(box.height)}: ${of}`),
  );

test('the first row begins in the upper half, fingers hit what they aim at, and the other filters are one tap away', async ({
  page,
  consul,
}) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await hold(consul, { keys: ['phone/first'], name: 'phone-1' });
  for (const path of ['/', '/sessions']) {
    await page.goto(path);
    await expect(page.getByText(/^live/).first()).toBeVisible();
    const first = await page.locator('[data-row]').first().boundingBox();
    expect(first?.y, path).toBeLessThan(390);
    const filters = page.getByRole('button', { name: 'Filters' });
    await expect(page.getByRole('button', { name: 'Freeze' })).toBeHidden();
    await filters.tap();
    await expect(page.getByRole('button', { name: 'Freeze' })).toBeVisible();
    expect(await tooSmall(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
  }
  await page.goto(lockPage('phone/first'));
  await expect(page.getByText(/^live/).first()).toBeVisible();
  expect(await tooSmall(page)).toEqual([]);
});

test('rows stay in sight while Consul is away, and what that means is one tap away', async ({
  page,
  consoleErrors,
}) => {
  consoleErrors.allow(/./);
  await page.setViewportSize({ width: 360, height: 780 });
  const own = await startConsul();
  const keys = ['phone/away/1', 'phone/away/2', 'phone/away/3'];
  await hold(own, { keys });
  const signalbox = await startSignalbox({ consulAddress: own.address });
  try {
    await page.goto(signalbox.baseUrl);
    await expect(page.getByText(/^live/).first()).toBeVisible();
    await own.stop();
    const banner = page.locator('[data-outage]');
    await expect(banner).toBeVisible({ timeout: 20_000 });
    const top = (await banner.boundingBox())?.y ?? 0;
    for (const key of keys) {
      const row = await page.locator(`[data-row="lock:${key}"]`).boundingBox();
      expect((row?.y ?? 0) + (row?.height ?? 0), key).toBeLessThan(top);
    }
    const meaning = banner.getByText(/last known state/);
    await expect(meaning).toBeHidden();
    await banner.getByRole('button').tap();
    await expect(meaning).toBeVisible();
  } finally {
    await page.goto('about:blank');
    await signalbox.stop();
    await own.stop();
  }
});

test('a name of 300 characters makes no page and no dialog wider than the window', async ({
  page,
  consul,
}) => {
  const last = 'k'.repeat(300);
  const key = `phone/${last}`;
  const session = await hold(consul, { keys: [key], name: 'n'.repeat(300) });
  for (const path of [lockPage(key), `/session?id=${session}`]) {
    await page.goto(path);
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading).toContainText('…');
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 780 });
      expect(await tooWide(page), `${path.slice(0, 10)} at ${width} px`).toBe(0);
    }
    await press(page.getByRole('button', { name: /^(Release|Destroy)/ }));
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('heading', { name: 'Will be written' })).toBeVisible();
    for (const width of [320, 390, 1440]) {
      await page.setViewportSize({ width, height: 780 });
      const over = await dialog.evaluate((box) => box.scrollWidth - box.clientWidth);
      expect(over, `the dialog of ${path.slice(0, 10)} at ${width} px`).toBe(0);
    }
  }
  // The longest name that a holder is called by, in sentences of every kind, and a path without end.
  const deep = `phone/${'deep/'.repeat(60)}end`;
  const holder = `imm-${'m'.repeat(60)}`;
  const client = consul.client();
  const immortal = await client.createSession({
    name: holder,
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: deep, value: Buffer.from('x'), flags: '0', session: immortal });
  for (const path of [lockPage(deep), '/', '/findings', '/sessions']) {
    await page.setViewportSize({ width: 320, height: 780 });
    await page.goto(path);
    await expect(page.getByText(holder).filter({ visible: true }).first()).toBeVisible();
    expect(await tooWide(page), `${path.slice(0, 10)} at 320 px`).toBe(0);
  }
  await page.goto(lockPage(key));
  await expect(page.getByRole('heading', { level: 1 }).getByTitle(key, { exact: true })).toBeVisible();
  // A name too long to be called by is still the name of the session.
  await expect(page.getByTitle('n'.repeat(300), { exact: true })).toBeVisible();
});

test('a page stays where it is when a dialog closes whose button has gone', async ({ page, consul }) => {
  await consul.client().cas({
    key: 'phone/pool/.lock',
    value: Buffer.from('{"limit":2,"holders":["90c02f1e-7f0e-4d33-93c5-e16d4a406031"]}'),
    flags: '0',
    index: '0',
  });
  await page.goto('/semaphore?prefix=phone%2Fpool');
  await press(page.getByRole('button', { name: 'Prune 1 ghost' }));
  const dialog = page.getByRole('dialog');
  await press(dialog.getByRole('button', { name: 'Prune 1 ghost' }));
  await expect(dialog.getByText('slot is free')).toBeVisible();
  await press(dialog.getByRole('button', { name: 'Close' }));
  await expect(page.locator('#content')).toBeFocused();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});
