/** Who may share what, and who manages a share: the routes as they are, in front of a real agent with ACLs and a real store. */
import { describe, expect, test, vi } from 'vitest';
import { POST as make } from '@/app/api/v1/grants/route';
import { scopeSchema } from '@/lib/domain/grant-scope';
import type { Caller } from '@/lib/server/identity/caller';
import { runtime } from '@/lib/server/runtime';
import { makeToken, operatorOf } from '@/test/identity/tokens';
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

stageShares();

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
  test('not the sessions of holders that one may not see, which the server sees', async () => {
    const blind = await makeToken(consul, 'key_prefix "a/" { policy = "read" }');
    for (const scope of [{ view: 'lock', key: 'a/leader' }, scopeOf({ prefix: 'a/' })]) {
      const response = await create(blind, scope);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ why: { code: 'grant-beyond-reach' } });
    }
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
