/** Sharing with readers: the routes as they are, in front of a real agent with ACLs and a real store. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATCH as change, GET as list, POST as make } from '@/app/api/v1/grants/route';
import { GET as badge } from '@/app/embed/v1/badge.svg/route';
import { GET as events } from '@/app/embed/v1/events/route';
import { GET as snapshot } from '@/app/embed/v1/snapshot/route';
import { scopeSchema } from '@/lib/domain/grant-scope';
import { frameAncestors } from '@/lib/server/embed/frame';
import { createGrantBook } from '@/lib/server/grants/book';
import { streamsPerGrantMax } from '@/lib/server/grants/watch';
import type { Caller } from '@/lib/server/identity/caller';
import { budgets } from '@/lib/server/limits';
import { runtime } from '@/lib/server/runtime';
import { openStore } from '@/lib/server/store/store';
import { makeToken, operatorOf, readerOf, type Token } from '@/test/identity/tokens';
import { host, type Served, serve } from '@/test/machines/served';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

// It throws outside of Next's server layer; this process is a server of its own.
vi.mock('server-only', () => ({}));

const consul = await startConsul({ acl: true });
const bearer = ({ secret }: Token) => ({ authorization: `Bearer ${secret}` });
const keys = 'one:0123456789abcdef0123456789abcdef';

let served: Served;
let ann: Token;
let ben: Token;
let reader: Token;

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
    makeToken(consul, operatorOf('a/'), { description: 'ann' }),
    makeToken(consul, `${operatorOf('a/')} acl = "read"`, { description: 'ben' }),
    makeToken(consul, readerOf('a/'), { description: 'reader' }),
  ]);
  served = await serve(consul, { CONSUL_HTTP_TOKEN: consul.token ?? '', SIGNALBOX_EMBED_KEYS: keys });
  await until(() => runtime().viewpoints.own.hub.snapshot().locks.length === 2, {
    what: 'both locks in view',
  });
});
afterAll(async () => {
  await served.stop();
  await consul.stop();
});

const scopeOf = (over: object = {}) => ({ view: 'board', prefix: 'a/', ...over });
const create = (who: Token, scope: object = scopeOf(), more: object = {}) =>
  served.ask(make, '/api/v1/grants', {
    method: 'POST',
    headers: bearer(who),
    body: { kind: 'link', scope, ...more },
  });
const patch = (who: Token, id: string, how: string) =>
  served.ask(change, '/api/v1/grants', { method: 'PATCH', headers: bearer(who), body: { id, change: how } });
const listed = async (who: Token) =>
  (await served.ask(list, '/api/v1/grants', { headers: bearer(who) })).json() as Promise<{
    whole: boolean;
    grants: { id: string; state: string; usedAtMs: number | null }[];
  }>;
async function shared(who: Token = ann, scope: object = scopeOf()) {
  const response = await create(who, scope);
  expect(response.status).toBe(201);
  const { grant, secret } = (await response.json()) as { grant: { id: string }; secret: string };
  return { id: grant.id, secret, query: `?share=${secret}` };
}
const read = (query: string) => served.ask(snapshot, `/embed/v1/snapshot${query}`);

describe('who may share what', () => {
  test('what Consul says that one may read, and what is shown is that alone', async () => {
    const { query } = await shared();
    const text = await (await read(query)).text();
    expect(JSON.parse(text)).toMatchObject({
      locks: [{ key: 'a/leader', value: null }],
      source: { origin: '' },
    });
    expect(text).not.toContain('MARKER');
    expect(text).not.toContain('HUSH');
  });
  test('with the values only when they are granted', async () => {
    const { query } = await shared(ann, scopeOf({ values: true }));
    expect(await (await read(query)).text()).toContain('HUSH-a/leader');
  });
  test.each<[string, object]>([
    ['a prefix of somebody else', { prefix: 'b/' }],
    ['everything', { prefix: '' }],
    ['a prefix that also covers what is not theirs', { prefix: 'a' }],
  ])('not %s', async (_, over) => {
    const response = await create(ann, scopeOf(over));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ why: { code: 'grant-beyond-reach' } });
  });
  test('not a lock that one may not read, whether it is there or not', async () => {
    const answers = await Promise.all(
      ['b/leader-MARKER', 'b/nowhere'].map(async (key) => {
        const response = await create(ann, { view: 'lock', key });
        return [response.status, await response.json()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(403);
  });
  test('nor what a rule below the scope keeps from one, where there is something', async () => {
    const client = consul.client();
    const session = await client.createSession({
      name: 'deep',
      ttlMs: null,
      behavior: 'release',
      lockDelayMs: 0,
      checks: [],
    });
    await client.acquire({ key: 'c/hidden/leader', value: Buffer.from(''), flags: '0', session });
    await until(() => runtime().viewpoints.own.hub.snapshot().locks.length === 3, {
      what: 'the hidden lock',
    });
    const cut = await makeToken(consul, `${operatorOf('c/')} key_prefix "c/hidden/" { policy = "deny" }`);
    expect((await create(cut, scopeOf({ prefix: 'c/' }))).status).toBe(403);
    await client.destroySession(session);
  });
  test('not what begins like the one key that one may read: a rule about a key is none about a prefix', async () => {
    const exact = await makeToken(
      consul,
      'key "d" { policy = "read" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }',
    );
    const response = await create(exact, scopeOf({ prefix: 'd' }));
    expect(response.status).toBe(403);
    expect((await create(exact, { view: 'lock', key: 'd' })).status).toBe(201);
  });
  test('not by a request that began before tokens were asked for', async () => {
    const { viewpoints, grants } = runtime();
    const late = {
      identity: { kind: 'anonymous' },
      address: null,
      viewpoint: viewpoints.own,
      discreet: (value) => value,
    } as Caller;
    const scope = scopeSchema.parse(scopeOf());
    await expect(
      grants.create(late, { scope, endsAtMs: null }, AbortSignal.timeout(5_000)),
    ).rejects.toMatchObject({ problem: { why: { code: 'grant-reach-unknown' } } });
  });
  test('nobody without a sign-in, and not for ever what has no end in the future', async () => {
    const response = await served.ask(make, '/api/v1/grants', {
      method: 'POST',
      body: { kind: 'link', scope: scopeOf() },
    });
    expect(response.status).toBe(401);
    expect((await create(ann, scopeOf(), { lifeMs: -1 })).status).toBe(400);
  });
  test('whoever may only read shares what they read: it shows no more than they could tell', async () => {
    expect((await create(reader)).status).toBe(201);
  });
});

describe('who manages a share', () => {
  test('whoever made it; nobody else even learns that it is there', async () => {
    const { id } = await shared();
    expect((await listed(ann)).grants.map((grant) => grant.id)).toContain(id);
    const others = await listed(reader);
    expect(others.whole).toBe(false);
    expect(others.grants.map((grant) => grant.id)).not.toContain(id);
    const answers = await Promise.all(
      [id, '00000000-0000-4000-8000-000000000000'].map(async (one) => {
        const response = await patch(reader, one, 'revoke');
        return [response.status, await response.json()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(404);
  });
  test('whoever oversees the credentials sees all, and may narrow but not widen', async () => {
    const { id, query } = await shared();
    const all = await listed(ben);
    expect(all.whole).toBe(true);
    expect(all.grants.map((grant) => grant.id)).toContain(id);
    expect((await patch(ben, id, 'pause')).status).toBe(200);
    expect((await read(query)).status).toBe(404);
    expect((await patch(ben, id, 'resume')).status).toBe(404);
    expect((await patch(ann, id, 'resume')).status).toBe(200);
    expect((await read(query)).status).toBe(200);
  });
  test('what is revoked stays revoked', async () => {
    const { id, query } = await shared();
    expect((await patch(ann, id, 'revoke')).status).toBe(200);
    expect((await patch(ann, id, 'resume')).status).toBe(409);
    expect((await read(query)).status).toBe(404);
  });
});

describe('the record', () => {
  test('every change of a share has its row, with who, and never the secret', async () => {
    const { id, secret } = await shared();
    for (const how of ['pause', 'resume', 'revoke']) await patch(ann, id, how);
    const rows = await runtime().audit.read({ below: null, limit: 50, thread: id });
    expect(rows.map(({ kind }) => kind).reverse()).toEqual([
      'grant-created',
      'grant-paused',
      'grant-resumed',
      'grant-revoked',
    ]);
    for (const row of rows) expect(row.who).toMatchObject({ kind: 'token', id: ann.accessor, name: 'ann' });
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
  test('the store has no secret of a link in any of its files', async () => {
    const { secret } = await shared();
    const { store } = runtime().env;
    const folder = 'folder' in store ? store.folder : '';
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    expect(files.length).toBeGreaterThan(0);
    for (const bytes of files) {
      expect(bytes.includes(secret)).toBe(false);
      expect(bytes.includes(Buffer.from(secret, 'base64url'))).toBe(false);
    }
  });
  test('a use is kept, and kept again only after a minute', async () => {
    const { id, query } = await shared();
    await read(query);
    const used = async () => (await listed(ann)).grants.find((grant) => grant.id === id)?.usedAtMs;
    await until(async () => typeof (await used()) === 'number', { what: 'the use' });
    const first = (await used()) ?? 0;
    const book = createGrantBook(runtime().store);
    await book.used(id, first + 59_000, 60_000);
    expect(await used()).toBe(first);
    await book.used(id, first + 61_000, 60_000);
    expect(await used()).toBe(first + 61_000);
  });
});

test('whoever pastes their own token into the note leaves it neither in the audit nor in the list', async () => {
  const scope = scopeOf({ label: `for ${ann.secret}` });
  const { id } = await shared(ann, scope);
  await patch(ann, id, 'pause');
  const token = { kind: 'token', lifeMs: 60_000 };
  expect((await create(ann, scope, token)).status).toBe(201);
  const rows = await runtime().audit.read({ below: null, limit: 3 });
  expect(rows.map(({ kind }) => kind)).toEqual(['grant-created', 'grant-paused', 'grant-created']);
  expect(rows[2]?.reason).toBe('for [redacted]');
  expect(JSON.stringify([rows, await listed(ann)])).not.toContain(ann.secret);
});

describe('a signed token', () => {
  test('that the console signed shows its scope, is on record, and its request was bounded', async () => {
    const ask = (lifeMs: number) =>
      served.ask(make, '/api/v1/grants', {
        method: 'POST',
        headers: bearer(ann),
        body: { kind: 'token', scope: scopeOf(), lifeMs },
      });
    const response = await ask(60_000);
    expect(response.status).toBe(201);
    const { token } = (await response.json()) as { token: string };
    expect((await read(`?token=${token}`)).status).toBe(200);
    expect((await read(`?share=${token}`)).status).toBe(404);
    const [row] = await runtime().audit.read({ below: null, limit: 1, kind: 'grant-created' });
    expect(row?.detail).toMatchObject({ grant: 'token', prefix: 'a/' });
    expect(JSON.stringify(row)).not.toContain(token);
    expect((await ask(25 * 3600 * 1000)).status).toBe(400);
  });
});

/** Reads a stream to its end. */
async function follow(response: Response) {
  let text = '';
  const reader = response.body?.getReader();
  const ended = (async () => {
    const decoder = new TextDecoder();
    for (;;) {
      const part = await reader?.read();
      if (part === undefined || part.done) return;
      text += decoder.decode(part.value, { stream: true });
    }
  })();
  return { text: () => text, ended, cancel: () => reader?.cancel() };
}

describe('what a link has opened ends with it', () => {
  test.each(['pause', 'revoke'])('%s, here', async (how) => {
    const { id, query } = await shared();
    const stream = await follow(await served.ask(events, `/embed/v1/events${query}`));
    await until(() => stream.text().includes('a/leader'), { what: 'the first world' });
    await patch(ann, id, how);
    await stream.ended;
    expect(stream.text()).toContain('not-granted');
    expect(stream.text()).not.toContain('MARKER');
  });
  test('and when another replica revokes it', async () => {
    const { id, query } = await shared();
    const stream = await follow(await served.ask(events, `/embed/v1/events${query}`));
    await until(() => stream.text().includes('a/leader'), { what: 'the first world' });
    const { store } = runtime().env;
    const elsewhere = openStore(store);
    await createGrantBook(elsewhere).change(id, 'revoke', Date.now());
    await elsewhere.close();
    await stream.ended;
    expect(stream.text()).toContain('not-granted');
  });
  test('a link has so many streams and no more; one that leaves makes room', async () => {
    const { query } = await shared();
    const open = () => served.ask(events, `/embed/v1/events${query}`);
    const streams = await Promise.all(
      Array.from({ length: streamsPerGrantMax }, async () => follow(await open())),
    );
    const refused = await open();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'busy' });
    expect((await read(query)).status).toBe(200);
    await streams[0]?.cancel();
    const again = await open();
    expect(again.status).toBe(200);
    await again.body?.cancel();
    await Promise.all(streams.map((stream) => stream.cancel()));
  });
});

test('a reader’s cookie, token and method change nothing', async () => {
  const { query } = await shared();
  const plain = JSON.parse(await (await read(query)).text());
  const response = await served.ask(snapshot, `/embed/v1/snapshot${query}`, {
    headers: { ...bearer({ ...ann, secret: consul.token ?? '' }), cookie: 'signalbox=anything' },
  });
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  expect((await response.json()).locks).toEqual(plain.locks);
  const picture = await served.ask(badge, '/embed/v1/badge.svg?share=nothing');
  expect(picture.status).toBe(404);
  expect(await picture.text()).toContain('not shown');
});

test('who may frame it is looked up no more often than a reader may ask', async () => {
  const { query } = await shared(ann, scopeOf({ frames: ['https://wiki.example'] }));
  const ask = (shown: string) => frameAncestors(new Request(`http://${host}/embed/v1/board${shown}`));
  expect(await ask(query)).toBe('https://wiki.example');
  for (let n = 0; n < budgets.frame.strangers; n += 1) await ask('?share=guessed');
  expect(await ask(query)).toBe("'none'");
});

describe('where it is switched off', () => {
  test('with embeds off nothing of it answers, and nobody may make any', async () => {
    const { query } = await shared();
    const folder = runtime().env.store;
    const off = await serve(consul, {
      CONSUL_HTTP_TOKEN: consul.token ?? '',
      SIGNALBOX_EMBEDS: 'off',
      ...('folder' in folder ? { SIGNALBOX_DATA: folder.folder } : {}),
    });
    served = off;
    expect((await read(query)).status).toBe(404);
    expect((await create(ann)).status).toBe(404);
    await off.stop();
    served = await serve(consul, { CONSUL_HTTP_TOKEN: consul.token ?? '', SIGNALBOX_MODE: 'read-only' });
    const response = await create(ann);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'read-only', why: { code: 'read-only-mode' } });
  });
});
