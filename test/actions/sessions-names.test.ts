/** Keys that are named as sessions are, which may be locks or the contenders of a semaphore, on a real Consul. */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { World } from '@/lib/domain/model';
import type { Provider } from '@/lib/domain/seam/provider';
import { expectEntry } from '@/lib/providers/consul/actions/expectation';
import { createConsulProvider } from '@/lib/providers/consul/provider';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import {
  act,
  actorOn,
  contender,
  done,
  entry,
  fresh,
  heldLock,
  planned,
  problem,
  row,
  signal,
} from './stage';

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
      const action = { type: 'lock.release', source: 'consul', key: `${prefix}/${id}`, how } as const;
      expect(problem(await actor.plan(action, signal())).code).toBe('not-found');
    }
    expect((await row(client, `${prefix}/${id}`)).session).toBe(id);
    await client.destroySession(id);
  }
});

/** A console's own provider, which watches and acts on the same terms. */
async function watching<T>(then: (provider: Provider, world: () => World) => Promise<T>): Promise<T> {
  const provider = createConsulProvider({ settings: client.settings, prefixes: [''], now: Date.now });
  const end = new AbortController();
  let world: World = { locks: [], semaphores: [], sessions: [] };
  const show = (now: World) => {
    world = now;
  };
  const ended = provider.watch({ world: show, source: () => {} }, end.signal);
  try {
    return await then(provider, () => world);
  } finally {
    end.abort();
    await ended;
    provider.close();
  }
}
const semaphoreIn = ({ semaphores }: World, prefix: string) =>
  semaphores.find((semaphore) => semaphore.prefix === prefix);
const locksBelow = ({ locks }: World, prefix: string) =>
  locks.filter(({ key }) => key.startsWith(`${prefix}/`)).map(({ key, state }) => `${key} ${state}`);

test('a semaphore whose coordination entry is deleted stays one, and no contender is released as a lock', async () => {
  await watching(async (provider, world) => {
    for (const prefix of [fresh('semaphore/java'), fresh('guide')]) {
      const ids = [
        await contender(client, prefix, { behavior: 'release', flags: '0' }),
        await contender(client, prefix, { behavior: 'release', flags: '0' }),
      ];
      await entry(client, prefix, `{"limit":1,"holders":["${ids[0]}"]}`, '0');
      await until(() => semaphoreIn(world(), prefix)?.recorded === 1, { what: 'the semaphore to be seen' });
      await client.deleteCas(`${prefix}/.lock`, (await row(client, `${prefix}/.lock`)).modifyIndex);
      const bare = await until(() => semaphoreIn(world(), prefix)?.recorded === null && world(), {
        what: 'the semaphore without its entry',
      });
      expect(semaphoreIn(bare, prefix)).toMatchObject({
        holders: [],
        waiters: [{}, {}],
        problems: [{ code: 'entry-missing' }],
      });
      expect(locksBelow(bare, prefix)).toEqual([]);
      for (const [id, how] of ids.flatMap((one) => ways.map((way) => [one, way] as const))) {
        const key = `${prefix}/${id}`;
        const action = { type: 'lock.release', source: 'consul', key, how } as const;
        const refused = { code: 'not-found', why: { code: 'no-lock' } };
        expect(problem(await provider.plan(action, signal()))).toMatchObject(refused);
        // Nor by the plan of an operator who had taken it for a lock.
        const expected = { entries: [expectEntry(key, await row(client, key))], sessions: [id] };
        expect(problem(await provider.apply(action, expected, signal()))).toMatchObject(refused);
        expect((await row(client, key)).session).toBe(id);
      }
      for (const id of ids) await client.destroySession(id);
    }
  });
});

test('a lock called .lock beside keys named after their sessions is a lock, held or free, and can be deleted', async () => {
  await watching(async (provider, world) => {
    const prefix = fresh('app');
    const members = [
      await contender(client, prefix, { flags: '0' }),
      await contender(client, prefix, { flags: '0' }),
    ];
    const { key, id } = await heldLock(client, { key: `${prefix}/.lock`, flags: '0', value: 'host-1' });
    const now = (state: string) => [
      `${key} ${state}`,
      ...members.map((one) => `${prefix}/${one} held`).sort(),
    ];
    const isSeen = (state: string) => () => locksBelow(world(), prefix).join() === now(state).join();
    await until(isSeen('held'), { what: 'three locks that are held' });
    await client.release({ key, value: Buffer.from('host-1'), flags: '0', session: id });
    await until(isSeen('free'), { what: 'three locks, of which one is free' });
    expect(semaphoreIn(world(), prefix)).toBeUndefined();
    const action = { type: 'lock.delete', source: 'consul', key } as const;
    const { expect: expected } = planned(await provider.plan(action, signal()));
    done(await provider.apply(action, expected, signal()));
  });
});

test('a member of a list that sessions lock under their own names is a lock, and can be released', async () => {
  const prefix = fresh('members');
  for (const how of ways) {
    const id = await contender(client, prefix, { behavior: 'release', flags: '0' });
    const key = `${prefix}/${id}`;
    expect(
      planned(await actor.plan({ type: 'lock.release', source: 'consul', key, how }, signal())).plan.writes,
    ).toHaveLength(1);
    expect((await act(client, { type: 'lock.release', source: 'consul', key, how })).after).toMatchObject({
      kind: 'lock',
      key,
    });
    expect((await row(client, key)).session).toBeNull();
  }
});

test('a released lock beside a semaphore is reported as a lock, with any name', async () => {
  const prefix = fresh('orders');
  await entry(client, prefix, '{"Limit":2,"Holders":{}}');
  // Under the semaphore's own flags and without a value only its former session shows it.
  const plain = fresh('orders');
  await entry(client, plain, '{"Limit":2,"Holders":[]}', '0');
  for (const [below, flags, value] of [
    [prefix, lockFlags, 'x'],
    [prefix, '0', 'x'],
    [plain, '0', ''],
  ] as const) {
    const key = `${below}/${randomUUID()}`;
    await heldLock(client, { key, flags, value, lockDelayMs: 60_000 });
    const { after } = await act(client, {
      type: 'lock.release',
      source: 'consul',
      key,
      how: 'destroy-session',
    });
    expect(after).toMatchObject({ source: 'consul', kind: 'lock', key, state: 'delayed' });
    const deletion = { type: 'semaphore.delete', source: 'consul', prefix: below } as const;
    const { plan } = planned(await actor.plan(deletion, signal()));
    expect(plan.writes.map(({ target }) => target)).toEqual([`${below}/.lock`]);
  }
});
