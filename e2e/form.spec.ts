/** Form: no rule of axe broken, nothing wider than the screen, everything by keyboard, filters in the address. */
import { broken, furnish, leakSlots, screensOf } from '@/e2e/support/furnish';
import { expect, press, test } from '@/e2e/support/signalbox';
import { languageCookie } from '@/lib/i18n/language';
import { en, type Language, languages } from '@/lib/i18n/messages';

const themes = ['dark', 'light'] as const;

/** Where axe looks: everywhere in English; in Chinese at two corners, for only lengths and glyphs differ. */
const looks = (language: Language) =>
  [360, 1440].map((width) => ({
    width,
    colorSchemes: language === 'en' ? themes : ([width === 360 ? 'dark' : 'light'] as const),
  }));

for (const language of Object.keys(languages) as Language[]) {
  const m = languages[language];

  test(`every screen is clean by axe and fits 320 to 2560 px, dark and light, in ${language}`, async ({
    page,
    consul,
    context,
    baseUrl,
    consoleErrors,
  }) => {
    test.setTimeout(300_000);
    consoleErrors.allow(/no-such-page/);
    const { sessionId } = await furnish(consul);
    await context.addCookies([{ name: languageCookie, value: language, url: baseUrl }]);
    const faults: string[] = [];
    for (const path of screensOf(sessionId)) {
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
      await page.goto(path);
      await expect(page.getByText(m.shell.freshness.live('')).first()).toBeVisible();
      for (const width of [320, 360, 768, 1024, 1440, 1600, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (over > 0) faults.push(`${path} at ${width} px is ${over} px too wide`);
        const covered = await page.evaluate(() => {
          const boxes = [...document.querySelectorAll('header > .grid > *')].map((part) =>
            part.getBoundingClientRect(),
          );
          return boxes.some((a) =>
            boxes.some(
              (b) => a.left < b.left && a.right > b.left + 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1,
            ),
          );
        });
        if (covered) faults.push(`${path} at ${width} px: parts of the header lie over each other`);
        // A target that lies half below the header is too small at any place; where the page stands is not looked at here.
        await page.evaluate(() => window.scrollTo(0, 0));
        const look = looks(language).find((one) => one.width === width);
        for (const colorScheme of look?.colorSchemes ?? []) {
          await page.emulateMedia({ colorScheme });
          await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme));
          for (const fault of await broken(page))
            faults.push(`${path} at ${width} px, ${colorScheme}: ${fault}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });

  test(`what opens over a page is clean by axe, dark and light, in ${language}`, async ({
    page,
    consul,
    context,
    baseUrl,
  }) => {
    test.setTimeout(180_000);
    await furnish(consul);
    await context.addCookies([{ name: languageCookie, value: language, url: baseUrl }]);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto('/semaphore?prefix=semaphore%2Fform-gateway');
    await expect(page.getByText(m.shell.freshness.live('')).first()).toBeVisible();
    const faults: string[] = [];
    const openers = {
      palette: () => page.keyboard.press('Control+k'),
      help: () => page.keyboard.press('?'),
      who: () => press(page.getByRole('button', { name: m.identity.who.label(m.identity.who.anonymous) })),
      prune: () => press(page.getByRole('button', { name: m.action.buttons['semaphore.prune'](2) }).first()),
      resize: () => press(page.getByRole('button', { name: m.action.buttons['semaphore.resize'] }).first()),
    };
    for (const [name, open] of Object.entries(openers)) {
      await open();
      const dialog = page.getByRole('dialog');
      await expect(dialog).toBeVisible();
      if (name === 'prune') await expect(dialog.getByText(m.action.sections.writes)).toBeVisible();
      for (const { width, colorSchemes } of looks(language))
        for (const colorScheme of colorSchemes) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme));
          for (const fault of await broken(page))
            faults.push(`${name} at ${width} px, ${colorScheme}: ${fault}`);
        }
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    }
    expect(faults).toEqual([]);
  });
}

test('where Consul asks for no tokens there is nothing to sign in to, and the page says so', async ({
  page,
}) => {
  await page.goto('/login?next=%2Ffindings');
  await expect(page.getByRole('heading', { name: en.identity.login.off.title })).toBeVisible();
  await expect(page.locator('input[type=password]')).toHaveCount(0);
  expect(await broken(page)).toEqual([]);
  await page.getByRole('link', { name: en.identity.login.off.goOn }).click();
  await expect(page).toHaveURL(/\/findings$/);
});

test('where the system chooses the colours, the filter that is on is still told from the others', async ({
  page,
  consul,
}) => {
  await furnish(consul);
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/?show=locks');
  const outline = (name: RegExp) =>
    page.getByRole('button', { name }).evaluate((chip) => getComputedStyle(chip).outlineStyle);
  await expect.poll(() => outline(/^Locks/)).toBe('solid');
  expect(await outline(/^Semaphores/)).toBe('none');
});

test('nothing that has the focus lies below the header', async ({ page, consul }) => {
  await furnish(consul);
  await page.setViewportSize({ width: 1024, height: 480 });
  await page.goto('/semaphore?prefix=form%2Fpool');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  const hidden: string[] = [];
  const look = () =>
    page.evaluate(() => {
      const focused = document.activeElement;
      const header = document.querySelector('header');
      if (focused === null || focused === document.body || header === null || header.contains(focused))
        return null;
      const { left, width, top, height } = focused.getBoundingClientRect();
      const [x, y] = [left + Math.min(width / 2, 20), top + height / 2];
      const uppermost = document.elementFromPoint(x, y);
      return uppermost === null || header.contains(uppermost) ? focused.outerHTML.slice(0, 120) : null;
    });
  for (const key of ['Tab', 'Shift+Tab'])
    for (let step = 0; step < 30; step += 1) {
      await page.keyboard.press(key);
      const fault = await look();
      if (fault !== null) hidden.push(fault);
    }
  expect(hidden).toEqual([]);
});

test('the dialog of an action starts at its plan, is clean by axe and gives the focus back', async ({
  page,
  consul,
}) => {
  await furnish(consul);
  await page.goto('/semaphore?prefix=semaphore%2Fform-gateway');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  const prune = page.getByRole('button', { name: 'Prune 2 ghosts' }).first();
  await expect(prune).toBeEnabled();
  await prune.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Will be written')).toBeVisible();
  await expect(dialog.getByRole('region', { name: 'Plan' })).toBeFocused();
  expect(await broken(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(prune).toBeFocused();
});

test('at 200 % zoom more than a fifth of a plan is in sight, and the arrow keys scroll it', async ({
  page,
  consul,
}) => {
  await furnish(consul);
  // Windows of 1440 by 900 and 1280 by 720 at twice the size.
  for (const viewport of [
    { width: 720, height: 450 },
    { width: 640, height: 360 },
  ]) {
    await page.setViewportSize(viewport);
    await page.goto('/semaphore?prefix=semaphore%2Fform-gateway');
    await press(page.getByRole('button', { name: 'Prune 2 ghosts' }).first());
    const plan = page.getByRole('dialog').getByRole('region', { name: 'Plan' });
    await expect(plan.getByText('Will be written')).toBeAttached();
    // Where the keys go.
    await expect(plan).toBeFocused();
    const share = () =>
      plan.evaluate((region) => {
        const box = region.getBoundingClientRect();
        const seen = Math.min(box.bottom, window.innerHeight) - Math.max(box.top, 0);
        return { seen: seen / region.scrollHeight, top: box.top - region.scrollTop };
      });
    const before = await share();
    expect(before.seen, `at ${viewport.width} px`).toBeGreaterThan(0.2);
    await page.keyboard.press('PageDown');
    await expect.poll(async () => (await share()).top).toBeLessThan(before.top);
  }
});

test('search and filters live in the address and survive a reload', async ({ page, consul }) => {
  await furnish(consul);
  await page.goto('/');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  await page.getByRole('searchbox').first().fill('form/plain');
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/form/);
  await page.reload();
  await expect(page.getByRole('searchbox').first()).toHaveValue('form/plain');
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText('form/plain');
});

test('the board finds by a session id, whole or in part, and opens a row by keyboard', async ({
  page,
  consul,
}) => {
  const { sessionId } = await furnish(consul);
  await page.goto('/');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type(sessionId.slice(0, 13));
  const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
  await expect(rows.first()).toContainText('form/plain');
  // The address follows the text a moment later, and would call back a page that opens in that moment.
  await expect(page).toHaveURL(new RegExp(`q=${sessionId.slice(0, 13)}$`));
  await page.keyboard.press('ArrowDown');
  await expect(rows.first().getByRole('link')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/lock\?key=form/);
  await expect(page.getByText('immortal').first()).toBeVisible();
});

test('pruning ghosts takes one click after the plan, and the page sees them gone', async ({
  page,
  consul,
}) => {
  // A semaphore of its own: the other tests of this worker find theirs as they were made.
  await leakSlots(consul, 'semaphore/form-pruned');
  await page.goto('/semaphore?prefix=semaphore%2Fform-pruned');
  await press(page.getByRole('button', { name: 'Prune 2 ghosts' }).first());
  const dialog = page.getByRole('dialog');
  await press(dialog.getByRole('button', { name: /^Prune/ }));
  await expect(dialog.getByText(/removed/).first()).toBeVisible();
  const row = (await consul.client().get('semaphore/form-pruned/.lock')).value;
  expect(row?.value.toString()).toBe('{"limit":2,"holders":[]}');
  expect(row?.flags).toBe('0');
});

test('Chinese characters are glyphs in the browser with such a font and boxes in the other, in zh', async ({
  page,
}) => {
  const others = process.env.SIGNALBOX_OTHER_FONTS_ARE;
  test.skip(others === undefined, 'npm test says which fonts there are.');
  await page.goto('/');
  const areGlyphs = await page.evaluate(() => {
    const drawn = (character: string) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 60, height: 60 });
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('There is no canvas.');
      context.font = `40px ${getComputedStyle(document.body).fontFamily}`;
      context.fillText(character, 5, 45);
      return canvas.toDataURL();
    };
    // No font has the second one, which is no character: without a font the first one is the same box.
    return drawn('锁') !== drawn('\u{10fff0}');
  });
  const isOther = test.info().project.name === 'other-fonts';
  expect(areGlyphs).toBe((others === 'chinese') === isOther);
});
