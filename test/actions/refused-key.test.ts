/**
 * Keys that Consul 2.0 and later refuse in a transaction: on such a server they are shown, and nothing is offered that could not go out; on
 * an older one they are keys as any other. Each test says what its server does.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type Action, permission } from '@/lib/domain/actions/action';
import { findingsOf } from '@/lib/domain/rules/table';
import { breaksKeyRule, enforcesKeyRule } from '@/lib/providers/consul/client/key-rule';
import { probeDelay } from '@/lib/providers/consul/probe';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startWatching } from '@/test/live/watching';
import { startConsul } from '@/test/support/consul';
import { isRuled, putRuled, ruledKeys } from '@/test/support/ruled-keys';
import { until } from '@/test/support/until';
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
  recorded,
  session,
  signal,
} from './stage';

const consul = await startConsul({ openPaths: true });
const client = consul.client();
const ruled = await isRuled(client);
const actor = actorOn(client);
afterAll(() => consul.stop());

const refused = { code: 'unwritable', why: { code: 'key-refused', facts: {} } };
const everything = async () =>
  (await client.list('')).value.map(({ key, session: by, modifyIndex }) => [key, by, modifyIndex]);

async function shown(prefix: string) {
  const watching = startWatching(client);
  await until(() => watching.world().locks.some(({ key }) => key.includes(prefix)), {
    what: `${prefix} in view`,
  });
  const world = watching.world();
  await watching.stop();
  return world;
}

test('a server of 2.0 and later enforces the rule, an older one does not, and asking takes no right and leaves nothing', async () => {
  const guarded = await startConsul({ acl: true });
  const nobody = guarded.client({ token: null });
  expect(await enforcesKeyRule(nobody, signal())).toBe(ruled);
  expect(ruled).toBe(Number(consul.version.split('.')[0]) >= 2);
  expect((await guarded.client().list('')).value).toEqual([]);
  await guarded.stop();
});

test('Signalbox knows which keys the server refuses', async () => {
  const says = async (key: string) =>
    client.txn([{ verb: 'get', key }], { signal: signal() }).then(
      () => true,
      (error: { problem?: object }) => {
        expect(error.problem, key).toMatchObject(refused);
        return false;
      },
    );
  const part = fc.constantFrom(
    'a',
    '..',
    '.',
    '/',
    ' ',
    '%',
    '%2e',
    '%2E',
    '%20',
    '%2f',
    '%zz',
    '%25',
    '+',
    '\t',
    'ü',
  );
  const keys = fc.sample(
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
    { numRuns: 400, seed: 1 },
  );
  const named = [
    '',
    '/',
    ' ',
    '..',
    'a/..',
    '../a',
    'a..b',
    'a/ b',
    'a b',
    '50%25 %2F off',
    '100% a',
    'a%2',
    'a//b',
  ];
  for (const key of [...named, ...keys])
    expect(await says(key), JSON.stringify(key)).toBe(!ruled || !breaksKeyRule(key));
});

describe.each(ruledKeys(fresh('rule')))('a lock under %j', (key) => {
  test('is offered what can go out and nothing else, and is freed by the end of its session', async () => {
    const id = await session(client);
    await putRuled(consul, client, { key, session: id, flags: lockFlags, value: 'v' });
    const world = await shown(key);
    expect(world.locks.find((one) => one.key === key)).toMatchObject({
      state: 'held',
      holder: { sessionId: id },
    });
    const handOver: Action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' };
    const release: Action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' };
    const remove: Action = { type: 'lock.delete', source: 'consul', key };
    expect(permission(release, world).allowed).toBe(true);
    const modifyIndex = world.locks.find((one) => one.key === key)?.modifyIndex ?? null;
    if (ruled) {
      const before = await everything();
      for (const action of [handOver, remove]) {
        expect(permission(action, world)).toEqual({
          allowed: false,
          reason: { code: 'key-refused', facts: {} },
        });
        if (action === remove) continue;
        expect(problem(await actor.plan(action, signal()))).toMatchObject(refused);
        const forged = { entries: [{ key, modifyIndex, session: id }], sessions: [id] };
        expect(problem(await actor.apply(action, forged, signal()))).toMatchObject(refused);
      }
      expect(await probeDelay({ client, now: Date.now, roots: [''] }, key, signal())).toMatchObject(refused);
      expect(await everything()).toEqual(before);
    } else expect(permission(handOver, world).allowed).toBe(true);

    const { plan, expect: expected } = planned(await actor.plan(release, signal()));
    expect(plan.manual.map(({ command }) => command).join()).not.toContain('/v1/txn');
    const outcome = done(await actor.apply(release, expected, signal()));
    expect(outcome).toMatchObject({
      freed: [{ source: 'consul', kind: 'lock', key }],
      after: { key, state: 'free' },
    });
    if (ruled) expect(problem(await actor.plan(remove, signal()))).toMatchObject(refused);
    else await act(client, remove);
    expect((await everything()).some(([one]) => one === key)).toBe(ruled);
  });
});

describe('a semaphore under such a prefix', () => {
  const prefix = `/${fresh('pool')}`;
  const actions = (holder: string): readonly Action[] => [
    { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] },
    { type: 'semaphore.resize', source: 'consul', prefix, limit: 5 },
    { type: 'semaphore.evict', source: 'consul', prefix, sessionId: holder, how: 'destroy-session' },
    { type: 'semaphore.evict', source: 'consul', prefix, sessionId: holder, how: 'slot-only' },
  ];

  test('is shown with its ghost, and every action is refused before anything is done', async () => {
    const holder = await session(client);
    const flags = semaphoreFlags;
    await putRuled(consul, client, { key: `${prefix}/${holder}`, session: holder, flags });
    const value = `{"Limit":2,"Holders":{"${holder}":true,"${ghost(1)}":true}}`;
    await putRuled(consul, client, { key: `${prefix}/.lock`, value, flags });
    const watching = startWatching(client);
    const semaphore = () => watching.world().semaphores.find((one) => one.prefix === prefix);
    await until(() => semaphore()?.effective === 1, { what: 'the semaphore' });
    const world = watching.world();
    await watching.stop();
    const [found] = findingsOf(world).filter(
      ({ code, subject }) => code === 'ghost-slots' && 'prefix' in subject && subject.prefix === prefix,
    );
    expect(found?.mend).toEqual(ruled ? null : actions(holder)[0]);
    for (const action of actions(holder)) expect(permission(action, world).allowed, action.type).toBe(!ruled);
    if (!ruled) return;
    const before = await everything();
    const forged = {
      entries: [`${prefix}/.lock`, `${prefix}/${holder}`].map((key) => ({
        key,
        modifyIndex: '1',
        session: null,
      })),
      sessions: [holder],
    };
    for (const action of actions(holder)) {
      expect(problem(await actor.plan(action, signal())), action.type).toMatchObject(refused);
      expect(problem(await actor.apply(action, forged, signal())), action.type).toMatchObject(refused);
    }
    expect(await everything()).toEqual(before);
    expect((await client.session(holder)).value, 'no session was ended').not.toBeNull();
  });

  test('is left out of a prune of many, which is done for the others', async () => {
    const other = fresh('pool');
    const holder = await contender(client, other);
    // The last is a name that no entry could have on such a server.
    const holders = [holder, ghost(2), '../x '].map((id) => `"${id}":true`);
    await entry(client, other, `{"Limit":4,"Holders":{${holders.join()}}}`);
    const prune = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix, other] };
    const { plan, expect: expected } = planned(await actor.plan(prune, signal()));
    const left = plan.warnings.filter(({ code }) => code === 'left-out');
    expect(left).toEqual(ruled ? [{ code: 'left-out', facts: { prefixes: 1, names: prefix } }] : []);
    const { parts } = done(await actor.apply(prune, expected, signal()));
    expect(parts.map(({ done: isDone, problem: why }) => [isDone, why?.code ?? null])).toEqual(
      ruled
        ? [
            [false, 'unwritable'],
            [true, null],
          ]
        : [
            [true, null],
            [true, null],
          ],
    );
    expect(await recorded(client, other)).toEqual([holder]);
  });
});
