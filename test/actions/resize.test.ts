/** Another limit for a semaphore, on a real Consul with real `consul lock` processes. */
import { afterAll, expect, test } from 'vitest';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import {
  act,
  actorOn,
  contender,
  crowd,
  done,
  entry,
  expectExact,
  fresh,
  ghost,
  planned,
  problem,
  recorded,
  row,
  signal,
  textOf,
} from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
afterAll(() => consul.stop());

test('a map: the warning is true, waiters fail, holders go on, flags and shape stay', async () => {
  const prefix = fresh('semaphore/resize');
  const processes = await crowd(consul, client, prefix, { n: 2, size: 4 });
  const holders = await recorded(client, prefix);
  const action = { type: 'semaphore.resize', source: 'consul', prefix, limit: 3 } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.warnings.map(({ code }) => code)).toEqual(['waiters-fail', 'restarts-fail', 'limit-forgotten']);
  expect(plan.warnings[0]).toEqual({ code: 'waiters-fail', facts: { waiters: 2, limit: 3 } });
  const waiting = (await client.list(`${prefix}/`)).value
    .map(({ session }) => session)
    .filter((id) => id !== null && !holders.includes(id));
  expect(plan.touches.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(waiting.map((id) => ({ source: 'consul', kind: 'session', id }))),
  );
  expect(plan.touches).toHaveLength(2);
  for (const { effect, who } of plan.touches)
    expect({ effect, who }).toEqual({
      effect: 'fails',
      who: { label: expect.stringContaining('echo started'), node: consul.nodeName },
    });
  done(await actor.apply(action, expected, signal()));
  await until(() => processes.filter((p) => p.output().includes('semaphore limit conflict')).length === 2, {
    what: 'both waiters fail, as the plan said',
  });
  expect([...(await recorded(client, prefix))].sort()).toEqual([...holders].sort());
  expect(await textOf(client, `${prefix}/.lock`)).toMatch(/^\{"Limit":3,"Holders":\{/);
  await expectExact(client, prefix);
  const next = runConsulLock(consul, { n: 3, prefix, command: 'echo started; exec sleep 600' });
  await until(() => next.output().includes('started'), {
    what: 'a client with the new limit takes the slot',
  });
});

test('the way back is planned with the plan, and sets the old limit again', async () => {
  const prefix = fresh('semaphore/undo');
  const a = await contender(client, prefix);
  const before = `{"Limit":2,"Holders":{"${a}":true}}`;
  await entry(client, prefix, before);
  const action = { type: 'semaphore.resize', source: 'consul', prefix, limit: 5 } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.undo).toEqual({
    code: 'set-limit-back-late',
    facts: { limit: 2 },
    action: { ...action, limit: 2 },
  });
  done(await actor.apply(action, expected, signal()));
  if (plan.undo.action === null) throw new Error('There is no way back.');
  await act(client, plan.undo.action);
  expect(await textOf(client, `${prefix}/.lock`)).toBe(before);
  await expectExact(client, prefix);
  const list = fresh('semaphore/undo-list');
  await entry(client, list, '{"limit":2,"holders":[]}', '0');
  const { plan: live } = planned(
    await actor.plan({ type: 'semaphore.resize', source: 'consul', prefix: list, limit: 3 }, signal()),
  );
  expect(live.undo.code).toBe('set-limit-back');
  expect(live.warnings.map(({ code }) => code)).toContain('limit-live');
});

test('a list grows at once; below the recorded holders is refused, also when they came after the plan', async () => {
  const prefix = fresh('semaphore/list');
  const [a, b, c] = [ghost(1), ghost(2), ghost(3)];
  await entry(client, prefix, `{"limit":2,"holders":["${a}","${b}"]}`, '0');
  expect(
    problem(await actor.plan({ type: 'semaphore.resize', source: 'consul', prefix, limit: 1 }, signal())),
  ).toMatchObject({
    code: 'conflict-in-use',
    why: { code: 'below-recorded', facts: { recorded: 2 } },
  });
  await act(client, { type: 'semaphore.resize', source: 'consul', prefix, limit: 4 });
  expect(await textOf(client, `${prefix}/.lock`)).toBe(`{"limit":4,"holders":["${a}","${b}"]}`);
  const shrink = { type: 'semaphore.resize', source: 'consul', prefix, limit: 2 } as const;
  const { expect: expected } = planned(await actor.plan(shrink, signal()));
  const { modifyIndex } = await row(client, `${prefix}/.lock`);
  await client.cas({
    key: `${prefix}/.lock`,
    value: Buffer.from(`{"limit":4,"holders":["${a}","${b}","${c}"]}`),
    flags: '0',
    index: modifyIndex,
  });
  const before = await row(client, `${prefix}/.lock`);
  expect(problem(await actor.apply(shrink, expected, signal())).code).toBe('conflict-in-use');
  expect(await row(client, `${prefix}/.lock`)).toEqual(before);
});

test('a map of clients that read the limit live gets the same care, also when holders came after the plan', async () => {
  const prefix = fresh('pool/guide-map');
  const key = `${prefix}/.lock`;
  const ids = [await contender(client, prefix, { flags: '0' })];
  const map = () => `{"limit":5,"holders":{${ids.map((id) => `"${id}":true`).join(',')}}}`;
  await entry(client, prefix, map(), '0');
  const shrink = { type: 'semaphore.resize', source: 'consul', prefix, limit: 2 } as const;
  const { plan, expect: expected } = planned(await actor.plan(shrink, signal()));
  expect(plan.warnings.map(({ code }) => code)).toContain('limit-live');
  for (let n = 0; n < 2; n++) ids.push(await contender(client, prefix, { flags: '0' }));
  const { modifyIndex } = await row(client, key);
  await client.cas({ key, value: Buffer.from(map()), flags: '0', index: modifyIndex });
  const refused = { code: 'conflict-in-use', why: { code: 'below-recorded', facts: { recorded: 3 } } };
  expect(problem(await actor.plan(shrink, signal()))).toMatchObject(refused);
  expect(problem(await actor.apply(shrink, expected, signal()))).toMatchObject(refused);
  expect(await textOf(client, key)).toBe(map());
});

test('two operators: one wins, the other gets the difference, and the index moves once', async () => {
  const prefix = fresh('semaphore/race');
  await entry(client, prefix, '{"Limit":2,"Holders":{}}');
  const to = (limit: number) => ({ type: 'semaphore.resize', source: 'consul', prefix, limit }) as const;
  const plans = await Promise.all([actor.plan(to(3), signal()), actor.plan(to(4), signal())]);
  const before = await row(client, `${prefix}/.lock`);
  const results = await Promise.all([
    actor.apply(to(3), planned(plans[0]).expect, signal()),
    actor.apply(to(4), planned(plans[1]).expect, signal()),
  ]);
  const after = await row(client, `${prefix}/.lock`);
  const won = 'code' in results[0] ? 4 : 3;
  expect(results.filter((r) => 'code' in r)).toMatchObject([
    { code: 'stale', difference: [{ code: 'limit-changed', facts: { before: '2', now: String(won) } }] },
  ]);
  expect(after.value.toString()).toBe(`{"Limit":${won},"Holders":{}}`);
  expect(after.flags).toBe(before.flags);
  // Submitted twice: the second one finds another limit than it saw, and writes nothing.
  problem(await actor.apply(to(won), planned(plans[0]).expect, signal()));
  expect((await row(client, `${prefix}/.lock`)).modifyIndex).toBe(after.modifyIndex);
});

test('a smaller limit names the holders that stay, and a ghost is none', async () => {
  const prefix = fresh('semaphore/shrink');
  const holders = (...ids: string[]) => JSON.stringify(Object.fromEntries(ids.map((id) => [id, true])));
  await entry(client, prefix, `{"Limit":3,"Holders":${holders(ghost(1), ghost(2), ghost(3))}}`);
  const stay = async (limit: number) => {
    const { plan } = planned(
      await actor.plan({ type: 'semaphore.resize', source: 'consul', prefix, limit }, signal()),
    );
    return plan.warnings.filter(({ code }) => code === 'over-limit');
  };
  expect(await stay(2)).toEqual([]);
  const ids = [await contender(client, prefix), await contender(client, prefix)];
  const { value } = await client.get(`${prefix}/.lock`);
  await client.cas({
    key: `${prefix}/.lock`,
    value: Buffer.from(`{"Limit":3,"Holders":${holders(ghost(1), ...ids)}}`),
    flags: value?.flags ?? '',
    index: value?.modifyIndex ?? '',
  });
  expect(await stay(1)).toEqual([{ code: 'over-limit', facts: { holders: 2, limit: 1 } }]);
  expect(await stay(2)).toEqual([]);
});
