/** Waiters that a token may not read: no plan denies them, nor reveals them. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { worded } from '@/lib/i18n/format/worded';
import { en } from '@/lib/i18n/messages';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { makeToken } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { actorOn, contender, done, entry, fresh, planned, session, signal } from './stage';

const consul = await startConsul({ acl: true });
const root = consul.client();
afterAll(() => consul.stop());

const withRules = async (rules: string) => consul.client({ token: (await makeToken(consul, rules)).secret });
const ends = 'session_prefix "" { policy = "write" } node_prefix "" { policy = "read" }';

/** A semaphore with one holder, and a token that may read its entry and that of the holder. */
async function stage() {
  const prefix = fresh('pool/unseen');
  const holder = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":2,"Holders":{"${holder}":true}}`);
  const rules = [`${prefix}/.lock`, `${prefix}/${holder}`].map((key) => `key "${key}" { policy = "write" }`);
  const narrow = await withRules(`${rules.join(' ')} key_prefix "lock" { policy = "write" } ${ends}`);
  return { prefix, holder, narrow };
}

const planOf = async (client: ConsulClient, action: Action) =>
  planned(await actorOn(client).plan(action, signal()));

/** Every sentence of a plan about those who wait. */
async function saidOf(client: ConsulClient, action: Action): Promise<string> {
  const { warnings, touches } = (await planOf(client, action)).plan;
  return [
    ...warnings.map((one) => worded(one, en.plan.warnings)),
    ...touches.flatMap(({ detail }) => (detail === null ? [] : worded(detail, en.plan.touched))),
  ].join('\n');
}

const cannotCount = /here may be waiters that you may not see/;
const nobody = /nobody waits|no session waits/i;

type Staged = Awaited<ReturnType<typeof stage>>;
const kinds: readonly (readonly [string, (staged: Staged) => Action | Promise<Action>])[] = [
  [
    'an eviction',
    ({ prefix, holder }) => ({
      type: 'semaphore.evict',
      source: 'consul',
      prefix,
      sessionId: holder,
      how: 'destroy-session',
    }),
  ],
  [
    'the taking of a slot',
    ({ prefix, holder }) => ({
      type: 'semaphore.evict',
      source: 'consul',
      prefix,
      sessionId: holder,
      how: 'slot-only',
    }),
  ],
  ['another limit', ({ prefix }) => ({ type: 'semaphore.resize', source: 'consul', prefix, limit: 3 })],
  [
    'the end of a session',
    ({ holder }) => ({ type: 'session.destroy', source: 'consul', sessionId: holder }),
  ],
  [
    'a release',
    async ({ holder }) => {
      const key = fresh('lock');
      await root.acquire({ key, value: Buffer.from(''), flags: '0', session: holder });
      return { type: 'lock.release', source: 'consul', key, how: 'destroy-session' };
    },
  ],
];

describe.each(kinds)('%s', (_, actionOf) => {
  test('is planned without a word on waiters, and the same whether a hidden one waits or not', async () => {
    const staged = await stage();
    const action = await actionOf(staged);
    const without = await planOf(staged.narrow, action);
    expect(await saidOf(staged.narrow, action)).toMatch(cannotCount);
    expect(await saidOf(staged.narrow, action)).not.toMatch(nobody);
    expect(await saidOf(root, action), 'who may read all is told').toMatch(nobody);
    await contender(root, staged.prefix);
    expect(await planOf(staged.narrow, action)).toEqual(without);
    expect(await saidOf(root, action)).not.toMatch(nobody);
    expect(await saidOf(root, action)).not.toMatch(cannotCount);
  });

  test("counts no waiters where Consul does not confirm the token's rights", async () => {
    const staged = await stage();
    const action = await actionOf(staged);
    // As a Consul that does not know the question: it refuses one that is no list.
    const mute: ConsulClient = {
      ...root,
      authorize: (_asks, options) =>
        root.authorize([{ resource: 'key', access: 'read', segment: '' }, {} as never], options),
    };
    expect(await saidOf(mute, action)).toMatch(cannotCount);
  });
});

test('without access control, no visible waiter means none', async () => {
  const open = await startConsul();
  const client = open.client();
  const prefix = fresh('pool/open');
  const holder = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":2,"Holders":{"${holder}":true}}`);
  expect(await saidOf(client, { type: 'semaphore.resize', source: 'consul', prefix, limit: 3 })).toMatch(
    nobody,
  );
  await open.stop();
});

test('a remaining record is not said to delay no client', async () => {
  const id = await session(root);
  const prefix = fresh('pool/record');
  await entry(root, prefix, `{"limit":1,"holders":["${id}"]}`, '0');
  const narrow = await withRules(`key "${prefix}/.lock" { policy = "write" } ${ends}`);
  const action = { type: 'session.destroy', source: 'consul', sessionId: id } as const;
  expect((await planOf(narrow, action)).plan.touches).toContainEqual(
    expect.objectContaining({ detail: { code: 'record-stays', facts: { waiters: null } } }),
  );
  expect(await saidOf(narrow, action)).toMatch(cannotCount);
});

test('a semaphore after an action is reported with the others that may wait', async () => {
  const { prefix, narrow } = await stage();
  const action = { type: 'semaphore.resize', source: 'consul', prefix, limit: 3 } as const;
  const { expect: expected } = await planOf(narrow, action);
  const { after } = done(await actorOn(narrow).apply(action, expected, signal()));
  expect(after).toMatchObject({ limit: 3, waiters: [], part: true });
});
