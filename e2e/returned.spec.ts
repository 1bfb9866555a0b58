/**
 * The page after an action, over the whole time: a Terraform run that returns, and an eviction seen from the findings.
 */
import type { Page } from '@playwright/test';
import { applied } from '@/e2e/support/person';
import { expect, press, test } from '@/e2e/support/signalbox';
import { paths } from '@/lib/client/paths';
import { en } from '@/lib/i18n/messages';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { until } from '@/test/support/until';

/** A session such as Terraform’s. */
const login = (client: ConsulClient) =>
  client.createSession({
    name: 'Consul API Lock',
    ttlMs: 60_000,
    behavior: 'release',
    lockDelayMs: 5_000,
    checks: [],
  });

async function write(client: ConsulClient, key: string, value: string): Promise<void> {
  const index = (await client.get(key)).value?.modifyIndex ?? '0';
  expect(await client.cas({ key, value: Buffer.from(value), flags: '0', index })).toBe(true);
}

const take = (client: ConsulClient, key: string, session: string) =>
  until(() => client.acquire({ key, value: Buffer.from(''), flags: lockFlags, session }), {
    what: 'the lock is taken',
  });

const infoOf = (id: string) =>
  JSON.stringify({
    ID: id,
    Operation: 'OperationTypeApply',
    Who: 'root@vm',
    Created: '2026-11-21T05:00:00Z',
  });

/** Notes every text that the element with this role shows from now on. Returns how to read them. */
async function noting(page: Page, role: string): Promise<() => Promise<string[]>> {
  await page.evaluate((of) => {
    const texts: string[] = [];
    const look = () => {
      const text =
        document.querySelector(`[role=${of}], ${of}`)?.textContent?.replaceAll('\u00a0', ' ') ?? '';
      if (texts.at(-1) !== text) texts.push(text);
    };
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
    Object.assign(window, { noted: texts });
  }, role);
  return () => page.evaluate(() => (window as unknown as { noted: string[] }).noted);
}

test('a Terraform run that takes its lock again is named, and no two lines contradict each other at any time', async ({
  page,
  consul,
}) => {
  const client = consul.client();
  const [key, info] = ['e2e/tf/.lock', 'e2e/tf/.lockinfo'];
  const first = await login(client);
  await take(client, key, first);
  await write(client, info, infoOf(first));
  await page.goto(paths.lock(key));
  await press(page.getByRole('button', { name: /^Release/ }));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('test');
  await dialog.getByLabel(/^Type .* to confirm$/).fill('root@vm');
  const texts = await noting(page, 'dialog');
  await press(dialog.getByRole('button', { name: /^Release/ }));
  const second = await login(client);
  await expect(dialog.getByText(en.action.follow.delayOver)).toBeVisible();
  await take(client, key, second);
  await write(client, info, infoOf(second));
  await expect(dialog.getByText(/^taken again by root@vm \(.*\) with a new session$/)).toBeVisible();
  const all = await texts();
  const refused = /Consul refuses it to everyone for another \d+ s/;
  expect(all.some((text) => refused.test(text))).toBe(true);
  for (const text of all) {
    if (text.includes('lock is free')) expect(text).not.toMatch(refused);
    if (/taken (again )?by/.test(text)) expect(text).toContain('taken again by root@vm');
  }
  await dialog.getByRole('button', { name: 'Close' }).click();
});

test('the record that a Terraform run left beside its lock is shown, and goes with the lock', async ({
  page,
  consul,
}) => {
  const client = consul.client();
  const [key, info] = ['e2e/tf-left/.lock', 'e2e/tf-left/.lockinfo'];
  const id = await login(client);
  await take(client, key, id);
  await write(client, info, infoOf(id));
  await client.destroySession(id);
  await page.goto(paths.lock(key));
  await expect(page.getByText(/^Lock info of root@vm, created 2026-11-21 05:00:00\./)).toBeVisible();
  await page.getByRole('button', { name: en.action.more }).click();
  await page.getByRole('menuitem', { name: en.action.menu['lock.delete'] }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(`Delete ${info}`)).toBeVisible();
  await expect(
    dialog.getByText('This also deletes the lock info of root@vm, which Terraform left behind.'),
  ).toBeVisible();
  await dialog.getByLabel('Reason').fill('test');
  await press(dialog.getByRole('button', { name: /^Delete/ }));
  await expect(dialog.getByText(en.action.follow.entryGone)).toBeVisible();
  expect([(await client.get(key)).value, (await client.get(info)).value]).toEqual([null, null]);
});

test('one’s own eviction leaves nothing under “Urgent”, and no finding that went in a moment', async ({
  page,
  consul,
}) => {
  const client = consul.client();
  const prefix = 'e2e/evicted';
  const ids: string[] = [];
  for (const name of ['stays', 'goes'])
    ids.push(
      await client.createSession({ name, ttlMs: 60_000, behavior: 'delete', lockDelayMs: 0, checks: [] }),
    );
  for (const session of ids)
    await client.acquire({
      key: `${prefix}/${session}`,
      value: Buffer.from(''),
      flags: semaphoreFlags,
      session,
    });
  await client.cas({
    key: `${prefix}/.lock`,
    value: newCoordination('map', 2, ids),
    flags: semaphoreFlags,
    index: '0',
  });
  await page.goto(`/findings?q=${prefix}`);
  await expect(page.getByText(/No findings|No finding matches/)).toBeVisible();
  const texts = await noting(page, 'main');
  const sessionId = ids[1] ?? '';
  expect(
    await applied(page, {
      type: 'semaphore.evict',
      source: 'consul',
      prefix,
      sessionId,
      how: 'destroy-session',
    }),
  ).toBe('done');
  // The page shows what comes after, so it has shown all that came before.
  await client.cas({
    key: 'e2e/evicted-next/.lock',
    value: newCoordination('map', 1, ['00000000-0000-4000-8000-000000000001']),
    flags: semaphoreFlags,
    index: '0',
  });
  await expect(page.getByRole('link', { name: /evicted-next/ })).toBeVisible();
  for (const text of await texts()) {
    expect(text).not.toMatch(/Urgent · 0/);
    expect(text).not.toMatch(/e2e\/evictedghost slots · (gone|Cleared)/);
  }
});
