/** Sharing from the console: by keyboard, in both themes, narrow and wide, up to a stranger who reads. */
import { broken } from '@/e2e/support/furnish';
import { type Readers, startReaders } from '@/e2e/support/readers';
import { expect, test } from '@/e2e/support/signalbox';

let readers: Readers;
test.beforeAll(async () => {
  test.setTimeout(180_000);
  readers = await startReaders();
});
test.afterAll(() => readers?.stop());

for (const [width, colorScheme] of [
  [320, 'dark'],
  [1440, 'light'],
] as const)
  test(`a share is made by keyboard, opened, paused and revoked in the console, at ${width} px`, async ({
    page,
    browser,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await readers.signIn(page);
    await page.goto(`${readers.baseUrl}/lock?key=in%2Fother`);
    await expect(page.getByText(/^live/).first()).toBeVisible();
    await page.getByRole('button', { name: 'Share in/other with readers' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Share in/other' });
    await expect(dialog.getByText(/its holder, the verdict/)).toBeVisible();
    await expect(dialog.getByText(/ends when your token is deleted or expires/)).toBeVisible();
    await expect(dialog.getByText(/Your token expires/)).toHaveCount(0);
    await dialog.getByLabel('Sites that may embed it').fill('wiki.example.com');
    await expect(dialog.getByText('“wiki.example.com” is not an origin.')).toBeVisible();
    await dialog.getByLabel('Sites that may embed it').fill('https://wiki.example.com/');
    await dialog.getByLabel('Note').fill(`runbook at ${width}`);
    expect(await broken(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const made = page.getByRole('dialog', { name: 'The link is ready' });
    await expect(made).toBeVisible();
    const link = (await made.locator('[data-snippet=link]').textContent()) ?? '';
    await made.getByText('Markdown badge').click();
    await expect(made.locator('[data-snippet=badge]')).toContainText('/embed/v1/badge.svg?share=');
    expect(await broken(page)).toEqual([]);

    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(link);
    await expect(stranger.getByText(/Held by runner-two/)).toBeVisible();
    await expect(stranger.getByText(/^live/)).toBeVisible();

    await made.getByRole('link', { name: 'All shares' }).click();
    const row = page.getByRole('listitem').filter({ hasText: `runbook at ${width}` });
    await expect(row.getByText('active', { exact: true })).toBeVisible();
    await row.getByRole('button', { name: 'Pause the share of in/other' }).click();
    await expect(row.getByText('paused', { exact: true })).toBeVisible();
    await expect(stranger.getByText(/shows no updates/)).toBeVisible();
    await row.getByRole('button', { name: 'Revoke the share of in/other' }).click();
    await row.getByRole('button', { name: 'Revoke for good' }).click();
    await expect(row.getByText('revoked', { exact: true })).toBeVisible();
    expect(await broken(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await stranger.context().close();
  });

test('when the token expires is said before a link is made, and on the page of shares', async ({ page }) => {
  await readers.signIn(page, await readers.another({ ttl: '1h' }));
  await page.goto(`${readers.baseUrl}/lock?key=in%2Fother`);
  await page.getByRole('button', { name: 'Share in/other with readers' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share in/other' });
  await expect(dialog.getByText(/Your token expires .*\d\d:\d\d/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('link', { name: 'All shares' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'in/other' });
  await expect(row.getByText(/with its creator’s token/)).toBeVisible();
});
