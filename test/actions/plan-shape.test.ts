/**
 * The audit keeps the view that a request claims, so a view that no plan of that action has is refused. Every plan of
 * the tests beside this one is tried as well (`actorOn`).
 */
import { afterAll, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { SeenChangeCode } from '@/lib/providers/consul/actions/expectation';
import { startConsul } from '@/test/support/consul';
import {
  actorOn,
  contender,
  done,
  entry,
  fresh,
  ghost,
  heldLock,
  planned,
  problem,
  row,
  session,
  signal,
} from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
afterAll(() => consul.stop());

async function pool() {
  const prefix = fresh('pool');
  const id = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":2,"Holders":{"${id}":true,"${ghost(1)}":true}}`);
  return { prefix, id };
}

async function idle() {
  const prefix = fresh('idle');
  await entry(client, prefix, '{"Limit":2,"Holders":{}}');
  return prefix;
}

async function free(key = fresh('lock')) {
  const { id } = await heldLock(client, { key });
  await client.destroySession(id);
  return key;
}

const makers: { readonly [name: string]: () => Promise<Action> } = {
  'end the session of a lock': async () => ({
    type: 'lock.release',
    source: 'consul',
    key: (await heldLock(client)).key,
    how: 'destroy-session',
  }),
  'hand a lock over': async () => ({
    type: 'lock.release',
    source: 'consul',
    key: (await heldLock(client)).key,
    how: 'hand-over',
  }),
  'evict with the session': async () => {
    const { prefix, id } = await pool();
    return { type: 'semaphore.evict', source: 'consul', prefix, sessionId: id, how: 'destroy-session' };
  },
  'take a slot': async () => {
    const { prefix, id } = await pool();
    return { type: 'semaphore.evict', source: 'consul', prefix, sessionId: id, how: 'slot-only' };
  },
  prune: async () => ({ type: 'semaphore.prune', source: 'consul', prefixes: [(await pool()).prefix] }),
  'prune many, one of which has gone': async () => {
    const { prefix } = await pool();
    return { type: 'semaphore.prune', source: 'consul', prefixes: [prefix, fresh('gone'), prefix] };
  },
  resize: async () => ({
    type: 'semaphore.resize',
    source: 'consul',
    prefix: (await pool()).prefix,
    limit: 5,
  }),
  'end a session': async () => ({
    type: 'session.destroy',
    source: 'consul',
    sessionId: await session(client),
  }),
  'delete a lock': async () => ({ type: 'lock.delete', source: 'consul', key: await free() }),
  'delete a lock of Terraform with what was left': async () => {
    const state = fresh('state');
    const info = Buffer.from('{"ID":"x","Operation":"OperationTypeApply","Who":"ann@host"}');
    await client.cas({ key: `${state}/.lockinfo`, value: info, flags: '0', index: '0' });
    return { type: 'lock.delete', source: 'consul', key: await free(`${state}/.lock`) };
  },
  'delete a semaphore': async () => ({ type: 'semaphore.delete', source: 'consul', prefix: await idle() }),
};

type Forgery = readonly [name: string, forge: (expect: SeenChangeCode) => SeenChangeCode];
const first = (expect: SeenChangeCode, over: Partial<SeenChangeCode['entries'][number]>): SeenChangeCode => ({
  ...expect,
  entries: expect.entries.map((one, i) => (i === 0 ? { ...one, ...over } : one)),
});
const forgeries: readonly Forgery[] = [
  [
    'names a key of nobody',
    (expect) => ({ ...expect, entries: [{ key: 'no/such', modifyIndex: '1', session: null }] }),
  ],
  [
    'names a key more',
    (expect) => ({
      ...expect,
      entries: [...expect.entries, { key: 'no/such', modifyIndex: '1', session: null }],
    }),
  ],
  [
    'names one entry twice',
    (expect) =>
      first(
        {
          ...expect,
          entries: [...expect.entries, ...expect.entries, { key: 'k', modifyIndex: '1', session: null }],
        },
        {},
      ),
  ],
  ['names another session', (expect) => ({ ...expect, sessions: [...expect.sessions, ghost(7)] })],
  ['has holdings of no digest', (expect) => ({ ...expect, holdings: { count: 1, digest: 'x' } })],
  [
    'saw nothing',
    (expect) => (expect.entries.length === 0 ? { ...expect, sessions: [] } : { ...expect, entries: [] }),
  ],
];

for (const [name, make] of Object.entries(makers)) {
  test(`${name}: what its plan saw passes, and is applied`, async () => {
    const action = await make();
    const plan = planned(await actor.plan(action, signal()));
    expect(actor.refuses(action, plan.expect)).toBeNull();
    done(await actor.apply(action, plan.expect, signal()));
  });

  test.each(forgeries)(`${name}: refused when it %s`, async (_, forge) => {
    const action = await make();
    const { expect: seen } = planned(await actor.plan(action, signal()));
    expect(actor.refuses(action, forge(seen))).toMatchObject({
      code: 'invalid',
      why: { code: 'not-of-plan', facts: { where: expect.stringMatching(/^expect\./) } },
    });
  });
}

test.each([
  [
    'end the session of a lock',
    'without its verdict',
    ({ verdict: _, ...rest }: SeenChangeCode) => rest,
    'verdict',
  ],
  ['take a slot', 'without its verdict', ({ verdict: _, ...rest }: SeenChangeCode) => rest, 'verdict'],
  [
    'resize',
    'with a verdict',
    (expect: SeenChangeCode) => ({ ...expect, verdict: 'dead' as const }),
    'verdict',
  ],
  ['end a session', 'without what it held', ({ holdings: _, ...rest }: SeenChangeCode) => rest, 'holdings'],
  [
    'resize',
    'without the limit',
    (expect: SeenChangeCode) => ({ ...expect, entries: expect.entries.map(({ seen: _, ...one }) => one) }),
    'entries.0',
  ],
  [
    'hand a lock over',
    'with a fact that locks have not',
    (expect: SeenChangeCode) => first(expect, { seen: 'x' }),
    'entries.0',
  ],
  [
    'hand a lock over',
    'of a lock that nobody held',
    (expect: SeenChangeCode) => first(expect, { session: null }),
    'entries.0',
  ],
  [
    'delete a lock',
    'of a lock that was not there',
    (expect: SeenChangeCode) => first(expect, { modifyIndex: null }),
    'entries.0',
  ],
] as const)('%s %s is not of its plan', async (name, _, forge, where) => {
  const action = await (makers[name] as () => Promise<Action>)();
  const { expect: seen } = planned(await actor.plan(action, signal()));
  expect(actor.refuses(action, forge(seen))).toMatchObject({ why: { facts: { where: `expect.${where}` } } });
});

test('a name outside of the view is refused unasked', () => {
  const narrow = actorOn(client, ['mine/']);
  const nothing = { entries: [], sessions: [] };
  expect(narrow.refuses({ type: 'lock.delete', source: 'consul', key: 'theirs/x' }, nothing)).toMatchObject({
    code: 'not-found',
    why: { code: 'outside-view' },
  });
});

test.each(['hand a lock over', 'take a slot', 'delete a lock', 'delete a semaphore'])(
  '%s: an entry of the same index that was made at another is another entry; plans of before do not say',
  async (name) => {
    const action = await (makers[name] as () => Promise<Action>)();
    const { expect: seen } = planned(await actor.plan(action, signal()));
    const [{ key = '', modifyIndex = null } = {}] = seen.entries;
    expect(seen.entries[0]?.createIndex).toBe((await row(client, key)).createIndex);
    expect(modifyIndex).toBe((await row(client, key)).modifyIndex);
    const another = first(seen, { createIndex: '1' });
    expect(problem(await actor.apply(action, another, signal()))).toMatchObject({
      code: 'stale',
      difference: [{ code: 'entry-replaced', facts: { key } }],
    });
    const { createIndex: _, ...before } = seen.entries[0] as SeenChangeCode['entries'][number];
    done(await actor.apply(action, { ...seen, entries: [before] }, signal()));
  },
);
