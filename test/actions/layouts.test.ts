/** What plans know about the records of Terraform and Patroni beside their locks, on a real Consul with ACLs. */
import { afterAll, expect, test } from 'vitest';
import { worded } from '@/lib/i18n/format/worded';
import { en } from '@/lib/i18n/messages';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { makeToken } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { actorOn, done, fresh, planned, problem, row, session, signal } from './stage';

const consul = await startConsul({ acl: true });
const root = consul.client();
const actor = actorOn(root);
afterAll(() => consul.stop());

const created = '2026-11-21T05:00:00.123456789Z';

/** A state that a Terraform run locked and left, as one does that was killed. */
async function leftBehind(): Promise<{ key: string; info: string; id: string }> {
  const path = fresh('terraform/prod');
  const [key, info] = [`${path}/.lock`, `${path}/.lockinfo`];
  const id = await root.createSession({
    name: 'Consul API Lock',
    ttlMs: 15_000,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await root.acquire({ key, value: Buffer.from(''), flags: lockFlags, session: id });
  await put(root, info, infoOf(id));
  await root.destroySession(id);
  return { key, info, id };
}

const infoOf = (id: string) =>
  JSON.stringify({ ID: id, Operation: 'OperationTypeApply', Who: 'root@vm', Created: created });

async function put(client: ConsulClient, key: string, text: string): Promise<void> {
  const { value } = await client.get(key);
  const index = value?.modifyIndex ?? '0';
  expect(await client.cas({ key, value: Buffer.from(text), flags: '0', index })).toBe(true);
}

const gone = async (key: string) => (await root.get(key, { consistency: 'consistent' })).value === null;

test('the lock info of a run that left its lock is named in the plan, and goes in the same transaction', async () => {
  const { key, info } = await leftBehind();
  const action = { type: 'lock.delete', source: 'consul', key } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.writes.map(({ operation, target }) => [operation, target])).toEqual([
    ['delete', key],
    ['delete', info],
  ]);
  expect(plan.warnings).toContainEqual({ code: 'lock-info-goes', facts: { who: 'root@vm' } });
  expect(plan.manual[0]?.command).toContain(info);
  done(await actor.apply(action, expected, signal()));
  expect([await gone(key), await gone(info)]).toEqual([true, true]);
});

test('where the lock info changed since the plan, or a run took the lock, nothing is deleted', async () => {
  const { key, info } = await leftBehind();
  const action = { type: 'lock.delete', source: 'consul', key } as const;
  const { expect: expected } = planned(await actor.plan(action, signal()));
  await put(root, info, infoOf('another run'));
  expect(problem(await actor.apply(action, expected, signal()))).toMatchObject({
    code: 'stale',
    difference: [{ code: 'index-changed', facts: { key: info } }],
  });
  const { expect: again } = planned(await actor.plan(action, signal()));
  const id = await session(root);
  await root.acquire({ key, value: Buffer.from(''), flags: lockFlags, session: id });
  const refused = problem(await actor.apply(action, again, signal()));
  expect(refused.code).toBe('stale');
  expect(refused.difference?.map((one) => one.code)).toEqual(['holder-changed', 'index-changed']);
  expect((await row(root, key)).session).toBe(id);
  expect(await gone(info)).toBe(false);
});

test('a request cannot name another entry to be deleted with the lock', async () => {
  const { key } = await leftBehind();
  const config = fresh('app/config');
  await put(root, config, '{}');
  const action = { type: 'lock.delete', source: 'consul', key } as const;
  const { expect: expected } = planned(await actor.plan(action, signal()));
  const { modifyIndex } = await row(root, config);
  const entries = [...expected.entries, { key: config, modifyIndex, session: null }];
  done(await actor.apply(action, { ...expected, entries }, signal()));
  expect(await gone(config)).toBe(false);
});

test('lock info that the token may not delete stays, as the plan says, and the lock goes', async () => {
  const { key, info } = await leftBehind();
  const { secret } = await makeToken(
    consul,
    `key_prefix "" { policy = "read" } key "${key}" { policy = "write" } session_prefix "" { policy = "read" }`,
  );
  const narrow = actorOn(consul.client({ token: secret }));
  const action = { type: 'lock.delete', source: 'consul', key } as const;
  const { plan, expect: expected } = planned(await narrow.plan(action, signal()));
  expect(plan.writes.map(({ target }) => target)).toEqual([key]);
  expect(plan.warnings).toContainEqual({ code: 'lock-info-stays', facts: { who: 'root@vm' } });
  done(await narrow.apply(action, expected, signal()));
  expect([await gone(key), await gone(info)]).toEqual([true, false]);
});

test('a failover is said to start where another Patroni member is in view, and not of a leader alone', async () => {
  const scope = fresh('service/db');
  const members = [await session(root, { behavior: 'delete' }), await session(root, { behavior: 'delete' })];
  const record = Buffer.from('{"conn_url":"postgres://10.0.0.1/postgres","state":"running","role":"master"}');
  const take = async (key: string, id: string | undefined, value: Buffer) =>
    expect(await root.acquire({ key, value, flags: '0', session: id ?? '' })).toBe(true);
  await take(`${scope}/members/pg1`, members[0], record);
  await take(`${scope}/leader`, members[0], Buffer.from('pg1'));
  const said = async () => {
    const [release, destroy] = await Promise.all([
      actor.plan(
        { type: 'lock.release', source: 'consul', key: `${scope}/leader`, how: 'destroy-session' },
        signal(),
      ),
      actor.plan({ type: 'session.destroy', source: 'consul', sessionId: members[0] ?? '' }, signal()),
    ]);
    return [release, destroy].map((one) =>
      planned(one)
        .plan.warnings.filter(({ code }) => code === 'holder-notices')
        .map((warning) => worded(warning, en.plan.warnings))
        .join(' '),
    );
  };
  for (const text of await said()) {
    expect(text).toContain('No other Patroni member is in view');
    expect(text).not.toContain('other nodes');
  }
  await take(`${scope}/members/pg2`, members[1], record);
  for (const text of await said()) expect(text).toContain('other nodes starts a PostgreSQL failover');
});
