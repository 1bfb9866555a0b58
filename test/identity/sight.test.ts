/**
 * The views and rights of four tokens: none, the reader of one prefix, the operator of one prefix, and everything. The
 * reader of one prefix learns nothing of another, not even that it exists.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { problemResponse } from '@/lib/server/http/http';
import { contender, entry, heldLock, planned, row, signal } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { listen, serverOn, signedIn } from './server';
import { makeToken, operatorOf, readerOf } from './tokens';

const consul = await startConsul({ acl: true });
const root = consul.client();
const server = serverOn(consul, { token: consul.token });
afterAll(async () => {
  await server.close();
  expect(server.bugs).toEqual([]);
  await consul.stop();
});
const ends = new AbortController();
afterAll(() => ends.abort());

/** Stands in every name and value of the other prefix. */
const mark = 'lodestar';
const other = `other/${mark}`;
const ghost = '99999999-9999-9999-9999-999999999999';

let people: Record<'reader' | 'operator' | 'everything', Record<string, string>>;
beforeAll(async () => {
  await heldLock(root, { key: 'mine/lock', value: 'mine' });
  await heldLock(root, { key: `${other}/lock`, value: `value of ${mark}` });
  await entry(root, 'mine/jobs', `{"Limit":3,"Holders":{"${await contender(root, 'mine/jobs')}":true}}`);
  await entry(root, `${other}/jobs`, `{"Limit":3,"Holders":{"${ghost}":true}}`);
  await contender(root, `${other}/jobs`);
  const [reader, operator] = [
    await makeToken(consul, readerOf('mine/')),
    await makeToken(consul, operatorOf('mine/')),
  ];
  people = {
    reader: await signedIn(server, reader.secret),
    operator: await signedIn(server, operator.secret),
    everything: await signedIn(server, consul.token ?? ''),
  };
});

/** Once it is live: a snapshot before that says nothing of what the token may read. */
async function seen(headers: Record<string, string>): Promise<Snapshot> {
  return until(
    async () => {
      const snapshot = (await (await server.snapshot(headers)).json()) as Snapshot;
      return snapshot.source.state === 'live' && snapshot;
    },
    { what: 'it is live' },
  );
}

test('each token sees what it may read, and nothing without one', async () => {
  const names = async (headers: Record<string, string>) => {
    const { locks, semaphores } = await seen(headers);
    return [...locks.map(({ key }) => key), ...semaphores.map(({ prefix }) => prefix)].sort();
  };
  expect((await server.snapshot({})).status).toBe(401);
  expect((await server.findings({})).status).toBe(401);
  expect(
    (await server.rights({}, [{ type: 'lock.delete', source: 'consul', key: 'mine/lock' }])).status,
  ).toBe(401);
  expect((await server.events({}, ends.signal)).status).toBe(401);
  // What was just written may not have been read yet.
  await until(async () => (await names(people.everything)).length >= 4, { what: 'all of it to be read' });
  expect(await names(people.reader)).toEqual(['mine/jobs', 'mine/lock']);
  expect(await names(people.operator)).toEqual(['mine/jobs', 'mine/lock']);
  expect(await names(people.everything)).toEqual([
    'mine/jobs',
    'mine/lock',
    `${other}/jobs`,
    `${other}/lock`,
  ]);
});

test('a person who signs in late learns since when the server saw what they may read, and in which datacenter', async () => {
  const { hub } = server.runtime.viewpoints.own;
  const inOwn = async (key: string) => hub.snapshot().locks.find((lock) => lock.key === key)?.holder ?? null;
  await until(() => hub.snapshot().source.state === 'live', { what: 'the server itself sees' });
  const late = await heldLock(root, { key: 'mine/late', value: 'mine' });
  const own = await until(() => inOwn('mine/late'), { what: 'the server sees it come' });
  expect(own.since?.basis).toBe('observed');
  const { secret } = await makeToken(consul, readerOf('mine/'));
  const mine = await seen(await signedIn(server, secret));
  const holder = mine.locks.find(({ key }) => key === 'mine/late')?.holder;
  expect(holder).toMatchObject({ sessionId: late.id, since: own.since });
  expect(mine.sessions.find(({ id }) => id === late.id)?.since.basis).toBe('observed');
  expect(mine.source.datacenter).toBe('dc1');
  expect(JSON.stringify(mine)).not.toContain(mark);
});

describe('of another prefix the reader of one learns nothing', () => {
  test('by snapshot, findings, counts and the stream, also when something happens there', async () => {
    const text = JSON.stringify(await seen(people.reader));
    expect(text).not.toContain(mark);
    expect(text).not.toContain(ghost);
    const findings = await (await server.findings(people.reader)).text();
    expect(findings).not.toContain(ghost);
    expect(JSON.stringify(await seen(people.everything))).toContain(ghost);
    const stream = listen(await server.events(people.reader, ends.signal));
    await until(() => stream.text().includes('event: snapshot'), { what: 'it follows' });
    await heldLock(root, { key: `${other}/new-lock`, value: mark });
    // Written after it, so once this one is seen the other one would have been.
    await heldLock(root, { key: 'mine/new-lock', value: 'mine' });
    await until(() => stream.text().includes('mine/new-lock'), { what: 'the change is seen' });
    expect(stream.text()).not.toContain(mark);
  });

  test('by rights, plans and the words of refusals: an existing key is answered as a missing one', async () => {
    const { viewpoint } = await server.caller(people.reader);
    const actionsOn = (prefix: string): Action[] => [
      { type: 'lock.release', source: 'consul', key: `${prefix}/lock`, how: 'destroy-session' },
      { type: 'lock.release', source: 'consul', key: `${prefix}/lock`, how: 'hand-over' },
      { type: 'lock.delete', source: 'consul', key: `${prefix}/lock` },
      { type: 'semaphore.prune', source: 'consul', prefixes: [`${prefix}/jobs`] },
      { type: 'semaphore.resize', source: 'consul', prefix: `${prefix}/jobs`, limit: 9 },
      {
        type: 'semaphore.evict',
        source: 'consul',
        prefix: `${prefix}/jobs`,
        sessionId: ghost,
        how: 'slot-only',
      },
      { type: 'semaphore.delete', source: 'consul', prefix: `${prefix}/jobs` },
    ];
    const there = actionsOn(other);
    const nowhere = actionsOn('other/nothing');
    // Each answer names the keys that were asked for, so those are made the same first.
    const rights = async (actions: Action[], prefix: string) =>
      (await (await server.rights(people.reader, actions)).text()).replaceAll(`${prefix}/`, 'asked/');
    expect(await rights(there, other)).toEqual(await rights(nowhere, 'other/nothing'));
    for (const [i, action] of there.entries()) {
      const without = nowhere[i];
      if (without === undefined) continue;
      const answers = await Promise.all(
        [action, without].map(async (one) => {
          const result = await viewpoint.provider.plan(one, signal());
          if (!('code' in result)) throw new Error(`${one.type} was planned.`);
          return (await problemResponse(result).text())
            .replaceAll(other, '…')
            .replaceAll('other/nothing', '…');
        }),
      );
      expect(answers[0]).toBe(answers[1]);
    }
  });
});

describe("a person's write uses their own token", () => {
  const apply = async (headers: Record<string, string>, action: Action) => {
    // Planned by a reader of everything, so that the write is refused.
    const { expect } = planned(
      await (await server.caller(people.everything)).viewpoint.provider.plan(action, signal()),
    );
    const caller = await server.caller(headers);
    return { caller, outcome: await caller.viewpoint.provider.apply(action, expect, signal()) };
  };

  test('Consul refuses the reader everything, though the server itself may do everything', async () => {
    const { outcome } = await apply(people.reader, {
      type: 'semaphore.resize',
      source: 'consul',
      prefix: 'mine/jobs',
      limit: 7,
    });
    expect(outcome).toMatchObject({ code: 'forbidden' });
    expect((await row(root, 'mine/jobs/.lock')).value.toString()).toContain('"Limit":3');
  });

  test('the operator of one prefix works there and nowhere else', async () => {
    const { outcome } = await apply(people.operator, {
      type: 'semaphore.resize',
      source: 'consul',
      prefix: 'mine/jobs',
      limit: 4,
    });
    expect(outcome).toMatchObject({ done: true });
    expect((await row(root, 'mine/jobs/.lock')).value.toString()).toContain('"Limit":4');
    const elsewhere = await apply(people.operator, {
      type: 'semaphore.resize',
      source: 'consul',
      prefix: `${other}/jobs`,
      limit: 4,
    });
    expect(elsewhere.outcome).toHaveProperty('code');
    expect((await row(root, `${other}/jobs/.lock`)).value.toString()).toContain('"Limit":3');
  });

  test('an anonymous person writes nothing, where everyone may look', async () => {
    const everybody = serverOn(consul, {
      token: consul.token,
      variables: { SIGNALBOX_ANONYMOUS: 'on', SIGNALBOX_ACTIONS: 'on' },
    });
    try {
      const caller = await everybody.caller({});
      expect(caller.viewpoint).toBe(everybody.runtime.viewpoints.own);
      expect(caller.writes).toMatchObject({ allowed: false, reason: { code: 'sign-in-to-act' } });
    } finally {
      await everybody.close();
    }
  });
});
