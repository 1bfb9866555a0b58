/** Releasing and deleting locks, on a real Consul. */
import { afterAll, describe, expect, test } from 'vitest';
import { en } from '@/lib/i18n/messages';
import { scriptOf } from '@/lib/i18n/script';
import { probeDelay } from '@/lib/providers/consul/probe';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { act, actorOn, done, fresh, heldLock, planned, problem, row, session, signal } from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
const command = 'echo started; exec sleep 600';
afterAll(() => consul.stop());

describe('release, safely', () => {
  test('ends the session, frees everything that it held and says so', async () => {
    const { key, id } = await heldLock(client, { behavior: 'delete', lockDelayMs: 2_000 });
    const other = fresh('other');
    await client.acquire({ key: other, value: Buffer.from(''), flags: lockFlags, session: id });
    const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
    const { plan, expect: expected } = planned(await actor.plan(action, signal()));
    expect(plan.touches).toEqual([
      {
        subject: { source: 'consul', kind: 'lock', key: other },
        effect: 'deleted',
        who: null,
        detail: { code: 'refused-for', facts: { lockDelayMs: 2_000 } },
      },
    ]);
    expect(plan.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['lock-delay-protects', 'holds-more', 'not-conditional']),
    );
    expect(plan.warnings).toContainEqual({ code: 'lock-delay-protects', facts: { lockDelayMs: 2_000 } });
    const outcome = done(await actor.apply(action, expected, signal()));
    expect(outcome.freed).toEqual(
      [other, key].sort().map((k) => ({ source: 'consul', kind: 'lock', key: k })),
    );
    expect((await client.session(id)).value).toBeNull();
    expect((await client.list(key)).value).toEqual([]);
  });

  test('says that the lock is under its delay', async () => {
    const { key } = await heldLock(client, { lockDelayMs: 60_000 });
    const outcome = await act(client, {
      type: 'lock.release',
      source: 'consul',
      key,
      how: 'destroy-session',
    });
    expect(outcome.after).toMatchObject({ kind: 'lock', state: 'delayed' });
    const late = await session(client);
    expect(await client.acquire({ key, value: Buffer.from(''), flags: lockFlags, session: late })).toBe(
      false,
    );
  });

  test('of a session without a lock-delay no plan says that one protects the next holder', async () => {
    const bare = await heldLock(client, { lockDelayMs: 0 });
    const guarded = await heldLock(client, { lockDelayMs: 2_000 });
    const plansOf = async ({ key, id }: typeof bare) => [
      planned(
        await actor.plan({ type: 'lock.release', source: 'consul', key, how: 'destroy-session' }, signal()),
      ),
      planned(await actor.plan({ type: 'session.destroy', source: 'consul', sessionId: id }, signal())),
    ];
    const delays = async (held: typeof bare) =>
      (await plansOf(held)).map(({ plan }) =>
        plan.warnings.filter(({ code }) => code === 'no-lock-delay' || code === 'lock-delay-protects'),
      );
    // Patroni’s, to mean none.
    const least = await heldLock(client, { lockDelayMs: 1 });
    const none = [{ code: 'no-lock-delay', facts: { because: 'session' } }];
    expect(await delays(bare)).toEqual([none, none]);
    expect(await delays(least)).toEqual([none, none]);
    const protects = [{ code: 'lock-delay-protects', facts: { lockDelayMs: 2_000 } }];
    expect(await delays(guarded)).toEqual([protects, protects]);
  });

  test('a lock that changed hands is refused with the difference, and nothing is written', async () => {
    const { key, id } = await heldLock(client);
    const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
    const { expect: expected } = planned(await actor.plan(action, signal()));
    await client.release({ key, value: Buffer.from('x'), flags: lockFlags, session: id });
    const next = await session(client);
    await client.acquire({ key, value: Buffer.from('x'), flags: lockFlags, session: next });
    const before = await row(client, key);
    const refused = problem(await actor.apply(action, expected, signal()));
    expect(refused.code).toBe('stale');
    expect(refused.difference).toMatchObject([
      { code: 'holder-changed', facts: { key, before: id, now: next } },
      { code: 'index-changed', facts: { key, now: before.modifyIndex } },
    ]);
    expect(await row(client, key)).toEqual(before);
    expect((await client.session(next)).value).not.toBeNull();
    expect((await client.session(id)).value).not.toBeNull();
  });

  test('a session that took something else since the plan is not destroyed', async () => {
    const { key, id } = await heldLock(client);
    const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
    const { expect: expected } = planned(await actor.plan(action, signal()));
    const more = fresh('more');
    await client.acquire({ key: more, value: Buffer.from(''), flags: lockFlags, session: id });
    const refused = problem(await actor.apply(action, expected, signal()));
    expect(refused).toMatchObject({
      code: 'stale',
      difference: [
        { code: 'holdings-changed', facts: { before: 1, now: 2, keys: expect.stringContaining(more) } },
      ],
    });
    expect((await client.session(id)).value).not.toBeNull();
  });

  test('a real consul lock loses it, and the next one begins after the delay', async () => {
    const prefix = fresh('job');
    const first = runConsulLock(consul, { n: 1, prefix, command, args: ['-verbose'] });
    await until(() => first.output().includes('started'), { what: 'the first works' });
    const { plan } = planned(
      await actor.plan(
        { type: 'lock.release', source: 'consul', key: `${prefix}/.lock`, how: 'destroy-session' },
        signal(),
      ),
    );
    expect(plan).toMatchObject({ friction: 'type-name' });
    expect(plan.confirmName).not.toBe('');
    const outcome = await act(client, {
      type: 'lock.release',
      source: 'consul',
      key: `${prefix}/.lock`,
      how: 'destroy-session',
    });
    expect(outcome.freed).toEqual([{ source: 'consul', kind: 'lock', key: `${prefix}/.lock` }]);
    await until(() => first.output().includes('Lock lost'), { what: 'the first notices' });
    await first.exited;
  });
});

describe('hand over now', () => {
  test('a holder that gave it back and took it again, between the last look and the write, keeps it', async () => {
    const { key, id } = await heldLock(client);
    const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
    const { expect: expected } = planned(await actor.plan(action, signal()));
    const mine = { key, value: Buffer.from('x'), flags: lockFlags, session: id };
    let raced = false;
    const late = actorOn({
      ...client,
      txn: async (ops, options) => {
        if (!raced) {
          raced = true;
          expect([await client.release(mine), await client.acquire(mine)]).toEqual([true, true]);
        }
        return client.txn(ops, options);
      },
    });
    expect(problem(await late.apply(action, expected, signal()))).toMatchObject({
      code: 'stale',
      difference: [{ code: 'index-changed' }],
    });
    expect((await row(client, key)).session).toBe(id);
  });

  test('keeps value, flags and session, and the next one begins without a delay', async () => {
    const prefix = fresh('job');
    const key = `${prefix}/.lock`;
    const first = runConsulLock(consul, { n: 1, prefix, command, args: ['-verbose'] });
    await until(() => first.output().includes('started'), { what: 'the first works' });
    const second = runConsulLock(consul, { n: 1, prefix, command, args: ['-verbose'] });
    const before = await row(client, key);
    // It waits by a blocking query that leaves no trace; its session is the only sign.
    await until(
      async () => (await client.sessions()).value.filter(({ name }) => name.includes(prefix)).length === 2,
      {
        what: 'the second waits',
      },
    );
    const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
    const { plan } = planned(await actor.plan(action, signal()));
    expect(plan.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['no-lock-delay', 'may-retake', 'session-lives-on']),
    );
    const outcome = await act(client, action);
    expect(outcome.freed).toEqual([{ source: 'consul', kind: 'lock', key }]);
    await until(() => second.output().includes('started'), { what: 'the second works', timeoutMs: 12_000 });
    await until(() => first.output().includes('Lock lost'), { what: 'the first notices' });
    const after = await row(client, key);
    expect(after.flags).toBe(before.flags);
    expect(after.value).toEqual(before.value);
    expect(after.session).not.toBe(before.session);
  });

  test('two operators: one wins, the other gets the difference, and the index moves once', async () => {
    const { key, id } = await heldLock(client, { value: 'keep me' });
    const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
    const before = await row(client, key);
    const [a, b] = await Promise.all([actor.plan(action, signal()), actor.plan(action, signal())]);
    const results = await Promise.all([
      actor.apply(action, planned(a).expect, signal()),
      actor.apply(action, planned(b).expect, signal()),
    ]);
    const refused = results.filter((r) => 'code' in r);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({ code: 'stale' });
    const after = await row(client, key);
    expect(after).toMatchObject({ session: null, flags: lockFlags, lockIndex: before.lockIndex });
    expect(after.value.toString()).toBe('keep me');
    expect((await client.session(id)).value).not.toBeNull();
    // A third, late one changes nothing either.
    problem(await actor.apply(action, planned(a).expect, signal()));
    expect((await row(client, key)).modifyIndex).toBe(after.modifyIndex);
  });

  test('reads the lock and the records of its layout, beside anything else stored', async () => {
    const base = fresh('service/db');
    await client.cas({
      key: `${base}/members/one`,
      value: Buffer.from('{"conn_url":"x","state":"running"}'),
      flags: '0',
      index: '0',
    });
    const { key } = await heldLock(client, { key: `${base}/leader`, value: 'one', flags: '0' });
    const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
    const { expect: expected } = planned(await actor.plan(action, signal()));
    const listed: string[] = [];
    const watched = actorOn({
      ...client,
      list: (prefix, options) => {
        listed.push(prefix);
        return client.list(prefix, options);
      },
    });
    const outcome = done(await watched.apply(action, expected, signal()));
    expect(outcome.after).toMatchObject({
      source: 'consul',
      kind: 'lock',
      key,
      layout: 'patroni-leader',
      state: 'free',
    });
    expect(new Set(listed)).toEqual(new Set([key, `${base}/members/`]));
  });

  test('reaches keys that no path can address', async () => {
    const key = `${fresh('odd')}//./tab\there's "one"`;
    const id = await session(client);
    const made = await client.txn([
      { verb: 'lock', key, value: Buffer.from('v'), flags: lockFlags, session: id },
    ]);
    expect(made.done).toBe(true);
    const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
    const { plan } = planned(await actor.plan(action, signal()));
    // A path cannot address it, so only the transaction can do it by hand; and its comment stays one line.
    expect(plan.manual.map(({ tool }) => tool)).toEqual(['curl']);
    expect(scriptOf(plan.manual, en).split('\n')).toHaveLength(2);
    const outcome = await act(client, action);
    expect(outcome.after).toMatchObject({ source: 'consul', kind: 'lock', key, state: 'free' });
    await act(client, { type: 'lock.delete', source: 'consul', key });
    expect((await client.list('')).value.some((r) => r.key === key)).toBe(false);
  });
});

describe('refusals', () => {
  test('a free lock, a key that is no lock, and one outside the prefixes in view', async () => {
    const { key, id } = await heldLock(client);
    await client.release({ key, value: Buffer.from('x'), flags: lockFlags, session: id });
    const release = (k: string) =>
      ({ type: 'lock.release', source: 'consul', key: k, how: 'hand-over' }) as const;
    expect(problem(await actor.plan(release(key), signal())).code).toBe('not-held');
    const config = fresh('app/config');
    await client.cas({ key: config, value: Buffer.from('{}'), flags: '0', index: '0' });
    expect(problem(await actor.plan(release(config), signal())).code).toBe('not-found');
    expect(
      problem(await actor.plan({ type: 'lock.delete', source: 'consul', key: config }, signal())).code,
    ).toBe('not-found');
    const narrow = actorOn(client, ['elsewhere/']);
    expect(problem(await narrow.plan({ type: 'lock.delete', source: 'consul', key }, signal())).code).toBe(
      'not-found',
    );
  });

  test('a name whose bytes are no UTF-8: it would be done to another key, and called done', async () => {
    const prefix = fresh('bytes');
    const at = `http://${consul.address}/v1/kv/${prefix}/caf%E9?flags=${lockFlags}`;
    expect((await fetch(at, { method: 'PUT', body: 'x' })).status).toBe(200);
    const [key = ''] = (await client.keys(prefix)).value;
    for (const action of [
      { type: 'lock.delete', source: 'consul', key },
      { type: 'lock.release', source: 'consul', key, how: 'hand-over' },
      { type: 'semaphore.delete', source: 'consul', prefix: key },
    ] as const)
      for (const answer of [
        await actor.plan(action, signal()),
        await actor.apply(action, { entries: [], sessions: [] }, signal()),
      ])
        expect(problem(answer)).toMatchObject({ code: 'invalid', why: { code: 'name-not-sure' } });
    const probed = await probeDelay({ client, now: Date.now, roots: [''] }, key, signal());
    expect(probed).toMatchObject({ code: 'invalid', why: { code: 'name-not-sure' } });
    expect((await client.keys(prefix)).value).toEqual([key]);
  });

  test('deleting a held lock; a free one goes only while no client took it', async () => {
    const { key, id } = await heldLock(client);
    const action = { type: 'lock.delete', source: 'consul', key } as const;
    expect(problem(await actor.plan(action, signal())).code).toBe('conflict-in-use');
    await client.release({ key, value: Buffer.from('x'), flags: lockFlags, session: id });
    const { expect: expected } = planned(await actor.plan(action, signal()));
    await client.acquire({ key, value: Buffer.from('x'), flags: lockFlags, session: id });
    expect(problem(await actor.apply(action, expected, signal()))).toMatchObject({ code: 'stale' });
    expect((await row(client, key)).session).toBe(id);
    await client.release({ key, value: Buffer.from('x'), flags: lockFlags, session: id });
    await act(client, action);
    expect((await client.get(key)).value).toBeNull();
  });
});
