/** Pruning ghosts, one semaphore or many at once, on a real Consul. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { readAll } from '@/lib/providers/consul/actions/consistent-read';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { bodyBytesMax } from '@/lib/server/actions/request';
import { startConsul } from '@/test/support/consul';
import {
  actorOn,
  contender,
  done,
  entry,
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

test.each([
  [
    'map',
    (a: string) => `{"Limit":3,"Holders":{"${ghost(1)}":true,"${a}":true,"${ghost(2)}":true}}`,
    (a: string) => `{"Limit":3,"Holders":{"${a}":true}}`,
    semaphoreFlags,
  ],
  [
    'list',
    (a: string) => `{"limit":3,"holders":["${ghost(1)}","${a}","${ghost(2)}"]}`,
    (a: string) => `{"limit":3,"holders":["${a}"]}`,
    '0',
  ],
])('takes the ghosts off a %s and leaves who is there', async (_, before, after, flags) => {
  const prefix = fresh('semaphore/prune');
  const a = await contender(client, prefix, { flags });
  await entry(client, prefix, before(a), flags);
  const action = { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] } as const;
  const { plan, expect: expected } = planned(await actor.plan({ ...action, prefixes: [prefix] }, signal()));
  expect(plan).toMatchObject({ friction: 'click', confirmName: null });
  expect(plan.touches).toHaveLength(2);
  const outcome = done(await actor.apply({ ...action, prefixes: [prefix] }, expected, signal()));
  expect(outcome).toMatchObject({
    done: true,
    parts: [{ done: true }],
    freed: [{ source: 'consul', kind: 'semaphore', prefix }],
  });
  const entryAfter = await row(client, `${prefix}/.lock`);
  expect(entryAfter.value.toString()).toBe(after(a));
  expect(entryAfter.flags).toBe(flags);
  expect(problem(await actor.apply({ ...action, prefixes: [prefix] }, expected, signal())).code).toBe(
    'stale',
  );
  expect((await row(client, `${prefix}/.lock`)).modifyIndex).toBe(entryAfter.modifyIndex);
});

test('many at once: one that moved is refused, the others are done', async () => {
  const prefixes = [fresh('semaphore/m1'), fresh('semaphore/m2'), fresh('semaphore/m3')];
  for (const prefix of prefixes) await entry(client, prefix, `{"Limit":2,"Holders":{"${ghost(1)}":true}}`);
  const [p1 = '', p2 = '', p3 = ''] = prefixes;
  const action = { type: 'semaphore.prune' as const, source: 'consul', prefixes };
  const { expect: expected } = planned(await actor.plan(action, signal()));
  const moved = await row(client, `${p2}/.lock`);
  await client.cas({
    key: moved.key,
    value: Buffer.from(`{"Limit":2,"Holders":{"${ghost(1)}":true,"${ghost(2)}":true}}`),
    flags: moved.flags,
    index: moved.modifyIndex,
  });
  const outcome = done(await actor.apply(action, expected, signal()));
  expect(outcome.done).toBe(false);
  expect(outcome.parts).toMatchObject([
    { subject: { prefix: p1 }, done: true, problem: null },
    { subject: { prefix: p2 }, done: false, problem: { code: 'stale' } },
    { subject: { prefix: p3 }, done: true, problem: null },
  ]);
  expect(await recorded(client, p2)).toHaveLength(2);
  expect(await recorded(client, p3)).toEqual([]);
});

test('many ghosts in each of many semaphores still make a plan that the server takes back', async () => {
  const prefixes = Array.from({ length: 500 }, (_, n) =>
    fresh(`semaphore/after-the-crash/of-all-machines/${n}`),
  );
  const holders = () => Object.fromEntries(Array.from({ length: 20 }, () => [randomUUID(), true]));
  const record = () => JSON.stringify({ Limit: 20, Holders: holders() });
  await Promise.all(prefixes.map((prefix) => entry(client, prefix, record())));
  const action = { type: 'semaphore.prune' as const, source: 'consul', prefixes };
  const { expect: expected } = planned(await actor.plan(action, signal()));
  const body = JSON.stringify({ mode: 'apply', action, reason: 'x'.repeat(500), expect: expected });
  expect(Buffer.byteLength(body)).toBeLessThan(bodyBytesMax);
});

test('of many ghosts in a batch, a change of one is seen', async () => {
  const prefixes = [fresh('semaphore/long'), fresh('semaphore/steady')];
  const ids = Array.from({ length: 30 }, () => randomUUID()).sort();
  const record = (last: string) =>
    JSON.stringify({ Limit: 40, Holders: Object.fromEntries([...ids, last].map((id) => [id, true])) });
  const last = `ffffffff-ffff-4fff-8fff-fffffffffff1`;
  for (const prefix of prefixes) await entry(client, prefix, record(last));
  const action = { type: 'semaphore.prune' as const, source: 'consul', prefixes };
  const { expect: expected } = planned(await actor.plan(action, signal()));
  const { key, flags, modifyIndex: index } = await row(client, `${prefixes[0]}/.lock`);
  await client.cas({ key, flags, index, value: Buffer.from(record(last.replace(/1$/, '2'))) });
  expect(done(await actor.apply(action, expected, signal())).parts).toMatchObject([
    { done: false, problem: { code: 'stale', difference: [{ code: 'ghosts-changed' }] } },
    { done: true, detail: { code: 'pruned', facts: { ghosts: 31 } } },
  ]);
});

test('a chosen semaphore without ghosts is named in the plan, and has its outcome', async () => {
  const [full, idle] = [fresh('semaphore/full'), fresh('semaphore/idle')];
  await entry(client, full, `{"Limit":2,"Holders":{"${ghost(1)}":true}}`);
  await entry(client, idle, `{"Limit":2,"Holders":{}}`);
  const action = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [idle, full] };
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.summary).toMatchObject({ code: 'prune-one', facts: { prefix: full, ghosts: 1 } });
  expect(plan.warnings).toEqual([{ code: 'left-out', facts: { prefixes: 1, names: idle } }]);
  expect(done(await actor.apply(action, expected, signal())).parts).toMatchObject([
    { subject: { prefix: idle }, done: true, detail: { code: 'had-no-ghost' } },
    { subject: { prefix: full }, done: true, detail: { code: 'pruned', facts: { ghosts: 1 } } },
  ]);
});

test('the same ghosts are pruned although another client came in between', async () => {
  const prefix = fresh('semaphore/busy');
  await entry(client, prefix, `{"Limit":2,"Holders":{"${ghost(1)}":true}}`);
  const action = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] };
  const { expect: expected } = planned(await actor.plan(action, signal()));
  const a = await contender(client, prefix);
  const { modifyIndex } = await row(client, `${prefix}/.lock`);
  await client.cas({
    key: `${prefix}/.lock`,
    value: Buffer.from(`{"Limit":2,"Holders":{"${ghost(1)}":true,"${a}":true}}`),
    flags: semaphoreFlags,
    index: modifyIndex,
  });
  done(await actor.apply(action, expected, signal()));
  expect(await recorded(client, prefix)).toEqual([a]);
});

test('the rule is that of the client library: any key of the string prefix keeps a holder alive', async () => {
  const prefix = fresh('semaphore/string');
  const id = await session(client);
  await client.acquire({ key: `${prefix}-neighbour/x`, value: Buffer.from(''), flags: '0', session: id });
  await entry(client, prefix, `{"Limit":2,"Holders":{"${id}":true}}`);
  expect(
    problem(await actor.plan({ type: 'semaphore.prune', source: 'consul', prefixes: [prefix] }, signal()))
      .code,
  ).toBe('not-held');
});

test('a name that no session can have is a ghost by Go’s rule, and unknown by others', async () => {
  const value = '{"Limit":2,"Holders":{"worker-1":true}}';
  const [foreign, go] = [fresh('semaphore/names'), fresh('semaphore/names')];
  await entry(client, foreign, '{"limit":2,"holders":["worker-1"]}', '0');
  await entry(client, go, value);
  const { world } = await readAll({ client, roots: [''], signal: signal(), now: Date.now });
  const shown = (prefix: string) => world.semaphores.find((one) => one.prefix === prefix);
  expect(shown(foreign)).toMatchObject({ recorded: 1, effective: null, holders: [{ verdict: 'unknown' }] });
  expect(shown(go)).toMatchObject({ recorded: 1, effective: 0, holders: [{ verdict: 'ghost' }] });
  const prune = (prefix: string) =>
    actor.plan({ type: 'semaphore.prune', source: 'consul', prefixes: [prefix] }, signal());
  expect(problem(await prune(foreign))).toMatchObject({ why: { code: 'no-ghost' } });
  planned(await prune(go));
  const both = planned(
    await actor.plan({ type: 'semaphore.prune', source: 'consul', prefixes: [foreign, go] }, signal()),
  );
  expect(both.plan.writes.map(({ target }) => target)).toEqual([`${go}/.lock`]);
});

test('a session that lives is no ghost where another program may record it alone, and a ghost under Go’s flags', async () => {
  const id = await session(client, { name: 'at-work' });
  const [foreign, go] = [fresh('pool/own'), fresh('pool/own')];
  const value = `{"Limit":2,"Holders":{"${id}":true}}`;
  await entry(client, foreign, value, '0');
  await entry(client, go, value);
  const shown = async (prefix: string) =>
    (await readAll({ client, roots: [''], signal: signal(), now: Date.now })).world.semaphores.find(
      (one) => one.prefix === prefix,
    );
  expect(await shown(foreign)).toMatchObject({
    effective: null,
    holders: [{ verdict: 'unknown', session: { name: 'at-work' } }],
  });
  expect(await shown(go)).toMatchObject({ effective: 0, holders: [{ verdict: 'ghost' }] });
  const prune = (prefix: string) => ({
    type: 'semaphore.prune' as const,
    source: 'consul',
    prefixes: [prefix],
  });
  planned(await actor.plan(prune(go), signal()));
  expect(problem(await actor.plan(prune(foreign), signal()))).toMatchObject({ why: { code: 'no-ghost' } });
  // Made up, it finds other ghosts than it names, and writes nothing.
  const { modifyIndex } = await row(client, `${foreign}/.lock`);
  const forged = {
    entries: [{ key: `${foreign}/.lock`, modifyIndex, session: null, seen: id }],
    sessions: [],
  };
  expect(problem(await actor.apply(prune(foreign), forged, signal())).code).toBe('stale');
  expect(await textOf(client, `${foreign}/.lock`)).toBe(value);
  // With its session gone no process works by that record, under any rules.
  await client.destroySession(id);
  expect(await shown(foreign)).toMatchObject({ effective: 0, holders: [{ verdict: 'ghost' }] });
  done(
    await actor.apply(prune(foreign), planned(await actor.plan(prune(foreign), signal())).expect, signal()),
  );
  expect(await recorded(client, foreign)).toEqual([]);
});

test('an entry that is not understood is not written, also one that became so after the plan', async () => {
  const prefix = fresh('semaphore/bad');
  const bad = '{"Limit":"2","Holders":{}}';
  await entry(client, prefix, `{"Limit":2,"Holders":{"${ghost(1)}":true}}`);
  const actions = [
    { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] },
    { type: 'semaphore.resize' as const, source: 'consul', prefix, limit: 3 },
  ];
  const before = await Promise.all(actions.map(async (one) => planned(await actor.plan(one, signal()))));
  const { modifyIndex, flags } = await row(client, `${prefix}/.lock`);
  await client.cas({ key: `${prefix}/.lock`, value: Buffer.from(bad), flags, index: modifyIndex });
  for (const [i, action] of actions.entries()) {
    const { expect: expected } = before[i] ?? planned(await actor.plan(action, signal()));
    expect(problem(await actor.apply(action, expected, signal())).code).toBe('stale');
    expect(problem(await actor.plan(action, signal())).code).toBe('conflict-in-use');
  }
  expect(await textOf(client, `${prefix}/.lock`)).toBe(bad);
});
