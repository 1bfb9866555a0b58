/** Evicting a holder, by its slot or with its session, and ending a session, on a real Consul with real `consul lock` processes. */
import { afterAll, expect, test } from 'vitest';
import { permission } from '@/lib/domain/actions/action';
import { readAll } from '@/lib/providers/consul/actions/consistent-read';
import { holdingsOf } from '@/lib/providers/consul/actions/expectation';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul } from '@/test/support/consul';
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
  session,
  signal,
  textOf,
} from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
afterAll(() => consul.stop());

test('with its session: a real holder loses its slot, the next one begins, nothing is left behind', async () => {
  const prefix = fresh('semaphore/evict');
  const processes = await crowd(consul, client, prefix, { n: 3, size: 4 });
  const [victim = ''] = await recorded(client, prefix);
  const action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: victim,
    how: 'destroy-session',
  } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan).toMatchObject({ friction: 'type-name' });
  expect(plan.confirmName).toBeTruthy();
  expect(plan.warnings.map(({ code }) => code)).toEqual(
    expect.arrayContaining([
      'no-lock-delay',
      'holder-notices',
      'next-holder',
      'split-brain',
      'not-conditional',
    ]),
  );
  const outcome = done(await actor.apply(action, expected, signal()));
  expect(outcome.freed).toContainEqual({ source: 'consul', kind: 'semaphore', prefix });
  await until(() => processes.filter((p) => p.output().includes('Lock lost')).length === 1, {
    what: 'one process lost its lock',
  });
  await until(() => processes.filter((p) => p.output().includes('started')).length === 4, {
    what: 'the one that waited began',
  });
  await until(async () => (await recorded(client, prefix)).length === 3, { what: 'three hold' });
  expect(await recorded(client, prefix)).not.toContain(victim);
  await expectExact(client, prefix);
  expect(await textOf(client, `${prefix}/.lock`)).toMatch(
    /^\{"Limit":3,"Holders":\{("[0-9a-f-]{36}":true,?){3}\}\}$/,
  );
  expect((await client.list(`${prefix}/${victim}`)).value).toEqual([]);
});

test('with its session, behavior release and a list: shape, case and flags stay, the entry goes', async () => {
  const prefix = fresh('semaphore/java');
  const a = await contender(client, prefix, { behavior: 'release', flags: '0' });
  const b = await contender(client, prefix, { behavior: 'release', flags: '0' });
  await entry(client, prefix, `{ "holders" : ["${a}", "${b}"],\n "limit":2, "note":"kept" }`, '42');
  const outcome = await act(client, {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: a,
    how: 'destroy-session',
  });
  expect(outcome.after).toMatchObject({
    kind: 'semaphore',
    recorded: 1,
    effective: 1,
    limit: 2,
    leftovers: [],
  });
  const after = await row(client, `${prefix}/.lock`);
  expect(after.value.toString()).toBe(`{ "holders" : ["${b}"],\n "limit":2, "note":"kept" }`);
  expect(after.flags).toBe('42');
  expect((await client.get(`${prefix}/${a}`)).value).toBeNull();
  expect((await client.session(b)).value).not.toBeNull();
});

test('slot only: the session and its other locks live on', async () => {
  const prefix = fresh('semaphore/slot');
  const a = await contender(client, prefix);
  const b = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":2,"Holders":{"${a}":true,"${b}":true}}`);
  const other = fresh('other');
  await client.acquire({ key: other, value: Buffer.from(''), flags: '0', session: a });
  const action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: a,
    how: 'slot-only',
  } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.touches).toEqual([]);
  const outcome = done(await actor.apply(action, expected, signal()));
  expect(outcome).toMatchObject({ done: true, freed: [{ source: 'consul', kind: 'semaphore', prefix }] });
  expect(await textOf(client, `${prefix}/.lock`)).toBe(`{"Limit":2,"Holders":{"${b}":true}}`);
  await expectExact(client, prefix);
  expect((await client.get(`${prefix}/${a}`)).value).toBeNull();
  expect((await row(client, other)).session).toBe(a);
  // The second operator sees what the first has done.
  expect(problem(await actor.apply(action, expected, signal()))).toMatchObject({
    code: 'stale',
    difference: [{ code: 'entry-gone', facts: { key: `${prefix}/${a}` } }],
  });
});

test('two operators: one wins, the other gets the difference, and the index moves once', async () => {
  const prefix = fresh('semaphore/two');
  const a = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":1,"Holders":{"${a}":true}}`);
  const action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: a,
    how: 'slot-only',
  } as const;
  const plans = await Promise.all([actor.plan(action, signal()), actor.plan(action, signal())]);
  const results = await Promise.all(plans.map((p) => actor.apply(action, planned(p).expect, signal())));
  expect(results.filter((r) => 'code' in r)).toMatchObject([{ code: 'stale' }]);
  const after = await row(client, `${prefix}/.lock`);
  for (const p of plans) problem(await actor.apply(action, planned(p).expect, signal()));
  expect((await row(client, `${prefix}/.lock`)).modifyIndex).toBe(after.modifyIndex);
});

test('a holder that left and came back is refused', async () => {
  const prefix = fresh('semaphore/back');
  const a = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":1,"Holders":{"${a}":true}}`);
  for (const how of ['slot-only', 'destroy-session'] as const) {
    const action = { type: 'semaphore.evict', source: 'consul', prefix, sessionId: a, how } as const;
    const { expect: expected } = planned(await actor.plan(action, signal()));
    const own = await row(client, `${prefix}/${a}`);
    await client.deleteCas(own.key, own.modifyIndex);
    await client.acquire({ key: own.key, value: Buffer.from(''), flags: semaphoreFlags, session: a });
    const before = await row(client, `${prefix}/.lock`);
    expect(problem(await actor.apply(action, expected, signal())).code).toBe('stale');
    expect(await row(client, `${prefix}/.lock`)).toEqual(before);
    expect((await client.session(a)).value).not.toBeNull();
  }
});

test('a semaphore is in view where its entries are, also with a slash at the end of what is in view', async () => {
  const prefix = fresh('semaphore/inside');
  const id = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":2,"Holders":{"${id}":true}}`);
  const inside = actorOn(client, [`${prefix}/`]);
  const beside = actorOn(client, [`${prefix}/deeper/`]);
  for (const action of [
    { type: 'semaphore.resize', source: 'consul', prefix, limit: 3 },
    { type: 'semaphore.evict', source: 'consul', prefix, sessionId: id, how: 'destroy-session' },
  ] as const) {
    expect(problem(await beside.plan(action, signal()))).toMatchObject({ why: { code: 'outside-view' } });
    done(await inside.apply(action, planned(await inside.plan(action, signal())).expect, signal()));
  }
  expect(await recorded(client, prefix)).toEqual([]);
});

test('a waiter, a ghost and a stranger are refused', async () => {
  const prefix = fresh('semaphore/no');
  const waiter = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":1,"Holders":{"${ghost(1)}":true}}`);
  for (const sessionId of [waiter, ghost(1), ghost(2)])
    expect(
      problem(
        await actor.plan(
          { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how: 'slot-only' },
          signal(),
        ),
      ).code,
    ).toBe('not-held');
});

test('to destroy a session names everything that it reaches, and frees it', async () => {
  const prefix = fresh('semaphore/destroy');
  const a = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":2,"Holders":{"${a}":true}}`);
  const lock = fresh('lock');
  await client.acquire({ key: lock, value: Buffer.from(''), flags: '0', session: a });
  const action = { type: 'session.destroy', source: 'consul', sessionId: a } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.touches).toMatchObject([
    { subject: { source: 'consul', kind: 'lock', key: lock }, effect: 'deleted' },
    { subject: { source: 'consul', kind: 'semaphore', prefix }, effect: 'loses-slot' },
  ]);
  const outcome = done(await actor.apply(action, expected, signal()));
  expect(outcome.freed).toEqual([
    { source: 'consul', kind: 'lock', key: lock },
    { source: 'consul', kind: 'semaphore', prefix },
  ]);
  expect(problem(await actor.apply(action, expected, signal()))).toMatchObject({
    code: 'stale',
    difference: [{ code: 'session-gone', facts: { sessionId: a } }],
  });
  expect(problem(await actor.plan(action, signal())).code).toBe('not-found');
});

test.each([
  ['a list', '{"limit":2,"holders":["worker-1","worker-2"]}'],
  ['a map', '{"Limit":2,"Holders":{"worker-1":true,"worker-2":true}}'],
])(
  'a holder whose name is that of no session is not offered for eviction, nor evicted (%s)',
  async (_shape, value) => {
    const prefix = fresh('pool/names');
    await entry(client, prefix, value, '0');
    const { world } = await readAll({ client, roots: [''], signal: signal(), now: Date.now });
    for (const how of ['slot-only', 'destroy-session'] as const) {
      const action = {
        type: 'semaphore.evict',
        source: 'consul',
        prefix,
        sessionId: 'worker-1',
        how,
      } as const;
      const refused = { code: 'not-a-session', facts: { name: 'worker-1' } };
      expect(permission(action, world)).toEqual({ allowed: false, reason: refused });
      expect(problem(await actor.plan(action, signal())).why).toEqual(refused);
      // Also against a made-up view: an empty request is never sent.
      const forged = {
        entries: [{ key: `${prefix}/worker-1`, modifyIndex: null, session: null }],
        sessions: ['worker-1'],
        ...(how === 'destroy-session' ? { holdings: holdingsOf([]) } : {}),
      };
      expect(problem(await actor.apply(action, forged, signal())).why).toEqual(refused);
    }
    expect(await textOf(client, `${prefix}/.lock`)).toBe(value);
  },
);

test('a live session recorded by a program with rules of its own: its slot goes with the session alone', async () => {
  const prefix = fresh('pool/own');
  const id = await session(client, { name: 'at-work' });
  const other = ghost(7);
  await entry(client, prefix, `{"limit":2,"holders":["${id}","${other}"]}`, '0');
  const evict = (how: 'slot-only' | 'destroy-session') =>
    ({ type: 'semaphore.evict', source: 'consul', prefix, sessionId: id, how }) as const;
  expect(problem(await actor.plan(evict('slot-only'), signal())).why).toEqual({
    code: 'locks-nothing-here',
    facts: { sessionId: id },
  });
  const { plan, expect: expected } = planned(await actor.plan(evict('destroy-session'), signal()));
  expect(plan).toMatchObject({ friction: 'type-name', confirmName: 'at-work' });
  expect(problem(await actor.apply(evict('slot-only'), expected, signal())).why?.code).toBe(
    'locks-nothing-here',
  );
  const outcome = done(await actor.apply(evict('destroy-session'), expected, signal()));
  expect(outcome.freed).toEqual([{ source: 'consul', kind: 'semaphore', prefix }]);
  expect((await client.session(id)).value).toBeNull();
  expect(await recorded(client, prefix)).toEqual([other]);
});
