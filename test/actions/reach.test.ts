/**
 * The reach of a session's end: all of it is said before, or that it is unknown; and nothing is ended that leaves a
 * mess.
 */
import { afterAll, expect, test } from 'vitest';
import { findingsOf } from '@/lib/domain/rules/table';
import { en } from '@/lib/i18n/messages';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startWatching } from '@/test/live/watching';
import { startConsul } from '@/test/support/consul';
import {
  actorOn,
  contender,
  done,
  entry,
  fresh,
  heldLock,
  planned,
  problem,
  row,
  session,
  signal,
} from './stage';

const consul = await startConsul({ acl: true });
const root = consul.client();
afterAll(() => consul.stop());

async function put(path: string, body: object): Promise<{ ID: string; SecretID: string }> {
  const response = await fetch(`http://${consul.address}/v1/acl/${path}`, {
    method: 'PUT',
    headers: { 'x-consul-token': consul.token ?? '' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { ID: string; SecretID: string };
}

async function withRules(rules: string): Promise<ConsulClient> {
  const policy = await put('policy', { Name: fresh('policy'), Rules: rules });
  return consul.client({ token: (await put('token', { Policies: [{ ID: policy.ID }] })).SecretID });
}

const ends = 'session_prefix "" { policy = "write" } node_prefix "" { policy = "read" }';
const narrow = () => withRules(`key_prefix "app/" { policy = "write" } ${ends}`);
const wide = () => withRules(`key_prefix "" { policy = "read" } ${ends}`);

/** This token's view, and its answer about one session. */
async function told(client: ConsulClient, sessionId: string) {
  const watching = startWatching(client);
  try {
    await watching.reaches('live');
    const world = watching.world();
    const findings = findingsOf(world).filter(
      ({ subject }) => subject.kind === 'session' && subject.id === sessionId,
    );
    return { scope: world.scope, codes: findings.map(({ code }) => code) };
  } finally {
    await watching.stop();
  }
}

const warned = async (client: ConsulClient, action: Parameters<ReturnType<typeof actorOn>['plan']>[0]) =>
  planned(await actorOn(client).plan(action, signal())).plan.warnings.map(({ code }) => code);

test('a session that holds what the token may not read is not called leaked, and its end is planned with a warning', async () => {
  const { id } = await heldLock(root, { key: fresh('secret/lock'), behavior: 'delete' });
  const client = await narrow();
  expect(await told(client, id)).toEqual({ scope: 'part', codes: [] });
  expect(await warned(client, { type: 'session.destroy', source: 'consul', sessionId: id })).toContain(
    'view-incomplete',
  );
});

test('of a session in which nothing is in view no sentence says that it holds nothing', () => {
  for (const sentence of [
    en.subject.none.holds,
    en.subject.session.sentence(0, 0),
    en.subject.session.sentence(0, 1),
    en.plan.states['locks-keys']({ keys: 0 }),
  ])
    expect(sentence).toContain(' in view');
});

test('without a token, nothing is the whole that Consul does not confirm', async () => {
  const { ID } = await put('policy', {
    Name: fresh('policy'),
    Rules: `key_prefix "app/" { policy = "read" } ${ends}`,
  });
  await put('token/00000000-0000-0000-0000-000000000002', {
    AccessorID: '00000000-0000-0000-0000-000000000002',
    Policies: [{ ID }],
  });
  const { id } = await heldLock(root, { key: fresh('secret/lock') });
  const nobody = consul.client({ token: null });
  expect(await told(nobody, id)).toEqual({ scope: 'part', codes: [] });
  expect(await warned(nobody, { type: 'session.destroy', source: 'consul', sessionId: id })).toContain(
    'view-incomplete',
  );
});

test('a session that holds nothing is called leaked, and its end is planned without one, by a token that may read every key', async () => {
  const id = await session(root);
  for (const client of [root, await wide()]) {
    expect(await told(client, id)).toEqual({ scope: 'whole', codes: ['session-leak'] });
    expect(await warned(client, { type: 'session.destroy', source: 'consul', sessionId: id })).not.toContain(
      'view-incomplete',
    );
  }
});

test('without access control all is in view; without an answer that is unknown', async () => {
  const open = await startConsul();
  const id = await session(open.client());
  const action = { type: 'session.destroy', source: 'consul', sessionId: id } as const;
  expect(await told(open.client(), id)).toEqual({ scope: 'whole', codes: ['session-leak'] });
  expect(await warned(open.client(), action)).not.toContain('view-incomplete');
  // As a Consul that does not know the question: it refuses one that is no list.
  const mute: ConsulClient = {
    ...root,
    authorize: (_asks, options) =>
      root.authorize([{ resource: 'key', access: 'read', segment: '' }, {} as never], options),
  };
  const own = await session(root);
  expect(await told(mute, own)).toEqual({ scope: 'part', codes: [] });
  expect(await warned(mute, { type: 'session.destroy', source: 'consul', sessionId: own })).toContain(
    'view-incomplete',
  );
  await open.stop();
});

test('a release and an eviction that end a session warn where it may hold more than the token may read', async () => {
  const client = await narrow();
  const { key, id } = await heldLock(root, { key: fresh('app/lock') });
  await root.acquire({ key: fresh('secret/lock'), value: Buffer.from('x'), flags: lockFlags, session: id });
  const prefix = fresh('app/pool');
  const holder = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":1,"Holders":{"${holder}":true}}`);
  for (const action of [
    { type: 'lock.release', source: 'consul', key, how: 'destroy-session' },
    { type: 'semaphore.evict', source: 'consul', prefix, sessionId: holder, how: 'destroy-session' },
  ] as const) {
    expect(await warned(client, action)).toContain('view-incomplete');
    expect(await warned(root, action)).not.toContain('view-incomplete');
  }
});

test('the end of a session names the slots that it has by record or by another key than its own', async () => {
  const id = await session(root);
  const [byRecord, byOther, asGhost] = [fresh('pool/record'), fresh('pool/other'), fresh('pool/ghost')];
  await entry(root, byRecord, `{"limit":1,"holders":["${id}"]}`, '0');
  await root.acquire({
    key: `${byOther}/worker-1`,
    value: Buffer.from(''),
    flags: semaphoreFlags,
    session: id,
  });
  await entry(root, byOther, `{"Limit":1,"Holders":{"${id}":true}}`);
  await entry(root, asGhost, `{"Limit":1,"Holders":{"${id}":true}}`);
  const { plan, expect: expected } = planned(
    await actorOn(root).plan({ type: 'session.destroy', source: 'consul', sessionId: id }, signal()),
  );
  expect(
    plan.touches.flatMap(({ subject, effect, detail }) =>
      subject.kind === 'semaphore' ? [[subject.prefix, effect, detail?.code]] : [],
    ),
  ).toEqual([
    [byOther, 'loses-slot', 'slot-to-waiters'],
    [byRecord, 'loses-slot', 'record-stays'],
  ]);
  expect(plan.warnings).toContainEqual({ code: 'no-lock-delay', facts: { because: 'semaphore' } });
  done(
    await actorOn(root).apply(
      { type: 'session.destroy', source: 'consul', sessionId: id },
      expected,
      signal(),
    ),
  );
  expect((await row(root, `${byRecord}/.lock`)).value.toString()).toContain(id);
});

/** A coordination entry whose value is so long, and its holder. */
async function large(prefix: string, bytes: number) {
  const id = await contender(root, prefix);
  await entry(root, prefix, JSON.stringify({ Limit: 1, Holders: { [id]: true }, Note: 'x'.repeat(bytes) }));
  return {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: id,
    how: 'destroy-session',
  } as const;
}

test('a holder whose record is too large to be written is not evicted: its session stays', async () => {
  const prefix = fresh('pool/large');
  const action = await large(prefix, 1_000);
  const { expect: expected } = planned(await actorOn(root).plan(action, signal()));
  const { modifyIndex, flags } = await row(root, `${prefix}/.lock`);
  const value = Buffer.from(
    JSON.stringify({ Limit: 1, Holders: { [action.sessionId]: true }, Note: 'x'.repeat(420_000) }),
  );
  expect(await root.cas({ key: `${prefix}/.lock`, value, flags, index: modifyIndex })).toBe(true);
  const before = await row(root, `${prefix}/.lock`);
  const refused = { code: 'invalid', why: { code: 'write-too-large' } };
  expect(problem(await actorOn(root).plan(action, signal()))).toMatchObject(refused);
  expect(problem(await actorOn(root).apply(action, expected, signal()))).toMatchObject(refused);
  expect((await root.session(action.sessionId)).value?.id).toBe(action.sessionId);
  expect(await row(root, `${prefix}/.lock`)).toEqual(before);
});

test('where Consul takes larger writes than by default such a holder is evicted, and asking has written nothing', async () => {
  const agent = await startConsul({
    extraConfig: { limits: { txn_max_req_len: 2 * 1024 * 1024, kv_max_value_size: 1024 * 1024 } },
  });
  const client = agent.client();
  const id = await contender(client, 'pool');
  const value = JSON.stringify({ Limit: 1, Holders: { [id]: true }, Note: 'x'.repeat(420_000) });
  await entry(client, 'pool', value);
  const action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix: 'pool',
    sessionId: id,
    how: 'destroy-session',
  } as const;
  const before = await row(client, 'pool/.lock');
  const { expect: expected } = planned(await actorOn(client).plan(action, signal()));
  expect(await row(client, 'pool/.lock')).toEqual(before);
  done(await actorOn(client).apply(action, expected, signal()));
  expect((await client.session(id)).value).toBeNull();
  expect((await row(client, 'pool/.lock')).value.toString()).not.toContain(id);
  // Its answer is more than is parsed at once.
  const large = { key: 'large', value: Buffer.alloc(1_000_000, 'x'), flags: '18446744073709551615' };
  expect(await client.cas({ ...large, index: '0' })).toBe(true);
  const read = (await client.get('large')).value;
  expect([read?.value.equals(large.value), read?.flags]).toEqual([true, large.flags]);
  await agent.stop();
});
