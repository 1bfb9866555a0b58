/** The server becomes another build under open pages: they stay, and reload when hidden, once. */
import type { Frame, Page } from '@playwright/test';
import { SignJWT } from 'jose';
import { anotherBuild, anotherName } from '@/e2e/support/another-build';
import { embedSecret, frameIn, startParent } from '@/e2e/support/readers';
import { expect, test } from '@/e2e/support/signalbox';
import { startConsul } from '@/test/support/consul';
import { type Server, startServer } from '@/test/support/server';

const env = { SIGNALBOX_EMBED_KEYS: `first:${embedSecret}` };

/** The server's build, by its second ping: a page that gets pings at the same time has it by then. */
async function pinged(baseUrl: string): Promise<string> {
  const end = new AbortController();
  const response = await fetch(`${baseUrl}/api/v1/events`, { signal: end.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.split('event: ping').length < 3 || !text.endsWith('\n\n')) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    text += part.value;
  }
  end.abort();
  return /"build":"([\w-]+)"/.exec(text)?.[1] ?? '';
}

/** The tab is hidden, as far as the page can know. */
const hide = (page: Page | Frame) =>
  page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
/** State that a page loses at a reload. */
const mark = (page: Page | Frame) => page.evaluate(() => void Object.assign(window, { mark: true }));
const marked = (page: Page | Frame) => page.evaluate(() => 'mark' in window);

const live = (page: Page) =>
  expect(page.getByRole('banner').getByText(/^live/)).toBeVisible({ timeout: 20_000 });

let server: Server;
/** Ends everything that a test has started so far, in its order. */
const ends: (() => unknown)[] = [];
test.beforeEach(async () => {
  test.setTimeout(180_000);
  const consul = await startConsul();
  ends.push(consul.stop);
  const client = consul.client();
  const session = await client.createSession({
    name: 'runner-one',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'in/leader', value: Buffer.from('x'), flags: '0', session });
  // More than a window of them.
  for (let n = 0; n < 60; n += 1)
    await client.acquire({ key: `in/shard-${n}`, value: Buffer.from('x'), flags: '0', session });
  server = await startServer({ consulAddress: consul.address, env });
  ends.push(server.stop);
  const other = anotherBuild(await pinged(server.baseUrl));
  ends.push(other.remove);
  upgrade = async () => {
    await server.terminate();
    const port = Number(new URL(server.baseUrl).port);
    const upgraded = await startServer({ consulAddress: consul.address, env, port, folder: other.folder });
    ends.push(upgraded.stop);
    expect(await pinged(server.baseUrl)).toBe(anotherName);
  };
});
let upgrade: () => Promise<void>;
test.afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

test('a page stays while a person looks, and reloads once when hidden, in its place', async ({
  page,
  consoleErrors,
}) => {
  consoleErrors.allow(/Failed to load resource|ERR_/);
  await page.goto(`${server.baseUrl}/`);
  await live(page);
  await page.mouse.move(400, 500);
  await page.mouse.wheel(0, 700);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(700);
  await page.mouse.move(2, 2);
  await mark(page);
  await upgrade();
  await live(page);
  expect(await marked(page)).toBe(true);

  // What is read, not the pixels above it: a row higher up may have got a line since.
  const inView = () =>
    page.evaluate(() => {
      const row = document.elementFromPoint(400, 500)?.closest('[data-row]');
      return { row: row?.getAttribute('data-row'), top: row?.getBoundingClientRect().top ?? Number.NaN };
    });
  const before = await inView();
  const loaded = page.waitForEvent('load');
  await hide(page);
  await loaded;
  expect(await marked(page)).toBe(false);
  await live(page);
  await expect(page.getByRole('link', { name: /^in\/shard/ }).first()).toBeVisible();
  // Also after the half second for which it is held there.
  const looks: unknown[] = [];
  const look = async () => {
    const { row, top } = await inView();
    // Rows stand on parts of a pixel, and a page scrolls by whole ones.
    looks.push(row === before.row && Math.abs(top - before.top) < 1 ? 'in its place' : { row, top });
    return looks.slice(-2);
  };
  await expect.poll(look, { intervals: [800] }).toEqual(['in its place', 'in its place']);

  // Its scripts came out of the browser's cache, so that the server is of another build than they are still.
  await mark(page);
  await hide(page);
  expect(await pinged(server.baseUrl)).toBe(anotherName);
  expect(await marked(page)).toBe(true);
});

test('an embed in a sandboxed frame does the same', async ({ page, consoleErrors }) => {
  consoleErrors.allow(/Failed to load resource|ERR_/);
  const parent = await startParent();
  ends.push(parent.close);
  const now = Math.floor(Date.now() / 1000);
  const token = await new SignJWT({
    scope: { view: 'lock', key: 'in/leader', frames: [parent.origin] },
    aud: 'signalbox-embed',
    iat: now,
    exp: now + 600,
  })
    .setProtectedHeader({ alg: 'HS256', kid: 'first' })
    .sign(new TextEncoder().encode(embedSecret));
  const address = `${server.baseUrl}/embed/v1/lock?token=${token}`;
  await page.goto(`${parent.origin}/?src=${encodeURIComponent(address)}`);
  const frame = await frameIn(page);
  await expect(frame.getByText(/^live/)).toBeVisible();
  await mark(frame);
  await upgrade();
  await expect(frame.getByText(/^live/)).toBeVisible({ timeout: 20_000 });
  expect(await marked(frame)).toBe(true);

  await hide(frame);
  await expect.poll(() => marked(frame).catch(() => true)).toBe(false);
  await expect(frame.getByText(/^live/)).toBeVisible();
  await expect(frame.getByText(/runner-one/).first()).toBeVisible();

  await mark(frame);
  await hide(frame);
  expect(await pinged(server.baseUrl)).toBe(anotherName);
  expect(await marked(frame)).toBe(true);
});
