/** Actions under ACLs: what the token may not do is said, and what it may not see is never taken for absent. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/consul/client';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import {
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
    { type: 'lock.release', key, how: 'destroy-session' },
    { type: 'lock.release', key, how: 'hand-over' },
    { type: 'session.destroy', sessionId: id },
    { type: 'semaphore.evict', prefix, sessionId: holder, how: 'slot-only' },
    { type: 'semaphore.resize', prefix, limit: 3 },
  ] as const) {
    const { plan, expect: expected } = planned(await actor.plan(action, signal()));
    expect(plan.manual.join('\n')).toContain('$CONSUL_HTTP_TOKEN');
    expect(problem(await actor.apply(action, expected, signal())).code).toBe('forbidden');
  }
  expect((await row(root, key)).session).toBe(id);
  expect(await textOf(root, `${prefix}/.lock`)).toBe(before);
});

test('a holder whose entry may not be read is not pruned for a ghost', async () => {
  const prefix = fresh('semaphore/hidden');
  const holder = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":2,"Holders":{"${holder}":true}}`);
  const narrow = await withRules(
    `key "${prefix}/.lock" { policy = "write" } session_prefix "" { policy = "read" }`,
  );
  const action = { type: 'semaphore.prune' as const, prefixes: [prefix] };
  expect(problem(await actorOn(narrow).plan(action, signal())).code).toBe('forbidden');
  // Also when the plan was made by someone who saw more, or by hand.
  const forged = {
    entries: [{ key: `${prefix}/.lock`, modifyIndex: '1', session: null, seen: `list of ghosts: ${holder}` }],
    sessions: [],
  };
  expect(problem(await actorOn(narrow).apply(action, forged, signal())).code).toBe('forbidden');
  expect(await recorded(root, prefix)).toEqual([holder]);
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
  const action = { type: 'lock.release', key, how: 'destroy-session' } as const;
  const actor = actorOn(team, ['team/']);
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.warnings.map(({ code }) => code)).toContain('view-incomplete');
  expect(done(await actor.apply(action, expected, signal())).freed).toEqual([{ kind: 'lock', key }]);
  await agent.stop();
});

test('the commands of a plan do by hand what the plan says', async () => {
  const actor = actorOn(root);
  const prefix = fresh("semaphore/it's");
  const holder = await contender(root, prefix);
  await entry(root, prefix, `{"Limit":2,"Holders":{"${holder}":true}}`);
  const { plan } = planned(await actor.plan({ type: 'semaphore.resize', prefix, limit: 7 }, signal()));
  execFileSync('sh', ['-c', plan.manual.join('\n')], {
    env: { ...process.env, CONSUL_HTTP_TOKEN: consul.token ?? '' },
  });
  expect(await textOf(root, `${prefix}/.lock`)).toBe(plan.writes[0]?.after);
  const evict = { type: 'semaphore.evict', prefix, sessionId: holder, how: 'slot-only' } as const;
  const { plan: slot } = planned(await actor.plan(evict, signal()));
  execFileSync('sh', ['-c', slot.manual.join('\n')], {
    env: { ...process.env, CONSUL_HTTP_TOKEN: consul.token ?? '' },
  });
  expect(await recorded(root, prefix)).toEqual([]);
});
