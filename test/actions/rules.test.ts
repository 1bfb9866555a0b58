/**
 * The table of permissions speaks on the screen, the provider on what it has just read. Here both are asked about every
 * action in every situation, so that a button never promises what is then refused, nor hides what would be done.
 */
import { afterAll, expect, test } from 'vitest';
import { type Action, permission, problemOfRule } from '@/lib/domain/actions/action';
import type { World } from '@/lib/domain/model';
import { isProblem } from '@/lib/domain/problem';
import { readAll } from '@/lib/providers/consul/actions/consistent-read';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul } from '@/test/support/consul';
import { actorOn, contender, entry, fresh, heldLock, session, signal } from './stage';

const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
afterAll(() => consul.stop());

const ghost = '00000000-0000-4000-8000-000000000001';
const name = 'worker-1';

/** A semaphore in one shape: its recorded holders, and further entries. */
async function semaphore({
  name,
  value,
  flags = semaphoreFlags,
}: {
  name: string;
  value: (ids: { holder: string; waiter: string }) => string;
  flags?: string;
}): Promise<void> {
  const prefix = fresh(`semaphore/${name}`);
  const holder = await contender(client, prefix, { flags });
  const waiter = await contender(client, prefix, { flags });
  await entry(client, prefix, value({ holder, waiter }), flags);
}

async function build(): Promise<void> {
  await heldLock(client);
  const freed = await heldLock(client);
  await client.destroySession(freed.id);
  const deleted = await heldLock(client, { behavior: 'delete', lockDelayMs: 15_000 });
  await client.destroySession(deleted.id);
  await heldLock(client, { flags: '0' });
  await session(client, { name: 'idle' });
  await semaphore({ name: 'map', value: ({ holder }) => `{"Limit":2,"Holders":{"${holder}":true}}` });
  await semaphore({
    name: 'ghost',
    value: ({ holder }) => `{"Limit":2,"Holders":{"${holder}":true,"${ghost}":true}}`,
  });
  await semaphore({
    name: 'list',
    flags: '0',
    value: ({ holder, waiter }) => `{"limit":3,"holders":["${holder}","${waiter}"]}`,
  });
  await semaphore({
    name: 'over',
    flags: '0',
    value: ({ holder }) => `{"limit":1,"holders":["${holder}","${ghost}"]}`,
  });
  await semaphore({ name: 'broken', value: ({ holder }) => `{"Limit":"2","Holders":{"${holder}":true}}` });
  await semaphore({ name: 'none', value: () => '{"Limit":2,"Holders":{}}' });
  await semaphore({ name: 'zero', value: ({ holder }) => `{"Limit":0,"Holders":{"${holder}":true}}` });
  await entry(client, fresh('semaphore/idle'), '{"Limit":2,"Holders":{}}');
  await entry(client, fresh('semaphore/only-ghosts'), `{"Limit":2,"Holders":{"${ghost}":true}}`);
  await entry(client, fresh('semaphore/empty'), '');
  // By rules of their own: a name, a session that is recorded and locks nothing, and one that has ended.
  const own = await session(client, { name: 'recorded' });
  await entry(client, fresh('semaphore/own'), `{"limit":3,"holders":["${name}","${own}","${ghost}"]}`, '0');
  // Flags that a careless write has set to 0.
  const unflagged = `{"Limit":3,"Holders":{"${own}":true,"${ghost}":true}}`;
  await entry(client, fresh('semaphore/unflagged'), unflagged, '0');
  // Of another kind of client, with a holder in an unexpected place.
  await entry(client, fresh('semaphore/other'), `{"Limit":2,"Holders":[{"session":"${ghost}"}]}`);
}

/** Every possible action in this world. */
function actionsIn({ locks, semaphores, sessions }: World): Action[] {
  const ids = [...sessions.map(({ id }) => id), ghost, name];
  return [
    ...[...locks.map(({ key }) => key), 'no/such/lock'].flatMap((key): Action[] => [
      { type: 'lock.release', source: 'consul', key, how: 'destroy-session' },
      { type: 'lock.release', source: 'consul', key, how: 'hand-over' },
      { type: 'lock.delete', source: 'consul', key },
    ]),
    ...[...semaphores.map(({ prefix }) => prefix), 'no/such/semaphore'].flatMap((prefix): Action[] => [
      ...ids.flatMap((sessionId): Action[] => [
        { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how: 'destroy-session' },
        { type: 'semaphore.evict', source: 'consul', prefix, sessionId, how: 'slot-only' },
      ]),
      { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] },
      ...[1, 2, 3, 7].map((limit): Action => ({ type: 'semaphore.resize', source: 'consul', prefix, limit })),
      { type: 'semaphore.delete', source: 'consul', prefix },
    ]),
    ...ids.map((sessionId): Action => ({ type: 'session.destroy', source: 'consul', sessionId })),
  ];
}

test('an allowed action is planned, and a refused one is refused for the same kind of reason', async () => {
  await build();
  const context = { client, roots: [''], signal: signal(), now: Date.now };
  const { world } = await readAll(context);
  const actions = actionsIn(world);
  const answers = new Set<string>();
  for (const action of actions) {
    const rule = permission(action, world);
    const plan = await actor.plan(action, signal());
    const said = rule.allowed ? 'allowed' : problemOfRule[rule.reason.code];
    expect({ action, said: isProblem(plan) ? plan.code : 'allowed' }).toEqual({ action, said });
    answers.add(`${action.type} ${said}`);
  }
  // The situations are worth something only while each action is both allowed and refused among them.
  for (const type of new Set(actions.map((action) => action.type))) {
    expect([...answers], type).toContain(`${type} allowed`);
    expect(
      [...answers].some((answer) => answer.startsWith(type) && !answer.endsWith('allowed')),
      type,
    ).toBe(true);
  }
});
