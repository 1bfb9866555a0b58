/**
 * Holders by the record alone, beside lists of other programs, before tokens of narrow rules: a holder that looks like
 * a ghost because its session is hidden, and the uses of the right to one coordination entry.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { sawOf } from '@/lib/providers/consul/actions/expectation';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { askEnds, endedOf } from '@/lib/providers/consul/client/session-end';
import { pinnedOf } from '@/lib/view/actions/request';
import { movedSince } from '@/lib/view/actions/subject-drift';
import { makeToken } from '@/test/identity/tokens';
import { startWatching } from '@/test/live/watching';
import { startConsul } from '@/test/support/consul';
import { isConsulSince } from '@/test/support/consul-version';
import { until } from '@/test/support/until';
import {
  act,
  actorOn,
  contender,
  entry,
  fresh,
  planned,
  problem,
  recorded,
  row,
  session,
  signal,
  textOf,
} from './stage';

const consul = await startConsul({ acl: true });
const root = consul.client();
afterAll(() => consul.stop());
const [node = ''] = (await root.nodes()).value;

const withRules = async (rules: string) => consul.client({ token: (await makeToken(consul, rules)).secret });
/** May write every key, and sees no session of the one node that there is. */
const blind = await withRules(
  `key_prefix "" { policy = "write" } session_prefix "" { policy = "write" } session "${node}" { policy = "deny" }`,
);

/** A node without an agent, of whose sessions no narrow token here may know. */
async function otherNode(): Promise<string> {
  const Node = 'kept-node';
  const response = await fetch(`http://${consul.address}/v1/catalog/register`, {
    method: 'PUT',
    headers: { 'x-consul-token': consul.token ?? '' },
    body: JSON.stringify({ Node, Address: '127.0.0.1' }),
  });
  if (!response.ok) throw new Error(await response.text());
  return Node;
}

async function ended(): Promise<string> {
  const id = await session(root);
  await root.destroySession(id);
  return id;
}
const list = (...ids: string[]) => JSON.stringify({ limit: 5, holders: ids });

/** Counts the transactions. */
function counted(client: ConsulClient) {
  let count = 0;
  const txn: ConsulClient['txn'] = (...args) => {
    count += 1;
    return client.txn(...args);
  };
  return { client: { ...client, txn }, count: () => count };
}

test('the right to write the coordination entry is enough to prune it, and to evict one who locks an entry beside a ghost', async () => {
  const prefix = fresh('pool/narrow');
  const [live, dead] = [await session(root), await ended()];
  await root.acquire({ key: `${prefix}/${live}`, value: Buffer.from(''), flags: '0', session: live });
  await entry(root, prefix, list(live, dead), '0');
  const narrow = await withRules(
    `key_prefix "" { policy = "read" } key "${prefix}/.lock" { policy = "write" } key "${prefix}/${live}" { policy = "write" } session_prefix "" { policy = "write" }`,
  );
  await act(narrow, { type: 'semaphore.evict', source: 'consul', prefix, sessionId: live, how: 'slot-only' });
  expect(await textOf(root, `${prefix}/.lock`)).toBe(list(dead));
  await act(narrow, { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] });
  expect(await textOf(root, `${prefix}/.lock`)).toBe(list());
});

test('beside a ghost, one whose session is hidden is left alone and named, and the plan is not called changed for it', async () => {
  const prefix = fresh('pool/mixed');
  const [live, dead] = [await session(root), await ended()];
  await entry(root, prefix, list(live, dead), '0');
  const prune = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] };
  const plan = planned(await actorOn(blind).plan(prune, signal()));
  expect(plan.plan.touches.map(({ subject }) => subject)).toEqual([
    { source: 'consul', kind: 'session', id: dead },
  ]);
  expect(plan.plan.warnings).toEqual([{ code: 'hidden-stay', facts: { holders: 1, ids: live } }]);
  // Since 1.11 the answer about one session says whether that one is kept. The screen, which writes nothing, knows no more.
  const isKept = (await blind.session(live)).filtered;
  expect(isKept).toBe(await isConsulSince('1.11.0'));
  const watching = startWatching(blind, [prefix]);
  const shown = () => pinnedOf(prune, watching.world()).semaphore?.holders.map(({ verdict }) => verdict);
  await until(() => shown()?.join() === (isKept ? 'unknown,ghost' : 'ghost,ghost'), {
    what: 'the verdicts on the screen',
  });
  const request = { ...pinnedOf(prune, watching.world()), action: prune, label: '', name: prefix };
  expect(movedSince({ ...request, limitTyped: '' }, { ...plan, saw: sawOf(plan.expect) })).toBeNull();
  await watching.stop();
  await act(blind, prune);
  expect(await textOf(root, `${prefix}/.lock`)).toBe(list(live));
});

test('the operator of one prefix sees its ghost and prunes it, beside a node and a neighbour that are kept from the token', async () => {
  await consul.client().createSession({
    name: 'elsewhere',
    node: await otherNode(),
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  const prefix = fresh('pool/operator');
  const [live, dead] = [await contender(root, prefix), await ended()];
  await entry(root, prefix, `{"Limit":3,"Holders":{"${live}":true,"${dead}":true}}`);
  // A client lists by string prefix, and with that this one.
  await entry(root, `${prefix}-2`, '{"Limit":3,"Holders":{}}');
  const operator = await withRules(
    `key_prefix "${prefix}/" { policy = "write" } session "${node}" { policy = "write" } node "${node}" { policy = "read" }`,
  );
  const watching = startWatching(operator);
  const shown = () => watching.world().semaphores.find((one) => one.prefix === prefix);
  await until(() => shown()?.effective === 1, { what: 'one of two records is really held' });
  const verdicts = new Map(shown()?.holders.map(({ sessionId, verdict }) => [sessionId, verdict]));
  expect(verdicts.get(dead)).toBe('ghost');
  expect(verdicts.get(live)).not.toBe('ghost');
  expect(watching.world().scope).toBe('part');
  await watching.stop();
  await act(operator, { type: 'semaphore.prune', source: 'consul', prefixes: [prefix] });
  expect(await recorded(root, prefix)).toEqual([live]);
});

test('a holder whose entry is kept from the token is unknown on the screen, never a ghost', async () => {
  const prefix = fresh('pool/kept');
  const [kept, dead] = [await contender(root, prefix), await ended()];
  await entry(root, prefix, `{"Limit":3,"Holders":{"${kept}":true,"${dead}":true}}`);
  const reader = await withRules(
    `key_prefix "" { policy = "read" } key "${prefix}/${kept}" { policy = "deny" } session_prefix "" { policy = "read" }`,
  );
  const watching = startWatching(reader);
  const shown = () => watching.world().semaphores.find((one) => one.prefix === prefix);
  await until(() => shown() !== undefined, { what: 'the semaphore' });
  expect(shown()).toMatchObject({
    effective: null,
    holders: [{ verdict: 'unknown' }, { verdict: 'unknown' }],
  });
  await watching.stop();
});

test('sessions beyond the cap of one look are left unknown where a list was cut, and each is read once', async () => {
  const ids = new Set([await session(root), ...Array.from({ length: 300 }, () => randomUUID())]);
  const [live = ''] = ids;
  let count = 0;
  const counting: Pick<ConsulClient, 'session'> = {
    session: (...args) => {
      count += 1;
      return root.session(...args);
    },
  };
  const known = await endedOf(counting, ids, true, signal());
  expect([known.size, known.has(live), count]).toEqual([255, false, 256]);
});

test('a holder with a hidden session is not called a ghost when an operator evicts it', async () => {
  const prefix = fresh('pool/evict');
  const live = await session(root);
  await entry(root, prefix, list(live), '0');
  for (const how of ['slot-only', 'destroy-session'] as const)
    expect(
      problem(
        await actorOn(blind).plan(
          { type: 'semaphore.evict', source: 'consul', prefix, sessionId: live, how },
          signal(),
        ),
      ),
    ).toMatchObject({ code: 'not-held', why: { code: 'session-hidden', facts: { sessionId: live } } });
});

test('a token that may not write the entry learns of no ghost, and plans no prune of it', async () => {
  const prefix = fresh('pool/reader');
  const other = fresh('pool/own');
  const [live, dead] = [await session(root), await ended()];
  await entry(root, prefix, list(live), '0');
  await entry(root, other, list(dead), '0');
  const reader = await withRules(
    `key_prefix "" { policy = "read" } key "${other}/.lock" { policy = "write" } session_prefix "" { policy = "read" } session "${node}" { policy = "deny" }`,
  );
  const plan = (action: Action) => actorOn(reader).plan(action, signal());
  expect(problem(await plan({ type: 'semaphore.prune', source: 'consul', prefixes: [prefix] })).code).toBe(
    'forbidden',
  );
  for (const how of ['slot-only', 'destroy-session'] as const) {
    const { why } = problem(
      await plan({ type: 'semaphore.evict', source: 'consul', prefix, sessionId: live, how }),
    );
    expect(why?.code).toBe(how === 'slot-only' ? 'locks-nothing-here' : 'session-not-in-view');
  }
  const many = planned(await plan({ type: 'semaphore.prune', source: 'consul', prefixes: [prefix, other] }));
  expect(many.plan.writes.map(({ target }) => target)).toEqual([`${other}/.lock`]);
  expect(many.plan.warnings).toEqual([{ code: 'left-out', facts: { prefixes: 1, names: prefix } }]);
});

test('within a lock-delay of the entry no holder is called a ghost, and a prune says what to wait for', async () => {
  const prefix = fresh('pool/delayed');
  const dead = await ended();
  const locker = await session(root, { lockDelayMs: 60_000 });
  const key = `${prefix}/.lock`;
  await root.acquire({ key, value: Buffer.from(''), flags: '0', session: locker });
  await root.destroySession(locker);
  const { modifyIndex } = await row(root, key);
  await root.cas({ key, value: Buffer.from(list(dead)), flags: '0', index: modifyIndex });
  const prune = { type: 'semaphore.prune' as const, source: 'consul', prefixes: [prefix] };
  const delayed = { code: 'conflict-in-use', why: { code: 'entry-delayed', facts: { key } } };
  expect(problem(await actorOn(root).plan(prune, signal()))).toMatchObject(delayed);
  const { modifyIndex: index } = await row(root, key);
  const forged = { entries: [{ key, modifyIndex: index, session: null, seen: dead }], sessions: [] };
  expect(problem(await actorOn(root).apply(prune, forged, signal()))).toMatchObject(delayed);
  expect(await textOf(root, key)).toBe(list(dead));
});

test('many semaphores are asked about in few transactions, none of which changes anything', async () => {
  const dead = await ended();
  const prefixes = Array.from({ length: 100 }, (_, n) => `many/${n}`);
  for (const prefix of prefixes) await entry(root, prefix, list(dead), '0');
  const before = (await root.list('many/')).value;
  const { client, count } = counted(root);
  const { plan } = planned(
    await actorOn(client).plan({ type: 'semaphore.prune', source: 'consul', prefixes }, signal()),
  );
  expect(plan.writes).toHaveLength(100);
  // Of 64 operations each: those that ask for the ends, and those that ask about rights.
  expect(count()).toBeLessThanOrEqual(4);
  expect((await root.list('many/')).value).toEqual(before);
});

test("Consul's word on a session is not read from the name of a key, with any words in it", async () => {
  const [live, dead] = [await session(root), await ended()];
  for (const prefix of [
    'permission denied',
    'invalid session',
    'x lock is already held',
    'x due to lock delay',
  ]) {
    const key = `${fresh(prefix)}/.lock`;
    await root.cas({ key, value: Buffer.from(list(live, dead)), flags: '0', index: '0' });
    const recorded = [dead, live, dead].map((sessionId) => ({ sessionId, key }));
    const { ended: gone, there, refused, delayed } = await askEnds(root, recorded, signal());
    expect(
      [gone, there, refused, delayed].map((all) => [...all]),
      prefix,
    ).toEqual([[dead], [live], [], []]);
    expect((await row(root, key)).session).toBeNull();
  }
});

test('a token that may not write an entry learns nothing by it, and the rest about the others', async () => {
  const [mine, other] = [`${fresh('mine')}/.lock`, `${fresh('other')}/.lock`];
  const [live, dead] = [await session(root), await ended()];
  const client = await withRules(`key_prefix "" { policy = "read" } key "${mine}" { policy = "write" }`);
  const recorded = [
    { sessionId: dead, key: other },
    { sessionId: live, key: mine },
    { sessionId: randomUUID(), key: other },
  ];
  const answer = await askEnds(client, recorded, signal());
  expect([[...answer.ended], [...answer.there], [...answer.refused]]).toEqual([[], [live], [other]]);
  expect((await root.get(mine)).value, 'to ask makes nothing').toBeNull();
});

test('within a lock-delay of the entry its record stays unknown, and others are reported', async () => {
  const [delayed, other] = [`${fresh('delayed')}/.lock`, `${fresh('other')}/.lock`];
  const locker = await session(root, { lockDelayMs: 60_000 });
  await root.acquire({ key: delayed, value: Buffer.from(''), flags: '0', session: locker });
  await root.destroySession(locker);
  const dead = await ended();
  const recorded = [
    { sessionId: locker, key: delayed },
    { sessionId: dead, key: other },
  ];
  const { ended: gone, there, delayed: within } = await askEnds(root, recorded, signal());
  expect([gone, there, within].map((all) => [...all])).toEqual([[dead], [], [delayed]]);
});
