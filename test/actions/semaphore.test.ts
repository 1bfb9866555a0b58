/** Evicting, pruning and resizing, on a real Consul with real `consul lock` processes. */
import { afterAll, describe, expect, test } from 'vitest';
import { readAll } from '@/lib/consul/acts/fresh';
import { semaphoreFlags } from '@/lib/consul/coordination';
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
const ghost = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

describe('evict', () => {
  test('with its session: a real holder loses its slot, the next one begins, nothing is left behind', async () => {
    const prefix = fresh('semaphore/evict');
    const processes = await crowd(consul, client, prefix, { n: 3, size: 4 });
    const [victim = ''] = await recorded(client, prefix);
    const action = { type: 'semaphore.evict', prefix, sessionId: victim, how: 'destroy-session' } as const;
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
    expect(outcome.freed).toContainEqual({ kind: 'semaphore', prefix });
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
    const action = { type: 'semaphore.evict', prefix, sessionId: a, how: 'slot-only' } as const;
    const { plan, expect: expected } = planned(await actor.plan(action, signal()));
    expect(plan.touches).toEqual([]);
    const outcome = done(await actor.apply(action, expected, signal()));
    expect(outcome).toMatchObject({ done: true, freed: [{ kind: 'semaphore', prefix }] });
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
    const action = { type: 'semaphore.evict', prefix, sessionId: a, how: 'slot-only' } as const;
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
      const action = { type: 'semaphore.evict', prefix, sessionId: a, how } as const;
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
      { type: 'semaphore.resize', prefix, limit: 3 },
      { type: 'semaphore.evict', prefix, sessionId: id, how: 'destroy-session' },
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
        problem(await actor.plan({ type: 'semaphore.evict', prefix, sessionId, how: 'slot-only' }, signal()))
          .code,
      ).toBe('not-held');
  });
});

describe('prune', () => {
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
    const action = { type: 'semaphore.prune', prefixes: [prefix] } as const;
    const { plan, expect: expected } = planned(await actor.plan({ ...action, prefixes: [prefix] }, signal()));
    expect(plan).toMatchObject({ friction: 'click', confirmName: null });
    expect(plan.touches).toHaveLength(2);
    const outcome = done(await actor.apply({ ...action, prefixes: [prefix] }, expected, signal()));
    expect(outcome).toMatchObject({
      done: true,
      parts: [{ done: true }],
      freed: [{ kind: 'semaphore', prefix }],
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
    const action = { type: 'semaphore.prune' as const, prefixes };
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

  test('what was chosen and has nothing to prune is named in the plan, and has its outcome', async () => {
    const [full, idle] = [fresh('semaphore/full'), fresh('semaphore/idle')];
    await entry(client, full, `{"Limit":2,"Holders":{"${ghost(1)}":true}}`);
    await entry(client, idle, `{"Limit":2,"Holders":{}}`);
    const action = { type: 'semaphore.prune' as const, prefixes: [idle, full] };
    const { plan, expect: expected } = planned(await actor.plan(action, signal()));
    expect(plan.summary).toMatchObject({ code: 'prune-one', facts: { prefix: full, ghosts: 1 } });
    expect(plan.warnings).toEqual([{ code: 'left-out', facts: { prefixes: 1, names: idle } }]);
    expect(done(await actor.apply(action, expected, signal())).parts).toMatchObject([
      { subject: { prefix: idle }, done: true, detail: { code: 'had-no-ghost' } },
      { subject: { prefix: full }, done: true, detail: { code: 'pruned', facts: { ghosts: 1 } } },
    ]);
  });

  test('the same ghosts are pruned although somebody else came in between', async () => {
    const prefix = fresh('semaphore/busy');
    await entry(client, prefix, `{"Limit":2,"Holders":{"${ghost(1)}":true}}`);
    const action = { type: 'semaphore.prune' as const, prefixes: [prefix] };
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
    expect(problem(await actor.plan({ type: 'semaphore.prune', prefixes: [prefix] }, signal())).code).toBe(
      'not-held',
    );
  });

  test('a name that no session can have is a ghost by Go’s rule, and nothing can be told of it by others', async () => {
    const value = '{"Limit":2,"Holders":{"worker-1":true}}';
    const [foreign, go] = [fresh('semaphore/names'), fresh('semaphore/names')];
    await entry(client, foreign, '{"limit":2,"holders":["worker-1"]}', '0');
    await entry(client, go, value);
    const { world } = await readAll({ client, roots: [''], signal: signal(), now: Date.now });
    const shown = (prefix: string) => world.semaphores.find((one) => one.prefix === prefix);
    expect(shown(foreign)).toMatchObject({ recorded: 1, effective: null, holders: [{ verdict: 'unknown' }] });
    expect(shown(go)).toMatchObject({ recorded: 1, effective: 0, holders: [{ verdict: 'ghost' }] });
    const prune = (prefix: string) => actor.plan({ type: 'semaphore.prune', prefixes: [prefix] }, signal());
    expect(problem(await prune(foreign))).toMatchObject({ why: { code: 'no-ghost' } });
    planned(await prune(go));
    const both = planned(await actor.plan({ type: 'semaphore.prune', prefixes: [foreign, go] }, signal()));
    expect(both.plan.writes.map(({ target }) => target)).toEqual([`${go}/.lock`]);
  });

  test('an entry that is not understood is not written', async () => {
    const prefix = fresh('semaphore/bad');
    await entry(client, prefix, '{"Limit":"2","Holders":{}}');
    for (const action of [
      { type: 'semaphore.prune' as const, prefixes: [prefix] },
      { type: 'semaphore.resize' as const, prefix, limit: 3 },
    ])
      expect(problem(await actor.plan(action, signal())).code).toBe('conflict-in-use');
    expect(await textOf(client, `${prefix}/.lock`)).toBe('{"Limit":"2","Holders":{}}');
  });
});

describe('resize', () => {
  test('a map: the warning is true, waiters fail, holders go on, flags and shape stay', async () => {
    const prefix = fresh('semaphore/resize');
    const processes = await crowd(consul, client, prefix, { n: 2, size: 4 });
    const holders = await recorded(client, prefix);
    const action = { type: 'semaphore.resize', prefix, limit: 3 } as const;
    const { plan, expect: expected } = planned(await actor.plan(action, signal()));
    expect(plan.warnings.map(({ code }) => code)).toEqual([
      'waiters-fail',
      'restarts-fail',
      'limit-forgotten',
    ]);
    expect(plan.warnings[0]).toEqual({ code: 'waiters-fail', facts: { waiters: 2, limit: 3 } });
    const waiting = (await client.list(`${prefix}/`)).value
      .map(({ session }) => session)
      .filter((id) => id !== null && !holders.includes(id));
    expect(plan.touches.map(({ subject }) => subject)).toEqual(
      expect.arrayContaining(waiting.map((id) => ({ kind: 'session', id }))),
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
    const action = { type: 'semaphore.resize', prefix, limit: 5 } as const;
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
      await actor.plan({ type: 'semaphore.resize', prefix: list, limit: 3 }, signal()),
    );
    expect(live.undo.code).toBe('set-limit-back');
    expect(live.warnings.map(({ code }) => code)).toContain('limit-live');
  });

  test('a list grows at once; below the recorded holders is refused, also when they came after the plan', async () => {
    const prefix = fresh('semaphore/list');
    const [a, b, c] = [ghost(1), ghost(2), ghost(3)];
    await entry(client, prefix, `{"limit":2,"holders":["${a}","${b}"]}`, '0');
    expect(problem(await actor.plan({ type: 'semaphore.resize', prefix, limit: 1 }, signal()))).toMatchObject(
      {
        code: 'conflict-in-use',
        why: { code: 'below-recorded', facts: { recorded: 2 } },
      },
    );
    await act(client, { type: 'semaphore.resize', prefix, limit: 4 });
    expect(await textOf(client, `${prefix}/.lock`)).toBe(`{"limit":4,"holders":["${a}","${b}"]}`);
    const shrink = { type: 'semaphore.resize', prefix, limit: 2 } as const;
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

  test('two operators: one wins, the other gets the difference, and the index moves once', async () => {
    const prefix = fresh('semaphore/race');
    await entry(client, prefix, '{"Limit":2,"Holders":{}}');
    const to = (limit: number) => ({ type: 'semaphore.resize', prefix, limit }) as const;
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
});

describe('destroy session', () => {
  test('names everything that it reaches, and frees it', async () => {
    const prefix = fresh('semaphore/destroy');
    const a = await contender(client, prefix);
    await entry(client, prefix, `{"Limit":2,"Holders":{"${a}":true}}`);
    const lock = fresh('lock');
    await client.acquire({ key: lock, value: Buffer.from(''), flags: '0', session: a });
    const action = { type: 'session.destroy', sessionId: a } as const;
    const { plan, expect: expected } = planned(await actor.plan(action, signal()));
    expect(plan.touches).toMatchObject([
      { subject: { kind: 'lock', key: lock }, effect: 'deleted' },
      { subject: { kind: 'semaphore', prefix }, effect: 'loses-slot' },
    ]);
    const outcome = done(await actor.apply(action, expected, signal()));
    expect(outcome.freed).toEqual([
      { kind: 'lock', key: lock },
      { kind: 'semaphore', prefix },
    ]);
    expect(problem(await actor.apply(action, expected, signal()))).toMatchObject({
      code: 'stale',
      difference: [{ code: 'session-gone', facts: { sessionId: a } }],
    });
    expect(problem(await actor.plan(action, signal())).code).toBe('not-found');
  });
});
