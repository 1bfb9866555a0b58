/** What a real view of a real Consul leaves in the store: who held, how long, how it ended. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type HistoryBook, openHistory } from '@/lib/server/history/history';
import { openStore } from '@/lib/server/store/store';
import { contender, entry, fresh, heldLock, session } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { asked, openDesk } from '@/test/support/desk';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const where = { folder: freshFolder() };
const store = openStore(where);
const desk = openDesk({ consul: consul.address, store });
const quiet = { warn: () => {}, info: () => {} };
const open = (writer: string) =>
  openHistory({
    on: true,
    days: 30,
    bytes: 1e9,
    store,
    writer,
    hub: desk.hub,
    audit: desk.audit,
    now: Date.now,
    log: quiet,
  });
let history: HistoryBook;
beforeAll(async () => {
  await until(() => desk.hub.snapshot().source.state === 'live', { what: 'the view to be live' });
  history = open('one');
  await until(() => history.state()?.state === 'recording', { what: 'the recorder to begin' });
});
afterAll(async () => {
  await history.close();
  await desk.close();
  await store.close();
});

const read = (subject: string) =>
  history.read({ by: 'subject', subject }, { fromMs: Date.now() - 600_000, toMs: Date.now(), limit: 100 });
const episodes = (key: string, n: number, done = true) =>
  until(
    async () => {
      const { episodes } = await read(`lock:${key}`);
      return (
        episodes.length === n &&
        episodes.every(({ end }, i) => !done || i < n - 1 || end !== null) &&
        episodes
      );
    },
    { what: `${n} holds of ${key}` },
  );

test('a lock that is released and taken again leaves two holds, with their tokens', async () => {
  const { key, id } = await heldLock(client);
  await episodes(key, 1, false);
  await client.release({ key, value: Buffer.from('x'), flags: '0', session: id });
  await episodes(key, 1);
  const next = await session(client);
  expect(await client.acquire({ key, value: Buffer.from('y'), flags: '0', session: next })).toBe(true);
  const [first, second] = await episodes(key, 2, false);
  expect(first).toMatchObject({ who: { id }, end: 'released', from: { basis: 'observed' }, token: '1' });
  expect(second).toMatchObject({ who: { id: next }, end: null, token: '2' });
});

test('an eviction from here is named with who did it and why', async () => {
  const { key, id } = await heldLock(client);
  await episodes(key, 1, false);
  const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
  const planned = await (await desk.post(asked({ mode: 'plan', action }))).json();
  const answer = await desk.post(
    asked({ mode: 'apply', action, reason: 'it hangs', expect: planned.expect }),
  );
  expect(answer.status).toBe(200);
  const [hold] = await until(
    async () => {
      const found = await episodes(key, 1);
      return found[0]?.deed !== null && found;
    },
    { what: 'the action to be named' },
  );
  expect(hold).toMatchObject({
    who: { id },
    end: 'evicted-here',
    deed: { reason: 'it hangs', type: 'lock.release' },
  });
});

test('waits and limits of a semaphore are kept', async () => {
  const prefix = fresh('semaphore');
  const [a, b] = [await contender(client, prefix), await contender(client, prefix)];
  const record = (limit: number, holders: readonly string[]) =>
    JSON.stringify({ Limit: limit, Holders: Object.fromEntries(holders.map((id) => [id, true])) });
  await entry(client, prefix, record(1, [a]));
  const row = () => read(`semaphore:${prefix}`);
  await until(async () => (await row()).waits.some(({ who }) => who.id === b), { what: 'the wait' });
  const key = `${prefix}/.lock`;
  const { value } = await client.get(key);
  await client.cas({
    key,
    value: Buffer.from(record(2, [a, b])),
    flags: semaphoreFlags,
    index: value?.modifyIndex ?? '',
  });
  const limits = await until(
    async () => {
      const { waits, limits } = await row();
      return waits.some(({ who, end }) => who.id === b && end === 'got-in') && limits;
    },
    { what: 'it to get in' },
  );
  expect(limits).toMatchObject([{ before: 1, after: 2 }]);
});

test('it is kept since the recorder began, whatever earlier time a client wrote itself', async () => {
  const startedMs = (await history.since()) ?? 0;
  const prefix = fresh('semaphore');
  const id = await session(client);
  const long = JSON.stringify({ v: 1, owner: 'worker-7', since: Date.now() - 86_400_000 });
  await client.acquire({
    key: `${prefix}/${id}`,
    value: Buffer.from(long),
    flags: semaphoreFlags,
    session: id,
  });
  await entry(client, prefix, JSON.stringify({ Limit: 1, Holders: { [id]: true } }));
  await until(async () => (await read(`semaphore:${prefix}`)).episodes.length === 1, { what: 'the hold' });
  expect(await history.since()).toBe(startedMs);
  expect(Date.now() - startedMs).toBeLessThan(600_000);
});

test('another process goes on where this one ended, and the time between is a gap', async () => {
  const { key } = await heldLock(client);
  await episodes(key, 1, false);
  await history.close();
  history = open('two');
  await until(() => history.state()?.state === 'recording', { what: 'the next recorder to begin' });
  const { episodes: holds, gaps } = await until(
    async () => {
      const found = await read(`lock:${key}`);
      return found.gaps.some(({ why }) => why === 'restart') && found;
    },
    { what: 'the gap' },
  );
  expect(holds).toMatchObject([{ end: null, to: null }]);
  expect(gaps.at(-1)?.toMs).not.toBeNull();
});
