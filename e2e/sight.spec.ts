/**
 * A token that sees nothing, or nothing of a kind: Consul omits unreadable rows, and omitted rows must not pass for
 * absent ones.
 */
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { test } from '@/e2e/support/guarded';
import { inView, isLive } from '@/e2e/support/person';
import { mark } from '@/e2e/support/teams';
import { paths } from '@/lib/client/paths';
import { en } from '@/lib/i18n/messages';

const { sight } = en;

/** The middle of each page, and the header of all of them. */
async function said(page: Page) {
  const texts: string[] = [];
  for (const path of [paths.board(), paths.sessions(), paths.findings()]) {
    await page.goto(path);
    await isLive(page);
    // The document and the later page say the same.
    await page.waitForFunction(() => document.readyState === 'complete');
    texts.push(await page.locator('main').innerText());
  }
  const [board = '', sessions = '', findings = ''] = texts;
  return { board, sessions, findings, header: await page.getByRole('banner').innerText() };
}

/** Claims about everything that exists. */
const claims = [
  en.board.empty.noneText,
  en.board.empty.noneCommand,
  en.sessions.empty.noneText,
  ' on all nodes',
];

/** A kind without rows in view has no number. */
const none = /(?<![\d,])0 (locks|semaphores|sessions)/;

test('a token without rights does not see "there is nothing"', async ({ world, arriving }) => {
  await world.furnish(mark, 'unseen');
  const { secret } = await world.token('blind', '');
  const { page } = await arriving(secret);
  const { board, sessions, findings, header } = await said(page);
  expect(header).toContain(en.shell.needsUnknown);
  expect(board).toContain(sight.nothing);
  expect(findings).toContain(sight.nothing);
  expect(sessions).toContain(sight.noSession);
  for (const text of [board, sessions, findings]) {
    expect(text).toContain(sight.left);
    for (const claim of [...claims, en.shell.needsHuman(0)]) expect(text).not.toContain(claim);
    expect(text).not.toMatch(none);
  }
  expect(header).not.toContain(en.shell.needsHuman(0));
});

test('a reader of keys alone sees that holders have hidden sessions', async ({ world, arriving }) => {
  const places = await world.furnish('red', 'keys-alone');
  const { secret } = await world.token('keys alone', 'key_prefix "red/" { policy = "read" }');
  const { page } = await arriving(secret);
  await inView(page, [places.release, places.pool]);
  const { board, sessions, findings, header } = await said(page);
  expect(header).not.toContain(en.shell.needsUnknown);
  expect(header).toMatch(/Nothing in view needs attention|\b\d+ needs? attention/);
  expect(board).toContain('no session in view: this token may not read the sessions of holders.');
  expect(sessions).toContain(sight.noneOfThem);
  expect(sessions).toContain(sight.left);
  expect(findings).toContain(sight.withheld);
  for (const text of [board, sessions, findings]) {
    for (const claim of claims) expect(text).not.toContain(claim);
    expect(text).not.toMatch(/(?<![\d,])0 sessions/);
  }
});

test('a reader of sessions alone does not see that they hold nothing', async ({ world, arriving }) => {
  const places = await world.furnish('red', 'sessions-alone');
  const { secret } = await world.token('sessions alone', 'session_prefix "" { policy = "read" }');
  const { page } = await arriving(secret);
  await inView(page, [places.session]);
  const { board, sessions } = await said(page);
  expect(board).toContain(sight.left);
  expect(sessions).toMatch(/sessions in view\. What they hold is unknown: no lock or semaphore/);
  expect(board).toMatch(/\d sessions?, no locks or semaphores in view\./);
  for (const text of [board, sessions]) {
    for (const claim of [...claims, 'hold nothing']) expect(text).not.toContain(claim);
    expect(text).not.toMatch(/(?<![\d,])0 (locks|semaphores)/);
  }
});

test('with the right to keys alone a dialog opens with the way that needs no session to end', async ({
  world,
  arriving,
}) => {
  const places = await world.furnish('red', 'one-way');
  const { secret } = await world.token(
    'one way',
    'key_prefix "red/" { policy = "write" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }',
  );
  const { page } = await arriving(secret);
  await inView(page, [places.release, places.pool]);
  const { how, sections } = en.action;
  for (const [path, button, allowed, refused] of [
    [paths.lock(places.release), /^Release/, how['hand-over'].name, how['destroy-session'].lock.name],
    [paths.semaphore(places.pool), /^Evict/, how['slot-only'].name, how['destroy-session'].semaphore.name],
  ] as const) {
    await page.goto(path);
    await isLive(page);
    const opener = page.getByRole('main').getByRole('button', { name: button }).first();
    await expect(opener).toBeEnabled();
    await expect(opener).not.toHaveAttribute('aria-disabled');
    await opener.click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText(sections.writes)).toBeVisible();
    await expect(dialog.getByRole('radio', { name: allowed })).toBeChecked();
    const other = dialog.locator('label', { hasText: refused });
    await expect(other).toContainText('session:write on the node red-node');
    await expect(other.getByRole('radio')).not.toBeChecked();
    // This token can do the chosen action.
    await dialog.getByLabel(en.action.reason).fill('one way');
    const name = dialog.locator('label code');
    if ((await name.count()) > 0)
      await dialog
        .locator('input')
        .last()
        .fill(await name.innerText());
    await dialog.getByRole('button').last().click();
    await expect(dialog.getByRole('button', { name: en.action.close })).toBeVisible();
    await expect(dialog.getByRole('alert')).toHaveCount(0);
  }
});
