/** A page's scripts and frames, in a real browser; and the score of its headers. */
import { createServer } from 'node:net';
import type { Page } from '@playwright/test';
import { own } from '@/e2e/support/attempts';
import { furnish, inView, screensOf } from '@/e2e/support/furnish';
import { startHttpsFront } from '@/e2e/support/https-front';
import { parsePolicy, scan } from '@/e2e/support/observatory';
import { ask, type Raw, type RawAnswer } from '@/e2e/support/raw';
import { expect, startSignalbox, test } from '@/e2e/support/signalbox';
import { claimPorts } from '@/scripts/ports.mjs';
import { startConsul } from '@/test/support/consul';

test.describe('the scripts of a page', () => {
  /** Violations that the page itself sees, whether they reach the console or not. */
  async function violations(page: Page): Promise<string[]> {
    const seen: string[] = [];
    await page.exposeFunction('violated', (text: string) => void seen.push(text));
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) =>
        (window as unknown as { violated(text: string): void }).violated(
          `${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} on ${location.pathname}`,
        ),
      );
    });
    return seen;
  }

  test('a tour of all pages, dialogs and menus breaks no rule of its policy', async ({
    page,
    consul,
    baseUrl,
    consoleErrors,
  }) => {
    test.setTimeout(180_000);
    // The one that is not there, and the icon that a browser asks for beside it.
    consoleErrors.allow(/no-such-page|favicon\.ico/);
    const { sessionId } = await furnish(consul);
    await inView(baseUrl);
    const seen = await violations(page);
    const ownStreams: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/events')) ownStreams.push(request.url());
    });
    for (const path of [...screensOf(sessionId), '/login']) {
      const answer = await page.goto(path);
      const html = (await answer?.text()) ?? '';
      expect(
        html.match(/<[a-z][^>]*\s(style|on[a-z]+)=/g),
        `${path} has styles or handlers in its HTML`,
      ).toBeNull();
      await expect(page.locator('body')).not.toBeEmpty();
      if (path === '/no-such-page' || path === '/login') continue;
      await expect(page.getByText(/^live/).first()).toBeVisible();
      if (ownStreams.length > 0) {
        // A worker that is slow to answer is given up for once; one that may not run is so each time.
        ownStreams.length = 0;
        await page.goto(path);
        await expect(page.getByText(/^live/).first()).toBeVisible();
      }
      for (const theme of ['dark', 'light'] as const) await page.emulateMedia({ colorScheme: theme });
    }
    await page.goto('/semaphore?prefix=semaphore%2Fform-gateway');
    await expect(page.getByText(/^live/).first()).toBeVisible();
    for (const open of [
      () => page.keyboard.press('Control+k'),
      () => page.keyboard.press('?'),
      () =>
        page
          .getByRole('button', { name: /^Prune/ })
          .first()
          .click(),
      () => page.getByRole('button', { name: /^More/ }).first().click(),
    ]) {
      await open();
      const opened = page.getByRole('dialog').or(page.getByRole('menu')).first();
      await expect(opened).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(opened).toBeHidden();
    }
    expect(seen).toEqual([]);
    // The worker may run and connect: a page on its own would show here.
    expect(ownStreams).toEqual([]);
  });

  test('its policy allows nothing unsafe, and each answer has a nonce of its own', async ({ baseUrl }) => {
    const nonces = new Set<string>();
    for (let n = 0; n < 5; n += 1) {
      const answer = await ask(baseUrl, { path: '/' });
      const header = String(answer.headers['content-security-policy']);
      const policy = parsePolicy(header);
      expect(header).not.toMatch(/unsafe-|https?:|\*|data:.*script/);
      for (const name of ['default-src', 'object-src', 'base-uri', 'frame-ancestors'])
        expect([...(policy.get(name) ?? [])], name).toEqual(["'none'"]);
      for (const name of ['connect-src', 'form-action', 'worker-src'])
        expect([...(policy.get(name) ?? [])], name).toEqual(["'self'"]);
      const nonce = /'nonce-([A-Za-z0-9+/]{22,})'/.exec(header)?.[1] ?? '';
      expect(Buffer.from(nonce, 'base64').length).toBeGreaterThanOrEqual(16);
      const scripts = [...answer.body.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
      expect(scripts.length).toBeGreaterThan(3);
      expect(scripts.filter((tag) => !tag.includes(`nonce="${nonce}"`))).toEqual([]);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(5);
    // A nonce that a request brings along is not taken.
    const brought = await ask(baseUrl, {
      path: '/',
      headers: { 'x-nonce': 'mine', 'content-security-policy': "script-src 'nonce-mine'" },
    });
    expect(brought.body).not.toContain('nonce="mine"');
  });

  test('injected code does nothing in a page: scripts, handlers, styles, frames, pictures, base', async ({
    page,
    consul,
    consoleErrors,
  }) => {
    consoleErrors.allow(/Content Security Policy|violates|Refused|evil\.example|ERR_BLOCKED/);
    await furnish(consul);
    const injected =
      '<base href="https://evil.example/"><script>window.hostile = 1</script>' +
      '<script nonce="guess">window.hostile = 2</script><script src="https://evil.example/x.js"></script>' +
      '<script src="data:text/javascript,window.hostile=3"></script>' +
      '<img src="data:,x" onerror="window.hostile = 4"><p id="styled" style="color: rgb(1, 2, 3)">x</p>' +
      '<style>body { opacity: 0.5 }</style><iframe src="https://evil.example/"></iframe>' +
      '<object data="https://evil.example/"></object><img src="https://evil.example/pixel.png">';
    await page.addInitScript(() => {
      const heard = new Set<string>();
      Object.assign(window, { heard });
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
        heard.add(effectiveDirective),
      );
    });
    // As it would come from a server that had been made to write it; the policy is the server's own.
    await page.route('/sessions', async (route) => {
      const response = await route.fetch();
      const html = (await response.text()).replace('<body>', `<body>${injected}`);
      expect(html).toContain(injected);
      await route.fulfill({ response, body: html });
    });
    await page.goto('/sessions');
    const seen = () =>
      page.evaluate(() => ({
        heard: [...(window as unknown as { heard: Set<string> }).heard].sort(),
        hostile: 'hostile' in window,
        faded: getComputedStyle(document.body).opacity !== '1',
        base: document.baseURI.includes('evil'),
      }));
    await expect.poll(seen).toEqual({
      heard: [
        'base-uri',
        'frame-src',
        'img-src',
        'object-src',
        'script-src-attr',
        'script-src-elem',
        'style-src-attr',
        'style-src-elem',
      ],
      hostile: false,
      faded: false,
      base: false,
    });
  });

  test('a foreign page cannot frame the console', async ({ page, baseUrl, consoleErrors }) => {
    consoleErrors.allow(/frame|Refused|denied|ERR_BLOCKED/i);
    const host = createServer((socket) => {
      const html = `<iframe src="${baseUrl}/"></iframe>`;
      socket.once('data', () =>
        socket.end(
          `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${html.length}\r\nconnection: close\r\n\r\n${html}`,
        ),
      );
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    await page.goto(`http://127.0.0.1:${(host.address() as { port: number }).port}/`);
    const frame = page.frames().find((one) => one.parentFrame() !== null);
    await expect.poll(() => frame?.url()).toMatch(/chrome-error/);
    host.close();
  });
});

test('the headers are worth the top grade by the rules of Mozilla’s Observatory, over https: pages, routes, embeds and refusals', async () => {
  test.setTimeout(180_000);
  const consul = await startConsul({ acl: true });
  const block = await claimPorts(1);
  const [port = 0] = block.ports;
  let target = '';
  const front = await startHttpsFront({ consul: consul.binary, port, target: () => target });
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: { CONSUL_HTTP_TOKEN: consul.token ?? '', SIGNALBOX_URL: front.url },
  });
  target = signalbox.baseUrl;
  try {
    const host = new URL(front.url).host;
    const through = (raw: Raw) => ask(signalbox.baseUrl, { ...raw, headers: { host, ...raw.headers } });
    const signedIn = await through({
      path: '/api/v1/session',
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: front.url },
      body: JSON.stringify({ token: consul.token }),
    });
    expect(own(signedIn), signedIn.body).toBe('200 ');
    const cookies = [signedIn.headers['set-cookie'] ?? []].flat();
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^__Host-.*; Path=\/; /i);
    const cookie = cookies[0]?.split(';')[0] ?? '';
    const scope = { view: 'board', prefix: 'in/', frames: ['https://wiki.example'] };
    const shared = await through({
      path: '/api/v1/grants',
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: front.url, cookie },
      body: JSON.stringify({ kind: 'link', scope }),
    });
    const share = /"secret":"([^"]+)"/.exec(shared.body)?.[1];
    expect(share, shared.body).toBeDefined();
    const script =
      /src="(\/_next\/static\/[^"]+\.js)"/.exec((await through({ path: '/login' })).body)?.[1] ?? '';

    const flat = (from: RawAnswer) =>
      Object.fromEntries(Object.entries(from.headers).map(([name, value]) => [name, value?.toString()]));
    /** By the answer itself, by what a foreign page gets of it, and by the preflight that the scanner sends. */
    const scanned = async (raw: Raw, cookies: readonly string[]) => {
      const answer = await through(raw);
      const headers = { ...raw.headers, origin: 'https://evil.example' };
      const foreign = await through({ ...raw, headers });
      const preflight = await through({
        ...raw,
        method: 'OPTIONS',
        headers: { ...headers, 'access-control-request-method': 'GET' },
      });
      const results = [foreign, preflight].map((crossOrigin) =>
        scan({ headers: flat(answer), html: answer.body, cookies, crossOrigin: flat(crossOrigin) }),
      );
      const allowed = [answer, foreign, preflight].map(
        ({ headers }) => headers['access-control-allow-origin'],
      );
      const { status } = answer;
      return { status, results, allowed, answer };
    };
    const top = (score: number) => ({ grade: 'A+', score, open: [] });

    // The scanner itself scores only successes, redirects, 401 and 403. Refusals need headers no less.
    const asPerson = { cookie };
    const text = { ...asPerson, 'content-type': 'text/plain', origin: front.url };
    const good = (path: string): [Raw, number] => [{ path, headers: asPerson }, 200];
    const pages = ['/', '/login', '/lock?key=a', '/semaphore?prefix=a', '/session?id=a', '/sessions'];
    const answers: readonly [Raw, number][] = [
      ...[...pages, '/findings', '/graph', '/audit', '/shares', '/favicon.ico'].map(good),
      ...['snapshot', 'events', 'session', 'findings', 'audit', 'grants', 'openapi.json'].map((name) =>
        good(`/api/v1/${name}`),
      ),
      ...['/healthz', '/readyz'].map(good),
      [{ path: '/login', headers: {} }, 200],
      [{ path: '/api/v1/snapshot', headers: {} }, 401],
      [
        { path: '/api/v1/actions', method: 'POST', headers: { ...text, origin: 'https://evil.example' } },
        403,
      ],
      ...['/no/such/page', '/api/v1/nothing', '/metrics', '/robots.txt', '/%E0%A4%A'].map(
        (path): [Raw, number] => [{ path, headers: asPerson }, 404],
      ),
      ...['TRACE', 'OPTIONS', 'PUT', 'PROPFIND'].flatMap((method) =>
        ['/', '/api/v1/snapshot', '/api/v1/events'].map((path): [Raw, number] => [
          { path, method, headers: asPerson },
          405,
        ]),
      ),
      [{ path: `/${'a'.repeat(9_000)}`, headers: asPerson }, 414],
      [{ path: '/api/v1/actions', method: 'POST', headers: text, body: 'x' }, 415],
      [{ path: '/', headers: { host: 'evil.example' } }, 421],
    ];
    for (const [raw, status] of answers) {
      const seen = await scanned(raw, cookies);
      const what = `${raw.method ?? 'GET'} ${raw.path.slice(0, 40)} ${status}`;
      expect(seen, what).toMatchObject({ status, results: [top(155), top(155)] });
      // Beyond its rules, which let every site read answers without credentials.
      expect(seen.allowed, what).toEqual([undefined, undefined, undefined]);
    }

    // Embeds are for pages of others: no frame option, no isolation, and 35 points less, which are for both and for a cookie.
    const embeds: readonly [Raw, number][] = [
      ...['board', 'snapshot', 'events', 'badge.svg'].flatMap((name): [Raw, number][] => [
        [{ path: `/embed/v1/${name}?share=${share}`, headers: asPerson }, 200],
        [{ path: `/embed/v1/${name}?share=wrong`, headers: asPerson }, 404],
      ]),
      [{ path: '/embed/v1/snapshot', method: 'TRACE', headers: asPerson }, 405],
    ];
    for (const [raw, status] of embeds) {
      const seen = await scanned(raw, []);
      const what = `${raw.method ?? 'GET'} ${raw.path.replace(share ?? '', '…')} ${status}`;
      expect(seen, what).toMatchObject({ status, results: [top(120), top(120)] });
      expect(seen.answer.headers['set-cookie'], what).toBeUndefined();
      expect(seen.answer.headers['access-control-allow-credentials'], what).toBeUndefined();
    }

    // A build is the same for everyone and knows no address, so it has no https header: the page had one.
    const built = await scanned({ path: script }, []);
    const { 'strict-transport-security': transport, ...rest } = built.results[0]?.parts ?? {};
    expect([built.status, transport, Object.values(rest).filter((worth) => worth < 0)]).toEqual([
      200,
      -20,
      [],
    ]);
    expect(built.results[0]?.open).toEqual([]);
    // Not in its rules: over plain http, without https in front, nothing is promised.
    expect((await ask(signalbox.baseUrl, { path: '/' })).headers['strict-transport-security']).toBeDefined();
  } finally {
    await signalbox.stop();
    await front.stop();
    block.release();
    await consul.stop();
  }
});

test('an address with a slash too many is answered as the one without, with our own headers', async ({
  baseUrl,
}) => {
  for (const [path, status] of [
    ['/other//path', 404],
    ['/other\\path/', 404],
    ['//evil.example/', 404],
    // Nor does one lead to another address than a proxy in front takes it for.
    ['/other/../healthz', 404],
    ['/other/%2e%2e/healthz', 404],
    ['/other/\\..\\..\\healthz', 404],
    ['/sessions/', 200],
    ['//healthz', 200],
    ['//api/v1//snapshot/', 200],
  ] as const) {
    const answer = await ask(baseUrl, { path });
    expect(answer.status, path).toBe(status);
    expect(answer.headers['x-frame-options'], path).toBe('DENY');
    expect(answer.headers['content-security-policy'], path).toContain("default-src 'none'");
  }
  // Nor is a method that no route takes let through by it.
  const wrong = await ask(baseUrl, { path: '/api/v1//actions/', method: 'GET' });
  expect(wrong.status).toBe(405);
});
