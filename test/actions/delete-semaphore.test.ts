/** Deleting idle semaphores, on a real Consul. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { reasonLengthMax } from '@/lib/domain/actions/action';
import { ProblemError } from '@/lib/domain/problem';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { bodyBytesMax } from '@/lib/server/actions/request';
import { startConsul } from '@/test/support/consul';
import {
  act,
  actorOn,
  contender,
  done,
  entry,
  fresh,
  ghost,
  planned,
  problem,
  session,
  signal,
} from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
afterAll(() => consul.stop());

test('a semaphore goes only without holders and waiters; its leftovers go with it', async () => {
  const prefix = fresh('semaphore/delete');
  const a = await contender(client, prefix, { behavior: 'release' });
  await entry(client, prefix, `{"Limit":2,"Holders":{"${a}":true}}`);
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  expect(problem(await actor.plan(action, signal())).code).toBe('conflict-in-use');
  await client.destroySession(a);
  await act(client, { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] });
  const { expect: expected } = planned(await actor.plan(action, signal()));
  const b = await contender(client, prefix);
  expect(problem(await actor.apply(action, expected, signal())).code).toBe('conflict-in-use');
  await client.destroySession(b);
  done(await actor.apply(action, expected, signal()));
  expect((await client.list(`${prefix}/`)).value).toEqual([]);
});

test('an entry that never contended stays, and so does a leftover from after the plan', async () => {
  const prefix = fresh('semaphore/delete');
  const data = (name: string) => ({
    key: `${prefix}/${name}`,
    value: Buffer.from('{"total":120}'),
    flags: '0',
  });
  const [before, after] = [data(randomUUID()), data(randomUUID())];
  await client.cas({ ...before, index: '0' });
  const left = await contender(client, prefix, { behavior: 'release' });
  await client.destroySession(left);
  await entry(client, prefix, '{"Limit":2,"Holders":{}}');
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.writes.map(({ target }) => target)).toEqual([`${prefix}/.lock`, `${prefix}/${left}`]);
  await client.cas({ ...after, index: '0' });
  const later = await contender(client, prefix, { behavior: 'release' });
  await client.destroySession(later);
  done(await actor.apply(action, expected, signal()));
  const keys = (await client.list(`${prefix}/`)).value.map(({ key }) => key);
  expect(keys).toEqual([before.key, after.key, `${prefix}/${later}`].sort());
});

test('free locks beside a semaphore stay, with any names, and can be deleted alone afterwards', async () => {
  const id = await session(client);
  for (const [value, flags] of [
    ['{"Limit":2,"Holders":{}}', semaphoreFlags],
    ['{"limit":2,"holders":[]}', '0'],
  ] as const) {
    const prefix = fresh('semaphore/orders');
    await entry(client, prefix, value, flags);
    const locks = [
      { flags: lockFlags, value: 'x' },
      { flags: lockFlags, value: '' },
      { flags: '0', value: '{"order":4711}' },
      { flags: '0', value: '' },
    ].map((one) => ({ key: `${prefix}/${randomUUID()}`, flags: one.flags, value: Buffer.from(one.value) }));
    for (const lock of locks) {
      await client.acquire({ ...lock, session: id });
      await client.release({ ...lock, session: id });
    }
    const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
    const { plan, expect: expected } = planned(await actor.plan(action, signal()));
    expect(plan.writes.map(({ target }) => target)).toEqual([`${prefix}/.lock`]);
    // Those that were locks all the time are no news.
    const beside = locks.filter((lock) => lock.flags === flags && lock.value.length === 0);
    const stay = plan.warnings.flatMap((one) => (one.code === 'locks-stay' ? one.facts.entries : []));
    expect(stay).toEqual(beside.length === 0 ? [] : [beside.length]);
    done(await actor.apply(action, expected, signal()));
    const keys = (await client.list(`${prefix}/`)).value.map(({ key }) => key);
    expect(keys).toEqual(locks.map(({ key }) => key).sort());
    for (const { key } of locks)
      planned(await actor.plan({ type: 'lock.delete', source: 'consul', key }, signal()));
  }
  await client.destroySession(id);
});

test('one that was left behind, and was used since the plan, is not deleted, nor is the entry', async () => {
  const prefix = fresh('semaphore/delete');
  const left = await contender(client, prefix, { behavior: 'release' });
  await client.destroySession(left);
  await entry(client, prefix, '{"Limit":2,"Holders":{}}');
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  const { expect: expected } = planned(await actor.plan(action, signal()));
  const key = `${prefix}/${left}`;
  const index = (await client.get(key)).value?.modifyIndex ?? '0';
  await client.cas({ key, value: Buffer.from('another'), flags: semaphoreFlags, index });
  const { code, difference } = problem(await actor.apply(action, expected, signal()));
  expect([code, difference?.map((one) => one.code)]).toEqual(['stale', ['index-changed']]);
  expect((await client.list(`${prefix}/`)).value.length).toBe(2);
});

test.each([['{"Limit":3}'], ['{"Limit":3,"Holders":null}'], ['{"Limit":3,"Holders":{},"owner":"x"}']])(
  'an entry that names no holder goes, whatever else is wrong with it: %s',
  async (value) => {
    const prefix = fresh('semaphore/delete');
    await entry(client, prefix, value);
    const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
    expect(await act(client, action)).toMatchObject({ done: true, after: null });
    expect((await client.list(`${prefix}/`)).value).toEqual([]);
  },
);

test.each([
  // Another field may name the holders in its own way.
  ['{"Limit":3,"owner":"x"}', 'not-understood'],
  ['{"Limit":3,"Holders":null,"owners":["x"]}', 'not-understood'],
  [`{"Limit":3,"Holders":{"${ghost(1)}":true}}`, 'holders-recorded'],
])('an entry that may name a holder stays, and is refused by its reason: %s', async (value, why) => {
  const prefix = fresh('semaphore/delete');
  await entry(client, prefix, value);
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  const key = `${prefix}/.lock`;
  const modifyIndex = (await client.get(key)).value?.modifyIndex ?? null;
  const forged = { entries: [{ key, modifyIndex, session: null }], sessions: [] };
  for (const answer of [await actor.plan(action, signal()), await actor.apply(action, forged, signal())])
    expect(problem(answer)).toMatchObject({ code: 'conflict-in-use', why: { code: why } });
  expect((await client.get(key)).value).toMatchObject({ modifyIndex, value: Buffer.from(value) });
});

test('an entry that may name holders that were not understood is not deleted, after any plan', async () => {
  const prefix = fresh('semaphore/delete');
  const id = await session(client, { name: 'worker' });
  await client.acquire({ key: `${prefix}/host-1`, value: Buffer.from(''), flags: '0', session: id });
  const value = `{"Limit":2,"Holders":[{"session":"${id}"}]}`;
  await entry(client, prefix, value, '0');
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  const key = `${prefix}/.lock`;
  const row = (await client.get(key)).value;
  const forged = { entries: [{ key, modifyIndex: row?.modifyIndex ?? null, session: null }], sessions: [] };
  for (const answer of [await actor.plan(action, signal()), await actor.apply(action, forged, signal())])
    expect(problem(answer)).toMatchObject({ code: 'conflict-in-use', why: { code: 'not-understood' } });
  expect((await client.get(key)).value?.value.toString()).toBe(value);
  await client.destroySession(id);
});

/** An idle semaphore with as many entries beside it, as contenders of Go leave them. */
async function littered(prefix: string, n: number): Promise<string[]> {
  const left = Array.from({ length: n }, () => `${prefix}/${randomUUID()}`).sort();
  const cas = { verb: 'cas', value: Buffer.from(''), flags: semaphoreFlags, index: '0' } as const;
  for (let from = 0; from < n; from += 60)
    await client.txn(left.slice(from, from + 60).map((key) => ({ ...cas, key })));
  await entry(client, prefix, '{"Limit":2,"Holders":{}}');
  return left;
}

test('more than one transaction takes was left behind: the plan names all of it, and all of it goes', async () => {
  const prefix = fresh('semaphore/delete');
  const left = await littered(prefix, 140);
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  expect(plan.writes.map(({ target }) => target)).toEqual([`${prefix}/.lock`, ...left]);
  expect(plan.manual.length).toBe(3);
  // A key outside all transactions stays, and prevents none of them.
  const later = await contender(client, prefix, { behavior: 'release' });
  await client.destroySession(later);
  done(await actor.apply(action, expected, signal()));
  expect((await client.list(`${prefix}/`)).value.map(({ key }) => key)).toEqual([`${prefix}/${later}`]);
});

test('once the semaphore is gone a later failed transaction is reported by its leftovers, not as an unknown result', async () => {
  const prefix = fresh('semaphore/delete');
  const left = await littered(prefix, 100);
  let sent = 0;
  const busy = actorOn({
    ...client,
    txn: (ops, options) => {
      sent += 1;
      if (sent > 1) throw new ProblemError({ code: 'busy', why: { code: 'rate-limited', facts: {} } });
      return client.txn(ops, options);
    },
  });
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  const { expect: expected } = planned(await busy.plan(action, signal()));
  const outcome = done(await busy.apply(action, expected, signal()));
  expect(outcome).toMatchObject({
    done: true,
    after: null,
    warnings: [{ code: 'leftovers-stay', facts: { entries: 38 } }],
  });
  expect((await client.list(`${prefix}/`)).value.map(({ key }) => key)).toEqual(left.slice(62));
});

test('a plan names no more than the request that applies it may carry, and says how many stay', async () => {
  const prefix = fresh(`semaphore/${'信号量'.repeat(60)}`);
  const left = await littered(prefix, 400);
  const action = { type: 'semaphore.delete', source: 'consul', prefix } as const;
  const { plan, expect: expected } = planned(await actor.plan(action, signal()));
  const reason = '因'.repeat(reasonLengthMax);
  const body = JSON.stringify({ mode: 'apply', action, reason, expect: expected });
  expect(Buffer.byteLength(body)).toBeLessThan(bodyBytesMax);
  const stay = 1 + left.length - plan.writes.length;
  expect(stay).toBeGreaterThan(0);
  expect(plan.warnings).toContainEqual({ code: 'leftovers-stay', facts: { entries: stay } });
  done(await actor.apply(action, expected, signal()));
  expect((await client.list(`${prefix}/`)).value).toHaveLength(stay);
});
