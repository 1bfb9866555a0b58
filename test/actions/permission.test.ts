/** Actions under ACLs: missing rights are reported, and hidden rows never count as absent. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '@/lib/domain/actions/plan';
import { en } from '@/lib/i18n/messages';
import { scriptOf } from '@/lib/i18n/script';
import { createActor } from '@/lib/providers/consul/actions/actions';
import { readAll } from '@/lib/providers/consul/actions/consistent-read';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { createEnds } from '@/lib/providers/consul/observed/sessions-ended-here';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { startWatching } from '@/test/live/watching';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import {
  act,
  actorOn,
  contender,
  done,
  entry,
  fresh,
  heldLock,
  planned,
  problem,
  recorded,
  row,
  session,
  signal,
  textOf,
} from './stage';

const consul = await startConsul({ acl: true });
const root = consul.client();
afterAll(() => consul.stop());

/** A client whose token has these rules; the token is made through the HTTP API of the ACL system. */
async function withRules(
  rules: string,
  { agent = consul, token = consul.token }: { agent?: TestConsul; token?: string | null } = {},
): Promise<ConsulClient> {
  const put = async (path: string, body: object) => {
    const response = await fetch(`http://${agent.address}/v1/acl/${path}`, {
      method: 'PUT',
      headers: { 'x-consul-token': token ?? '' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as { ID: string; SecretID: string };
  };
  const policy = await put('policy', { Name: fresh('policy'), Rules: rules });
  return agent.client({ token: (await put('token', { Policies: [{ ID: policy.ID }] })).SecretID });
}

let reader: ConsulClient;
beforeAll(async () => {
  reader = await withRules('key_prefix "" { policy = "read" } session_prefix "" { policy = "read" }');
});

test('a token that may only read can plan, and each write is forbidden', async () => {
  const actor = actorOn(reader);
  const { key, id } = await heldLock(root);
  const prefix = fresh('semaphore/acl');
  const holder = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":2,"Holders":{"${holder}":true}}`);
  const before = await textOf(root, `${prefix}/.lock`);
  for (const action of [
    { type: 'lock.release', source: 'consul', key, how: 'destroy-session' },
    { type: 'lock.release', source: 'consul', key, how: 'hand-over' },
    { type: 'session.destroy', source: 'consul', sessionId: id },
    { type: 'semaphore.evict', source: 'consul', prefix, sessionId: holder, how: 'slot-only' },
    { type: 'semaphore.resize', source: 'consul', prefix, limit: 3 },
  ] as const) {
    const { plan, expect: expected } = planned(await actor.plan(action, signal()));
    expect(scriptOf(plan.manual, en)).toContain('$CONSUL_HTTP_TOKEN');
    expect(problem(await actor.apply(action, expected, signal())).code).toBe('forbidden');
  }
  expect((await row(root, key)).session).toBe(id);
  expect(await textOf(root, `${prefix}/.lock`)).toBe(before);
});

test('a refused end is none: no lock-delay is reported for it', async () => {
  const ends = createEnds(Date.now);
  const { key, id } = await heldLock(root);
  const actions = [
    { type: 'session.destroy', source: 'consul', sessionId: id },
    { type: 'lock.release', source: 'consul', key, how: 'destroy-session' },
  ] as const;
  const apply = async (client: ConsulClient, action: (typeof actions)[number]) => {
    const actor = createActor({ client, now: Date.now, ends });
    return actor.apply(action, planned(await actor.plan(action, signal())).expect, signal());
  };
  for (const action of actions) {
    expect(problem(await apply(reader, action)).code).toBe('forbidden');
    expect(ends.has(id)).toBe(false);
  }
  done(await apply(root, actions[0]));
  expect(ends.has(id)).toBe(true);
});

test.each([
  ['a rule about the empty name alone', () => 'session "" { policy = "read" }', 'no-ghost'],
  [
    'one node kept from a wide right',
    (node: string) => `session_prefix "" { policy = "write" } session "${node}" { policy = "deny" }`,
    'session-hidden',
  ],
])(
  '%s: a holder by the record alone, unseen, is not pruned until the session has ended',
  async (_, rules, why) => {
    const [node = ''] = (await root.nodes()).value;
    const client = await withRules(`key_prefix "" { policy = "write" } ${rules(node)}`);
    const prefix = fresh('pool/hidden');
    const id = await session(root);
    const value = `{"limit":1,"holders":["${id}"]}`;
    await entry(root, prefix, value, '0');
    expect((await client.sessions()).value).toEqual([]);
    const prune = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] };
    expect(problem(await actorOn(client).plan(prune, signal()))).toMatchObject({
      code: 'not-held',
      why: { code: why },
    });
    const { modifyIndex } = await row(root, `${prefix}/.lock`);
    const forged = {
      entries: [{ key: `${prefix}/.lock`, modifyIndex, session: null, seen: id }],
      sessions: [],
    };
    expect(problem(await actorOn(client).apply(prune, forged, signal())).code).toBe('stale');
    const semaphore = new Semaphore(client, { prefix, limit: 1 });
    expect(await semaphore.availablePermits()).toBe(0);
    expect(await textOf(root, `${prefix}/.lock`)).toBe(value);
    expect((await root.list(prefix)).value, 'to ask leaves nothing').toHaveLength(1);

    await root.destroySession(id);
    expect(await semaphore.availablePermits()).toBe(why === 'no-ghost' ? 0 : 1);
    if (why === 'no-ghost') return;
    expect(await act(client, prune)).toMatchObject({
      done: true,
      freed: [{ source: 'consul', kind: 'semaphore', prefix }],
    });
    expect(await textOf(root, `${prefix}/.lock`)).toBe('{"limit":1,"holders":[]}');
  },
);

test('a semaphore is not begun to be deleted where a right to its last leftovers is missing', async () => {
  const prefix = fresh('semaphore/delete');
  const left = Array.from({ length: 100 }, () => `${prefix}/${randomUUID()}`).sort();
  const cas = { verb: 'cas', value: Buffer.from(''), flags: semaphoreFlags, index: '0' } as const;
  for (const from of [0, 50]) await root.txn(left.slice(from, from + 50).map((key) => ({ ...cas, key })));
  await entry(root, prefix, '{"Limit":2,"Holders":{}}');
  const client = await withRules(
    `key_prefix "${prefix}" { policy = "write" } key "${left.at(-1)}" { policy = "read" } session_prefix "" { policy = "read" }`,
  );
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  const actor = actorOn(client, [prefix]);
  const { expect: expected } = planned(await actor.plan(action, signal()));
  expect(problem(await actor.apply(action, expected, signal())).code).toBe('forbidden');
  expect((await root.list(prefix)).value).toHaveLength(101);
});

test('a token that may not read one key by that key alone is not taken for one that reads all', async () => {
  const { id } = await heldLock(root, { key: fresh('secret/lock') });
  const client = await withRules('key "" { policy = "read" } session_prefix "" { policy = "write" }');
  const plan = planned(
    await actorOn(client).plan({ type: 'session.destroy', source: 'consul', sessionId: id }, signal()),
  ).plan;
  expect(plan.warnings).toContainEqual(expect.objectContaining({ code: 'view-incomplete' }));
});

test('a session that the token does not see is no ghost where a program may record it alone, and nothing ends it', async () => {
  // On a node without the right: lists omit it, before 1.11 without a sign.
  const narrow = await withRules(
    'key_prefix "" { policy = "write" } session "elsewhere" { policy = "write" }',
  );
  const id = await session(root, { name: 'at-work' });
  const prefix = fresh('pool/own');
  const value = `{"limit":2,"holders":["${id}"]}`;
  await entry(root, prefix, value, '0');
  const shown = async (client: ConsulClient) =>
    (await readAll({ client, roots: [''], signal: signal(), now: Date.now })).world.semaphores.find(
      (one) => one.prefix === prefix,
    );
  expect((await narrow.sessions()).value).toEqual([]);
  expect(await shown(narrow)).toMatchObject({ effective: null, holders: [{ verdict: 'unknown' }] });
  const watching = startWatching(narrow, [prefix]);
  await watching.reaches('live');
  // Nor is it called kept from view: it may as well have ended.
  const evidence = ['recorded-as-holder', 'no-entry-locked', 'may-need-no-entry', 'session-not-listed'];
  expect(watching.world().semaphores).toMatchObject([
    { effective: null, holders: [{ verdict: 'unknown', evidence: evidence.map((code) => ({ code })) }] },
  ]);
  await watching.stop();

  const actor = actorOn(narrow);
  const prune = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] };
  expect(problem(await actor.plan(prune, signal()))).toMatchObject({ why: { code: 'no-ghost' } });
  const forged = {
    entries: [{ key: `${prefix}/.lock`, modifyIndex: '1', session: null, seen: id }],
    sessions: [],
  };
  expect(problem(await actor.apply(prune, forged, signal())).code).toBe('stale');
  // The plan says at once what the apply would: that the session ends could not be seen.
  const evict = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: id,
    how: 'destroy-session',
  } as const;
  expect(problem(await actor.plan(evict, signal()))).toMatchObject({ why: { code: 'session-not-in-view' } });
  expect(await textOf(root, `${prefix}/.lock`)).toBe(value);

  // A reader of every session sees that it lives, and that it has ended.
  expect(await shown(reader)).toMatchObject({ holders: [{ verdict: 'unknown' }] });
  await root.destroySession(id);
  expect(await shown(narrow)).toMatchObject({ holders: [{ verdict: 'unknown' }] });
  expect(await shown(reader)).toMatchObject({ effective: 0, holders: [{ verdict: 'ghost' }] });
  const wide = await withRules('key_prefix "" { policy = "write" } session_prefix "" { policy = "read" }');
  const { expect: seen } = planned(await actorOn(wide).plan(prune, signal()));
  done(await actorOn(wide).apply(prune, seen, signal()));
  expect(await recorded(root, prefix)).toEqual([]);
});

test('a holder whose entry may not be read is not pruned for a ghost', async () => {
  const prefix = fresh('semaphore/hidden');
  const holder = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":2,"Holders":{"${holder}":true}}`);
  const narrow = await withRules(
    `key "${prefix}/.lock" { policy = "write" } session_prefix "" { policy = "read" }`,
  );
  const action = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] };
  expect(problem(await actorOn(narrow).plan(action, signal())).code).toBe('forbidden');
  // Also when the plan was made by someone who saw more, or by hand.
  const forged = {
    entries: [{ key: `${prefix}/.lock`, modifyIndex: '1', session: null, seen: holder }],
    sessions: [],
  };
  expect(problem(await actorOn(narrow).apply(action, forged, signal())).code).toBe('forbidden');
  expect(await recorded(root, prefix)).toEqual([holder]);
});

test('a holder with an unreadable entry is not called a ghost when an operator evicts it', async () => {
  const prefix = fresh('semaphore/kept');
  const holder = await contender(root, prefix);
  const gone = await contender(root, prefix);
  await root.destroySession(gone);
  await entry(root, prefix, `{"Limit":2,"Holders":{"${holder}":true,"${gone}":true}}`);
  const narrow = await withRules(
    `key "${prefix}/.lock" { policy = "write" } key "${prefix}/${gone}" { policy = "read" } session_prefix "" { policy = "read" }`,
  );
  const evict = (sessionId: string) =>
    actorOn(narrow).plan(
      { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how: 'slot-only' },
      signal(),
    );
  expect(problem(await evict(holder))).toMatchObject({ code: 'forbidden', why: { code: 'token-refused' } });
  expect(problem(await evict(gone))).toMatchObject({ code: 'not-held', why: { code: 'is-ghost' } });
});

test('a session that locks a key but may not be read is not ended, and not called gone', async () => {
  const { id } = await heldLock(root);
  const action = { type: 'session.destroy', source: 'consul', sessionId: id } as const;
  const { expect: expected } = planned(await actorOn(root).plan(action, signal()));
  const actor = actorOn(await withRules('key_prefix "" { policy = "write" }'));
  const refused = { code: 'not-found', why: { code: 'session-not-in-view' } };
  expect(problem(await actor.plan(action, signal()))).toMatchObject(refused);
  expect(problem(await actor.apply(action, expected, signal()))).toMatchObject(refused);
  expect((await root.session(id)).value?.id).toBe(id);
});

test('where listing everything is forbidden the roots are read, and the plan says so', async () => {
  const agent = await startConsul({
    extraConfig: { acl: { enabled: true, default_policy: 'allow', enable_key_list_policy: true } },
  });
  const bootstrap = await until(
    async () => {
      const response = await fetch(`http://${agent.address}/v1/acl/bootstrap`, { method: 'PUT' });
      return response.ok ? ((await response.json()) as { SecretID: string }) : null;
    },
    { what: 'ACLs are bootstrapped' },
  );
  const rules = 'key_prefix "" { policy = "deny" } key_prefix "team/" { policy = "write" }';
  const team = await withRules(rules, { agent, token: bootstrap.SecretID });
  const { key } = await heldLock(agent.client(), { key: 'team/lock' });
  const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
  const actor = actorOn(team, ['team/']);
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.warnings.map(({ code }) => code)).toContain('view-incomplete');
  expect(done(await actor.apply(action, expected, signal())).freed).toEqual([
    { source: 'consul', kind: 'lock', key },
  ]);
  // With everything as the root, nothing is left that may be read. Consul 2.0 refuses a transaction on the empty key before it
  // looks at rights, which would not say `forbidden`.
  const keys: string[] = [];
  const txn: ConsulClient['txn'] = (ops, options) => {
    keys.push(...ops.map(({ key }) => key));
    return team.txn(ops, options);
  };
  const everything = actorOn({ ...team, txn }, ['']);
  for (const answer of [
    await everything.plan(action, signal()),
    await everything.apply(action, expected, signal()),
  ])
    expect(problem(answer)).toMatchObject({ code: 'forbidden', why: { code: 'token-refused' } });
  expect(keys).not.toContain('');
  const watching = startWatching(team, ['']);
  const refused = { code: 'forbidden', why: { code: 'token-refused' } };
  await until(() => watching.sources.at(-1)?.problem, { what: 'the watch says why it shows nothing' });
  expect(watching.sources.at(-1)?.problem).toMatchObject(refused);
  await watching.stop();
  await agent.stop();
});

test.each(['curl', 'consul'] as const)(
  'the %s commands of a plan do by hand what the plan says',
  async (tool) => {
    const actor = actorOn(root);
    const prefix = fresh(tool === 'curl' ? "semaphore/it's" : 'semaphore/plain');
    const byHand = ({ manual }: Plan) => {
      const script = scriptOf(
        manual.filter((step) => step.tool === tool),
        en,
      );
      // The binary may be called otherwise here.
      execFileSync('sh', ['-c', `consul() { '${consul.binary}' "$@"; }\n${script}`], {
        env: { ...process.env, CONSUL_HTTP_TOKEN: consul.token ?? '' },
      });
    };
    const holder = await contender(root, prefix);
    await entry(root, prefix, `{"Limit":2,"Holders":{"${holder}":true}}`);
    const { plan } = planned(
      await actor.plan({ type: 'semaphore.resize', source: 'consul', prefix, limit: 7 }, signal()),
    );
    byHand(plan);
    expect(plan.writes[0]?.after).toEqual({
      code: 'stored',
      facts: { text: await textOf(root, `${prefix}/.lock`) },
    });
    const evict = {
      type: 'semaphore.evict',
      source: 'consul',
      prefix,
      sessionId: holder,
      how: 'slot-only',
    } as const;
    const { plan: slot } = planned(await actor.plan(evict, signal()));
    byHand(slot);
    expect(await recorded(root, prefix)).toEqual([]);
    expect((await root.get(`${prefix}/${holder}`)).value).toBeNull();
    const lock = await heldLock(root, { key: tool === 'curl' ? fresh("it's") : fresh('plain'), value: '@x' });
    const handOver = { type: 'lock.release', source: 'consul', key: lock.key, how: 'hand-over' } as const;
    byHand(planned(await actor.plan(handOver, signal())).plan);
    const freed = await row(root, lock.key);
    expect(freed).toMatchObject({ session: null, flags: lockFlags });
    expect(freed.value.toString()).toBe('@x');
    byHand(
      planned(await actor.plan({ type: 'lock.delete', source: 'consul', key: lock.key }, signal())).plan,
    );
    expect((await root.get(lock.key)).value).toBeNull();
  },
);
