/** An action that was planned against a process that is likely dead, which is at work again: on a real Consul. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { ProblemError } from '@/lib/domain/problem';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul } from '@/test/support/consul';
import { actorOn, done, entry, fresh, planned, problem, row, signal } from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
afterAll(() => consul.stop());

const node = 'elsewhere';
async function nodeIs(Status: 'passing' | 'critical'): Promise<void> {
  const Check = { Node: node, CheckID: 'serfHealth', Name: 'serfHealth', Status };
  const response = await fetch(`http://${consul.address}/v1/catalog/register`, {
    method: 'PUT',
    body: JSON.stringify({ Node: node, Address: '10.0.0.9', Check }),
  });
  expect(response.ok).toBe(true);
}
beforeEach(() => nodeIs('critical'));

/** A session of that node which no check ends, with a lock and a slot of its own. */
async function worker() {
  const id = await client.createSession({
    name: 'worker',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
    node,
  });
  const [key, prefix] = [fresh('lock/back'), fresh('semaphore/back')];
  await client.acquire({ key, value: Buffer.from(''), flags: lockFlags, session: id });
  await client.acquire({
    key: `${prefix}/${id}`,
    value: Buffer.from(''),
    flags: semaphoreFlags,
    session: id,
  });
  await entry(client, prefix, `{"Limit":2,"Holders":{"${id}":true}}`);
  return { id, key, prefix };
}

type Worker = Awaited<ReturnType<typeof worker>>;
const actions: [string, (of: Worker) => Action][] = [
  ['release', ({ key }) => ({ type: 'lock.release', source: 'consul', key, how: 'destroy-session' })],
  ['hand over', ({ key }) => ({ type: 'lock.release', source: 'consul', key, how: 'hand-over' })],
  [
    'evict',
    ({ id, prefix }) => ({
      type: 'semaphore.evict',
      source: 'consul',
      prefix,
      sessionId: id,
      how: 'destroy-session',
    }),
  ],
  [
    'take the slot',
    ({ id, prefix }) => ({
      type: 'semaphore.evict',
      source: 'consul',
      prefix,
      sessionId: id,
      how: 'slot-only',
    }),
  ],
  ['destroy', ({ id }) => ({ type: 'session.destroy', source: 'consul', sessionId: id })],
];

test.each(actions)(
  '%s: planned for a dead one it is refused once its process is at work again',
  async (_, of) => {
    const one = await worker();
    const action = of(one);
    const dead = planned(await actor.plan(action, signal()));
    expect(dead.plan).toMatchObject({ friction: 'reason', confirmName: null });
    const before = await row(client, `${one.prefix}/.lock`);
    await nodeIs('passing');
    expect(problem(await actor.apply(action, dead.expect, signal()))).toMatchObject({
      code: 'stale',
      difference: [
        { code: 'verdict-changed', facts: { sessionId: one.id, before: 'suspect', now: expect.any(String) } },
      ],
    });
    expect((await row(client, one.key)).session).toBe(one.id);
    expect(await row(client, `${one.prefix}/.lock`)).toEqual(before);
    // The next plan asks for the name, and is done.
    const alive = planned(await actor.plan(action, signal()));
    expect(alive.plan).toMatchObject({ friction: 'type-name', confirmName: 'worker' });
    done(await actor.apply(action, alive.expect, signal()));
  },
);

test('where health cannot be read at that moment, it is refused as not known, and not as at work', async () => {
  const { prefix, id } = await worker();
  const action: Action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: id,
    how: 'slot-only',
  };
  const dead = planned(await actor.plan(action, signal()));
  const checks = () => Promise.reject(new ProblemError({ code: 'unavailable' }));
  expect(
    problem(await actorOn({ ...client, checks }).apply(action, dead.expect, signal())).difference,
  ).toMatchObject([{ code: 'verdict-lost', facts: { sessionId: id, before: 'suspect' } }]);
  done(await actor.apply(action, dead.expect, signal()));
});

test.each(actions)('%s: planned for one at work it is done, also when it has died since', async (_, of) => {
  await nodeIs('passing');
  const action = of(await worker());
  const { expect: expected } = planned(await actor.plan(action, signal()));
  await nodeIs('critical');
  done(await actor.apply(action, expected, signal()));
});

test('where the program that ends the command may have died itself, the plan says so', async () => {
  const { prefix, id } = await worker();
  const action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: id,
    how: 'destroy-session',
  } as const;
  const left = { code: 'command-left', facts: { node } };
  expect(planned(await actor.plan(action, signal())).plan.warnings).toContainEqual(left);
  await nodeIs('passing');
  expect(planned(await actor.plan(action, signal())).plan.warnings).not.toContainEqual(left);
});

test('a session that has ended since the plan is reported first and alone', async () => {
  const { prefix, id } = await worker();
  const action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: id,
    how: 'destroy-session',
  } as const;
  const { expect: expected } = planned(await actor.plan(action, signal()));
  await client.destroySession(id);
  const { key, flags, modifyIndex: index } = await row(client, `${prefix}/.lock`);
  await client.cas({ key, value: Buffer.from('{"Limit":2,"Holders":{}}'), flags, index });
  expect(problem(await actor.apply(action, expected, signal()))).toMatchObject({
    code: 'stale',
    difference: [{ code: 'session-gone', facts: { sessionId: id } }],
  });
});
