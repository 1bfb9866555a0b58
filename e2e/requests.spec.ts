/** What is checked of every request before anything answers it: its method, address, name and protocol. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { own, stateOf } from '@/e2e/support/attempts';
import { ask, type Raw, routePaths } from '@/e2e/support/raw';
import { expect, test } from '@/e2e/support/signalbox';
import { methods } from '@/lib/server/http/methods';

test('every other method is refused with what is allowed, on every route and on pages', async ({
  consul,
  baseUrl,
}) => {
  const before = await stateOf(consul);
  expect(Object.keys(methods).sort()).toEqual(routePaths());
  const every = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
  const pages = ['/', '/lock', '/sessions', '/login', '/no-such-page', '/embed/v1/board'];
  const table = { ...methods, ...Object.fromEntries(pages.map((path) => [path, ['GET', 'HEAD']])) };
  for (const [path, list] of Object.entries(table))
    for (const method of every.filter((one) => !list.includes(one))) {
      const answer = await ask(baseUrl, { path, method });
      expect(answer.status, `${method} ${path}`).toBe(405);
      expect(answer.headers.allow, `${method} ${path}`).toBe(list.join(', '));
      expect(answer.headers['access-control-allow-methods']).toBeUndefined();
    }
  // A page that is posted to would run a server action, if there were one.
  const action = await ask(baseUrl, {
    path: '/',
    method: 'POST',
    headers: { 'next-action': 'a'.repeat(40) },
    body: '[]',
  });
  expect(action.status).toBe(405);
  expect(await stateOf(consul)).toBe(before);
});

test('a request for another protocol is answered as any other, by every guard, and its connection ends', async ({
  baseUrl,
}) => {
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  const asked = (raw: Raw) => ask(baseUrl, { ...raw, headers: { ...headers, ...raw.headers } });
  expect((await asked({ path: '/healthz' })).status).toBe(200);
  expect((await asked({ path: '/' })).headers['content-security-policy']).toBeDefined();
  expect(own(await asked({ path: '/', headers: { host: 'evil.example' } }))).toBe('421 forbidden other-host');
  expect(own(await asked({ path: `/?key=${'x'.repeat(9_000)}` }))).toBe('414 invalid address-too-long');
  expect((await asked({ path: '/lock', method: 'PATCH' })).status).toBe(405);

  const { hostname, port, host } = new URL(baseUrl);
  for (const path of ['//x', '/lock', '/healthz']) {
    const socket = connect(Number(port), hostname);
    const ended = once(socket, 'close', { signal: AbortSignal.timeout(20_000) });
    socket.resume().end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`);
    await ended;
  }
});

test('an address longer than any key needs is 414, on pages and routes', async ({ baseUrl }) => {
  for (const path of ['/', '/lock', '/api/v1/snapshot', '/embed/v1/board', '/healthz'])
    expect(own(await ask(baseUrl, { path: `${path}?key=${'x'.repeat(9_000)}` }))).toBe(
      '414 invalid address-too-long',
    );
});

test('a name that another site points here is not answered, on pages and routes, at any proxy header', async ({
  baseUrl,
}) => {
  const port = new URL(baseUrl).port;
  for (const path of ['/', '/lock?key=a', '/login', '/signalbox.svg', ...routePaths()])
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '169.254.169.254',
      `127.0.0.1.evil.example:${port}`,
    ]) {
      const forwarded = {
        host,
        'x-forwarded-host': `localhost:${port}`,
        forwarded: `host=localhost:${port}`,
      };
      const method = methods[path]?.[0] ?? 'GET';
      const answer = await ask(baseUrl, { path, method, headers: forwarded });
      // Machines ask these by any address they know.
      if (['/healthz', '/readyz'].includes(path)) expect(answer.status, path).not.toBe(421);
      // Has a rule of its own: with a token by any name, without one under a name of this machine alone.
      else if (path === '/metrics') expect(answer.status).toBeGreaterThanOrEqual(400);
      else expect(own(answer), `${path} as ${host}`).toBe('421 forbidden other-host');
    }
});
