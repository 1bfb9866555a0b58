/**
 * The stage of the embed tests: an agent with ACLs on which `in/` may be shown and `out/` may not, a server in front of
 * it, a signed-in operator, and a framing page of another origin.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from '@playwright/test';
import { expect, startSignalbox } from '@/e2e/support/signalbox';
import type { NewStore } from '@/e2e/support/store';
import { makeToken, operatorOf, type Token } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';

export const embedSecret = '0123456789abcdef0123456789abcdef';
export const goFlags = '16210313421097356768';
export const scopes = {
  board: { view: 'board', prefix: 'in/' },
  lock: { view: 'lock', key: 'in/leader' },
  semaphore: { view: 'semaphore', prefix: 'in/pool' },
} as const;
export const views = ['board', 'lock', 'semaphore'] as const;

/** Frames the page of `?src=`, in a sandbox. */
export async function startParent() {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://parent').searchParams;
    const src = (query.get('src') ?? '').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>wiki</title><body style="margin:0"><iframe title="embed" sandbox="allow-scripts" src="${src}" style="border:0;width:100vw;height:640px"></iframe>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Values hold `HUSH`, and everything outside of `in/` holds `MARKER`. */
export async function startReaders(newStore: NewStore = async () => ({})) {
  const consul = await startConsul({ acl: true });
  const client = consul.client();
  const session = (name: string) =>
    client.createSession({ name, ttlMs: null, behavior: 'release', lockDelayMs: 0, checks: [] });
  for (const [key, name] of [
    ['in/leader', 'runner-one'],
    ['in/other', 'runner-two'],
    ['out/MARKER-key', 'MARKER-session'],
  ] as const)
    await client.acquire({
      key,
      value: Buffer.from(`HUSH ${key}`),
      flags: '0',
      session: await session(name),
    });
  for (const prefix of ['in/pool', 'out/MARKER-pool']) {
    const holder = await session(prefix.startsWith('in') ? 'pool-one' : 'MARKER-holder');
    const key = `${prefix}/${holder}`;
    await client.acquire({ key, value: Buffer.from('HUSH'), flags: goFlags, session: holder });
    const value = Buffer.from(JSON.stringify({ Limit: 2, Holders: { [holder]: true } }));
    await client.cas({ key: `${prefix}/.lock`, value, flags: goFlags, index: '0' });
  }
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: {
      CONSUL_HTTP_TOKEN: consul.token ?? '',
      SIGNALBOX_EMBED_KEYS: `first:${embedSecret}`,
      ...(await newStore()),
    },
  });
  const parent = await startParent();
  const { baseUrl } = signalbox;
  // Whoever may not read services shares without sessions.
  const rules = `${operatorOf('')}\nservice_prefix "" { policy = "read" }`;
  const token = await makeToken(consul, rules, { description: 'operator' });
  /** A browser's cookie for this token. */
  const signedInAs = async ({ secret }: Token) => {
    const response = await fetch(`${baseUrl}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: secret }),
    });
    expect(response.status).toBe(200);
    return { cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
  };
  const operator = await signedInAs(token);

  /** As the operator by default. */
  const grants = (method: 'POST' | 'PATCH', body: unknown, as: Readonly<Record<string, string>> = operator) =>
    fetch(`${baseUrl}/api/v1/grants`, {
      method,
      headers: { ...as, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    consul,
    baseUrl,
    operator,
    session,
    grants,
    /** A share link, by default framed by the parent. `maker`: instead of the operator. */
    share: async (scope: object, maker?: Token): Promise<{ id: string; query: string }> => {
      const as = maker === undefined ? operator : { authorization: `Bearer ${maker.secret}` };
      const wish = { kind: 'link', scope: { frames: [parent.origin], ...scope } };
      const response = await grants('POST', wish, as);
      expect(response.status, await response.clone().text()).toBe(201);
      const { grant, secret } = (await response.json()) as { grant: { id: string }; secret: string };
      return { id: grant.id, query: `?share=${secret}` };
    },
    get: (path: string, headers: Record<string, string> = {}) =>
      fetch(`${baseUrl}${path}`, { headers, redirect: 'manual' }),
    /** A stream up to its first ping. */
    events: async (query: string, headers: Record<string, string> = {}) => {
      const end = new AbortController();
      const response = await fetch(`${baseUrl}/embed/v1/events${query}`, { headers, signal: end.signal });
      const reader = response.body?.getReader();
      let text = '';
      while (!text.includes('event: ping')) {
        const part = await reader?.read();
        if (part === undefined || part.done) break;
        text += Buffer.from(part.value).toString();
      }
      end.abort();
      return { status: response.status, text, cookie: response.headers.get('set-cookie') };
    },
    /** Opens the page of the parent with this path of ours in its frame. */
    frame: (page: Page, path: string) =>
      page.goto(`${parent.origin}/?src=${encodeURIComponent(`${baseUrl}${path}`)}`),
    /** Somebody else who may read and write everything. */
    another: (options: { ttl?: string } = {}) =>
      makeToken(consul, rules, { description: 'another', ...options }),
    /** Signs the browser in as the operator, or as whose token it is. */
    signIn: async (page: Page, as?: Token) => {
      const { cookie } = as === undefined ? operator : await signedInAs(as);
      const [name = '', value = ''] = cookie.split(/=(.*)/s);
      await page.context().addCookies([{ name, value, url: baseUrl }]);
    },
    stop: async () => {
      parent.close();
      await signalbox.stop();
      await consul.stop();
    },
  };
}

export type Readers = Awaited<ReturnType<typeof startReaders>>;

/** The frame in the page of the parent. */
export async function frameIn(page: Page): Promise<Frame> {
  await expect.poll(() => page.frames().length).toBe(2);
  return page.frames()[1] as Frame;
}
