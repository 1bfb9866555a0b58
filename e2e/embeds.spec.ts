/** Readers' views: only the granted scope, for any reader, in any allowed frame, and honest when it is old. */
import type { Page } from '@playwright/test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { broken } from '@/e2e/support/furnish';
import {
  frameIn,
  goFlags,
  type Readers,
  scopes,
  embedSecret as secret,
  startReaders,
  views,
} from '@/e2e/support/readers';
import { expect, test } from '@/e2e/support/signalbox';
import { operatorOf, revoke, rule } from '@/test/identity/tokens';
import { until } from '@/test/support/until';

// Grants are looked up for every answer here, so this is where a difference of the store would show.
test.use({ store: 'postgres' });

let readers: Readers;
test.beforeAll(async ({ newStore }) => {
  test.setTimeout(180_000);
  readers = await startReaders(newStore);
});
test.afterAll(() => readers?.stop());

/** Without the differences between any two answers: ages, instants and versions; of a page, its visible part. */
const steady = (text: string) => (/<main.*<\/main>/s.exec(text)?.[0] ?? text).replace(/\d+/g, '');

test('an operator’s cookie and token change nothing on any route, and no cookie is set', async () => {
  test.setTimeout(180_000);
  for (const view of views) {
    const { query } = await readers.share(scopes[view]);
    const paths = {
      page: `/embed/v1/${view}${query}`,
      snapshot: `/embed/v1/snapshot${query}`,
      badge: `/embed/v1/badge.svg${query}`,
    };
    for (const path of Object.values(paths)) {
      const without = await readers.get(path);
      const withThem = await readers.get(path, {
        ...readers.operator,
        authorization: `Bearer ${readers.consul.token}`,
      });
      expect([path, without.status, withThem.status]).toEqual([path, 200, 200]);
      expect(withThem.headers.get('set-cookie')).toBeNull();
      expect(steady(await withThem.text())).toBe(steady(await without.text()));
    }
    const stream = await readers.events(query, readers.operator);
    expect(stream).toMatchObject({ status: 200, cookie: null });
  }
});

test('every route answers every bad grant alike, and reveals nothing', async () => {
  test.setTimeout(180_000);
  const now = Math.floor(Date.now() / 1000);
  const behind = await readers.share({ ...scopes.board, prefix: 'in/' });
  const beside = await readers.share(scopes.semaphore);
  const claims = { grant: behind.id, scope: scopes.lock, aud: 'signalbox-embed', iat: now, exp: now + 60 };
  const sign = (said: object, { kid = 'first', alg = 'HS256', key = secret } = {}) =>
    new SignJWT({ ...claims, ...said }).setProtectedHeader({ alg, kid }).sign(new TextEncoder().encode(key));
  const revoked = await readers.share(scopes.lock);
  await readers.grants('PATCH', { id: revoked.id, change: 'revoke' });
  const paused = await readers.share(scopes.lock);
  await readers.grants('PATCH', { id: paused.id, change: 'pause' });
  const none = new UnsecuredJWT({ scope: scopes.lock, grant: behind.id })
    .setAudience('signalbox-embed')
    .setIssuedAt(now);
  const wrong: Record<string, string> = {
    nothing: '',
    unknown: `?share=${'a'.repeat(43)}`,
    revoked: revoked.query,
    paused: paused.query,
    forged: `?token=${await sign({}, { key: 'f'.repeat(32) })}`,
    expired: `?token=${await sign({ iat: now - 100, exp: now - 60 })}`,
    unsigned: `?token=${none.setExpirationTime(now + 60).encode()}`,
    'another kid': `?token=${await sign({}, { kid: 'second' })}`,
    'another algorithm': `?token=${await sign({}, { alg: 'HS384' })}`,
    'another audience': `?token=${await sign({ aud: 'elsewhere' })}`,
    'another datacenter': `?token=${await sign({ scope: { ...scopes.lock, datacenter: 'elsewhere' } })}`,
    'no link behind it': `?token=${await sign({ grant: null })}`,
    'an unknown link behind it': `?token=${await sign({ grant: crypto.randomUUID() })}`,
    'a link behind it that shows something else': `?token=${await sign({ grant: beside.id })}`,
    'a link behind it that is revoked': `?token=${await sign({ grant: revoked.id })}`,
    'more than the link behind it': `?token=${await sign({ scope: { view: 'board', prefix: '' } })}`,
    twice: `${revoked.query}&token=${await sign({})}`,
  };
  const good = `?token=${await sign({})}`;
  expect((await readers.get(`/embed/v1/lock${good}`)).status).toBe(200);
  // A grant of one view is worth nothing for the page of another.
  for (const view of ['board', 'semaphore'])
    expect((await readers.get(`/embed/v1/${view}${good}`)).status).toBe(404);
  for (const route of ['lock', 'snapshot', 'badge.svg', 'events']) {
    const answers = new Map<string, string>();
    for (const [name, query] of Object.entries(wrong)) {
      const response = await readers.get(`/embed/v1/${route}${query}`, readers.operator);
      expect([route, name, response.status]).toEqual([route, name, 404]);
      expect(response.headers.get('set-cookie')).toBeNull();
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("frame-ancestors 'none'");
      const text = (await response.text()).replaceAll(query.replace(/^\?/, ''), '');
      expect(text).not.toMatch(/in\/leader|MARKER|HUSH/);
      if (route !== 'lock') answers.set(name, text);
    }
    expect(new Set(answers.values()).size).toBeLessThanOrEqual(1);
  }
});

test('nothing but reading is answered', async () => {
  const { query } = await readers.share(scopes.lock);
  for (const route of ['board', 'lock', 'semaphore', 'snapshot', 'events', 'badge.svg'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(`${readers.baseUrl}/embed/v1/${route}${query}`, {
        method,
        headers: readers.operator,
      });
      expect([route, method, response.status]).toEqual([route, method, 405]);
    }
});

test('nothing outside of the scope is in page, data, events or badge; values only where they are granted', async () => {
  for (const view of views) {
    const plain = await readers.share(scopes[view]);
    const wide = await readers.share({ ...scopes[view], values: true });
    const told = async (query: string) =>
      (
        await Promise.all([
          readers.get(`/embed/v1/${view}${query}`).then((response) => response.text()),
          readers.get(`/embed/v1/snapshot${query}`).then((response) => response.text()),
          readers.get(`/embed/v1/badge.svg${query}`).then((response) => response.text()),
          readers.events(query).then(({ text }) => text),
        ])
      ).join('\n');
    const text = await told(plain.query);
    expect(text).toContain('in/');
    expect(text).not.toMatch(/MARKER|HUSH/);
    const withValues = await told(wide.query);
    expect(withValues).toContain('HUSH');
    expect(withValues).not.toContain('MARKER');
  }
});

for (const theme of ['dark', 'light'] as const)
  test(`in a sandboxed frame at 320 px it is live, ${theme}, and meets WCAG`, async ({
    page,
    consoleErrors,
  }) => {
    // The checker itself tries styles that the page forbids.
    consoleErrors.allow(/Applying inline style/);
    await page.setViewportSize({ width: 320, height: 700 });
    const { query } = await readers.share(scopes.semaphore);
    await readers.frame(page, `/embed/v1/semaphore${query}&theme=${theme}`);
    const frame = await frameIn(page);
    await expect(frame.getByText(/^live/)).toBeVisible();
    await expect(frame.getByText('1 of 2 slots held, no waiters.')).toBeVisible();
    expect(await frame.evaluate(() => window.origin)).toBe('null');
    const waiter = await readers.session('late-comer');
    const key = `in/pool/${waiter}`;
    await readers.consul.client().acquire({ key, value: Buffer.from(''), flags: goFlags, session: waiter });
    await expect(frame.getByText('1 of 2 slots held, 1 waiting.')).toBeVisible();
    await expect(frame.getByText('late-comer')).toBeVisible();
    const [back, wide] = await frame.evaluate(() => [
      getComputedStyle(document.documentElement).backgroundColor,
      document.documentElement.scrollWidth,
    ]);
    expect(back).toBe(theme === 'dark' ? 'rgb(10, 14, 19)' : 'rgb(243, 241, 234)');
    expect(wide).toBeLessThanOrEqual(320);
    expect(await broken(frame as unknown as Page)).toEqual([]);
    await readers.consul.client().destroySession(waiter);
    await expect(frame.getByText('1 of 2 slots held, no waiters.')).toBeVisible();
  });

test('only the origins that a grant names frame it', async ({ page, consoleErrors }) => {
  consoleErrors.allow(/frame-ancestors|ERR_BLOCKED_BY_RESPONSE/);
  const refused = await readers.share({ ...scopes.lock, frames: ['https://wiki.example.com'] });
  await readers.frame(page, `/embed/v1/lock${refused.query}`);
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error/);
  const anybody = await readers.share({ ...scopes.lock, frames: ['*'] });
  await readers.frame(page, `/embed/v1/lock${anybody.query}`);
  await expect((await frameIn(page)).getByText(/^live/)).toBeVisible();
  const nobody = await readers.share({ ...scopes.lock, frames: [] });
  await readers.frame(page, `/embed/v1/lock${nobody.query}`);
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error/);
  await page.goto(`${readers.baseUrl}/embed/v1/lock${nobody.query}`);
  await expect(page.getByText(/^live/)).toBeVisible();
});

test('a link that is revoked ends what it had opened, and says so', async ({ page, consoleErrors }) => {
  consoleErrors.allow(/404|frame-ancestors/);
  const { id, query } = await readers.share(scopes.lock);
  await readers.frame(page, `/embed/v1/lock${query}`);
  const frame = await frameIn(page);
  await expect(frame.getByText(/^live/)).toBeVisible();
  await readers.grants('PATCH', { id, change: 'revoke' });
  await expect(frame.getByRole('status')).toHaveText(/shows no updates/);
  await expect(frame.locator('.not-fresh')).toHaveCount(1);
  await page.reload();
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error/);
});

test('a right that its maker loses takes the rows from the open page, which says so, and brings them back', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const maker = await readers.another();
  const { query } = await readers.share(scopes.lock, maker);
  await readers.frame(page, `/embed/v1/lock${query}`);
  const frame = await frameIn(page);
  await expect(frame.getByText(/Held by runner-one/)).toBeVisible();
  await rule(readers.consul, maker, operatorOf('elsewhere/'));
  await expect(frame.getByText(/may not read it right now/)).toBeVisible({ timeout: 30_000 });
  await expect(frame.getByText(/runner-one|does not exist now/)).toHaveCount(0);
  expect(await (await readers.get(`/embed/v1/badge.svg${query}`)).text()).toContain('not shown');
  await rule(readers.consul, maker, `${operatorOf('')} service_prefix "" { policy = "read" }`);
  await expect(frame.getByText(/Held by runner-one/)).toBeVisible({ timeout: 30_000 });
});

test('a link ends with the token of its maker, and the open page says that', async ({
  page,
  consoleErrors,
}) => {
  consoleErrors.allow(/404|frame-ancestors/);
  const maker = await readers.another();
  const { query } = await readers.share(scopes.lock, maker);
  await readers.frame(page, `/embed/v1/lock${query}`);
  const frame = await frameIn(page);
  await expect(frame.getByText(/^live/)).toBeVisible();
  await revoke(readers.consul, maker);
  await expect(frame.getByRole('status')).toHaveText(/its creator’s token is gone/, {
    timeout: 30_000,
  });
  expect((await readers.get(`/embed/v1/lock${query}`)).status).toBe(404);
});

test('without scripts the page shows the state with its time, and never claims to be live', async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const { query } = await readers.share(scopes.lock);
  await page.goto(`${readers.baseUrl}/embed/v1/lock${query}`);
  await expect(page.getByText(/Held by runner-one/)).toBeVisible();
  await expect(page.getByText(/as of .*\d\d:\d\d:\d\d UTC/)).toBeVisible();
  await expect(page.getByText(/Scripts are off/)).toBeVisible();
  expect(await page.content()).not.toContain('live ·');
  await context.close();
});

/** Every script that a page loads, as text. */
async function scriptsOf(page: Page, url: string, ready: () => Promise<void>): Promise<string> {
  const texts: Promise<string>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') texts.push(response.text());
  });
  await page.goto(url);
  await ready();
  page.removeAllListeners('response');
  return (await Promise.all(texts)).join('\n');
}
/** Only the console's code has these: routes, methods and storage. */
const markers = ['/api/v1/actions', '/api/v1/grants', '/api/v1/session', 'SharedWorker', 'localStorage'];

test('the scripts of an embed hold no code that writes, and those of the console do', async ({ page }) => {
  for (const view of views) {
    const { query } = await readers.share(scopes[view]);
    const text = await scriptsOf(page, `${readers.baseUrl}/embed/v1/${view}${query}`, () =>
      expect(page.getByText(/^live/)).toBeVisible(),
    );
    expect(text).toContain('/embed/v1/events');
    expect(markers.filter((marker) => text.includes(marker))).toEqual([]);
  }
  await readers.signIn(page);
  const text = await scriptsOf(page, `${readers.baseUrl}/lock?key=in%2Fleader`, () =>
    expect(page.getByText(/^live/).first()).toBeVisible(),
  );
  expect(markers.filter((marker) => !text.includes(marker))).toEqual([]);
});

test('a share with its last 24 hours draws the timeline for reading alone, one without has none, and a badge says how long', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const { query } = await readers.share({ ...scopes.lock, history: true });
  const timeline = page.getByRole('application', { name: /^Timeline of in\/leader/ });
  const text = await scriptsOf(page, `${readers.baseUrl}/embed/v1/lock${query}`, () =>
    expect(timeline).toBeVisible({ timeout: 30_000 }),
  );
  expect(markers.filter((marker) => text.includes(marker))).toEqual([]);
  await timeline.focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('status').filter({ hasText: 'holds now' })).toBeVisible();
  await page.getByText('As a table').click();
  await expect(page.getByRole('row').filter({ hasText: 'holds now' })).toBeVisible();
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await broken(page)).toEqual([]);
  const badge = await (await readers.get(`/embed/v1/badge.svg${query}&text=held`)).text();
  expect(badge).toMatch(/held (≥ )?\d/);
  const { query: plain } = await readers.share(scopes.lock);
  await page.goto(`${readers.baseUrl}/embed/v1/lock${plain}`);
  await expect(page.getByText(/^live/)).toBeVisible();
  await expect(page.getByText('Last 24 hours')).toHaveCount(0);
});

test('while Consul does not answer, page and badge say since when, and nothing claims to be live', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const { query } = await readers.share(scopes.lock);
  await readers.frame(page, `/embed/v1/lock${query}`);
  const frame = await frameIn(page);
  await expect(frame.getByText(/^live/)).toBeVisible();
  await readers.consul.silence();
  try {
    await expect(frame.locator('[data-fresh=stale], [data-fresh=down]')).toBeVisible({ timeout: 40_000 });
    await expect(frame.getByRole('status')).toHaveText(/As of [-0-9: ]+.*may have changed since/);
    await expect(frame.locator('.not-fresh')).toHaveCount(1);
    const picture = await (await readers.get(`/embed/v1/badge.svg${query}`)).text();
    expect(picture).toMatch(/as of \d{4}-\d\d-\d\d/);
    expect(picture).toMatch(/no read since/);
  } finally {
    readers.consul.resume();
  }
  await until(async () => (await frame.locator('[data-fresh=live]').count()) === 1, {
    what: 'live again',
    timeoutMs: 40_000,
  });
});
