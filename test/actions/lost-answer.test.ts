/** A lost answer to a write: never written twice, and every report was read. */
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { startConsul } from '@/test/support/consul';
import { type Garble, withoutHealth } from '@/test/support/fault-pipe';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { startLossyLink } from './lossy-link';
import {
  actorOn,
  contender,
  done,
  entry,
  fresh,
  ghost,
  heldLock,
  planned,
  problem,
  recorded,
  row,
  signal,
  textOf,
} from './stage';

const consul = await startConsul();
const direct = consul.client();
const link = await startLossyLink(consul.address);
const client = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: link.address }));
const actor = actorOn(client);
afterAll(async () => {
  client.close();
  await link.close();
  await consul.stop();
});
beforeEach(() => {
  link.mode = 'pass';
});

const plan = async (action: Action) => planned(await actor.plan(action, signal())).expect;

test('a resize whose answer was lost is seen to have happened, and was sent once', async () => {
  const prefix = fresh('semaphore/lost');
  await entry(direct, prefix, '{"Limit":2,"Holders":{}}');
  const action = { type: 'semaphore.resize', source: 'consul', prefix, limit: 5 } as const;
  const expected = await plan(action);
  const sent = link.writes.length;
  link.mode = 'lose';
  const outcome = done(await actor.apply(action, expected, signal()));
  expect(outcome.warnings.map(({ code }) => code)).toEqual(['answer-lost']);
  expect(outcome.after).toMatchObject({ limit: 5 });
  expect(link.writes.length - sent).toBe(1);
});

test('a release whose answer was lost is seen to have happened', async () => {
  const { key, id } = await heldLock(direct);
  const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
  const expected = await plan(action);
  link.mode = 'lose';
  const outcome = done(await actor.apply(action, expected, signal()));
  expect(outcome).toMatchObject({
    freed: [{ source: 'consul', kind: 'lock', key }],
    warnings: [{ code: 'answer-lost' }],
  });
  expect((await direct.session(id)).value).toBeNull();
});

/** As Consul 1.11 and later answer where something was kept from the token: this one leaves it out without a word. */
const filtered: Garble = (piece) =>
  Buffer.from(
    piece
      .toString('latin1')
      .replace(/^HTTP\/1\.1 200 OK\r\n/, '$&X-Consul-Results-Filtered-By-ACLs: true\r\n'),
    'latin1',
  );

test('a hand over whose answer was lost is seen to have happened, also beside a key that may not be read', async () => {
  const proxy = await startFaultProxy(consul.address);
  proxy.garble(filtered);
  const lossy = await startLossyLink(proxy.address);
  const narrow = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: lossy.address }));
  expect((await narrow.list('')).filtered).toBe(true);
  const { key } = await heldLock(direct);
  const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
  const expected = await plan(action);
  lossy.mode = 'lose';
  const outcome = done(await actorOn(narrow).apply(action, expected, signal()));
  expect(outcome).toMatchObject({
    freed: [{ source: 'consul', kind: 'lock', key }],
    warnings: [{ code: 'answer-lost' }],
  });
  expect((await row(direct, key)).session).toBeNull();
  narrow.close();
  await lossy.close();
  await proxy.close();
});

test('an eviction goes through two lost answers', async () => {
  const prefix = fresh('semaphore/lost');
  const a = await contender(direct, prefix, { behavior: 'release' });
  await entry(direct, prefix, `{"Limit":1,"Holders":{"${a}":true}}`);
  const action = {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: a,
    how: 'destroy-session',
  } as const;
  const expected = await plan(action);
  link.mode = 'lose';
  const outcome = done(await actor.apply(action, expected, signal()));
  expect(outcome.warnings.map(({ code }) => code)).toEqual(['answer-lost']);
  expect(await recorded(direct, prefix)).toEqual([]);
  expect((await direct.list(`${prefix}/`)).value.map((r) => r.key)).toEqual([`${prefix}/.lock`]);
});

test('a write that never arrived is not called done, and is not sent again', async () => {
  const prefix = fresh('semaphore/never');
  await entry(direct, prefix, '{"Limit":2,"Holders":{}}');
  const action = { type: 'semaphore.resize', source: 'consul', prefix, limit: 5 } as const;
  const expected = await plan(action);
  link.mode = 'swallow';
  expect(problem(await actor.apply(action, expected, signal()))).toMatchObject({
    code: 'unknown-result',
    why: { code: 'write-not-seen' },
  });
  expect(await textOf(direct, `${prefix}/.lock`)).toBe('{"Limit":2,"Holders":{}}');
});

test('when nothing can be read either, the result is unknown', async () => {
  const { key } = await heldLock(direct);
  const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
  const expected = await plan(action);
  link.mode = 'lose-all';
  expect(problem(await actor.apply(action, expected, signal()))).toMatchObject({
    code: 'unknown-result',
    why: { code: 'state-not-readable' },
  });
  expect((await row(direct, key)).session).toBeNull();
});

test('a Consul that cannot be reached is unavailable, and nothing was written', async () => {
  const proxy = await startFaultProxy(consul.address);
  const far = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
  const { key } = await heldLock(direct);
  const action = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
  const expected = await plan(action);
  proxy.refuse();
  expect(problem(await actorOn(far).apply(action, expected, signal())).code).toBe('unavailable');
  expect((await row(direct, key)).session).not.toBeNull();
  far.close();
  await proxy.close();
});

test('unreadable health prevents neither an action nor the report of its outcome', async () => {
  const proxy = await startFaultProxy(consul.address);
  const far = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
  proxy.garble(withoutHealth);
  await expect(far.checks()).rejects.toThrow();
  const { key, id } = await heldLock(direct);
  const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
  const { expect: expected } = planned(await actorOn(far).plan(action, signal()));
  done(await actorOn(far).apply(action, expected, signal()));
  expect((await direct.session(id)).value).toBeNull();
  far.close();
  await proxy.close();
});

test.each(['lose', 'swallow'] as const)(
  'a question asked as a transaction writes nothing, so no outcome is called unknown (%s)',
  async (mode) => {
    const prefix = fresh('semaphore/asked');
    const value = `{"Limit":2,"Holders":{"${ghost(1)}":true}}`;
    await entry(direct, prefix, value);
    const prune = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] };
    const pruneExpected = await plan(prune);
    // No path can name this key: it is read by a transaction, too.
    const { key, id } = await heldLock(direct, { key: `${fresh('with')} space` });
    const handOver = { type: 'lock.release', source: 'consul', key, how: 'hand-over' } as const;
    const handOverExpected = await plan(handOver);
    link.mode = mode;
    for (const answer of [
      await actor.plan(prune, signal()),
      await actor.apply(prune, pruneExpected, signal()),
      await actor.apply(handOver, handOverExpected, signal()),
    ])
      expect(problem(answer).code).toBe('unavailable');
    expect(await textOf(direct, `${prefix}/.lock`)).toBe(value);
    expect((await direct.list('with-')).value.find((one) => one.key === key)?.session).toBe(id);
  },
);
