import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

let consul: TestConsul;
let client: ConsulClient;
let watching: Watching | null = null;

beforeAll(async () => {
  consul = await startConsul();
  client = consul.client();
});
afterEach(async () => {
  await watching?.stop();
  watching = null;
});
afterAll(() => consul.stop());

const session = (lockDelayMs = 15_000) =>
  client.createSession({ name: 'test', ttlMs: null, behavior: 'release', lockDelayMs, checks: [] });
const write = (key: string, session: string) => ({
  key,
  session,
  flags: '3304740253564472344',
  value: Buffer.from('owner'),
});

test('a lock that is taken appears with its holder, and is free after its release', async () => {
  watching = startWatching(client);
  await watching.reaches('live');
  const id = await session();
  expect(await client.acquire(write('a/lock', id))).toBe(true);
  const held = await until(
    () => {
      const lock = watching?.lock('a/lock');
      return lock?.state === 'held' ? lock : null;
    },
    { what: 'held' },
  );
  expect(held.holder?.sessionId).toBe(id);
  expect(held.holder?.since?.basis).toBe('observed');
  await client.release(write('a/lock', id));
  await until(() => watching?.lock('a/lock')?.state === 'free', { what: 'free' });
  await client.destroySession(id);
  await until(() => watching?.world().sessions.every((s) => s.id !== id), { what: 'the session to go' });
  expect(watching.lock('a/lock')?.state).toBe('free');
});

test('a lock whose session was destroyed is delayed, and free when the delay is over', async () => {
  watching = startWatching(client);
  await watching.reaches('live');
  const id = await session(5_000);
  await client.acquire(write('b/lock', id));
  await until(() => watching?.lock('b/lock')?.state === 'held', { what: 'held' });
  const before = Date.now();
  await client.destroySession(id);
  const delayed = await until(
    () => {
      const lock = watching?.lock('b/lock');
      return lock?.state === 'delayed' ? lock : null;
    },
    { what: 'delayed' },
  );
  expect(delayed.delayedUntilMs).toBeGreaterThanOrEqual(before + 5_000);
  await until(() => watching?.lock('b/lock')?.state === 'free', { what: 'free' });
  expect(Date.now()).toBeGreaterThanOrEqual(delayed.delayedUntilMs ?? 0);
});

test('a client that releases and ends its session at once leaves no delay behind', async () => {
  watching = startWatching(client);
  await watching.reaches('live');
  for (let round = 0; round < 10; round += 1) {
    const id = await session();
    await client.acquire(write('c/lock', id));
    await until(() => watching?.lock('c/lock')?.state === 'held', { what: 'held' });
    await client.release(write('c/lock', id));
    await client.destroySession(id);
    const free = await until(
      () => {
        const lock = watching?.lock('c/lock');
        return lock?.state === 'held' ? null : lock;
      },
      { what: 'no longer held' },
    );
    expect(free.state).toBe('free');
    await until(() => watching?.world().sessions.every((s) => s.id !== id), { what: 'the session to go' });
    expect(watching.lock('c/lock')?.state).toBe('free');
  }
});

test('a lock that was there at the first look is held for at least so long', async () => {
  const id = await session();
  await client.acquire(write('d/lock', id));
  watching = startWatching(client);
  await watching.reaches('live');
  expect(watching.lock('d/lock')?.holder?.since?.basis).toBe('at-least');
});

test('a storm of sessions and locks never shows a holder as unknown or as a ghost, and is no gap', async () => {
  watching = startWatching(client, ['storm/']);
  await watching.reaches('live');
  let taken = 0;
  const worker = async (n: number) => {
    while (taken < 400 || (watching?.worlds.length ?? 0) < 30) {
      const id = await session(0);
      if (await client.acquire(write(`storm/${n}`, id))) taken += 1;
      if (taken % 2 === 0) await client.release(write(`storm/${n}`, id));
      await client.destroySession(id);
    }
  };
  await Promise.all([0, 1, 2, 3].map(worker));
  await until(
    () =>
      watching?.world().locks.every((lock) => lock.state !== 'held') && watching?.world().locks.length === 4,
    { what: 'all free' },
  );
  const doubtful = watching.worlds.flatMap((world) =>
    world.locks.filter((lock) => lock.state === 'unknown' || (lock.holder && lock.holder.session === null)),
  );
  expect(doubtful).toEqual([]);
  expect(watching.gaps()).toBe(0);
});

test('an empty prefix is quiet while others write, and shows its first lock', async () => {
  watching = startWatching(client, ['empty/']);
  await watching.reaches('live');
  for (let n = 0; n < 50; n += 1)
    await client.cas({ key: `noise/${n}`, value: Buffer.from('x'), flags: '0', index: '0' });
  const id = await session();
  await client.acquire(write('empty/first', id));
  await until(() => watching?.lock('empty/first')?.state === 'held', { what: 'the first lock' });
  expect(watching.state()).toBe('live');
  // Its index was that of the noise.
  expect(watching.gaps()).toBe(0);
});
