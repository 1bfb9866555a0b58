/** Findings on real Consul: ghosts in several semaphores pruned in one go, and two clients in a real deadlock. */
import type { Page } from '@playwright/test';
import { expect, test } from '@/e2e/support/signalbox';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { newCoordination, readCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { until } from '@/test/support/until';

/** A semaphore of one slot that is recorded for a session which has ended. */
async function leak(client: ConsulClient, prefix: string): Promise<string> {
  const id = await client.createSession({
    name: 'crashed',
    ttlMs: 60_000,
    behavior: 'delete',
    lockDelayMs: 0,
  });
  const value = newCoordination('map', 1, [id]);
  await client.cas({ key: `${prefix}/.lock`, value, flags: semaphoreFlags, index: '0' });
  await client.destroySession(id);
  return id;
}

const recorded = async (client: ConsulClient, prefix: string) => {
  const row = (await client.get(`${prefix}/.lock`)).value;
  return row === null ? null : (readCoordination(row.value).holders ?? []);
};

/** Notes, at every change of the page from now on, how many of these there were at once; `most` returns the largest. */
async function countAlways(page: Page, selector: string, text: string): Promise<{ most(): Promise<number> }> {
  await page.evaluate(
    ([where = '', says = '']) => {
      const seen = { most: 0 };
      const count = () => {
        const all = [...document.querySelectorAll(where)];
        seen.most = Math.max(seen.most, all.filter((one) => one.textContent.includes(says)).length);
      };
      new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
      count();
      Object.assign(window, { [`most ${where}`]: seen });
    },
    [selector, text],
  );
  return {
    most: () =>
      page.evaluate(
        (name) => (window as unknown as Record<string, { most: number }>)[name]?.most ?? -1,
        `most ${selector}`,
      ),
  };
}

/** Waits until the server itself reports this many findings. */
const found = (page: Page, query: string, n: number) =>
  until(
    async () => {
      const answer = await page.request.get(`/api/v1/findings?${query}`);
      return ((await answer.json()).findings as unknown[]).length === n;
    },
    { what: `${n} findings of ${query}` },
  );

test('ghosts of three semaphores are pruned by one plan: one outcome each, and the findings are seen to be gone', async ({
  page,
  consul,
}) => {
  const client = consul.client();
  const prefixes = ['e2e/leak-a', 'e2e/leak-b', 'e2e/leak-c'] as const;
  for (const prefix of prefixes) await leak(client, prefix);
  // Only what was there for a second is said to be gone: the page opens with all three.
  await found(page, 'code=ghost-slots&prefix=e2e/leak', 3);
  await page.goto('/findings?q=e2e/leak');
  const group = page.getByRole('region', { name: /ghost slots/ });
  await expect(group.getByRole('checkbox', { name: /^Select e2e/ })).toHaveCount(3);
  await group.getByRole('checkbox', { name: 'Select all 3' }).check();
  await group.getByRole('button', { name: 'Prune three semaphores…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Will be written')).toBeVisible();

  // Between the plan and the click, one of them moves: another client leaves a ghost of its own there.
  const row = (await client.get('e2e/leak-b/.lock')).value;
  const other = '11111111-2222-3333-4444-555555555555';
  const value = newCoordination('map', 1, [other]);
  await client.cas({ key: 'e2e/leak-b/.lock', value, flags: semaphoreFlags, index: row?.modifyIndex ?? '' });
  await dialog.getByRole('button', { name: /^Prune/ }).click();

  await until(async () => (await recorded(client, 'e2e/leak-c'))?.length === 0, {
    what: 'the ghosts that did not move to be pruned',
  });
  expect(await recorded(client, 'e2e/leak-a')).toEqual([]);
  expect(await recorded(client, 'e2e/leak-b'), 'what moved was left alone').toEqual([other]);
  await expect(dialog.getByText('e2e/leak-b').first()).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  // Gone because it was seen, not because the action said so; the others are still shown.
  await expect(page.getByText(/· Cleared/)).toHaveCount(2);
  await expect(group.getByRole('link', { name: /leak-b/ })).toBeVisible();
  await expect(page.getByText(/· Cleared/)).toHaveCount(0, { timeout: 30_000 });
  await expect(page.getByRole('link', { name: /leak-a/ })).toHaveCount(0);
});

test('what one plan has pruned is not offered again while its rows say that they are cleared', async ({
  page,
  consul,
}) => {
  const client = consul.client();
  const prefixes = ['e2e/spent-a', 'e2e/spent-b'] as const;
  for (const prefix of prefixes) await leak(client, prefix);
  await found(page, 'code=ghost-slots&prefix=e2e/spent', 2);
  await page.goto('/findings?q=e2e/spent');
  const group = page.getByRole('region', { name: /ghost slots/ });
  await group.getByRole('checkbox', { name: 'Select all 2' }).check();
  await group.getByRole('button', { name: 'Prune two semaphores…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText('Will be written')).toBeVisible();
  // At each change of the list behind the dialog: how many rows are cleared, and how many buttons offer to prune.
  await page.evaluate(() => {
    const seen: string[] = [];
    const look = () => {
      const main = document.querySelector('main');
      const cleared = main?.textContent.split('· Cleared').length ?? 1;
      const offers = [...(main?.querySelectorAll('button') ?? [])].filter((one) =>
        one.textContent.startsWith('Prune'),
      );
      const now = `${cleared - 1} cleared, ${offers.length} offers`;
      if (seen.at(-1) !== now) seen.push(now);
    };
    look();
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
    Object.assign(window, { seenOffers: seen });
  });
  const seen = () => page.evaluate(() => (window as unknown as { seenOffers: string[] }).seenOffers);
  expect((await seen())[0]).toMatch(/^0 cleared, [1-9]/);
  await dialog.getByRole('button', { name: /^Prune/ }).click();
  for (const prefix of prefixes)
    await until(async () => (await recorded(client, prefix))?.length === 0, {
      what: `${prefix} to be pruned`,
    });
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await until(async () => (await seen()).at(-1) === '0 cleared, 0 offers', { what: 'the rows to leave' });
  const cleared = (await seen()).filter((one) => one.startsWith('2 cleared'));
  expect(cleared).toEqual(['2 cleared, 0 offers']);
});

test('two programs that wait for each other are a deadlock, a knot in the graph, and one eviction undoes it', async ({
  page,
  consul,
}) => {
  const client = consul.client();
  const end = new AbortController();
  const prefixes = ['e2e/debit', 'e2e/credit'] as const;
  const semaphoresOf = (owner: string) =>
    prefixes.map((prefix) => new Semaphore(client, { prefix, limit: 1, owner }));
  const [debitA, creditA] = semaphoresOf('transfer-a');
  const [debitB, creditB] = semaphoresOf('transfer-b');
  if (!debitA || !creditA || !debitB || !creditB) throw new Error('four semaphores');
  const first = await debitA.acquire();
  const second = await creditB.acquire();
  const waits = [
    creditA.acquire({ signal: end.signal }).catch(() => null),
    debitB.acquire({ signal: end.signal }).catch(() => null),
  ];
  try {
    await page.goto('/graph');
    const knot = page.getByRole('region', { name: 'Deadlock of 2' });
    await expect(knot).toContainText(
      'transfer-a holds e2e/debit and waits for e2e/credit, held by transfer-b',
    );
    await expect(knot).toContainText('matched by owner name: transfer-a');
    const drawn = page.getByRole('region', { name: /^Wait graph: / });
    await expect(drawn.getByRole('link', { name: 'transfer-a · alive · deadlock' })).toBeVisible();
    await expect(drawn.getByRole('link', { name: /e2e\/credit · .* · deadlock/ })).toBeVisible();

    await found(page, 'code=deadlock', 1);
    await page.goto('/findings?code=deadlock');
    const row = page.getByRole('listitem').filter({ hasText: /^e2e\/credit/ });
    await expect(row.first()).toContainText('each hold what the other waits for. Neither can proceed.');
    await row
      .first()
      .getByRole('button', { name: /^Evict/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('undo the deadlock');
    const confirm = dialog.getByLabel(/^Type .* to confirm$/);
    if (await confirm.isVisible()) await confirm.fill(await dialog.locator('label code').last().innerText());
    await dialog.getByRole('button', { name: /^Evict/ }).click();
    await until(async () => first.lost.aborted || second.lost.aborted, {
      what: 'one of them to lose its slot',
    });
    expect(first.lost.aborted && second.lost.aborted).toBe(false);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByText(/· Cleared/)).toBeVisible();
  } finally {
    end.abort();
    await Promise.all([first.release().catch(() => {}), second.release().catch(() => {})]);
    for (const permit of await Promise.all(waits)) await permit?.release();
  }
});

test('waiters that come and go make one finding of one severity, on the page and in the API, and a row that is pointed at keeps its button', async ({
  page,
  consul,
}) => {
  test.setTimeout(180_000);
  const client = consul.client();
  const prefix = 'e2e/comes-and-goes';
  await leak(client, prefix);
  const waiter = await client.createSession({
    name: 'comes and goes',
    ttlMs: 600_000,
    behavior: 'delete',
    lockDelayMs: 0,
  });
  const entry = { key: `${prefix}/${waiter}`, value: Buffer.alloc(0), flags: semaphoreFlags };
  const ofIt = async () => {
    const answer = await page.request.get(`/api/v1/findings?code=ghost-slots&prefix=${prefix}`);
    return (await answer.json()).findings as {
      severity: string;
      facts: { waiting: number };
      easing: { to: string } | null;
    }[];
  };
  const leave = () => fetch(`http://${consul.address}/v1/kv/${entry.key}`, { method: 'DELETE' });
  const waiting = (n: number) =>
    until(async () => (await ofIt())[0]?.facts.waiting === n, { what: `${n} to wait` });
  await client.acquire({ ...entry, session: waiter });
  await waiting(1);
  await page.goto(`/findings?q=${prefix}`);
  const row = page.getByRole('listitem').filter({ hasText: 'comes-and-goes' });
  const prune = row.getByRole('button', { name: 'Prune 1 ghost' });
  await prune.hover();
  const node = await prune.elementHandle();
  const rows = await countAlways(page, 'main li', 'comes-and-goes');
  const groups = await countAlways(page, 'main section', 'comes-and-goes');
  for (let n = 0; n < 6; n += 1) {
    await leave();
    await waiting(0);
    // The facts are of now; the severity is that of a moment ago, and says so.
    expect(await ofIt()).toMatchObject([{ severity: 'urgent', easing: { to: 'warning' } }]);
    await expect(row).toContainText('Drops to warning at');
    await client.acquire({ ...entry, session: waiter });
    await waiting(1);
    expect(await ofIt()).toMatchObject([{ severity: 'urgent', easing: null }]);
    await expect(row).not.toContainText('Drops to warning');
    await expect(row).toHaveCount(1);
    await expect(page.getByRole('region', { name: /ghost slots/ })).toHaveCount(1);
    expect(await node?.evaluate((button) => button.isConnected)).toBe(true);
  }
  // Nobody comes any more: it is calmer after a while, without another change, and the row that is pointed at stays.
  await leave();
  await until(async () => (await ofIt())[0]?.severity === 'warning', {
    what: 'the severity to fall',
    timeoutMs: 45_000,
  });
  await expect(row).not.toContainText('Drops to warning');
  await expect(row).toHaveCount(1);
  expect(await node?.evaluate((button) => button.isConnected)).toBe(true);
  // Not at any moment was it listed twice.
  expect([await rows.most(), await groups.most()]).toEqual([1, 1]);
  await client.destroySession(waiter);
});
