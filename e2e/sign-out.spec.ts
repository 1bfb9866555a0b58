/** How a sign-in ends on every page that it has open, and what of it the next person at the same screen may find. */
import { expect } from '@playwright/test';
import { test } from '@/e2e/support/guarded';
import { applied, inView, isLive, rowsOn, signIn, streamOf } from '@/e2e/support/person';
import { mark, rulesOf } from '@/e2e/support/teams';
import { en } from '@/lib/i18n/messages';

const { login, out, who } = en.identity;

test.use({ store: 'postgres' });

test('a token that is deleted in Consul takes its page off the screen within seconds', async ({
  world,
  arriving,
}) => {
  const mine = await world.furnish('red', 'revoked');
  const { secret, id } = await world.token('soon revoked', rulesOf('red', 'read'));
  const { page } = await arriving(secret);
  await page.goto(`/lock?key=${encodeURIComponent(mine.release)}`);
  await isLive(page);
  await world.revoke(id);
  await expect(page.getByRole('heading', { name: out.title })).toBeVisible({ timeout: 30_000 });
  expect((await page.content()).replaceAll(page.url(), '')).not.toContain('red/');
  expect(await page.title()).toBe(en.shell.brand);
  expect((await page.request.get('/api/v1/snapshot')).status()).toBe(401);
});

test('signing out in one tab ends the others, and nothing of the first person is ever in the next one’s', async ({
  world,
  arriving,
}) => {
  test.setTimeout(180_000);
  const theirs = await world.furnish(mark, 'tabs');
  const mine = await world.furnish('red', 'tabs');
  const first = await world.token('first person', rulesOf(mark, 'read'));
  const second = await world.token('second person', rulesOf('red', 'read'));
  const { page, context, heard, settled } = await arriving(first.secret);
  await inView(page, [theirs.pool]);
  const other = await context.newPage();
  await other.goto('/');
  await isLive(other);
  expect((await rowsOn(other)).every((row) => row.includes(`:${mark}/`))).toBe(true);
  await page.getByRole('button', { name: who.label('first person') }).click();
  await page.getByRole('button', { name: who.signOut }).click();
  await expect(page).toHaveURL(/\/login$/);
  await expect(other.getByRole('heading', { name: out.title })).toBeVisible();
  expect(await other.content()).not.toContain(mark);
  await settled();
  const before = heard.length;
  await signIn(page, second.secret);
  await inView(page, [mine.pool]);
  await expect(other.getByText(out.other('second person'))).toBeVisible();
  await other.getByRole('button', { name: out.goOnAs('second person') }).click();
  await isLive(other);
  for (const tab of [page, other]) {
    await expect.poll(async () => (await rowsOn(tab)).length).toBeGreaterThan(0);
    expect((await rowsOn(tab)).filter((row) => !row.includes(':red/'))).toEqual([]);
    expect(await tab.content()).not.toContain(mark);
    expect((await streamOf(tab)).text).not.toContain(mark);
  }
  await settled();
  expect(heard.slice(before).filter(({ body }) => body.includes(mark))).toEqual([]);
});

test('a page of one person does nothing as another who signed in with the same browser', async ({
  world,
  arriving,
}) => {
  const first = await world.token('one', rulesOf('red', 'read'));
  const { page } = await arriving(first.secret);
  const { id } = await world.token('another', rulesOf('red', 'write'));
  for (const as of [`token:${id}`, 'anonymous']) {
    const headers = { 'x-signalbox-as': encodeURIComponent(as) };
    const answers = [
      await page.request.get('/api/v1/snapshot', { headers }),
      await page.request.get(`/api/v1/events?as=${encodeURIComponent(as)}`),
      await page.request.post('/api/v1/rights', {
        headers,
        data: { actions: [{ type: 'lock.delete', source: 'consul', key: 'red/x' }] },
      }),
    ];
    for (const answer of answers) {
      expect(answer.status()).toBe(401);
      expect(await answer.text()).toContain('somebody-else');
    }
  }
});

test('text typed into a dialog comes back to the same person, on the same page, and to no other', async ({
  world,
  arriving,
}) => {
  test.setTimeout(180_000);
  const mine = await world.furnish('red', 'draft');
  const { secret } = await world.token('drafting', rulesOf('red', 'write'));
  const { page } = await arriving(secret);
  await inView(page, [mine.release]);
  const address = `/lock?key=${encodeURIComponent(mine.release)}`;
  await page.goto(address);
  await isLive(page);
  await page.getByRole('button', { name: en.action.buttons['lock.release']('release') }).click();
  await page.getByRole('dialog').getByLabel(en.action.reason).fill('what I meant to do');
  // Another tab signs out.
  await page.request.delete('/api/v1/session');
  await expect(page.getByRole('heading', { name: out.title })).toBeVisible();
  await expect(page.getByText(out.draft)).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect((await page.content()).replaceAll(page.url(), '')).not.toMatch(/red\/|what I meant/);
  await page.getByLabel(login.token).fill(secret);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog').getByLabel(en.action.reason)).toHaveValue('what I meant to do');
  expect(page.url()).toContain(address);
});

test('a person who does something is reported once a minute at the most', async ({ world, arriving }) => {
  const { secret } = await world.token('busy', rulesOf('red', 'read'));
  const { page, context } = await arriving(secret);
  const touches: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/api/v1/session') && request.method() === 'PUT') touches.push(request.url());
  });
  await page.goto('/');
  await isLive(page);
  await page.mouse.click(5, 500);
  await expect.poll(() => touches.length).toBe(1);
  for (let n = 0; n < 20; n += 1) await page.keyboard.press('Shift');
  await page.getByRole('button', { name: who.label('busy') }).click();
  await expect(page.getByText(/The sign-in ends at/)).toBeVisible();
  expect(touches).toHaveLength(1);
});

test('two people at once, each in a browser of their own, see what is theirs', async ({
  world,
  arriving,
}) => {
  const mine = await world.furnish('red', 'both');
  const theirs = await world.furnish(mark, 'both');
  const people = await Promise.all([
    arriving((await world.token('left', rulesOf('red', 'write'))).secret),
    arriving((await world.token('right', rulesOf(mark, 'write'))).secret),
  ]);
  const [left, right] = people;
  if (left === undefined || right === undefined) throw new Error('two people');
  await Promise.all([inView(left.page, [mine.pool]), inView(right.page, [theirs.pool])]);
  expect((await rowsOn(left.page)).filter((row) => row.includes(mark))).toEqual([]);
  expect((await rowsOn(right.page)).filter((row) => row.includes('red'))).toEqual([]);
  // What one does, the other's page does not hear of.
  expect(await applied(left.page, { type: 'lock.delete', source: 'consul', key: mine.idle })).toBe('done');
  await expect.poll(async () => (await rowsOn(left.page)).includes(`lock:${mine.idle}`)).toBe(false);
  expect(await applied(right.page, { type: 'lock.delete', source: 'consul', key: mine.release })).not.toBe(
    'done',
  );
});
