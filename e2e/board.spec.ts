/** The board at work, on real Consul: from a pasted line to a page, rows that stay, frozen links, keys, palette, copies. */
import type { Locator, Page } from '@playwright/test';
import { broken } from '@/e2e/support/furnish';
import { holdScripts } from '@/e2e/support/hold-scripts';
import { expect, press, test } from '@/e2e/support/signalbox';
import type { TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

/** A lock held by a session of its own; returns the session. */
async function hold(consul: TestConsul, key: string, name: string): Promise<string> {
  const client = consul.client();
  const session = await client.createSession({
    name,
    ttlMs: null,
    behavior: 'delete',
    lockDelayMs: 0,
    checks: ['serfHealth'],
  });
  await client.acquire({ key, value: Buffer.from(`owner ${name}`), flags: '3304740253564472344', session });
  return session;
}

/** The tests of this file share one agent, so what they look at is made once. */
let furnished: Promise<{ leader: string; idle: string }> | null = null;
const furnish = (consul: TestConsul) => {
  furnished ??= make(consul);
  return furnished;
};

async function make(consul: TestConsul) {
  const client = consul.client();
  const leader = await hold(consul, 'board/billing/leader', 'billing-7');
  for (const n of [1, 2, 3, 4, 5, 6]) await hold(consul, `board/shard-${n}/lock`, `router-${n}`);
  const idle = await client.createSession({
    name: 'idle-importer',
    ttlMs: null,
    behavior: 'delete',
    lockDelayMs: 0,
    checks: ['serfHealth'],
  });
  await client.cas({
    key: 'semaphore/board-gateway/.lock',
    value: Buffer.from('{"limit":2,"holders":["90c02f1e-7f0e-4d33-93c5-e16d4a406027"]}'),
    flags: '0',
    index: '0',
  });
  return { leader, idle };
}

async function openBoard(page: Page, consul: TestConsul, path = '/') {
  const made = await furnish(consul);
  await page.goto(path);
  await expect(page.getByText(/^live/).first()).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'board/' }).first()).toBeVisible();
  return made;
}

const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('link') });
const link = (page: Page, key: string) => page.locator(`[data-row="lock:${key}"]`).getByRole('link');

/** `j` leads from the page into its list, once React has got as far as the list. */
async function intoList(page: Page, first: Locator) {
  await expect(async () => {
    if (await page.evaluate(() => document.activeElement === document.body)) await page.keyboard.press('j');
    await expect(first).toBeFocused({ timeout: 1_000 });
  }).toPass();
}

/** The clipboard's text, by the browser, which may read it. */
async function copied(page: Page, menu: Locator, item: string): Promise<string> {
  await menu.click();
  await page.getByRole('menuitem', { name: item }).click();
  await expect(page.getByText('Copied').first()).toBeAttached();
  return page.evaluate(() => navigator.clipboard.readText());
}

test('a log line is pasted, Enter is pressed, and the page of the lock is there', async ({
  page,
  consul,
}) => {
  const { leader } = await openBoard(page, consul);
  await page.keyboard.press('/');
  await page.keyboard.insertText(`2026-11-21T03:00:10Z [WARN] worker: lost lock session=${leader}`);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/lock\?key=board%2Fbilling%2Fleader$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('board/billing/leader');
});

test('from any page: a key with a typo leads to its lock, an idle session to itself', async ({
  page,
  consul,
}) => {
  const { idle } = await openBoard(page, consul);
  await page.goto('/sessions');
  await page.goto('/semaphore?prefix=semaphore%2Fboard-gateway');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  await page.getByRole('searchbox').fill('board/biling/leadr');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/lock\?key=board%2Fbilling%2Fleader$/);
  await page.getByRole('searchbox').fill(`what about ${idle.slice(0, 4)}…${idle.slice(-4)}?`);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/session\\?id=${idle}$`));
});

test('matches are marked, and a session is offered where no lock matches', async ({ page, consul }) => {
  await openBoard(page, consul);
  await page.getByRole('searchbox').fill('billing-7');
  await expect(rows(page)).toHaveCount(1);
  await expect(page.locator('mark').first()).toHaveText(/billing/);
  await page.getByRole('searchbox').fill('idle-importer');
  await expect(page.getByRole('link', { name: 'idle-importer' })).toBeVisible();
  await expect(page.getByText('No lock or semaphore matches.')).toBeVisible();
});

test('rows stay under the pointer while locks come and go, and move when it leaves', async ({
  page,
  consul,
}) => {
  await openBoard(page, consul);
  const row = link(page, 'board/shard-3/lock');
  await row.hover();
  const before = await row.boundingBox();
  for (const n of [1, 2, 3]) await hold(consul, `board/a-new-${n}/lock`, `new-${n}`);
  await expect(page.getByRole('button', { name: '3 changes waiting' })).toBeVisible();
  expect(await row.boundingBox()).toEqual(before);
  await expect(link(page, 'board/a-new-1/lock')).toHaveCount(0);
  await page.mouse.move(640, 4);
  await expect(link(page, 'board/a-new-1/lock')).toBeVisible();
});

test('rows stay under a mouse that stood there before the page answered', async ({ page, consul }) => {
  await furnish(consul);
  const release = await holdScripts(page);
  await page.goto('/', { waitUntil: 'commit' });
  const row = link(page, 'board/shard-5/lock');
  await row.hover();
  const before = await row.boundingBox();
  await hold(consul, 'board/a-new-before/lock', 'new-before');
  release();
  await expect(page.getByRole('button', { name: /changes? waiting/ })).toBeVisible();
  expect(await row.boundingBox()).toEqual(before);
  await expect(link(page, 'board/a-new-before/lock')).toHaveCount(0);
  await page.mouse.move(640, 4);
  await expect(link(page, 'board/a-new-before/lock')).toBeVisible();
});

for (const width of [1280, 1600])
  test(`at ${width} px a row says why it needs attention, without a pointer, and its action opens the dialog`, async ({
    page,
    consul,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await openBoard(page, consul);
    const row = page.locator('[data-row="semaphore:semaphore/board-gateway"]');
    const words = 'One slot leaks: its session holds nothing here.';
    await expect(row.getByText(words)).toBeInViewport({ ratio: 1 });
    await expect(row.getByRole('link')).toHaveAccessibleDescription(`warning: ${words}`);
    expect(await broken(page)).toEqual([]);
    await press(row.getByRole('button', { name: /^Prune 1 ghost/ }));
    await expect(page.getByRole('dialog').getByText('Will be written')).toBeVisible();
  });

test('rows stay under an open menu although the pointer is elsewhere', async ({ page, consul }) => {
  await openBoard(page, consul);
  const row = link(page, 'board/shard-4/lock');
  await row.focus();
  await page.keyboard.press('m');
  await expect(page.getByRole('menu')).toBeVisible();
  const before = await row.boundingBox();
  await hold(consul, 'board/a-new-4/lock', 'new-4');
  await expect(page.getByRole('button', { name: '1 change waiting', includeHidden: true })).toBeAttached();
  expect(await row.boundingBox()).toEqual(before);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
});

test('a frozen page keeps what it showed, refuses actions, and says to a colleague what its link cannot', async ({
  page,
  consul,
}) => {
  await openBoard(page, consul);
  await page.keyboard.press('f');
  await expect(page.getByText(/^Frozen at/)).toBeVisible();
  await expect(page).toHaveURL(/frozen=\d{13}/);
  await hold(consul, 'board/while-frozen', 'late');
  await expect(page.getByText(/changed since/)).not.toHaveText(/No changes/);
  await expect(link(page, 'board/while-frozen')).toHaveCount(0);
  await page.reload();
  await expect(page.getByText(/keeps that moment/)).toBeVisible();
  await expect(link(page, 'board/while-frozen')).toBeVisible();
  await page.goto('/lock?key=board%2Fbilling%2Fleader&frozen=1700000000000');
  const release = page.getByRole('button', { name: /^Release/ });
  await expect(release).toHaveAttribute('aria-disabled', 'true');
  // A focus that comes before the page answers is not heard.
  await expect(async () => {
    await release.blur();
    await release.focus();
    await expect(page.getByRole('tooltip')).toContainText('frozen', { timeout: 1_000 });
  }).toPass();
  await press(page.getByRole('button', { name: /^Resume/ }).first());
  await expect(page).not.toHaveURL(/frozen/);
  await expect(release).not.toHaveAttribute('aria-disabled', 'true');
});

test('the board is walked with the keys alone, groups included', async ({ page, consul }) => {
  await openBoard(page, consul, '/?q=board/shard&sort=name');
  await intoList(page, link(page, 'board/shard-1/lock'));
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await expect(link(page, 'board/shard-3/lock')).toBeFocused();
  await page.keyboard.press('k');
  await expect(link(page, 'board/shard-2/lock')).toBeFocused();
  await page.keyboard.press('End');
  await expect(link(page, 'board/shard-6/lock')).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/lock\?key=board%2Fshard-1%2Flock$/);
  await page.goto('/?q=board/shard-1&group=true');
  const head = page.getByRole('button', { name: 'board/shard-1/', exact: true });
  await expect(head).toHaveAttribute('aria-expanded', 'true');
  await intoList(page, head);
  await page.keyboard.press('ArrowLeft');
  await expect(head).toHaveAttribute('aria-expanded', 'false');
  await expect(page).toHaveURL(/closed=/);
  await page.reload();
  await expect(head).toHaveAttribute('aria-expanded', 'false');
});

test('the palette goes to a lock by a pasted name, with the keyboard alone', async ({ page, consul }) => {
  await openBoard(page, consul);
  await page.keyboard.press('Control+k');
  const field = page.getByRole('dialog').getByRole('combobox');
  await expect(field).toBeFocused();
  await page.keyboard.insertText('http://consul:8500/v1/kv/board/shard-5/lock');
  await expect(page.getByRole('option').first()).toContainText('board/shard-5/lock');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/lock\?key=board%2Fshard-5%2Flock$/);
});

test('the palette opens the plan of an action and writes nothing itself, with the keyboard alone', async ({
  page,
  consul,
}) => {
  const posted: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/v1/actions'))
      posted.push(JSON.parse(request.postData() ?? '{}').mode);
  });
  await openBoard(page, consul);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
  await page.keyboard.insertText('release board/shard-5/lock');
  const offer = page.getByRole('option', { name: /Release board\/shard-5\/lock from .*…$/ });
  await expect(offer).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /^Release board\/shard-5\/lock/ });
  await expect(dialog.getByText('Will be written')).toBeVisible();
  await expect(dialog.getByRole('region', { name: 'Plan' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  expect(posted).toEqual(['plan']);
});

test('the first row of the board is few stops of the Tab key away', async ({ page, consul }) => {
  await openBoard(page, consul);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Skip to the first row' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(rows(page).first().getByRole('link')).toBeFocused();
});

test('a saved view is a link that outlives a reload', async ({ page, consul }) => {
  await openBoard(page, consul, '/?q=board/shard&sort=name');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Name of this view').fill('shards');
  await page.getByRole('button', { name: 'Save this view' }).click();
  await expect(page.getByRole('link', { name: 'shards' })).toBeVisible();
  await page.goto('/sessions');
  await page.goto('/');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('link', { name: 'shards' }).click();
  await expect(page).toHaveURL(/q=board%2Fshard.*sort=name/);
  await expect(rows(page).first()).toContainText('board/shard-1/');
});

test('the transaction that is copied is one that Consul runs, and refuses once the lock has moved', async ({
  page,
  context,
  consul,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openBoard(page, consul);
  await hold(consul, 'board/txn odd/ü&?', 'txn');
  const send = async (body: string) => {
    const answer = await fetch(`http://${consul.address}/v1/txn`, { method: 'PUT', body });
    return { status: answer.status, text: await answer.text() };
  };
  const menuOf = (name: string) => page.getByRole('button', { name: `Menu of ${name}`, exact: true });
  await expect(link(page, 'board/txn odd/ü&?')).toBeVisible();
  const ofLock = await copied(page, menuOf('board/txn odd/ü&?'), 'Transaction JSON');
  expect(ofLock).toContain('"Flags": 3304740253564472344');
  const read = await send(ofLock);
  expect(read.status).toBe(200);
  expect(read.text.replace(/\s/g, '')).toContain('"Flags":3304740253564472344');
  await page.reload();
  const ofSemaphore = await copied(page, menuOf('semaphore/board-gateway'), 'Transaction JSON');
  expect((await send(ofSemaphore)).status).toBe(200);
  const client = consul.client();
  const row = (await client.get('semaphore/board-gateway/.lock')).value;
  await client.cas({
    key: 'semaphore/board-gateway/.lock',
    value: Buffer.from('{"limit":3,"holders":[]}'),
    flags: '0',
    index: row?.modifyIndex ?? '',
  });
  await until(async () => (await send(ofSemaphore)).status === 409, { what: 'a refusal' });
});

test('a hand-off link shows a colleague the same view at the same row', async ({ page, context, consul }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openBoard(page, consul, '/?q=board/shard&sort=name&token=not-ours');
  const menu = page.getByRole('button', { name: 'Menu of board/shard-4/lock', exact: true });
  const handed = await copied(page, menu, 'Hand-off link');
  expect(handed).not.toContain('not-ours');
  const colleague = await context.newPage();
  await colleague.goto(handed);
  await expect(link(colleague, 'board/shard-4/lock')).toBeFocused();
  await expect(rows(colleague)).toHaveCount(6);
  await colleague.close();
});

test('the tab shows how many need attention, on any page', async ({ page, consul }) => {
  const client = consul.client();
  await openBoard(page, consul);
  await client.cas({
    key: 'semaphore/board-ghost/.lock',
    value: Buffer.from('{"limit":1,"holders":["90c02f1e-7f0e-4d33-93c5-e16d4a406027"]}'),
    flags: '0',
    index: '0',
  });
  await expect(page).toHaveTitle(/^▲ \d+ · Board/);
  await page.getByRole('link', { name: 'Sessions' }).click();
  await expect(page).toHaveTitle(/^▲ \d+ · Sessions/);
  await expect(page.locator('link[rel="icon"]').last()).toHaveAttribute(
    'href',
    /^data:image\/svg\+xml,.*text/,
  );
});
