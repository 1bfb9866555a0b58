/** The board as it was: reached in two presses and by a link, never to be taken for the present, and left again. */
import type { Page } from '@playwright/test';
import { broken } from '@/e2e/support/furnish';
import { expect, test } from '@/e2e/support/signalbox';
import { Semaphore } from '@/packages/locks/src/semaphore';

const minuteMs = 60_000;

/** At the sizes of a phone and of a desk, dark and light. */
async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  const before = page.viewportSize();
  for (const width of [320, 360, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (over > 0) faults.push(`at ${width} px it is ${over} px too wide`);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme));
      for (const fault of await broken(page)) faults.push(`at ${width} px, ${colorScheme}: ${fault}`);
    }
  }
  if (before !== null) await page.setViewportSize(before);
  return faults;
}

test('the board as it was: by two presses, by a link and from a timeline; nothing can be done there, and Escape leads back', async ({
  page,
  consul,
}) => {
  test.setTimeout(300_000);
  const client = consul.client();
  const slot = (owner: string) =>
    new Semaphore(client, { prefix: 'e2e/past-pool', limit: 1, owner }).acquire();
  const first = await slot('early-bird');
  await page.goto('/semaphore?prefix=e2e%2Fpast-pool');
  await expect(page.getByText('early-bird').first()).toBeVisible();
  const heldMs = Date.now();
  await first.release();
  const second = await slot('late-comer');
  const band = page.getByRole('region', { name: 'The past' });
  try {
    await expect(page.getByText('late-comer').first()).toBeVisible();

    // By a link.
    await page.goto(`/?at=${heldMs}`);
    const table = page.getByRole('table', { name: 'Locks and semaphores that were held or waited for' });
    await expect(async () => {
      await page.reload();
      await expect(table.getByRole('row', { name: /past-pool/ })).toContainText(/early-bird.*released/, {
        timeout: 2_000,
      });
    }).toPass({ timeout: 30_000 });
    await expect(band).toContainText(/The board as it was at .* ago/);
    await expect(page.getByText('late-comer')).toHaveCount(0);
    // What is live is not beside it, and nothing can be done.
    await expect(page.getByText(/^live/)).toHaveCount(0);
    await expect(page.getByRole('link', { name: /attention/ })).toHaveCount(0);
    await expect(
      page.locator('main').getByRole('button', { name: /Evict|Release|Destroy|Freeze/ }),
    ).toHaveCount(0);
    expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('f');
    await expect(page.getByRole('table', { name: 'Locks and semaphores', exact: true })).toBeVisible();
    await expect(band).toHaveCount(0);
    await expect(page).not.toHaveURL(/at=/);

    // The present has the last hour of each row.
    await expect(
      page.getByRole('row', { name: /past-pool/ }).getByRole('img', { name: /^Held \d+ % of the/ }),
    ).toBeVisible();

    // By two presses.
    await page.getByRole('button', { name: 'Earlier…' }).click();
    await page.getByRole('button', { name: '1 d ago' }).click();
    await expect(band).toBeVisible();
    await expect(page.getByText('Nothing is kept of this time.')).toBeVisible();
    await expect(page).toHaveURL(/[?&]at=\d{4}-\d\d-\d\dT/);
    await page.keyboard.press('Escape');
    await expect(band).toHaveCount(0);

    // From a hold on the timeline, and in steps from there.
    await page.goto('/semaphore?prefix=e2e%2Fpast-pool');
    // A moment beside minutes: it must not lie under the next one.
    const bar = page.locator('[data-hold]').filter({ hasText: 'early-bird' });
    await bar.click();
    await page
      .getByRole('link', { name: /^The board at/ })
      .first()
      .click();
    await expect(band).toBeVisible();
    await expect(table.getByRole('row', { name: /past-pool/ })).toContainText('early-bird');
    // From one change to the next, and back: the first holder let go, and the second took the slot.
    const shownAt = () => Date.parse(new URL(page.url()).searchParams.get('at') ?? '');
    const begunMs = shownAt();
    await band.getByRole('button', { name: 'Next change' }).click();
    await expect.poll(shownAt).toBeGreaterThan(begunMs);
    await expect(band.getByRole('button', { name: 'Previous change' })).toHaveAttribute(
      'aria-disabled',
      'false',
    );
    await page.keyboard.press('p');
    await expect.poll(shownAt).toBe(begunMs);
    await expect(table.getByRole('row', { name: /past-pool/ })).toContainText('early-bird');
    await page.goto('/?at=2020-01-01T00:00:00Z');
    await expect(band).toContainText('No earlier change is kept.');
    await page.goBack();
    await expect(table.getByRole('row', { name: /past-pool/ })).toContainText('early-bird');
    await band.getByRole('button', { name: '1 min earlier' }).click();
    await expect
      .poll(() => Date.parse(new URL(page.url()).searchParams.get('at') ?? ''))
      .toBeLessThan(heldMs - minuteMs + 1_000);
    await band.getByRole('button', { name: 'Back to live' }).click();
    await expect(band).toHaveCount(0);

    // What names no time must not look like the present.
    await page.goto('/?at=yesterday');
    await expect(band).toContainText('This address names no time.');
    await expect(page.getByText(/^live/)).toHaveCount(0);
  } finally {
    await second.release();
  }
});
