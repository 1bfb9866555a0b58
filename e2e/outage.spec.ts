/**
 * The page while Consul, or the way to it, is away: each outage is made for real, has its own sentence, keeps the last
 * state on show (greyed, with its age), switches actions off, and ends without a reload.
 */
import { connect, type Socket } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { expect, startSignalbox, test } from '@/e2e/support/signalbox';
import type { OutageCode } from '@/lib/domain/outage';
import { en } from '@/lib/i18n/messages';
import { newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startCluster } from '@/test/support/cluster';
import { runConsulLock, startConsul, type TestConsul } from '@/test/support/consul';
import { isConsulSince } from '@/test/support/consul-version';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

/** Failed requests of a page whose server is away are what these tests are about. */
const lostRequests = /Failed to load resource|ERR_|EventSource|net::/;

interface Watched {
  /** Resolves when the page says this outage, in full, and keeps what it shows as old. It must come within 30 s. */
  says(code: OutageCode, withinMs?: number): Promise<void>;
  /** Resolves when it is live again; fails if the page was reloaded meanwhile. */
  recovers(): Promise<void>;
}

/** Opens the page of one semaphore with one holder of two, live. `acts`: the viewer may act, too, while it is live. */
async function openSemaphore(
  page: Page,
  baseUrl: string,
  prefix: string,
  { acts = true } = {},
): Promise<Watched> {
  await page.goto(`${baseUrl}/semaphore?prefix=${encodeURIComponent(prefix)}`);
  const evict = page.getByRole('button', { name: /^Evict/ });
  const live = async () => {
    await expect(page.getByRole('banner').getByText(/^live/)).toBeVisible({ timeout: 20_000 });
    if (acts) await expect(evict).not.toHaveAttribute('aria-disabled', 'true', { timeout: 20_000 });
  };
  await live();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  const banner = (code?: OutageCode): Locator =>
    page.locator(code === undefined ? '[data-outage]' : `[data-outage="${code}"]`);
  return {
    says: async (code, withinMs = 30_000) => {
      await expect(banner(code)).toBeVisible({ timeout: withinMs });
      await expect(banner(code).getByRole('status')).toHaveText(en.outage.outages[code].title);
      await expect(banner(code)).toContainText(en.outage.outages[code].next);
      await expect(banner(code)).toContainText(/last known state, \d/);
      await expect(page.getByText('1 of 2 slots held').first()).toBeVisible();
      await expect(page.locator('main.not-fresh')).toHaveCount(1);
      await expect(evict).toHaveAttribute('aria-disabled', 'true');
      if (acts) await expect(evict).toHaveAccessibleDescription(/Consul|server|stale|old|connection/);
    },
    recovers: async () => {
      await expect(banner()).toHaveCount(0, { timeout: 60_000 });
      await live();
      await expect(page.locator('main.not-fresh')).toHaveCount(0);
      expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
    },
  };
}

/** A page that is still open would ask a server that is stopped, and the test would fail for that. */
const leave = (page: Page) => page.goto('about:blank');

/** A holder of one of two slots, by a real client. */
async function hold(
  consul: Parameters<typeof runConsulLock>[0] & {
    client(): { list(prefix: string): Promise<{ value: readonly unknown[] }> };
  },
  prefix: string,
): Promise<void> {
  runConsulLock(consul, { n: 2, prefix, command: 'sleep 600' });
  const client = consul.client();
  await until(async () => (await client.list(`${prefix}/`)).value.length === 2, { what: 'a holder' });
}

/** A semaphore whose only recorded holder has ended, which needs a human. */
async function leaveGhost({ client }: Pick<TestConsul, 'client'>, prefix: string): Promise<void> {
  const ghost = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d';
  const value = newCoordination('map', 1, [ghost]);
  await client().cas({ key: `${prefix}/.lock`, value, flags: semaphoreFlags, index: '0' });
}

/** Notes every title of the page from now on; `taken` returns those since it was last called. */
async function titlesOf(page: Page): Promise<{ taken(): Promise<readonly string[]> }> {
  await page.evaluate(() => {
    const titles: string[] = [];
    const note = () => titles.push(document.title);
    new MutationObserver(note).observe(document.head, {
      childList: true,
      subtree: true,
      characterData: true,
    });
    Object.assign(window, { titles });
  });
  return {
    taken: () =>
      page.evaluate(() => {
        const { titles } = window as unknown as { titles: string[] };
        return [...titles.splice(0), document.title];
      }),
  };
}

test('an agent that is stopped, then killed, then back', async ({ page }) => {
  test.setTimeout(180_000);
  const consul = await startConsul();
  const signalbox = await startSignalbox({ consulAddress: consul.address });
  try {
    await hold(consul, 'e2e/outage');
    await leaveGhost(consul, 'e2e/outage-ghost');
    const seen = await openSemaphore(page, signalbox.baseUrl, 'e2e/outage');
    await expect(page).toHaveTitle(/^▲ 1 · /);
    const titles = await titlesOf(page);

    consul.pause();
    const pausedMs = Date.now();
    // Until the silence is noticed the page is live, and shows no later time than that of the last answer.
    const banner = page.getByRole('banner');
    const told: string[] = [];
    await expect(async () => {
      const words = banner.getByText(/^live/);
      if ((await words.count()) > 0) {
        const at = await words
          .locator('time')
          .getAttribute('datetime', { timeout: 500 })
          .catch(() => null);
        if (at !== null) told.push(at);
      }
      await expect(page).toHaveTitle(/^◌ stale · ▲ 1 · /, { timeout: 50 });
    }).toPass({ timeout: 40_000, intervals: [100] });
    // From here to the end of the outage no title promises that the number is of now.
    await titles.taken();
    expect(told.length).toBeGreaterThan(0);
    // An answer may have waited to be read. A ticking clock would be seconds further.
    for (const at of told) expect(Date.parse(at)).toBeLessThanOrEqual(pausedMs + 1_000);
    await seen.says('agent-hangs');
    const age = page.locator('[data-outage]').getByText(/last known state/);
    const first = await age.textContent();
    // The age keeps counting: a frozen view would show the same forever.
    await expect(age).not.toHaveText(first ?? '');
    const during = await titles.taken();
    expect(during.filter((title) => !title.startsWith('◌ '))).toEqual([]);
    consul.resume();
    await seen.recovers();
    await expect(page).not.toHaveTitle(/◌/);

    await consul.kill();
    await seen.says('agent-gone');
    await consul.restart();
    await seen.recovers();
  } finally {
    await leave(page);
    await signalbox.stop();
    await consul.stop();
  }
});

test('a cluster that loses its quorum, and gets it back', async ({ page }) => {
  test.setTimeout(180_000);
  const cluster = await startCluster();
  const signalbox = await startSignalbox({ consulAddress: cluster.address });
  try {
    await hold({ ...cluster, env: { CONSUL_HTTP_ADDR: cluster.address } }, 'e2e/quorum');
    const seen = await openSemaphore(page, signalbox.baseUrl, 'e2e/quorum');
    await cluster.killOthers();
    await seen.says('no-leader');
    await cluster.restartOthers();
    await seen.recovers();
  } finally {
    await leave(page);
    await signalbox.stop();
    await cluster.stop();
  }
});

test('the server’s own token is deleted in Consul, and created again', async ({ page, consoleErrors }) => {
  test.setTimeout(180_000);
  // The browser's own words for each answer that says so.
  consoleErrors.allow(/status of 401/);
  const consul = await startConsul({ acl: true });
  const token = {
    SecretID: '5e1f0000-0000-4000-8000-00000000ab1e',
    Policies: [{ Name: 'global-management' }],
  };
  const acl = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://${consul.address}/v1/acl/${path}`, {
      method,
      headers: { 'x-consul-token': consul.token ?? '' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { AccessorID: string };
  };
  const { AccessorID } = await acl('PUT', 'token', token);
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    // Whoever looks without a token of their own sees what this one may read, and never acts with it.
    env: { CONSUL_HTTP_TOKEN: token.SecretID, SIGNALBOX_ANONYMOUS: 'on' },
  });
  try {
    await hold(consul, 'e2e/token');
    const seen = await openSemaphore(page, signalbox.baseUrl, 'e2e/token', { acts: false });
    await acl('DELETE', `token/${AccessorID}`);
    await seen.says('token-unknown');
    await acl('PUT', 'token', token);
    await seen.recovers();
  } finally {
    await leave(page);
    await signalbox.stop();
    await consul.stop();
  }
});

test('everything between: a way that swallows packets, limits, a full agent, and Signalbox itself', async ({
  page,
  consoleErrors,
}) => {
  test.setTimeout(300_000);
  consoleErrors.allow(lostRequests);
  const consul = await startConsul();
  const toConsul = await startFaultProxy(consul.address);
  const signalbox = await startSignalbox({ consulAddress: toConsul.address });
  const toSignalbox = await startFaultProxy(new URL(signalbox.baseUrl).host);
  const crowd: Socket[] = [];
  try {
    await hold(consul, 'e2e/between');
    const seen = await openSemaphore(page, `http://${toSignalbox.address}`, 'e2e/between');

    toConsul.stall();
    await seen.says('agent-hangs');
    toConsul.resume();
    await seen.recovers();

    // The one exception to "made for real": `request_limits` came with Consul 1.15, and older ones have no such
    // limit. So the proxy gives the answers of Consul's own source (agent/consul/rate/handler.go) in its place.
    toConsul.answer({
      status: 429,
      body: 'rate limit exceeded, try again later or against a different server',
    });
    await seen.says('rate-limited');
    toConsul.answer({
      status: 503,
      body: 'rate limit exceeded for operation that can only be performed by the leader, try again later',
    });
    await seen.says('leader-rate-limited');
    toConsul.accept();
    await seen.recovers();

    // All connections that the agent takes from one address (200) are in use. Those of Signalbox are broken first and
    // for as long: an agent that has just lost them would take as many again, and the outage would be over at once.
    toConsul.refuse();
    await seen.says('connections-not-taken');
    const [host = '', port = ''] = consul.address.split(':');
    await Promise.all(
      Array.from({ length: 220 }, () => {
        const socket = connect({ host, port: Number(port) });
        crowd.push(socket);
        return new Promise<void>((resolve) => {
          socket.once('connect', resolve);
          socket.once('error', () => resolve());
        });
      }),
    );
    toConsul.accept();
    // It answers that there are too many, and closes. That answer is read, or lost with the connection, so the two
    // sentences may take turns.
    const full = page.locator('[data-outage="connections-capped"], [data-outage="connections-not-taken"]');
    // Older ones reset what is too much.
    if (await isConsulSince('1.9.0'))
      await expect(page.locator('[data-outage="connections-capped"]')).toBeVisible({ timeout: 20_000 });
    await expect(async () =>
      seen.says((await full.getAttribute('data-outage', { timeout: 1_000 })) as OutageCode, 1_000),
    ).toPass({ timeout: 30_000 });
    for (const socket of crowd) socket.destroy();
    await seen.recovers();

    toSignalbox.refuse();
    await seen.says('console-unreachable');
    toSignalbox.accept();
    await seen.recovers();
  } finally {
    for (const socket of crowd) socket.destroy();
    await leave(page);
    await toSignalbox.close();
    await signalbox.stop();
    await toConsul.close();
    await consul.stop();
  }
});

test('a console that may only read says why on every button, and the API refuses', async ({
  page,
  consul,
}) => {
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: { SIGNALBOX_ACTIONS: 'off' },
  });
  try {
    runConsulLock(consul, { n: 2, prefix: 'e2e/readonly', command: 'sleep 600' });
    await page.goto(`${signalbox.baseUrl}/semaphore?prefix=e2e%2Freadonly`);
    const evict = page.getByRole('button', { name: /^Evict/ });
    await expect(evict).toHaveAttribute('aria-disabled', 'true');
    await expect(evict).toHaveAccessibleDescription(/Actions are off here/);
    await evict.click({ force: true });
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const answer = await page.request.post(`${signalbox.baseUrl}/api/v1/actions`, {
      data: {
        mode: 'plan',
        action: { type: 'semaphore.prune', source: 'consul', prefixes: ['e2e/readonly'] },
        reason: '',
      },
    });
    expect(answer.status()).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'read-only' });
    const probe = await page.request.post(`${signalbox.baseUrl}/api/v1/probe`, {
      data: { key: 'e2e/readonly/.lock' },
    });
    expect(probe.status()).toBe(403);
  } finally {
    await leave(page);
    await signalbox.stop();
  }
});
