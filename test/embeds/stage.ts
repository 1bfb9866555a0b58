/** Sharing with readers, on a stage: a real agent with ACLs, a real store, and three people. Only tests import it. */
import { afterAll, beforeAll, expect } from 'vitest';
import { PATCH as change, GET as list, POST as make } from '@/app/api/v1/grants/route';
import { GET as snapshot } from '@/app/embed/v1/snapshot/route';
import { runtime } from '@/lib/server/runtime';
import { makeToken, operatorOf, readerOf, type Token } from '@/test/identity/tokens';
import { type Served, serve } from '@/test/machines/served';
import { startConsul } from '@/test/support/consul';
import { type StoreKind, storeEnv } from '@/test/support/stores';
import { until } from '@/test/support/until';

export const consul = await startConsul({ acl: true });
export const bearer = ({ secret }: Token) => ({ authorization: `Bearer ${secret}` });
const keys = 'one:0123456789abcdef0123456789abcdef';

export let served: Served;
export let ann: Token;
export let ben: Token;
export let reader: Token;

/** Once in each file, before its tests, with the store that its server has. */
export async function stageShares(store: StoreKind['name']): Promise<void> {
  const kept = await storeEnv(store);
  beforeAll(async () => {
    const client = consul.client();
    for (const key of ['a/leader', 'b/leader-MARKER']) {
      const session = await client.createSession({
        name: key.slice(0, 1),
        ttlMs: null,
        behavior: 'release',
        lockDelayMs: 0,
        checks: [],
      });
      await client.acquire({ key, value: Buffer.from(`HUSH-${key}`), flags: '0', session });
    }
    [ann, ben, reader] = await Promise.all([
      makeToken(consul, `${operatorOf('a/')} service_prefix "" { policy = "read" }`, { description: 'ann' }),
      makeToken(consul, `${operatorOf('a/')} acl = "read"`, { description: 'ben' }),
      makeToken(consul, readerOf('a/'), { description: 'reader' }),
    ]);
    served = await serve(consul, {
      ...kept,
      CONSUL_HTTP_TOKEN: consul.token ?? '',
      SIGNALBOX_EMBED_KEYS: keys,
      // Room for twelve credentials at a time.
      SIGNALBOX_RENEWAL_AGENTS: 'off',
    });
    await until(() => runtime().viewpoints.own.hub.snapshot().locks.length === 2, {
      what: 'both locks in view',
    });
  });
  afterAll(async () => {
    for (const one of [served, ...before]) await one.stop();
    await consul.stop();
  });
}

/** Servers that made room for another, the newest first: their folders stay until the end, as the next may use them. */
const before: Served[] = [];

/** The same Consul behind a server with these settings, in place of the one that runs. */
export async function serveWith(env: Readonly<Record<string, string>>): Promise<void> {
  before.unshift(served);
  served = await serve(consul, { CONSUL_HTTP_TOKEN: consul.token ?? '', ...env });
}

export const scopeOf = (over: object = {}) => ({ view: 'board', prefix: 'a/', ...over });
export const create = (who: Token, scope: object = scopeOf(), more: object = {}) =>
  served.ask(make, '/api/v1/grants', {
    method: 'POST',
    headers: bearer(who),
    body: { kind: 'link', scope, ...more },
  });
export const patch = (who: Token, id: string, how: string) =>
  served.ask(change, '/api/v1/grants', { method: 'PATCH', headers: bearer(who), body: { id, change: how } });
export const listed = async (who: Token) =>
  (await served.ask(list, '/api/v1/grants', { headers: bearer(who) })).json() as Promise<{
    whole: boolean;
    grants: { id: string; state: string; cause: string | null; usedAtMs: number | null }[];
  }>;
export async function shared(who: Token = ann, scope: object = scopeOf()) {
  const response = await create(who, scope);
  expect(response.status).toBe(201);
  const { grant, secret } = (await response.json()) as { grant: { id: string }; secret: string };
  return { id: grant.id, secret, query: `?share=${secret}` };
}
export const read = (query: string) => served.ask(snapshot, `/embed/v1/snapshot${query}`);
