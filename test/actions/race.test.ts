/** Equal actions at once: Consul makes one write, and each of those who asked learns what their own request did. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { isProblem } from '@/lib/domain/problem';
import { startConsul } from '@/test/support/consul';
import { actorOn, contender, entry, fresh, ghost, heldLock, planned, session, signal } from './stage';

const consul = await startConsul();
const client = consul.client();
/** Each with connections of their own, as with a token of their own. */
const actors = Array.from({ length: 24 }, () => actorOn(consul.client()));
afterAll(() => consul.stop());

async function pool(): Promise<{ readonly prefix: string; readonly sessionId: string }> {
  const prefix = fresh('pool');
  const sessionId = await contender(client, prefix);
  await entry(client, prefix, `{"Limit":2,"Holders":{"${sessionId}":true,"${ghost(1)}":true}}`);
  return { prefix, sessionId };
}

const makers: { readonly [name: string]: () => Promise<Action> } = {
  'a lock that is released with its session': async () => ({
    type: 'lock.release',
    source: 'consul',
    key: (await heldLock(client)).key,
    how: 'destroy-session',
  }),
  'a lock that goes with its session': async () => ({
    type: 'lock.release',
    source: 'consul',
    key: (await heldLock(client, { behavior: 'delete' })).key,
    how: 'destroy-session',
  }),
  'a lock that is handed over': async () => ({
    type: 'lock.release',
    source: 'consul',
    key: (await heldLock(client)).key,
    how: 'hand-over',
  }),
  'a holder that is evicted': async () => ({
    type: 'semaphore.evict',
    source: 'consul',
    ...(await pool()),
    how: 'destroy-session',
  }),
  'a slot that is taken': async () => ({
    type: 'semaphore.evict',
    source: 'consul',
    ...(await pool()),
    how: 'slot-only',
  }),
  'ghosts that are pruned': async () => ({
    type: 'semaphore.prune',
    source: 'consul',
    prefixes: [(await pool()).prefix],
  }),
  'a limit that is set': async () => ({
    type: 'semaphore.resize',
    source: 'consul',
    prefix: (await pool()).prefix,
    limit: 5,
  }),
  'a session that is ended': async () => ({
    type: 'session.destroy',
    source: 'consul',
    sessionId: await session(client),
  }),
  'a lock that is deleted': async () => {
    const { key, id } = await heldLock(client);
    await client.destroySession(id);
    return { type: 'lock.delete', source: 'consul', key };
  },
  'a semaphore that is deleted': async () => {
    const prefix = fresh('idle');
    await entry(client, prefix, '{"Limit":2,"Holders":{}}');
    return { type: 'semaphore.delete', source: 'consul', prefix };
  },
};

describe.each(Object.entries(makers))('%s', (_, make) => {
  test('of 24 who do it at once one gets done, and all others that it was done before', async () => {
    for (let round = 0; round < 3; round += 1) {
      const action = await make();
      const [first] = actors;
      if (first === undefined) throw new Error('Nobody acts.');
      const { expect: seen } = planned(await first.plan(action, signal()));
      const results = await Promise.all(actors.map((actor) => actor.apply(action, seen, signal())));
      const told = results.map((one) => (isProblem(one) ? `${one.code} ${one.why?.code}` : 'done'));
      expect([...told].sort()).toEqual(['done', ...Array(23).fill('stale done-before')]);
      for (const one of results) if (isProblem(one)) expect(one.difference).not.toEqual([]);
    }
  });
});

test.each(['a lock that is deleted', 'a semaphore that is deleted'])(
  '%s between the look and the write of another is not reported as done twice',
  async (name) => {
    const action = await (makers[name] as () => Promise<Action>)();
    const { expect: seen } = planned(await actorOn(client).plan(action, signal()));
    let other: unknown = null;
    const late = actorOn({
      ...client,
      txn: async (ops, options) => {
        other ??= await actorOn(client).apply(action, seen, signal());
        return client.txn(ops, options);
      },
    });
    expect(await late.apply(action, seen, signal())).toMatchObject({
      code: 'stale',
      why: { code: 'done-before' },
    });
    expect(other).toMatchObject({ done: true });
  },
);
