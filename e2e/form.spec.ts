/** Form: no rule of axe broken, nothing wider than the screen, everything by keyboard, filters in the address. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import { expect, test } from '@/e2e/support/signalbox';
import { runConsulLock, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The broken rules of WCAG 2.2 A and AA, one line each. */
async function broken(page: Page): Promise<string[]> {
  // The page's own policy forbids injected script tags; evaluating is not injecting.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const run = (
      window as unknown as {
        axe: {
          run(
            options: object,
          ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
        };
      }
    ).axe;
    const { violations } = await run.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
    return violations.flatMap((v) =>
      v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 160)} | ${n.failureSummary}`),
    );
  });
}

/** The tests of this file share one agent, so what they look at is made once. */
let furnished: Promise<{ sessionId: string }> | null = null;
const furnish = (consul: TestConsul) => {
  furnished ??= make(consul);
  return furnished;
};

/** One of everything: a semaphore with ghosts, a semaphore and a lock of real clients, an immortal session. */
async function make(consul: TestConsul): Promise<{ sessionId: string }> {
  const client = consul.client();
  runConsulLock(consul, { n: 2, prefix: 'form/pool', command: 'sleep 600' });
  runConsulLock(consul, { n: 1, prefix: 'form/leader', command: 'sleep 600' });
  const sessionId = await client.createSession({
    name: 'form-immortal',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'form/plain', value: Buffer.from('x'), flags: '0', session: sessionId });
  await client.cas({
    key: 'semaphore/form-gateway/.lock',
    value: Buffer.from(
      '{"limit":2,"holders":["90c02f1e-7f0e-4d33-93c5-e16d4a406027","93e5f1aa-0000-4d33-93c5-e16d4a4080ab"]}',
    ),
    flags: '0',
    index: '0',
  });
  await until(async () => (await client.list('form/')).value.length === 4, { what: 'clients of every kind' });
  return { sessionId };
}

const screens = (sessionId: string) => [
  '/',
  '/semaphore?prefix=semaphore%2Fform-gateway',
  '/semaphore?prefix=form%2Fpool',
  '/lock?key=form%2Fplain',
  '/lock?key=form%2Fnowhere',
  '/sessions',
  `/session?id=${sessionId}`,
];

for (const colorScheme of ['dark', 'light'] as const)
  test(`every screen is clean by axe and fits 320 to 1440 px, ${colorScheme}`, async ({ page, consul }) => {
    test.setTimeout(120_000);
    const { sessionId } = await furnish(consul);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults: string[] = [];
    for (const path of screens(sessionId))
      for (const width of [320, 360, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(path);
        await expect(page.getByText(/^live/).first()).toBeVisible();
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (over > 0) faults.push(`${path} at ${width} px is ${over} px too wide`);
        if (width === 360 || width === 1440)
          for (const fault of await broken(page)) faults.push(`${path} at ${width} px: ${fault}`);
      }
    expect(faults).toEqual([]);
  });

test('the dialog of an action is clean by axe and gives the focus back', async ({ page, consul }) => {
  await furnish(consul);
  await page.goto('/semaphore?prefix=semaphore%2Fform-gateway');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  const prune = page.getByRole('button', { name: 'Prune 2 ghosts' }).first();
  await prune.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Will be written')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  expect(await broken(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(prune).toBeFocused();
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
  await furnish(consul);
  await page.goto('/semaphore?prefix=semaphore%2Fform-gateway');
  await page.getByRole('button', { name: 'Prune 2 ghosts' }).first().click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Prune/ })
    .click();
  await expect(
    page
      .getByRole('dialog')
      .getByText(/is out/)
      .first(),
  ).toBeVisible();
  const row = (await consul.client().get('semaphore/form-gateway/.lock')).value;
  expect(row?.value.toString()).toBe('{"limit":2,"holders":[]}');
  expect(row?.flags).toBe('0');
});
