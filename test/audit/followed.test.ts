/** The follow-up of an action, as a real view of a real Consul shows it. */
import { afterAll, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Followed } from '@/lib/domain/actions/audit';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { openStore } from '@/lib/server/store/store';
import { contender, entry, fresh, heldLock, session } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { asked, type Desk, openDesk } from '@/test/support/desk';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const desks = new Set<() => Promise<void>>();
afterAll(async () => {
  await Promise.all([...desks].map((close) => close()));
});

function startDesk(followMs: number): Desk & { close(): Promise<void> } {
  const store = openStore({ folder: freshFolder() });
  const desk = openDesk({ consul: consul.address, store, followMs });
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= desk.close();
    return closed;
  };
  desks.add(() => close().then(() => store.close()));
  return { ...desk, close };
}
const patient = startDesk(60_000);
const brief = startDesk(6_000);

const inView = (desk: Desk, key: string) =>
  until(() => desk.hub.snapshot().locks.some((lock) => lock.key === key && lock.state === 'held'), {
    what: 'the view shows the lock as held',
  });

async function apply(desk: Desk, action: Action): Promise<void> {
  const planned = await (await desk.post(asked({ mode: 'plan', action }))).json();
  const answer = await desk.post(asked({ mode: 'apply', action, reason: 'test', expect: planned.expect }));
  expect(answer.status).toBe(200);
}

const followedOf = (desk: Desk, subject: string) =>
  until(
    async () => {
      const [row] = await desk.audit.read({ below: null, limit: 1, subject, kind: 'followed' });
      return row === undefined ? null : (row.detail as unknown as Followed);
    },
    { what: 'what followed is on record' },
  );

test('a released lock with a taker: its name, at once', async () => {
  const { key } = await heldLock(client);
  await inView(patient, key);
  await apply(patient, { type: 'lock.release', source: 'consul', key, how: 'destroy-session' });
  const next = await session(client);
  expect(await client.acquire({ key, value: Buffer.from('y'), flags: '0', session: next })).toBe(true);
  expect(await followedOf(patient, `lock:${key}`)).toMatchObject({
    cutShort: false,
    source: 'live',
    more: 0,
    subjects: [{ subject: `lock:${key}`, what: 'taken', by: [next] }],
  });
});

test('the hit client and its successor are named in the record, for their sessions are gone when it is read', async () => {
  const prefix = fresh('semaphore');
  const owner = Buffer.from('{"owner":"worker-7","secret":"not for the record"}');
  const holder = await session(client, { name: 'pool of workers' });
  await client.acquire({ key: `${prefix}/${holder}`, value: owner, flags: semaphoreFlags, session: holder });
  const waiter = await session(client, { name: 'worker-5' });
  await client.acquire({
    key: `${prefix}/${waiter}`,
    value: owner.subarray(0, 0),
    flags: semaphoreFlags,
    session: waiter,
  });
  await entry(client, prefix, `{"Limit":1,"Holders":{"${holder}":true}}`);
  await until(
    () =>
      patient.hub
        .snapshot()
        .semaphores.some((s) => s.prefix === prefix && s.holders[0]?.label === 'worker-7'),
    { what: 'the view shows the holder' },
  );
  await apply(patient, {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: holder,
    how: 'slot-only',
  });
  const { value } = await client.get(`${prefix}/.lock`);
  await client.cas({
    key: `${prefix}/.lock`,
    value: Buffer.from(`{"Limit":1,"Holders":{"${waiter}":true}}`),
    flags: value?.flags ?? '',
    index: value?.modifyIndex ?? '',
  });
  const { subjects } = await followedOf(patient, `semaphore:${prefix}`);
  expect(subjects[0]?.whom).toMatchObject([{ session: waiter, label: 'worker-5', node: consul.nodeName }]);
  const rows = await patient.audit.read({ below: null, limit: 10, subject: `semaphore:${prefix}` });
  const intent = rows.find(({ kind }) => kind === 'intent');
  expect(intent?.detail.whom).toEqual([
    {
      session: holder,
      label: 'worker-7',
      name: 'pool of workers',
      node: consul.nodeName,
      verdict: 'immortal',
    },
  ]);
  expect(JSON.stringify(rows)).not.toContain('not for the record');
  expect(await patient.audit.verify()).toMatchObject({ brokenAt: null });
});

// Each waits until its watch is over, so they wait together.
test.concurrent('a released lock without a taker', async () => {
  const { key } = await heldLock(client);
  await inView(brief, key);
  await apply(brief, { type: 'lock.release', source: 'consul', key, how: 'destroy-session' });
  expect((await followedOf(brief, `lock:${key}`)).subjects).toMatchObject([{ what: 'nobody-came' }]);
});

test.concurrent('a lock under its delay', async () => {
  const { key } = await heldLock(client, { lockDelayMs: 15_000 });
  await inView(brief, key);
  await apply(brief, { type: 'lock.release', source: 'consul', key, how: 'destroy-session' });
  expect((await followedOf(brief, `lock:${key}`)).subjects).toMatchObject([
    { what: 'in-delay', untilMs: expect.any(Number) },
  ]);
});

test.concurrent('a new limit: which waiter waits no longer, and that another is still listed', async () => {
  const prefix = fresh('semaphore');
  const holder = await contender(client, prefix);
  const fails = await contender(client, prefix);
  await contender(client, prefix);
  await entry(client, prefix, `{"Limit":1,"Holders":{"${holder}":true}}`);
  await until(
    () =>
      brief.hub
        .snapshot()
        .semaphores.some((s) => s.prefix === prefix && s.recorded === 1 && s.waiters.length === 2),
    { what: 'the view shows who waits' },
  );
  await apply(brief, { type: 'semaphore.resize', source: 'consul', prefix, limit: 2 });
  await client.destroySession(fails);
  const [seen] = (await followedOf(brief, `semaphore:${prefix}`)).subjects;
  expect(seen).toMatchObject({ what: 'limit-changed', waited: 2, left: [fails], leftInAll: 1, waiting: 1 });
  expect(seen?.whom).toMatchObject([{ session: fails }]);
});

test('a slot with a newcomer, and a slot without one', async () => {
  const prefix = fresh('semaphore');
  const [holder, waiter] = [await contender(client, prefix), await contender(client, prefix)];
  await entry(client, prefix, `{"Limit":1,"Holders":{"${holder}":true}}`);
  await until(() => patient.hub.snapshot().semaphores.some((s) => s.prefix === prefix && s.recorded === 1), {
    what: 'the view shows the semaphore',
  });
  await apply(patient, {
    type: 'semaphore.evict',
    source: 'consul',
    prefix,
    sessionId: holder,
    how: 'slot-only',
  });
  const { value } = await client.get(`${prefix}/.lock`);
  const taken = Buffer.from(`{"Limit":1,"Holders":{"${waiter}":true}}`);
  expect(
    await client.cas({
      key: `${prefix}/.lock`,
      value: taken,
      flags: value?.flags ?? '',
      index: value?.modifyIndex ?? '',
    }),
  ).toBe(true);
  expect((await followedOf(patient, `semaphore:${prefix}`)).subjects[0]).toMatchObject({
    what: 'taken',
    by: [waiter],
  });
});

test('a server that ends writes what it has seen so far, marked as cut short', async () => {
  const desk = startDesk(60_000);
  const { key } = await heldLock(client);
  await inView(desk, key);
  await apply(desk, { type: 'lock.release', source: 'consul', key, how: 'destroy-session' });
  await desk.close();
  expect(await followedOf(desk, `lock:${key}`)).toMatchObject({ cutShort: true });
  expect(await desk.audit.verify()).toMatchObject({ rows: 3, brokenAt: null });
});
