/** Language: the first paint is in the reader's own, the switch works everywhere and lasts. */
import { furnish } from '@/e2e/support/furnish';
import { expect, test } from '@/e2e/support/signalbox';
import { languages } from '@/lib/i18n/messages';

const { en, zh } = languages;

test.describe('a browser that asks for Chinese', () => {
  test.use({ locale: 'zh-CN' });

  test('gets the first paint, the title and the document in it, without a flash of English', async ({
    page,
    request,
    consul,
    baseUrl,
  }) => {
    await furnish(consul);
    const html = await (await request.get(baseUrl, { headers: { 'accept-language': 'zh-CN' } })).text();
    expect(html).toContain('<html lang="zh-Hans"');
    expect(html).toContain(`<title>${zh.board.title} · Signalbox</title>`);
    expect(html).toContain(zh.board.columns.holder);
    expect(html.replaceAll(/<script[\s\S]*?<\/script>/g, '')).not.toContain(en.shell.search.placeholder);
    // A text that the browser drew otherwise than the server is an error on the console, which fails the test.
    await page.goto('/');
    await expect(page.getByText(/^实时/).first()).toBeVisible();
  });

  test('gets what is not found, and what asks for a person, in it as well', async ({
    page,
    consul,
    consoleErrors,
  }) => {
    await furnish(consul);
    consoleErrors.allow(/no-such-page/);
    await page.goto('/no-such-page');
    await expect(page.getByRole('heading', { name: zh.shell.notFound.title })).toBeVisible();
    await page.goto('/findings');
    await expect(
      page.getByText(zh.findings['ghost-slots'].short).filter({ visible: true }).first(),
    ).toBeVisible();
  });
});

test('the switch changes all that is shown at once, and lasts over a reload', async ({ page, consul }) => {
  await furnish(consul);
  await page.goto('/semaphore?prefix=form%2Fpool');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  await page.getByRole('button', { name: '中文' }).click();
  await expect(page.getByRole('heading', { name: zh.subject.sections.holders, exact: true })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
  await page.reload();
  await expect(page.getByText(/^实时/).first()).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
  await page.goto('/sessions');
  await expect(page).toHaveTitle(new RegExp(zh.sessions.title));
  await page.getByRole('button', { name: 'English' }).click();
  await expect(page.getByRole('link', { name: en.shell.nav.board, exact: true })).toBeVisible();
  await expect(page).toHaveTitle(new RegExp(en.sessions.title));
});

test('a plan of the server is worded in the reader’s language', async ({ page, consul }) => {
  await furnish(consul);
  await page.goto('/semaphore?prefix=semaphore%2Fform-gateway');
  // A click before the page has come alive is lost, as it is for a person.
  await expect(async () => {
    const toChinese = page.getByRole('button', { name: '中文' });
    if (await toChinese.isVisible()) await toChinese.click();
    await expect(page.locator('html')).toHaveAttribute('lang', /^zh/, { timeout: 2_000 });
  }).toPass();
  await page
    .getByRole('button', { name: zh.action.buttons['semaphore.prune'](2) })
    .first()
    .click();
  await expect(
    page
      .getByRole('dialog')
      .getByText(zh.plan.summaries['prune-one']({ prefix: 'semaphore/form-gateway', ghosts: 2 })),
  ).toBeVisible();
});
