/** A person who is quicker than a page's scripts loses nothing: presses and input take effect when the page answers. */
import type { Page } from '@playwright/test';
import { furnish, inView } from '@/e2e/support/furnish';
import { holdScripts } from '@/e2e/support/hold-scripts';
import { expect, test } from '@/e2e/support/signalbox';
import { languages } from '@/lib/i18n/messages';

const { en, zh } = languages;

interface Deed {
  readonly path?: string;
  readonly act: (page: Page) => Promise<unknown>;
  readonly seen: (page: Page) => Promise<unknown>;
}

const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const address = (pattern: RegExp) => (page: Page) => expect(page).toHaveURL(pattern);
const dialog = (page: Page) => expect(page.getByRole('dialog')).toBeVisible();
const search = (page: Page) => page.getByRole('searchbox', { name: en.shell.search.label });

const deeds: Readonly<Record<string, Deed>> = {
  'the help is opened': { act: press(en.shell.legend.open), seen: dialog },
  'the palette is opened': { act: press(en.desk.palette.open), seen: dialog },
  'who one is is opened': { act: (page) => page.locator('header button').last().click(), seen: dialog },
  'saved views are opened': { act: press(en.desk.views.button), seen: dialog },
  'another language is chosen': {
    act: press('中文'),
    seen: (page) => expect(page.getByText(zh.shell.freshness.live('')).first()).toBeVisible(),
  },
  'another theme is chosen': {
    act: press(en.shell.theme.toDark),
    seen: (page) => expect(page.locator('html')).toHaveClass(/dark/),
  },
  'a search is typed': {
    act: async (page) => {
      await search(page).click();
      await page.keyboard.type('form/po');
    },
    seen: async (page) => {
      await expect(page).toHaveURL(/q=form%2Fpo|q=form\/po/);
      await expect(search(page)).toHaveValue('form/po');
      await expect(page.getByRole('row').filter({ hasText: 'leader' })).toHaveCount(0);
    },
  },
  'a search is typed on a page that is no list': {
    path: '/lock?key=form%2Fplain',
    act: async (page) => {
      await search(page).click();
      await page.keyboard.type('form/pool');
    },
    seen: async (page) => {
      await expect(page.getByText(en.shell.freshness.live('')).first()).toBeVisible();
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(/semaphore\?prefix=form/);
    },
  },
  'the list is narrowed': { act: press(new RegExp(`^${en.board.show.locks}`)), seen: address(/show=locks/) },
  'a filter is chosen': {
    act: (page) => page.getByLabel(en.board.filters.verdict).selectOption({ index: 1 }),
    seen: address(/verdict=/),
  },
  'rows are grouped': {
    act: (page) => page.getByLabel(en.board.filters.group).click(),
    seen: async (page) => {
      await expect(page).toHaveURL(/group=true/);
      await expect(page.getByLabel(en.board.filters.group)).toBeChecked();
    },
  },
  'the page is frozen': {
    act: press(en.desk.freeze.button),
    seen: (page) => expect(page.getByRole('region', { name: en.desk.freeze.label })).toBeVisible(),
  },
  'an impatient press is one press': {
    act: async (page) => {
      for (let n = 0; n < 3; n += 1) await press(new RegExp(`^${en.board.show.locks}`))(page);
      for (let n = 0; n < 2; n += 1) await press(en.shell.theme.toDark)(page);
    },
    seen: (page) => expect(page.locator('html')).toHaveClass(/dark/),
  },
};

for (const [what, { path = '/', act, seen }] of Object.entries(deeds))
  test(`before a page answers ${what}, and it is done when it does`, async ({ page, consul, baseUrl }) => {
    await furnish(consul);
    await inView(baseUrl);
    await page.emulateMedia({ colorScheme: 'light' });
    const release = await holdScripts(page);
    await page.goto(path, { waitUntil: 'commit' });
    await expect(page.locator('main h1').first()).toBeAttached();
    await act(page);
    release();
    await seen(page);
  });

test.describe('in another time zone than the server', () => {
  test.use({ timezoneId: 'Pacific/Auckland' });
  test('early input into the filters of the audit stays', async ({ page }) => {
    const release = await holdScripts(page);
    await page.goto('/audit', { waitUntil: 'commit' });
    const form = page.getByRole('form', { name: en.audit.filters.label });
    await form.getByLabel(en.audit.filters.subject).fill('form/pool');
    await form.getByLabel(en.audit.filters.from, { exact: true }).fill('2026-11-20T10:00');
    release();
    await expect(page.getByText(en.shell.freshness.live('')).first()).toBeVisible();
    await expect(form.getByLabel(en.audit.filters.subject)).toHaveValue('form/pool');
    await expect(form.getByLabel(en.audit.filters.from, { exact: true })).toHaveValue('2026-11-20T10:00');
    await form.getByRole('button', { name: en.audit.filters.apply }).click();
    // Ten o'clock there is nine in the evening of the day before in UTC.
    await expect(page).toHaveURL(/subject=form(%2F|\/)pool.*from=2026-11-19T21(%3A|:)00/);
  });
});
