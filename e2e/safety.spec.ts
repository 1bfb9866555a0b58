/** Web safety, request by request: forbidden things, tried on every route. */
import { createServer } from 'node:net';
import { furnishSafe, openToAll, own, stateOf, writes } from '@/e2e/support/attempts';
import { furnish, screensOf } from '@/e2e/support/furnish';
import { ask, json, type Raw, routePaths } from '@/e2e/support/raw';
import { expect, type Signalbox, startSignalbox, test } from '@/e2e/support/signalbox';
import { methods } from '@/lib/server/http/methods';
import { startConsul, type TestConsul } from '@/test/support/consul';

test.use({ store: 'postgres' });

test.describe('in read-only mode', () => {
  let consul: TestConsul;
  let signalbox: Signalbox;
  test.beforeAll(async ({ newStore }) => {
    consul = await startConsul({ acl: true });
    await furnishSafe(consul);
    const readOnly = { SIGNALBOX_MODE: 'read-only', SIGNALBOX_ACTIONS: 'on' };
    const env = { ...(await newStore()), CONSUL_HTTP_TOKEN: consul.token ?? '', ...readOnly };
    signalbox = await startSignalbox({ consulAddress: consul.address, env });
  });
  test.afterAll(async () => {
    await signalbox?.stop();
    await consul?.stop();
  });

  test('no one writes, by any action or route, with any rights', async () => {
    const { baseUrl } = signalbox;
    const token = consul.token ?? '';
    const signedIn = await ask(baseUrl, { path: '/api/v1/session', method: 'POST', ...json({ token }) });
    expect(own(signedIn), signedIn.body).toBe('200 ');
    const cookie = [signedIn.headers['set-cookie'] ?? []]
      .flat()
      .map((line) => line.split(';')[0])
      .join('; ');
    expect(cookie).not.toBe('');
    const credentials: readonly Readonly<Record<string, string>>[] = [
      { authorization: `Bearer ${token}` },
      { 'x-consul-token': token },
      { cookie },
    ];
    const before = await stateOf(consul);
    for (const { name, ...write } of writes)
      for (const credential of credentials) {
        const answer = await ask(baseUrl, { ...write, headers: { ...write.headers, ...credential } });
        expect(own(answer), name).toBe('403 read-only read-only-mode');
      }
    // Whatever else a route knows: nothing sound is left to be sent to it that was not tried above.
    const tried = new Set(writes.map(({ path, method }) => `${method} ${path}`));
    const others = Object.entries(methods).flatMap(([path, list]) =>
      list.filter((method) => !['GET', 'HEAD'].includes(method)).map((method) => `${method} ${path}`),
    );
    expect(others.filter((one) => !tried.has(one)).sort()).toEqual([
      'DELETE /api/v1/session',
      // Questions that are too long for an address.
      'POST /api/v1/history/columns',
      'POST /api/v1/rights',
      'POST /api/v1/session',
      'PUT /api/v1/session',
    ]);
    expect(await stateOf(consul)).toBe(before);
    const grants = await ask(baseUrl, {
      path: '/api/v1/grants',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(JSON.parse(grants.body)).toMatchObject({ grants: [] });
  });

  test('credentials that are refused again and again have to wait, and the answer says for how long', async () => {
    const { baseUrl } = signalbox;
    const guess = (n: number) =>
      ask(baseUrl, { path: '/api/v1/session', method: 'POST', ...json({ token: `guess-${n}` }) });
    const answers: string[] = [];
    for (let n = 0; n < 40 && answers.at(-1) !== '429 busy too-often'; n += 1)
      answers.push(own(await guess(n)));
    expect(answers.at(-1), answers.join(', ')).toBe('429 busy too-often');
    expect(Number((await guess(0)).headers['retry-after'] ?? 1)).toBeGreaterThan(0);
    // A signed-in person stays signed in.
    const headers = { authorization: `Bearer ${consul.token ?? ''}` };
    expect((await ask(baseUrl, { path: '/api/v1/snapshot', headers })).status).toBe(200);
  });
});

test('a page of another site reads nothing and writes nothing, by any route', async ({ consul, baseUrl }) => {
  await furnish(consul);
  const foreign: readonly Readonly<Record<string, string>>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  ];
  const before = await stateOf(consul);
  for (const path of routePaths().filter((one) => !openToAll(one)))
    for (const method of methods[path] ?? [])
      for (const headers of foreign) {
        // The head of the stream shows that it is a stream, to every caller.
        if (method === 'HEAD') continue;
        const known = writes.find((write) => write.path === path && write.method === method);
        const answer = await ask(baseUrl, {
          path,
          method,
          ...known,
          headers: { ...known?.headers, ...headers },
        });
        expect(own(answer), `${method} ${path} ${JSON.stringify(headers)}`).toBe('403 forbidden other-site');
        expect(answer.headers['access-control-allow-origin'], path).toBeUndefined();
        expect(answer.headers['cross-origin-resource-policy'], path).toBe('same-origin');
      }
  for (const { name, ...write } of writes)
    for (const headers of foreign) {
      const answer = await ask(baseUrl, { ...write, headers: { ...write.headers, ...headers } });
      expect(own(answer), name).toBe('403 forbidden other-site');
    }
  expect(await stateOf(consul)).toBe(before);
});

test('every write takes JSON of a bounded size and exact shape, and nothing else', async ({
  consul,
  baseUrl,
}) => {
  const before = await stateOf(consul);
  const posts = Object.entries(methods).flatMap(([path, list]) =>
    list.filter((method) => ['POST', 'PATCH'].includes(method)).map((method) => ({ path, method })),
  );
  expect(posts.length).toBeGreaterThanOrEqual(5);
  const type = { 'content-type': 'application/json' };
  const huge = 'x'.repeat(300_000);
  const key = 'k'.repeat(5_000);
  const bodies: readonly [RegExp, string, Readonly<Record<string, string>>, string][] = [
    [/^415 invalid wrong-type$/, 'a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1'],
    [/^415 invalid wrong-type$/, 'text', { 'content-type': 'text/plain' }, '{}'],
    [/^415 invalid wrong-type$/, 'no type', {}, '{}'],
    [/^413 invalid too-large$/, 'a huge body', type, JSON.stringify({ huge })],
    [
      /^413 invalid too-large$/,
      'a body longer than it says',
      { ...type, 'transfer-encoding': 'chunked' },
      JSON.stringify({ huge }),
    ],
    [/^400 invalid not-json$/, 'half a body', type, '{"mode":"plan"'],
    [/^400 invalid/, 'a list', type, '[]'],
    [/^400 invalid/, 'null', type, 'null'],
    [/^400 invalid/, 'a prototype', type, '{"__proto__":{"mode":"apply","token":"x","key":"a"}}'],
    [/^400 invalid/, 'a constructor', type, '{"constructor":{"prototype":{"mode":"apply"}}}'],
    [/^400 invalid/, 'an unknown field', type, '{"mode":"plan","key":"a","token":"t","extra":1}'],
    [
      /^4(00|13) invalid/,
      'a huge key',
      type,
      JSON.stringify({ key, mode: 'plan', action: { type: 'lock.delete', source: 'consul', key } }),
    ],
    [
      /^4(00|13) invalid/,
      'a deep value',
      type,
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`.slice(0, 16_000),
    ],
  ];
  for (const { path, method } of posts)
    for (const [expected, name, headers, body] of bodies) {
      const answer = await ask(baseUrl, { path, method, headers, body });
      expect(own(answer), `${method} ${path}: ${name}`).toMatch(expected);
    }
  expect(await stateOf(consul)).toBe(before);
  expect(({} as Record<string, unknown>).mode).toBeUndefined();
});

test('nothing in a request is used as an address, and no person is led to another site', async ({
  baseUrl,
}) => {
  let called = 0;
  const trap = createServer((socket) => {
    called += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  const to = `127.0.0.1:${(trap.address() as { port: number }).port}`;
  const url = `http://${to}/`;
  const hostile: Readonly<Record<string, string>> = {
    'x-forwarded-host': to,
    'x-forwarded-proto': 'http',
    'x-forwarded-port': to.split(':')[1] ?? '',
    'x-forwarded-prefix': url,
    'x-original-url': url,
    'x-rewrite-url': url,
    'x-host': to,
    forwarded: `host=${to};proto=http`,
    referer: url,
    location: url,
    'x-middleware-rewrite': url,
    'x-middleware-subrequest': 'proxy:proxy:proxy:proxy:proxy',
    'x-middleware-next': '1',
    'x-nextjs-rewrite': url,
    'x-invoke-path': '/api/v1/snapshot',
    'x-matched-path': url,
    'x-consul-token': url,
    'next-url': url,
  };
  const named = encodeURIComponent(url);
  const paths = [
    '/',
    `/lock?key=${named}`,
    `/semaphore?prefix=${named}`,
    `/login?next=${named}`,
    `/login?to=${named}&from=${named}&back=${named}&return=${named}&redirect=${named}`,
    `/api/v1/snapshot?prefix=${named}`,
    `/api/v1/events?prefix=${named}&since=${named}`,
    `/embed/v1/board?share=${named}&token=${named}`,
    `/embed/v1/badge.svg?share=${named}`,
    `/_next/image?url=${named}&w=64&q=75`,
    `/_next/image?url=%2Fsignalbox.svg&w=64&q=75`,
    `//${to}/`,
    `//${to}//`,
    `/\\${to}/`,
    `/%5c${to}/`,
    `/%2f%2f${to}/`,
    `/.//${to}/`,
    `/lock//${to}/..`,
    url,
  ];
  try {
    for (const path of paths)
      for (const headers of [{}, hostile]) {
        const answer = await ask(baseUrl, { path, headers });
        const { link } = answer.headers;
        const refresh = /url=(.*)$/.exec(String(answer.headers.refresh ?? ''))?.[1];
        for (const location of [answer.headers.location, refresh]) {
          if (typeof location !== 'string') continue;
          const led = new URL(location, `${baseUrl}${path.startsWith('/') ? '/' : ''}`);
          expect(led.origin, `${path} leads to ${location}`).toBe(baseUrl);
          expect(location, `${path} leads to ${location}`).not.toMatch(/^[/\\]{2}/);
        }
        expect(String(link ?? ''), path).not.toContain(to);
        expect(answer.status, path).not.toBe(500);
      }
    for (const { name: _name, ...write } of writes)
      await ask(baseUrl, { ...write, headers: { ...hostile, ...write.headers } });
    expect(called, 'connections to an address that only requests named').toBe(0);
  } finally {
    trap.close();
  }
});

test('an answer to nonsense holds nothing of the inside', async ({ baseUrl }) => {
  const nonsense: readonly Raw[] = [
    { path: '/%E0%A4%A' },
    { path: '/lock?key=%' },
    { path: '/lock?key=%00%ff' },
    { path: '/semaphore?prefix[]=a&prefix[__proto__]=b' },
    { path: '/session?id=../../../../etc/passwd' },
    { path: '/api/v1/snapshot?kind=__proto__&prefix=%00' },
    { path: '/api/v1/events', headers: { 'last-event-id': 'x'.repeat(4_000) } },
    { path: '/api/v1/nothing' },
    { path: '/api/v1/actions', method: 'POST', headers: { 'content-type': 'application/json' }, body: '"' },
    { path: '/_next/static/nothing.js' },
    { path: '/_next/data/x/y.json' },
    { path: '/', headers: { rsc: '1', 'next-router-state-tree': '%5B%22nonsense' } },
    { path: '/', headers: { cookie: 'a=b; '.repeat(500) } },
    { path: '/', headers: { 'accept-language': '*;q=nonsense,'.repeat(200) } },
    { path: '/session', headers: { cookie: '__Host-signalbox=x.y.z; signalbox=x.y.z' } },
    { path: '/api/v1/audit?cursor=__proto__&format=../..' },
  ];
  for (const one of nonsense) {
    const { body, status, headers } = await ask(baseUrl, one);
    expect(body, one.path).not.toMatch(
      /node_modules|\/server\/|\bat .*\.(js|ts):\d+|Error: |root:x:|consul_|ECONN/,
    );
    expect(headers['x-powered-by'], one.path).toBeUndefined();
    expect(status, one.path).toBeLessThan(600);
  }
});

test('no cache keeps a page or an answer of the API', async ({ baseUrl, consul }) => {
  const { sessionId } = await furnish(consul);
  for (const path of [...screensOf(sessionId), '/login', ...routePaths()]) {
    const method = methods[path]?.[0] ?? 'GET';
    const { headers } = await ask(baseUrl, { path, method });
    const kept = String(headers['cache-control'] ?? 'nothing said');
    // A stream, an embed's picture and the API's document are checked again each time: those words mean that.
    expect(kept, `${method} ${path}`).toMatch(
      /^\/embed\/|\/events$|\/openapi/.test(path) ? /no-store|no-cache|max-age=\d+/ : /no-store/,
    );
  }
});
