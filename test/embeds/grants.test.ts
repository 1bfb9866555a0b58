/** The rights to share and to manage a share: the real routes, in front of a real agent with ACLs and a real store. */
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { POST as make } from '@/app/api/v1/grants/route';
import { scopeSchema } from '@/lib/domain/sharing/grant-scope';
import type { Caller } from '@/lib/server/identity/caller';
import { runtime } from '@/lib/server/runtime';
import { makeToken, operatorOf, rule } from '@/test/identity/tokens';
import { until } from '@/test/support/until';
import {
  ann,
  ben,
  consul,
  create,
  listed,
  patch,
  read,
  reader,
  scopeOf,
  served,
  shared,
  stageShares,
} from './stage';

// It throws outside of Next's server layer; this process is a server of its own.
vi.mock('server-only', () => ({}));

await stageShares('postgres');

describe('the right to share', () => {
  test('a readable scope, and a scope that is shown as it is read', async () => {
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
  test('not the sessions of holders that one may not see, which the server sees: the reader gets bare ids', async () => {
    const keys = 'key_prefix "a/" { policy = "read" } key_prefix "free/" { policy = "read" }';
    const sight = ['session', 'node', 'service'].map((one) => `${one}_prefix "" { policy = "read" }`);
    const lacking = sight.map((_, i) => [keys, ...sight.toSpliced(i, 1)].join(' '));
    const client = consul.client();
    await client.txn([
      { verb: 'set', key: 'free/lock', value: Buffer.from(''), flags: '3304740253564472344' },
    ]);
    const shows = async (rules: string, scope: object) => {
      const { query } = await shared(await makeToken(consul, rules), scope);
      return async () => (await read(query)).text();
    };
    const scope = { view: 'lock', key: 'free/lock' };
    await until(
      () =>
        runtime()
          .viewpoints.own.hub.snapshot()
          .locks.some(({ key }) => key === scope.key),
      {
        what: 'the free lock',
      },
    );
    // Shared while free, and held later.
    const blind = await Promise.all([keys, ...lacking].map((rules) => shows(rules, scope)));
    const seeing = await shows([keys, ...sight].join(' '), scope);
    const session = await client.createSession({
      name: 'NAME-of-holder',
      ttlMs: 86_399_000,
      behavior: 'release',
      lockDelayMs: 0,
      checks: ['serfHealth'],
    });
    await client.acquire({ key: scope.key, value: Buffer.from(''), flags: '3304740253564472344', session });
    const facts = /NAME-of-holder|86399|172798|serfHealth|Serf|"node":"/;
    const text = await until(
      async () => {
        const now = await seeing();
        return now.includes(session) && now;
      },
      { what: 'it is held' },
    );
    expect(text).toMatch(facts);
    for (const look of blind) {
      await until(async () => (await look()).includes(session), { what: 'it is held' });
      expect(await look()).not.toMatch(facts);
      expect(JSON.parse(await look())).toMatchObject({
        locks: [{ state: 'held', holder: { verdict: 'unknown' } }],
      });
    }
    // One that is held already is shared in the same way.
    expect(await (await shows(keys, { view: 'lock', key: 'a/leader' }))()).not.toContain('"node":"');
    await client.destroySession(session);
  });
  test('nor sessions in a link from before it was asked whether its maker may read them', async () => {
    const { id, query } = await shared(ann, { view: 'lock', key: 'a/leader' });
    expect(await (await read(query)).text()).toContain('"node":"');
    const { db } = runtime().store;
    const { scope } = await db
      .selectFrom('signalbox_grants')
      .select('scope')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const { sessions: _, ...before } = JSON.parse(scope);
    await sql`update signalbox_grants set scope = ${JSON.stringify(before)} where id = ${id}`.execute(db);
    expect(await (await read(query)).text()).not.toContain('"node":"');
  });
  test('a maker who lost the right meanwhile does not resume a wider link', async () => {
    const rules = `${operatorOf('a/')} service_prefix "" { policy = "read" }`;
    const eve = await makeToken(consul, rules, { description: 'eve' });
    const { id } = await shared(eve);
    expect((await patch(eve, id, 'pause')).status).toBe(200);
    await rule(consul, eve, 'key_prefix "a/" { policy = "write" }');
    await until(async () => (await patch(eve, id, 'resume')).status === 403, { what: 'it is refused' });
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
  test('no one without a sign-in, and no past or endless end', async () => {
    const response = await served.ask(make, '/api/v1/grants', {
      method: 'POST',
      body: { kind: 'link', scope: scopeOf() },
    });
    expect(response.status).toBe(401);
    expect((await create(ann, scopeOf(), { lifeMs: -1 })).status).toBe(400);
  });
  test('a reader shares what they read: the link shows no more than they could tell', async () => {
    expect((await create(reader)).status).toBe(201);
  });
});

describe('the right to manage a share', () => {
  test('its maker; no one else even learns that it exists', async () => {
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
  test('an overseer of the credentials sees all, and may narrow but not widen', async () => {
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
  test('a revoked share stays revoked', async () => {
    const { id, query } = await shared();
    expect((await patch(ann, id, 'revoke')).status).toBe(200);
    expect((await patch(ann, id, 'resume')).status).toBe(409);
    expect((await read(query)).status).toBe(404);
  });
});
