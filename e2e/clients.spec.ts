/** The whole line with real clients: from a `consul lock` process to a pixel, and from a click to its end. */
import type { Page } from '@playwright/test';
import { expect, test } from '@/e2e/support/signalbox';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type ConsulLock, runConsulLock, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const semaphorePage = (prefix: string) => `/semaphore?prefix=${encodeURIComponent(prefix)}`;

/** Six real clients of one semaphore of three, once all of them are in. `consul lock` says what it loses only with -verbose. */
async function sixClients(consul: TestConsul, prefix: string): Promise<ConsulLock[]> {
  const clients: ConsulLock[] = [];
  for (let i = 0; i < 6; i += 1)
    clients.push(runConsulLock(consul, { n: 3, prefix, command: 'sleep 600', args: ['-verbose'] }));
  const client = consul.client();
  // A client has its entry before it is recorded as a holder.
  await until(
    async () =>
      (await client.list(`${prefix}/`)).value.length === 7 && (await recorded(client, prefix)).length === 3,
    { what: 'six contender entries, and three of them recorded', timeoutMs: 30_000 },
  );
  return clients;
}

/** Reads `.lock` at every change until `stop`, and keeps every flag and every text that it ever had. */
function watchEntry(consul: TestConsul, prefix: string) {
  const client = consul.client();
  const end = new AbortController();
  const flags = new Set<string>();
  const texts: string[] = [];
  const ended = (async () => {
    let index = '0';
    while (!end.signal.aborted) {
      try {
        const reply = await client.get(`${prefix}/.lock`, {
          block: { index, waitMs: 2_000 },
          signal: end.signal,
        });
        index = reply.index ?? '0';
        if (reply.value !== null) {
          flags.add(reply.value.flags);
          texts.push(reply.value.value.toString());
        }
      } catch (error) {
        if (!end.signal.aborted) throw error;
      }
    }
  })();
  return {
    flags,
    texts,
    stop: async () => {
      end.abort();
      await ended;
    },
  };
}

/** Session ids that `.lock` names right now. */
async function recorded(reader: ConsulClient, prefix: string): Promise<string[]> {
  const row = (await reader.get(`${prefix}/.lock`)).value;
  return row === null ? [] : Object.keys(JSON.parse(row.value.toString()).Holders);
}

async function confirmAndApply(page: Page) {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('stuck since the deploy');
  const confirm = dialog.getByLabel(/^Type .* to confirm$/);
  if (await confirm.isVisible()) await confirm.fill(await dialog.locator('label code').last().innerText());
  await dialog.getByRole('button', { name: /^(Evict|Release|Prune|Resize|Destroy|Hand over|Take)/ }).click();
}

test('three hold, three wait, and every session is named', async ({ page, consul }) => {
  const prefix = 'e2e/board';
  await sixClients(consul, prefix);
  await page.goto('/');
  const row = page.getByRole('row').filter({ hasText: 'e2e/board' });
  await expect(row).toContainText('3/3');
  await expect(row.getByRole('cell', { name: '3 of 3 slots taken: alive, alive, alive' })).toBeVisible();
  await expect(row.getByRole('cell', { name: '3', exact: true })).toBeVisible();
  await page.goto(semaphorePage(prefix));
  await expect(page.getByText('3 of 3 slots held, 3 waiting.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Evict sleep 600/ })).toHaveCount(3);
});

test('a holder killed with -9 stays shown until Consul frees it, then the next one is in', async ({
  page,
  consul,
}) => {
  test.setTimeout(180_000);
  const prefix = 'e2e/killed';
  const clients = await sixClients(consul, prefix);
  await page.goto(semaphorePage(prefix));
  await expect(page.getByText('3 of 3 slots held, 3 waiting.')).toBeVisible();
  const reader = consul.client();
  const before = await recorded(reader, prefix);
  const entry = watchEntry(consul, prefix);
  const holders = () => clients.filter((client) => client.isHolding());
  await until(() => holders().length === 3, { what: 'three to run their command' });
  // The holders alone: with the waiters gone as well, no client would come in.
  for (const client of holders()) client.kill9();
  await until(async () => (await recorded(reader, prefix)).some((id) => !before.includes(id)), {
    what: 'Consul to free a killed holder and the next one to come in',
    timeoutMs: 60_000,
  });
  const now = await recorded(reader, prefix);
  const fresh = now.find((id) => !before.includes(id)) ?? '';
  await expect(page.getByRole('link', { name: new RegExp(fresh.slice(0, 4)) }).first()).toBeVisible();
  await entry.stop();
  expect([...entry.flags]).toEqual([semaphoreFlags]);
});

test('an eviction from the page reaches the process, and the page follows the next one in', async ({
  page,
  consul,
}) => {
  const prefix = 'e2e/evict';
  const clients = await sixClients(consul, prefix);
  const entry = watchEntry(consul, prefix);
  await page.goto(semaphorePage(prefix));
  const reader = consul.client();
  const before = await recorded(reader, prefix);
  await page
    .getByRole('button', { name: /^Evict sleep 600/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Will be written')).toBeVisible();
  await confirmAndApply(page);
  await expect(dialog.getByText(/removed/)).toBeVisible();
  await expect(dialog.getByText(/taken by/)).toBeVisible();
  await until(() => clients.filter((c) => c.output().includes('Lock lost')).length === 1, {
    what: 'exactly one process to say that it lost the lock',
  });
  const after = await recorded(reader, prefix);
  expect(after).toHaveLength(3);
  expect(after.filter((id) => before.includes(id))).toHaveLength(2);
  await entry.stop();
  expect([...entry.flags]).toEqual([semaphoreFlags]);
  for (const text of entry.texts)
    expect(text).toMatch(/^\{"Limit":3,"Holders":\{("[0-9a-f-]{36}":true,?)*\}\}$/);
});

test('of two operators who saw the same, one wins and the other gets the difference', async ({
  page,
  context,
  consul,
}) => {
  const prefix = 'e2e/two';
  await sixClients(consul, prefix);
  const other = await context.newPage();
  for (const operator of [page, other]) {
    await operator.goto(semaphorePage(prefix));
    await operator
      .getByRole('button', { name: /^Evict sleep 600/ })
      .first()
      .click();
    await expect(operator.getByRole('dialog').getByText('Will be written')).toBeVisible();
  }
  await confirmAndApply(page);
  await expect(page.getByRole('dialog').getByText(/removed/)).toBeVisible();
  // The next client comes in by itself, and writes the entry a second time.
  await expect(page.getByRole('dialog').getByText(/taken by/)).toBeVisible();
  const reader = consul.client();
  const afterFirst = await recorded(reader, prefix);
  await confirmAndApply(other);
  await expect(other.getByRole('dialog').getByText(/Nothing was written/)).toBeVisible();
  await expect(other.getByRole('dialog').getByRole('button', { name: 'Close' })).toBeVisible();
  expect(await recorded(reader, prefix)).toEqual(afterFirst);
});

test('a resize says who will fail, and what it said comes true', async ({ page, consul }) => {
  const prefix = 'e2e/resize';
  const clients = await sixClients(consul, prefix);
  await page.goto(semaphorePage(prefix));
  await page.getByRole('button', { name: 'Resize…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New limit').fill('4');
  await expect(dialog.getByText(/among 3 waiters fail at once/)).toBeVisible();
  await expect(dialog.getByText('Up to 3 waiters fail at once.')).toBeVisible();
  await confirmAndApply(page);
  await expect(dialog.getByText('limit is 4')).toBeVisible();
  await until(() => clients.filter((c) => c.output().includes('semaphore limit conflict')).length === 3, {
    what: 'the three waiters to fail, as the plan said',
  });
  const row = (await consul.client().get(`${prefix}/.lock`)).value;
  expect(row?.flags).toBe(semaphoreFlags);
  expect(row?.value.toString()).toMatch(/^\{"Limit":4,"Holders":\{/);
});
