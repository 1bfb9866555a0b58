/** Two sources on one board: a real Consul and a stand-in, which is a file that programs share. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, press, startSignalbox, test } from '@/e2e/support/signalbox';
import { paths } from '@/lib/client/paths';
import type { Contents } from '@/lib/providers/stand-in/file';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const key = 'jobs/nightly';
const other = 'jobs/weekly';
const row = (page: Page, href: string) => page.locator('tr', { has: page.locator(`a[href="${href}"]`) });

/** The stand-in's file: two locks, each with a holder and a queue. */
function makeFile() {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-sources-'));
  const path = join(dir, 'locks.json');
  const sinceMs = Date.now() - 60_000;
  const held = (who: string) => ({
    holder: { id: `${who}-1`, name: `${who} one`, sinceMs, leaseUntilMs: Date.now() + 3_600_000 },
    queue: [2, 3].map((n) => ({ id: `${who}-${n}`, name: `${who} ${n === 2 ? 'two' : 'three'}`, sinceMs })),
  });
  const contents: Contents = { locks: { [key]: held('night'), [other]: held('week') }, semaphores: {} };
  writeFileSync(path, JSON.stringify(contents));
  return {
    path,
    read: () => JSON.parse(readFileSync(path, 'utf8')) as Contents,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Releases the lock whose page is open, as a person does: looks at the plan, gives a reason, does it. */
async function release(page: Page, name: string): Promise<void> {
  await press(page.getByRole('button', { name: `Release ${name}` }));
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('is first in the queue and gets it next');
  await expect(dialog).toContainText('this very hold of');
  await dialog.getByLabel(/reason/i).fill('its process is gone');
  await press(dialog.getByRole('button', { name: `Release jobs/${name}` }));
  await expect(dialog).toContainText(/one removed/, { timeout: 15_000 });
  await page.keyboard.press('Escape');
}

test('two sources on one board: each key by itself, a queue that is visible, and one that is down stops no other', async ({
  page,
  consoleErrors,
}) => {
  test.setTimeout(180_000);
  consoleErrors.allow(/Failed to load resource|ERR_|net::/);
  const consul = await startConsul();
  const file = makeFile();
  const client = consul.client();
  const session = await client.createSession({
    name: 'consul worker',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key, value: Buffer.from('x'), flags: '0', session });
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: {
      SIGNALBOX_SOURCES: `consul://?id=consul&title=Consul stand-in://${file.path}?id=files&title=Files`,
    },
  });
  const at = (path: string) => `${signalbox.baseUrl}${path}`;
  const [inConsul, inFiles] = [paths.lock(key), paths.lock(key, 'files')];
  try {
    await page.goto(at('/'));
    await expect(page.getByRole('banner').getByText(/^live/).first()).toBeVisible({ timeout: 20_000 });
    await expect(row(page, inConsul)).toContainText('consul worker');
    await expect(row(page, inFiles)).toContainText('night one');

    await page.goto(at(inFiles));
    const queue = page.getByRole('table').getByRole('row');
    await expect(queue.nth(1)).toContainText('night two');
    await expect(queue.nth(2)).toContainText('night three');
    await expect(page.getByText('In the order of the queue')).toBeVisible();
    await release(page, 'nightly');
    await until(() => file.read().locks[key]?.holder === null, { what: 'the holder to be out' });
    expect(file.read().locks[other]?.holder?.id).toBe('week-1');
    expect(file.read().locks[key]?.queue.map(({ id }) => id)).toEqual(['night-2', 'night-3']);
    expect((await client.get(key)).value?.session).toBe(session);

    await page.goto(at('/'));
    await expect(row(page, inConsul)).toBeVisible();
    await consul.kill();
    await expect(page.locator('[data-outage]')).toBeVisible({ timeout: 30_000 });
    await expect(page.locator('[data-outage]')).toContainText('Rows of Consul show the last known state');
    await expect(row(page, inConsul)).toHaveClass(/not-fresh/);
    await expect(row(page, paths.lock(other, 'files'))).not.toHaveClass(/not-fresh/);
    await expect(page.locator('main.not-fresh')).toHaveCount(0);

    await page.goto(at(inConsul));
    await expect(page.locator('#content .not-fresh')).toHaveCount(1);
    await expect(page.getByRole('button', { name: 'Release nightly' })).toHaveAttribute(
      'aria-disabled',
      'true',
    );
    await page.goto(at(paths.lock(other, 'files')));
    await expect(page.locator('#content .not-fresh')).toHaveCount(0);
    await release(page, 'weekly');
    await until(() => file.read().locks[other]?.holder === null, { what: 'the other holder to be out' });

    await consul.restart();
    await page.goto(at('/'));
    await expect(row(page, inConsul)).not.toHaveClass(/not-fresh/, { timeout: 40_000 });
    await expect(page.locator('[data-outage]')).toHaveCount(0);
  } finally {
    await page.goto('about:blank');
    await signalbox.stop();
    await consul.stop();
    file.remove();
  }
});
