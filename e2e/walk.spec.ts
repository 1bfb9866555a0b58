/**
 * The walk that this console exists for: a page says "nightly-import hangs, key jobs/nightly-import", and an operator
 * who has never seen it gets the dead holder out and the next one in; the morning after, somebody else reports it. Every
 * gesture is counted, and the count is the test: a screen that asks for one more fails here. `SIGNALBOX_WALK=<folder>` also
 * takes a picture of each step.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '@/e2e/support/signalbox';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { en } from '@/lib/i18n/messages';
import { type ConsulLock, runConsulLock, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const key = 'jobs/nightly-import';
const folder = process.env.SIGNALBOX_WALK ?? null;

/** Counts what a hand does, and when each step was reached. */
function walker(page: Page) {
  const startedAtMs = Date.now();
  const hand = { clicks: 0, keystrokes: 0, pastes: 0 };
  const steps: string[] = [];
  return {
    hand,
    click: async (what: Locator) => {
      await what.click();
      hand.clicks += 1;
    },
    press: async (name: string) => {
      await page.keyboard.press(name);
      hand.keystrokes += 1;
    },
    paste: async (text: string) => {
      await page.keyboard.insertText(text);
      hand.pastes += 1;
    },
    type: async (text: string) => {
      await page.keyboard.type(text);
      hand.keystrokes += text.length;
    },
    step: async (name: string) => {
      const { clicks, keystrokes, pastes } = hand;
      const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
      steps.push(
        `${steps.length + 1}. ${name}: ${seconds} s, ${clicks} clicks, ${keystrokes} keystrokes, ${pastes} pastes`,
      );
      if (folder === null) return;
      await page.screenshot({ path: join(folder, `walk-${steps.length}.png`) });
      writeFileSync(join(folder, 'walk.txt'), `${steps.join('\n')}\n`);
    },
  };
}

const started = (clients: readonly ConsulLock[]) => clients.filter((one) => one.output().includes('started'));

/** Seven real clients for three slots. */
async function hangingJob(consul: TestConsul): Promise<ConsulLock[]> {
  const clients = Array.from({ length: 7 }, () =>
    runConsulLock(consul, { n: 3, prefix: key, command: 'echo started; exec sleep 600', args: ['-verbose'] }),
  );
  await until(() => started(clients).length === 3, { what: 'three to hold', timeoutMs: 30_000 });
  return clients;
}

/** The verdicts of the holders; `unseen` for one whose renewals are not observed. */
async function verdictsOf(baseUrl: string): Promise<string[]> {
  const { semaphores } = (await (
    await fetch(`${baseUrl}/api/v1/snapshot?prefix=${encodeURIComponent(key)}`)
  ).json()) as Snapshot;
  return (semaphores[0]?.holders ?? []).map(({ verdict, expiry }) =>
    expiry.kind === 'observed' ? verdict : 'unseen',
  );
}

/**
 * Kills a holder whose renewals are seen, and resolves when it is overdue. On a machine so busy that the console lost
 * sight of the agent's log meanwhile, nothing may be concluded and Consul frees the slot first: then another one dies.
 */
async function killed(clients: readonly ConsulLock[], verdicts: () => Promise<string[]>): Promise<void> {
  const alive = [...started(clients)];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await until(
      async () => {
        const seen = await verdicts();
        return seen.length === 3 && seen.every((verdict) => verdict === 'alive');
      },
      { what: 'renewals of all holders to be seen', timeoutMs: 30_000 },
    );
    const before = started(clients).length;
    alive.shift()?.kill9();
    const overdue = await until(
      async () => {
        if ((await verdicts()).includes('overdue')) return 'overdue';
        return started(clients).length > before ? 'freed' : false;
      },
      { what: 'the killed one to be overdue, or freed by Consul', timeoutMs: 45_000 },
    );
    if (overdue === 'overdue') return;
  }
  throw new Error('Of three killed holders none was seen to be overdue.');
}

test('from a paged key to the dead holder gone and the next one in: three clicks, one paste and a reason; the report the morning after: three more and a paste', async ({
  page,
  context,
  consul,
  baseUrl,
}) => {
  test.setTimeout(200_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clients = await hangingJob(consul);
  await killed(clients, () => verdictsOf(baseUrl));

  const { hand, click, press, paste, type, step } = walker(page);
  await page.goto('/');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  await step('The board, with what needs attention on top');
  await press('/');
  await paste(key);
  await press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('nightly-import');
  const overdue = page.getByRole('article').filter({ hasText: en.meanings.overdue });
  await expect(overdue).toBeVisible();
  await step('Pasted and Enter: the page of the semaphore, with its verdict');
  await click(overdue.getByRole('button', { name: /^Evict/ }));
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(en.action.sections.writes)).toBeVisible();
  await step('Evict: the plan, before anything is written');
  await click(dialog.getByLabel(/reason/i));
  await type('hung, paged');
  await step('The reason is written');
  const before = started(clients).length;
  await click(dialog.getByRole('button', { name: /^Evict/ }));
  await until(() => started(clients).length > before, {
    what: 'the next client to start',
    timeoutMs: 15_000,
  });
  await expect(dialog.getByText(/taken by/)).toBeVisible();
  await step('Done, and followed: the next one is in');
  expect(hand).toEqual({ clicks: 3, keystrokes: 2 + 'hung, paged'.length, pastes: 1 });

  // The morning after, somebody else.
  await page.goto('/');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  await click(page.getByRole('navigation').getByRole('link', { name: en.history.title, exact: true }));
  await click(page.getByRole('searchbox', { name: en.history.page.prefix }));
  await paste(key);
  const happened = page.getByRole('region', { name: en.history.page.list }).getByRole('listitem');
  await expect(happened.filter({ hasText: 'hung, paged' }).first()).toBeVisible({ timeout: 15_000 });
  await step('The morning after: what happened to it, newest first');
  await click(page.getByRole('button', { name: en.history.page.copy }));
  // The browser takes it a moment after the press.
  const report = expect.poll(() => page.evaluate(() => navigator.clipboard.readText()));
  await report.toContain('hung, paged');
  await report.toContain(key);
  await step('The incident report is copied');
  expect(hand).toEqual({ clicks: 6, keystrokes: 2 + 'hung, paged'.length, pastes: 2 });
});
