/** The audit for people: actions and refusals, reasons, outcomes, and whether the chain is intact. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { sql } from 'kysely';
import { broken } from '@/e2e/support/furnish';
import { expect, type Signalbox, startSignalbox, test } from '@/e2e/support/signalbox';
import type { AuditEntry, AuditRow } from '@/lib/domain/actions/audit';
import { languageCookie } from '@/lib/i18n/language';
import { languages } from '@/lib/i18n/messages';
import { createAuditLog } from '@/lib/server/audit/audit-log';
import { openStore } from '@/lib/server/store/store';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { checkLines } from '@/scripts/audit-check.mjs';
import type { TestConsul } from '@/test/support/consul';

const entries = (page: Page, name = 'Actions, newest first') => page.getByRole('region', { name });
const entry = (page: Page, text: string | RegExp) =>
  entries(page).getByRole('listitem').filter({ hasText: text }).first();

/** A download as text. */
async function saved(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^signalbox-audit-\d{4}-\d\d-\d\d\.(csv|jsonl)$/);
  return readFileSync(await download.path(), 'utf8');
}

const rowsOf = (jsonl: string) =>
  jsonl
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditRow);

test('an eviction stands in the audit with its reason, its outcome and the next holder; a refusal stands there too', async ({
  page,
  consul,
}) => {
  test.setTimeout(180_000);
  const client = consul.client();
  const pool = { prefix: 'e2e/audit-pool', limit: 1 };
  const holder = await new Semaphore(client, { ...pool, owner: 'worker-7' }).acquire();
  const next = new Semaphore(client, { ...pool, owner: 'worker-5' }).acquire();
  try {
    await page.goto('/semaphore?prefix=e2e%2Faudit-pool');
    await page
      .getByRole('button', { name: /^Evict/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByText('Will be written')).toBeVisible();
    await dialog.getByLabel('Reason').fill('it hangs since the deploy');
    const confirm = dialog.getByLabel(/^Type .* to confirm$/);
    if (await confirm.isVisible()) await confirm.fill(await dialog.locator('label code').last().innerText());
    await dialog.getByRole('button', { name: /^Evict/ }).click();
    await next;
    await dialog.getByRole('button', { name: 'Close' }).click();

    // From the page of the semaphore to what was done to it.
    await page.getByRole('link', { name: 'Audit' }).and(page.locator('main a')).click();
    await expect(page).toHaveURL(/\/audit\?subject=semaphore/);
    const evicted = entry(page, /evicted worker-7 .* from e2e\/audit-pool/);
    // The outcome and what followed come a moment after the next holder.
    await expect(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      await expect(evicted).toContainText(/taken by worker-5 /, { timeout: 1_000 });
    }).toPass({ timeout: 40_000 });
    await expect(evicted).toContainText('it hangs since the deploy');
    await expect(evicted).toContainText('done');

    await expect(evicted).toContainText(/alive then, on node/);

    // The rows themselves, with what proves them, by keyboard.
    await evicted.getByRole('button', { name: 'Rows of this entry' }).focus();
    await page.keyboard.press('Enter');
    for (const kind of ['started', 'outcome', 'aftermath'])
      await expect(
        evicted
          .getByRole('region', { name: kind })
          .getByText(/^[0-9a-f]{64}$/)
          .first(),
      ).toBeVisible();

    // Somebody acts on what is no longer so: refused, and on record.
    const answer = await page.request.post('/api/v1/actions', {
      headers: { 'sec-fetch-site': 'same-origin' },
      data: {
        mode: 'apply',
        action: { type: 'semaphore.resize', source: 'consul', prefix: 'e2e/audit-pool', limit: 4 },
        reason: 'more room',
        expect: {
          entries: [{ key: 'e2e/audit-pool/.lock', modifyIndex: '1', session: null, seen: '99' }],
          sessions: [],
        },
      },
    });
    expect(answer.status()).toBe(409);
    await page.getByRole('button', { name: 'Refresh' }).click();
    const refused = entry(page, 'asked to set the limit of e2e/audit-pool to 4');
    await expect(refused).toContainText('refused');
    await expect(refused).toContainText('more room');

    // Filters live in the address; the export keeps them.
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('refused');
    await expect(page).toHaveURL(/outcome=refused/);
    await expect(entry(page, /evicted/)).toHaveCount(0);
    await expect(refused).toBeVisible();
    const narrowed = rowsOf(await saved(page, 'Export JSON lines'));
    expect(new Set(narrowed.map(({ action }) => action))).toEqual(new Set(['semaphore.resize']));
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(page).toHaveURL(/\/audit$/);
    await expect(evicted).toBeVisible();
    await page.getByLabel('Person').fill('nobody of this name');
    await page.keyboard.press('Enter');
    await expect(page.getByText('No entry matches.')).toBeVisible();
    await page.goBack();
    await expect(evicted).toBeVisible();

    // Times are typed as they stand on the page, whatever the browser's country writes.
    await page.getByLabel('From', { exact: true }).fill('11/26/2026');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('form').getByRole('alert')).toContainText('2026-11-26 14:05');
    await page.getByLabel('From', { exact: true }).fill('2000-01-01');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/from=(1999|2000)-/);
    await expect(evicted).toBeVisible();
    await expect(page.getByText('An entry has a row for each step')).toBeVisible();

    const all = await saved(page, 'Export JSON lines');
    expect(await checkLines(all.split('\n'))).toMatchObject({ faults: [], gaps: 0, from: 1 });
    expect(await saved(page, 'Export CSV')).toContain('it hangs since the deploy');
    await expect(page.getByText(/^Chain intact: \d+ rows?, verified at/)).toBeVisible();
  } finally {
    await holder.release().catch(() => {});
    await (await next).release().catch(() => {});
  }
});

const said = (i: number): AuditEntry => ({
  kind: 'refused',
  thread: randomUUID(),
  who: { kind: 'proxy', name: i % 2 === 0 ? 'ada@example.org' : 'grace@example.org' },
  address: '192.0.2.7',
  action: 'lock.release',
  subjects: [`lock:service/billing/a-rather-long-path/that-goes-on-and-on/worker-${i}/leader`],
  reason: i % 3 === 0 ? 'the holder has not renewed for an hour, and its process is gone from the node' : '',
  detail: { how: 'destroy-session', outcome: 'stale', why: { code: 'changed-since', facts: {} } },
});

/** A server of its own on an audit that was written before it started. */
async function withAudit(
  { page, consul }: { page: Page; consul: TestConsul },
  rows: number,
  use: (signalbox: Signalbox) => Promise<void>,
  tamper?: (store: ReturnType<typeof openStore>) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-audit-'));
  const store = openStore({ folder });
  const book = createAuditLog({ store, replica: 'e2e', now: Date.now });
  for (let i = 0; i < rows; i += 1) await book.append(said(i));
  await tamper?.(store);
  await book.close();
  await store.close();
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: { SIGNALBOX_DATA: folder },
  });
  try {
    await use(signalbox);
  } finally {
    // A page that outlives its server logs that to the console, which is no fault.
    await page.goto('about:blank');
    await signalbox.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a row that was changed in the store is named on the page', async ({ page, consul }) => {
  await withAudit(
    { page, consul },
    12,
    async ({ baseUrl }) => {
      await page.goto(`${baseUrl}/audit`);
      await expect(
        page.getByText(/^Chain broken at row 5: .* 4 rows before it fit\. Verified at /),
      ).toBeVisible();
    },
    async ({ db }) => {
      // Whoever owns the file can take the guard away; the chain shows it all the same.
      await sql.raw('drop trigger signalbox_audit_no_update').execute(db);
      await sql
        .raw("update signalbox_audit set body = replace(body, 'refused', 'sign-in') where seq = 5")
        .execute(db);
    },
  );
});

test('many entries come in pages, each once, with links forth and back', async ({ page, consul }) => {
  await withAudit({ page, consul }, 120, async ({ baseUrl }) => {
    await page.goto(`${baseUrl}/audit`);
    const names = async () =>
      entries(page)
        .getByRole('link', { name: /worker-/ })
        .allInnerTexts();
    const seen: string[] = [];
    for (const count of [50, 50, 20]) {
      await expect(entries(page).getByRole('link', { name: /worker-/ })).toHaveCount(count);
      seen.push(...(await names()));
      const older = page.getByRole('link', { name: 'Older' });
      if (count === 50) {
        const before = page.url();
        await older.click();
        await page.waitForURL((url) => url.href !== before);
        await expect(entries(page).getByRole('link', { name: seen.at(-1) ?? '', exact: true })).toHaveCount(
          0,
        );
      } else await expect(older).toHaveCount(0);
    }
    expect(new Set(seen).size).toBe(120);
    await page.getByRole('link', { name: 'Back to the newest' }).click();
    await expect(entries(page).getByRole('link', { name: /worker-119/ })).toBeVisible();
  });
});

test('a store that does not answer is said to be one, and an address that is not understood too', async ({
  page,
  consul,
}) => {
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: { SIGNALBOX_DATA: '/dev/null/no-folder' },
  });
  try {
    await page.goto(`${signalbox.baseUrl}/audit`);
    await expect(page.getByText('Signalbox cannot read the audit right now.')).toBeVisible();
    await page.goto(`${signalbox.baseUrl}/audit?outcome=well`);
    await expect(page.getByText('Signalbox does not understand this address.')).toBeVisible();
  } finally {
    await page.goto('about:blank');
    await signalbox.stop();
  }
});

test('the audit is clean by axe and fits 320 to 1440 px, dark and light, in each language; nothing on it jumps', async ({
  page,
  consul,
  context,
}) => {
  test.setTimeout(300_000);
  await withAudit({ page, consul }, 8, async ({ baseUrl }) => {
    const faults: string[] = [];
    for (const [language, m] of Object.entries(languages)) {
      await context.addCookies([{ name: languageCookie, value: language, url: baseUrl }]);
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${baseUrl}/audit`);
        const first = entries(page, m.audit.table).getByRole('listitem').first();
        await expect(first).toBeVisible();
        const top = async () => (await first.boundingBox())?.y;
        const before = await top();
        await expect(page.getByText(m.audit.chain.again)).toBeVisible();
        const what = `${language}, ${width} px`;
        expect(await top(), `${what}, when the state of the record comes`).toBe(before);
        await first.getByRole('button', { name: m.audit.details }).click();
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await expect(page.locator('html')).toHaveClass(new RegExp(colorScheme));
          for (const fault of await broken(page)) faults.push(`${what}, ${colorScheme}: ${fault}`);
        }
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (over > 0) faults.push(`${what}: ${over} px too wide`);
      }
    }
    expect(faults).toEqual([]);
  });
});
