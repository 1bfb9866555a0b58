/** Keys that are named as sessions are, which may be locks or the contenders of a semaphore, on a real Consul. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { lockFlags } from '@/lib/consul/recognise/coordination';
import { startConsul } from '@/test/support/consul';
import { act, actorOn, contender, entry, fresh, heldLock, planned, problem, row, signal } from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
afterAll(() => consul.stop());

const ways = ['destroy-session', 'hand-over'] as const;

test('a contender entry is no lock to be released or handed over, in any layout', async () => {
  for (const [prefix, text, flags] of [
    [fresh('guide'), '{"Limit":2,"Holders":[]}', '0'],
    [fresh('go'), '{"Limit":2,"Holders":{}}', undefined],
  ] as const) {
    await entry(client, prefix, text, flags);
    const id = await contender(client, prefix, flags === undefined ? {} : { flags });
    for (const how of ways) {
      const action = { type: 'lock.release', key: `${prefix}/${id}`, how } as const;
      expect(problem(await actor.plan(action, signal())).code).toBe('not-found');
    }
    expect((await row(client, `${prefix}/${id}`)).session).toBe(id);
    await client.destroySession(id);
  }
});

test('a member of a list that sessions lock under their own names is a lock, and can be released', async () => {
  const prefix = fresh('members');
  for (const how of ways) {
    const id = await contender(client, prefix, { behavior: 'release', flags: '0' });
    const key = `${prefix}/${id}`;
    expect(planned(await actor.plan({ type: 'lock.release', key, how }, signal())).plan.writes).toHaveLength(
      1,
    );
    expect((await act(client, { type: 'lock.release', key, how })).after).toMatchObject({
      kind: 'lock',
      key,
    });
    expect((await row(client, key)).session).toBeNull();
  }
});

test('a lock beside a semaphore that was released is told as what it is, whatever its name', async () => {
  const prefix = fresh('orders');
  await entry(client, prefix, '{"Limit":2,"Holders":{}}');
  for (const flags of [lockFlags, '0']) {
    const { key } = await heldLock(client, { key: `${prefix}/${randomUUID()}`, flags, lockDelayMs: 2_000 });
    const { after } = await act(client, { type: 'lock.release', key, how: 'destroy-session' });
    expect(after).toMatchObject({ kind: 'lock', key, state: 'delayed' });
    const deletion = { type: 'semaphore.delete', prefix } as const;
    const { plan } = planned(await actor.plan(deletion, signal()));
    expect(plan.writes.map(({ target }) => target)).toEqual([`${prefix}/.lock`]);
  }
});
