/** The history for people: who held it, how that ended, and what an action came to. */
import { broken } from '@/e2e/support/furnish';
import { expect, press, test } from '@/e2e/support/signalbox';
import type { HistoryFigures } from '@/lib/domain/history/figures';
import { Semaphore } from '@/packages/locks/src/semaphore';

test('two gestures from the board: who held, how it ended and what an eviction came to; a link shows the same range', async ({
  page,
  context,
  browser,
  baseUrl,
  consul,
}) => {
  test.setTimeout(180_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const client = consul.client();
  const pool = { prefix: 'e2e/history-pool', limit: 1 };
  const slot = (owner: string) => new Semaphore(client, { ...pool, owner }).acquire();
  const released = await slot('worker-7');
  // Its history is kept only once it was seen.
  await page.goto('/semaphore?prefix=e2e%2Fhistory-pool');
  await expect(page.getByText('worker-7').first()).toBeVisible();
  await released.release();
  const evicted = await slot('worker-8');
  const next = slot('worker-9');
  try {
    await expect(page.getByText('worker-8').first()).toBeVisible();
    await page
      .getByRole('button', { name: /^Evict/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('it hangs');
    const confirm = dialog.getByLabel(/^Type .* to confirm$/);
    await expect(dialog.getByText('Will be written')).toBeVisible();
    if (await confirm.isVisible()) await confirm.fill(await dialog.locator('label code').last().innerText());
    await dialog.getByRole('button', { name: /^Evict/ }).click();
    await next;
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.goto('/?q=history-pool');
    await page
      .locator('main')
      .getByRole('link', { name: /history-pool/ })
      .first()
      .click();
    const table = page.locator('details table');
    await expect(page.getByText('As a table')).toBeVisible();
    await expect(table).toHaveCount(0);
    // The page hears of it from a moment after it is drawn.
    await expect(async () => {
      await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
      await expect(table).toBeVisible({ timeout: 1_000 });
    }).toPass();
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await expect(table).toHaveCount(0);
    await page.getByText('As a table').click();
    // Its waits have rows of their own.
    const row = (who: string) => page.getByRole('row', { name: new RegExp(`\\bhold ${who}`) });
    await expect(row('worker-7')).toContainText('released');
    // The audit's row comes a moment after the hold's end.
    await expect(row('worker-8')).toContainText('removed from Signalbox', { timeout: 30_000 });
    await expect(row('worker-8')).toContainText('it hangs');
    await expect(row('worker-9')).toContainText('holds now');
    // On a phone the table moves within itself, and the page keeps its width.
    const wide = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 800 });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(360);
    if (wide !== null) await page.setViewportSize(wide);

    const outcome = /^worker-8.* removed .*: it hangs; taken by worker-9/;
    const line = page.getByText(outcome);
    await expect(line).toBeVisible();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect(line).toHaveCount(0);
    // Whoever dismisses it does so for their own browser.
    const other = await (await browser.newContext({ baseURL: baseUrl })).newPage();
    await other.goto('/semaphore?prefix=e2e%2Fhistory-pool');
    await expect(other.getByText(outcome)).toBeVisible();
    await other.context().close();
    await page.bringToFront();

    const timeline = page.getByRole('application', { name: /^Timeline of e2e\/history-pool/ });
    await timeline.focus();
    await page.keyboard.press('Home');
    const said = page.getByRole('status').filter({ hasText: /^worker-7.* held .*: released$/ });
    // A gap before it was first seen may stand before it.
    await expect(async () => {
      if (!(await said.isVisible())) await page.keyboard.press('ArrowRight');
      await expect(said).toBeVisible({ timeout: 500 });
    }).toPass();
    await page.emulateMedia({ forcedColors: 'active' });
    const bar = timeline.locator('[data-hold] rect').first();
    // A range that moves on draws it anew each second.
    await expect
      .poll(() =>
        bar.evaluate((rect) => {
          const { fill } = getComputedStyle(rect);
          const frame = rect.closest('svg[role]');
          return frame !== null && fill !== '' && fill !== getComputedStyle(frame).backgroundColor;
        }),
      )
      .toBe(true);
    await page.emulateMedia({ forcedColors: 'none' });
    await expect(page.getByRole('button', { name: 'Later' })).toHaveAttribute('aria-disabled', 'true');
    await press(page.getByRole('button', { name: 'Earlier' }));
    await expect(page.getByRole('button', { name: 'Later' })).not.toHaveAttribute('aria-disabled', 'true');
    await page.getByRole('button', { name: 'Link to this range' }).click();
    // The browser takes it a moment after the press.
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toMatch(/from=\d+/);
    const label = await timeline.getAttribute('aria-label');
    await page.goto(await copied());
    await expect(timeline).toHaveAttribute('aria-label', label ?? '');

    await page.goto('/history?prefix=e2e/history-pool');
    const happened = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
    await expect(happened.filter({ hasText: 'worker-8' })).toContainText('removed from Signalbox');
    // A range that no menu offers, of which the report is.
    const chosen = page.getByRole('form', { name: 'Choose a time range' });
    const fieldText = (agoMs: number) =>
      page.evaluate((ms) => {
        const at = new Date(Date.now() - ms);
        return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
      }, agoMs);
    const from = await fieldText(10 * 60_000);
    await chosen.getByLabel('From').fill(from);
    await chosen.getByLabel('to', { exact: true }).fill(await fieldText(0));
    await chosen.getByRole('button', { name: 'Show' }).click();
    await expect(page).toHaveURL(/from=\d+&to=\d+/);
    await expect(happened.filter({ hasText: 'worker-8' })).toContainText('removed from Signalbox');
    await page.getByRole('button', { name: /incident report/ }).click();
    await expect.poll(copied).toContain(from.replace('T', ' '));
    await expect.poll(copied).toMatch(/evict a holder, .*: it hangs\n[\s\S]*worker-8/);
  } finally {
    await evicted.release().catch(() => {});
    await (await next).release().catch(() => {});
  }
});

test('the heat map has a row for each name and a cell for each hour, in words as well, and opens both by the keyboard', async ({
  page,
  consul,
}) => {
  const client = consul.client();
  const key = 'e2e-figures/part/one';
  const session = await client.createSession({
    name: 'counted',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key, value: Buffer.from(''), flags: '0', session });
  await page.goto('/lock?key=e2e-figures%2Fpart%2Fone');
  await expect(page.getByText('counted').first()).toBeVisible();
  await page.goto('/history?prefix=e2e-figures/');
  // It is offered once the history was read: by then the page hears what is opened.
  await expect(page.getByRole('button', { name: /incident report/ })).toBeVisible();
  await page.getByText('By the hour, and how long it takes').press('Enter');
  const map = page.getByRole('grid', { name: /^Held and lost by the hour/ });
  const name = (text: string) => map.getByRole('rowheader', { name: text });
  await expect(name('e2e-figures/part/')).toBeVisible({ timeout: 30_000 });
  // One stop: the newest cell of the first row.
  await expect(map.locator('[tabindex="0"]')).toHaveCount(1);
  await map.locator('[tabindex="0"]').focus();
  await expect(page.locator(':focus')).toHaveAccessibleName(/^e2e-figures\/part\/, .*: held /);
  await page.keyboard.press('Home');
  await expect(name('e2e-figures/part/')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/prefix=e2e-figures(%2F|\/)part(%2F|\/)/);
  await expect(name(key)).toBeVisible();
  await page.getByText('As a table').press('Enter');
  // The newest cell stands first.
  await expect(
    page
      .getByRole('row')
      .filter({ has: page.getByRole('cell', { name: key }) })
      .first(),
  ).toContainText(/\d+.(ms|s|min)/);
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme));
      expect(await broken(page), `${width} px, ${colorScheme}`).toEqual([]);
    }
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
      `at ${width} px`,
    ).toBeLessThanOrEqual(0);
  }
  await map.locator('[tabindex="0"]').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/from=\d+.*to=\d+/);
  await client.destroySession(session);
});

test('a hold far beyond the p99 of its own lock is among what happened, with how long the others last', async ({
  page,
  consul,
  baseUrl,
}) => {
  test.setTimeout(120_000);
  const client = consul.client();
  const key = 'e2e-usual/lock';
  const session = await client.createSession({
    name: 'quick',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  const entry = { key, value: Buffer.from(''), flags: '0', session };
  /** Holds that were seen from their beginning to their end: some are shorter than a look. */
  const seen = async (): Promise<number> => {
    const answer = await fetch(`${baseUrl}/api/v1/history/figures?prefix=${key}&from=-1h`);
    const { groups } = (await answer.json()) as HistoryFigures;
    return groups[0]?.holds?.n ?? 0;
  };
  await page.goto('/lock?key=e2e-usual%2Flock');
  await expect(async () => {
    for (let i = 0; i < 40; i += 1) {
      await client.acquire(entry);
      // A hold of a length, not a wait for something.
      await new Promise((done) => setTimeout(done, 40));
      await client.release(entry);
    }
    expect(await seen()).toBeGreaterThanOrEqual(110);
  }).toPass({ timeout: 90_000, intervals: [100] });
  await client.acquire(entry);
  await page.goto('/history?prefix=e2e-usual/');
  const happened = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
  // On a busy machine others may have been that long, too.
  const long = happened.filter({
    hasText: /held .*, where 99 % of 1\d\d holds lasted at most .*: holds now/,
  });
  await expect(long).toBeVisible({ timeout: 30_000 });
  await client.destroySession(session);
});
