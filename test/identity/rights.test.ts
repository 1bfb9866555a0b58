/**
 * Consul's answer about a right beforehand, against its use: every action, with tokens of different rights. Each action
 * is tried on a subject of its own.
 */
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { RightTo } from '@/lib/domain/identity';
import { isProblem } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { createActor } from '@/lib/providers/consul/actions/actions';
import { contender, entry, fresh, heldLock, session, signal } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { backendOn, makeToken } from './tokens';

const [consul, open] = await Promise.all([startConsul({ acl: true }), startConsul()]);
const root = consul.client();
const backend = backendOn(consul);
const openBackend = backendOn(open);
afterAll(async () => {
  backend.close();
  openBackend.close();
  await Promise.all([consul.stop(), open.stop()]);
});

const locks = (...keys: readonly string[]) =>
  keys.map((key) => ({ source: 'consul', kind: 'lock', key }) as const);

const nodes = 'node_prefix "" { policy = "read" }';
const rules = {
  'who may do everything here': `key_prefix "" { policy = "write" } session_prefix "" { policy = "write" } ${nodes}`,
  'who may only read': `key_prefix "" { policy = "read" } session_prefix "" { policy = "read" } ${nodes}`,
  'who may write keys and only read sessions': `key_prefix "" { policy = "write" } session_prefix "" { policy = "read" } ${nodes}`,
  'who may end sessions and only read keys': `key_prefix "" { policy = "read" } session_prefix "" { policy = "write" } ${nodes}`,
  'who may write keys and sees no session': `key_prefix "" { policy = "write" } ${nodes}`,
} as const;

/** A fresh subject for each action, and the action on it. */
const situations: Readonly<Record<string, () => Promise<Action>>> = {
  'release a lock with its session': async () => ({
    type: 'lock.release',
    source: 'consul',
    key: (await heldLock(root)).key,
    how: 'destroy-session',
  }),
  'hand a lock over': async () => ({
    type: 'lock.release',
    source: 'consul',
    key: (await heldLock(root)).key,
    how: 'hand-over',
  }),
  'evict a holder with its session': async () => {
    const prefix = fresh('semaphore');
    const sessionId = await contender(root, prefix);
    await entry(root, prefix, `{"Limit":2,"Holders":{"${sessionId}":true}}`);
    return { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how: 'destroy-session' };
  },
  'take one slot': async () => {
    const prefix = fresh('semaphore');
    const sessionId = await contender(root, prefix);
    await entry(root, prefix, `{"Limit":2,"Holders":{"${sessionId}":true}}`);
    return { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how: 'slot-only' };
  },
  'prune ghosts': async () => {
    const prefix = fresh('semaphore');
    await entry(root, prefix, '{"Limit":2,"Holders":{"11111111-1111-1111-1111-111111111111":true}}');
    return { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] };
  },
  'set a limit': async () => {
    const prefix = fresh('semaphore');
    await entry(root, prefix, '{"Limit":2,"Holders":{}}');
    return { type: 'semaphore.resize', source: 'consul', prefix, limit: 5 };
  },
  'destroy a session': async () => ({
    type: 'session.destroy',
    source: 'consul',
    sessionId: await session(root),
  }),
  'delete a lock': async () => {
    const { key, id } = await heldLock(root);
    await root.destroySession(id);
    return { type: 'lock.delete', source: 'consul', key };
  },
  'delete a semaphore': async () => {
    const prefix = fresh('semaphore');
    await entry(root, prefix, '{"Limit":2,"Holders":{}}');
    return { type: 'semaphore.delete', source: 'consul', prefix };
  },
};

/** `full` plans, as only it sees everything; `mine` applies. The outcome, in the words of a right. */
async function tried(action: Action, full: Provider, mine: Provider): Promise<string> {
  const plan = await full.plan(action, signal());
  if (isProblem(plan)) throw new Error(`${action.type} cannot be planned: ${JSON.stringify(plan)}`);
  const outcome = await mine.apply(action, plan.expect, signal());
  if (!isProblem(outcome) && outcome.done) return 'yes';
  const problem = isProblem(outcome) ? outcome : (outcome.parts[0]?.problem ?? null);
  if (problem === null) throw new Error(`${action.type} was done in part without a problem.`);
  return problem.code === 'forbidden' ? 'no' : problem.code;
}

const words = (rights?: readonly RightTo[]) => rights?.map(({ right }) => right);

describe("the answer about a right beforehand is Consul's answer when it is used", () => {
  const full = backend.provider(consul.token);
  afterAll(() => full.close());

  test.each(Object.entries(rules))('%s', async (_who, rules) => {
    const mine = backend.provider((await makeToken(consul, rules)).secret);
    try {
      const actions = await Promise.all(Object.values(situations).map((make) => make()));
      const said = await mine.rights?.(actions, signal());
      const seen: Record<string, string> = {};
      const told: Record<string, string> = {};
      for (const [i, name] of Object.keys(situations).entries()) {
        const action = actions[i];
        if (action === undefined) continue;
        told[name] = said?.[i]?.right ?? 'nothing';
        seen[name] = await tried(action, full, mine);
        // A session that the token does not see cannot be named, and one that locks nothing cannot be proven either.
        if (told[name] === 'unknown' && action.type === 'session.destroy') seen[name] = 'unknown';
      }
      expect(told).toEqual(seen);
    } finally {
      mine.close();
    }
  });
});

test('a holder whose record the token may not take off keeps its session', async () => {
  const action = await situations['evict a holder with its session']?.();
  if (action?.type !== 'semaphore.evict') throw new Error('another action');
  const full = backend.provider(consul.token);
  const mine = backend.provider(
    (await makeToken(consul, rules['who may end sessions and only read keys'])).secret,
  );
  try {
    expect(await tried(action, full, mine)).toBe('no');
    expect((await root.session(action.sessionId)).value).not.toBeNull();
  } finally {
    mine.close();
    full.close();
  }
});

test("a token's right to read is answered key by key, whether the keys exist or not", async () => {
  const { secret } = await makeToken(
    consul,
    'key_prefix "a/" { policy = "read" } key "b" { policy = "write" }',
  );
  const mine = backend.provider(secret);
  try {
    expect(await mine.readable?.(locks('a/x', 'b', 'b/c', 'c'), signal())).toEqual([
      'yes',
      'yes',
      'no',
      'no',
    ]);
    // More than one call of Consul takes.
    const keys = Array.from({ length: 150 }, (_, i) => (i % 2 === 0 ? `a/${i}` : `z/${i}`));
    expect(await mine.readable?.(locks(...keys), signal())).toEqual(
      keys.map((k) => (k.startsWith('a/') ? 'yes' : 'no')),
    );
    // Of a source that is not this one, a right here says nothing.
    const elsewhere = { source: 'east', kind: 'lock', key: 'a/x' } as const;
    expect(await mine.readable?.([elsewhere, ...locks('a/x')], signal())).toEqual(['no', 'yes']);
  } finally {
    mine.close();
  }
});

test('a question about many locks leaves room for what others ask meanwhile', async () => {
  const mine = consul.client();
  let [now, most] = [0, 0];
  const { get } = mine;
  const client: typeof mine = {
    ...mine,
    get: async (...args) => {
      now += 1;
      most = Math.max(most, now);
      return get(...args).finally(() => {
        now -= 1;
      });
    },
  };
  const rights = createActor({ client, now: Date.now });
  const actions = Array.from(
    { length: 40 },
    (_, i): Action => ({ type: 'lock.release', source: 'consul', key: `many/${i}`, how: 'destroy-session' }),
  );
  expect(words(await rights.rights(actions, signal()))).toEqual(actions.map(() => 'unknown'));
  expect([most > 1, most <= 4]).toEqual([true, true]);
  // Whoever has stopped waiting is asked nothing for.
  expect(words(await rights.rights(actions, AbortSignal.abort()))).toEqual(actions.map(() => 'unknown'));
});

test('of a bulk prune that is refused in part neither yes nor no is said', async () => {
  const { secret } = await makeToken(consul, 'key_prefix "a/" { policy = "write" }');
  const mine = backend.provider(secret);
  try {
    const prune = (...prefixes: string[]): Action => ({
      type: 'semaphore.prune',
      source: 'consul',
      prefixes,
    });
    expect(
      words(await mine.rights?.([prune('a/1', 'a/2'), prune('a/1', 'z/1'), prune('z/1', 'z/2')], signal())),
    ).toEqual(['yes', 'unknown', 'no']);
  } finally {
    mine.close();
  }
});

test('where ACLs are off every right is there, and where nobody answers none is known', async () => {
  const actions: Action[] = [{ type: 'lock.delete', source: 'consul', key: 'a' }];
  const free = openBackend.provider(null);
  expect(words(await free.rights?.(actions, signal()))).toEqual(['yes']);
  expect(await free.readable?.(locks('a'), signal())).toEqual(['yes']);
  free.close();
  const nowhere = backendOn({ address: '127.0.0.1:9' });
  const gone = nowhere.provider('t');
  expect(
    words(
      await gone.rights?.(
        [...actions, { type: 'session.destroy', source: 'consul', sessionId: 's' }],
        signal(),
      ),
    ),
  ).toEqual(['unknown', 'unknown']);
  expect(await gone.readable?.(locks('a'), signal())).toEqual(['unknown']);
  gone.close();
  nowhere.close();
});

test('with each right come the rules that the action takes, by the names that Consul checks', async () => {
  const mine = backend.provider(consul.token);
  const prefix = fresh('named');
  const held = await heldLock(root);
  const holder = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":2,"Holders":{"${holder}":true}}`);
  const node = (await root.session(holder)).value?.node ?? null;
  const needs = async (...actions: Action[]) =>
    (await mine.rights?.(actions, signal()))?.map((one) => one.needs);
  const limits = { code: 'write-entry', facts: { key: `${prefix}/.lock` } };
  const all = { code: 'write-folder', facts: { prefix } };
  const end = { code: 'end-session', facts: { node } };
  const evict = { type: 'semaphore.evict', source: 'consul', prefix, sessionId: holder } as const;
  try {
    expect(node).not.toBeNull();
    expect(
      await needs(
        { type: 'lock.release', source: 'consul', key: held.key, how: 'destroy-session' },
        { type: 'lock.release', source: 'consul', key: held.key, how: 'hand-over' },
        { type: 'lock.delete', source: 'consul', key: held.key },
        { ...evict, how: 'destroy-session' },
        { ...evict, how: 'slot-only' },
        { type: 'semaphore.delete', source: 'consul', prefix },
        { type: 'semaphore.resize', source: 'consul', prefix, limit: 5 },
        { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] },
        { type: 'semaphore.prune', source: 'consul', prefixes: [prefix, 'other'] },
        { type: 'session.destroy', source: 'consul', sessionId: held.id },
        { type: 'session.destroy', source: 'consul', sessionId: 'gone' },
      ),
    ).toEqual([
      [end],
      [{ code: 'write-entry', facts: { key: held.key } }],
      [{ code: 'write-entry', facts: { key: held.key } }],
      [end, all],
      [all],
      [all],
      [limits],
      [limits],
      [{ code: 'write-semaphores', facts: { count: 2 } }],
      [end],
      [{ code: 'end-session', facts: { node: null } }],
    ]);
  } finally {
    mine.close();
  }
});
