/**
 * The address and person of a request, at the real server: Next gives its routes, pages and `proxy.ts` no socket. And
 * the whole end of a sign-in, from Consul to an open stream. Without a browser, which would not send these requests.
 */
import { request as send } from 'node:http';
import { test as base } from '@playwright/test';
import { makeToken, readerOf, revoke } from '@/test/identity/tokens';
import { startConsul, stopAll, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { expect, type Signalbox, startSignalbox } from './support/signalbox';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** One request with exactly these headers, which `fetch` would not send. */
function ask(
  { baseUrl }: Signalbox,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: object } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = send(
      `${baseUrl}${path}`,
      {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.on('error', reject);
      },
    );
    call.on('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface Servers {
  readonly guarded: TestConsul;
  /** In front of the agent with ACLs, behind a proxy on this machine that is trusted. */
  readonly behind: Signalbox;
  /** In front of one without, where no proxy of this machine is trusted. */
  readonly alone: Signalbox;
  /** In front of one without, behind a trusted proxy that names the person. */
  readonly named: Signalbox;
}

const test = base.extend<object, { servers: Servers }>({
  servers: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are used from this pattern.
    async ({}, use) => {
      const [guarded, open] = await Promise.all([startConsul({ acl: true }), startConsul()]);
      const header = { SIGNALBOX_IDENTITY_HEADER: 'x-user' };
      const start = (consul: TestConsul, env: Record<string, string>) =>
        startSignalbox({ consulAddress: consul.address, env });
      const behind = await start(guarded, { SIGNALBOX_TRUSTED_PROXY: '127.0.0.1' });
      const alone = await start(open, { SIGNALBOX_TRUSTED_PROXY: '10.0.0.0/8', ...header });
      const named = await start(open, { SIGNALBOX_TRUSTED_PROXY: '127.0.0.0/8', ...header });
      await use({ guarded, behind, alone, named });
      await Promise.all([behind, alone, named].map((one) => one.stop()));
      await stopAll();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

/** Every header with which a client could pose as another person or address. */
const forged = {
  'x-signalbox-peer': '0123 198.51.100.7',
  'x-signalbox-address': '//elsewhere.example/',
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'https',
  'x-real-ip': '198.51.100.7',
  forwarded: 'for=198.51.100.7',
  'x-user': 'root',
};

/** The address of the last refused sign-in, on record. */
async function addressOnRecord(server: Signalbox): Promise<string | null> {
  return until(
    () => {
      const line = server
        .log()
        .split('\n')
        .filter((text) => text.includes('"msg":"sign-in"'))
        .at(-1);
      return line === undefined ? null : { address: JSON.parse(line).address as string | null };
    },
    { what: 'the sign-in is logged' },
  ).then(({ address }) => address);
}

test('without a trusted proxy, the address is that of the socket, and no person is named', async ({
  servers,
}) => {
  const { alone } = servers;
  await ask(alone, '/api/v1/session', { method: 'POST', headers: forged, body: { token: 'x' } });
  expect(await addressOnRecord(alone)).toBe('127.0.0.1');
  const session = await ask(alone, '/api/v1/session', { headers: forged });
  expect(JSON.parse(session.text).identity).toEqual({ kind: 'anonymous' });
  expect((await ask(alone, '/', { headers: forged })).text).not.toContain('root');
});

test('a trusted proxy names address and person, in routes and pages alike', async ({ servers }) => {
  const { named } = servers;
  const said = { ...forged, 'x-user': 'ann-of-the-night' };
  await ask(named, '/api/v1/session', { method: 'POST', headers: said, body: { token: 'x' } });
  expect(await addressOnRecord(named)).toBe('203.0.113.9');
  const session = await ask(named, '/api/v1/session', { headers: said });
  expect(JSON.parse(session.text).identity).toEqual({ kind: 'proxy', name: 'ann-of-the-night' });
  expect((await ask(named, '/', { headers: said })).text).toContain('ann-of-the-night');
});

test('the header in which the address travels is in no answer, nor is its number', async ({ servers }) => {
  for (const path of ['/', '/api/v1/session', '/api/v1/snapshot', '/nowhere', '/login']) {
    const { headers, text } = await ask(servers.alone, path, { headers: forged });
    expect(JSON.stringify(headers)).not.toContain('signalbox-peer');
    expect(text).not.toContain('signalbox-peer');
    expect(text).not.toMatch(/[0-9a-f]{32} 127\.0\.0\.1/);
  }
});

test('over TLS the cookie is bound to the host; a cookie of before is not looked at', async ({ servers }) => {
  const { guarded, behind } = servers;
  const { secret } = await makeToken(guarded, readerOf('a/'));
  const signIn = (headers: Record<string, string>) =>
    ask(behind, '/api/v1/session', { method: 'POST', headers, body: { token: secret } });
  const plain = String((await signIn({})).headers['set-cookie']).split(';')[0] ?? '';
  const [sealed = ''] = (await signIn({ 'x-forwarded-proto': 'https' })).headers['set-cookie'] ?? [];
  expect(sealed).toMatch(/^__Host-signalbox=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/);
  const who = async (cookie: string, headers: Record<string, string> = {}) =>
    JSON.parse((await ask(behind, '/api/v1/session', { headers: { cookie, ...headers } })).text).identity
      .kind;
  expect(await who(plain)).toBe('token');
  expect(await who(plain, { 'x-forwarded-proto': 'https' })).toBe('anonymous');
  expect(await who(sealed.split(';')[0] ?? '', { 'x-forwarded-proto': 'https' })).toBe('token');
});

test('a sign-in leads back to the requested page, and to no other site', async ({ servers }) => {
  const { behind } = servers;
  const asked = await ask(behind, '/lock?key=jobs%2Fa%20b', { headers: forged });
  expect(asked.status).toBe(307);
  // However a space is written in it.
  const signIn = new URL(String(asked.headers.location), behind.baseUrl);
  expect([signIn.origin, signIn.pathname]).toEqual([behind.baseUrl, '/login']);
  const next = new URL(signIn.searchParams.get('next') ?? '', behind.baseUrl);
  expect([next.origin, next.pathname, next.searchParams.get('key')]).toEqual([
    behind.baseUrl,
    '/lock',
    'jobs/a b',
  ]);
  expect((await ask(behind, '/')).headers.location).toBe('/login');
});

test('a token that is revoked in Consul ends the open stream within seconds, and answers 401 from then on', async ({
  servers,
}) => {
  const { guarded, behind } = servers;
  const token = await makeToken(guarded, readerOf('a/'));
  const cookie =
    String(
      (await ask(behind, '/api/v1/session', { method: 'POST', body: { token: token.secret } })).headers[
        'set-cookie'
      ],
    ).split(';')[0] ?? '';
  const stream = ask(behind, '/api/v1/events', { headers: { cookie } });
  await until(
    async () => (await ask(behind, '/api/v1/snapshot', { headers: { cookie } })).text.includes('"live"'),
    {
      what: 'it is live',
    },
  );
  await revoke(guarded, token);
  const { text } = await stream;
  expect(text).toContain('event: snapshot');
  expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^event: signed-out\ndata: .*"token-unknown"/);
  const after = await ask(behind, '/api/v1/snapshot', { headers: { cookie } });
  expect([after.status, JSON.parse(after.text).why.code]).toEqual([401, 'token-unknown']);
  expect(behind.log()).not.toContain(token.secret);
});
