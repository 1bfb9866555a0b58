/** Lock-delay as Signalbox derives it and as Consul answers when asked: on a real agent, both must agree. */
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { probeDelay } from '@/lib/providers/consul/probe';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

let consul: TestConsul;
let client: ConsulClient;
let watching: Watching;

beforeAll(async () => {
  consul = await startConsul({ acl: true });
  client = consul.client();
});
beforeEach(async () => {
  watching = startWatching(client);
  await watching.reaches('live');
});
afterEach(() => watching.stop());

async function take(key: string, behavior: 'release' | 'delete', lockDelayMs = 20_000): Promise<string> {
  const session = await client.createSession({
    name: `of ${key}`,
    ttlMs: null,
    behavior,
    lockDelayMs,
    checks: [],
  });
  expect(await client.acquire({ key, session, flags: '0', value: Buffer.from(key) })).toBe(true);
  await until(() => watching.lock(key)?.state === 'held', { what: `${key} to be held` });
  return session;
}

const delayed = (key: string) =>
  until(
    () => {
      const lock = watching.lock(key);
      return lock?.state === 'delayed' ? lock : null;
    },
    { what: `${key} to be delayed` },
  );

async function ask(key: string, as = client) {
  const asking = { client: as, now: Date.now, roots: ['a', 'b', 'c', 'd', 'e'] };
  const result = await probeDelay(asking, key, AbortSignal.timeout(10_000));
  return isProblem(result) ? result.code : result.answer;
}

/** Everything that a probe must leave alone, and how long the Raft log is. */
async function state(key: string) {
  const read = async (path: string) => {
    const response = await fetch(`http://${consul.address}/v1/${path}`, {
      headers: { 'x-consul-token': consul.token ?? '' },
    });
    return response.json();
  };
  const self = (await read('agent/self')) as { Stats: { raft: { last_log_index: string } } };
  return {
    row: (await client.get(key)).value,
    kvIndex: (await client.list('')).index,
    sessions: (await client.sessions()).value,
    logIndex: Number(self.Stats.raft.last_log_index),
  };
}

test('a lock whose session was destroyed says which, when, for how long, and Consul agrees when it is asked', async () => {
  const session = await take('a/lock', 'release');
  const before = Date.now();
  await client.destroySession(session);
  const lock = await delayed('a/lock');
  expect(lock).toMatchObject({ exists: true, holder: null, lockIndex: '1' });
  expect(lock.delay).toMatchObject({
    sessionId: session,
    sessionName: 'of a/lock',
    lengthMs: 20_000,
    basis: 'seen',
  });
  expect(lock.delay?.seenAtMs).toBeGreaterThanOrEqual(before);
  expect(lock.delay?.untilMs).toBe((lock.delay?.seenAtMs ?? 0) + 20_000);
  expect(lock.delayedUntilMs).toBe(lock.delay?.untilMs);
  expect(await ask('a/lock')).toBe('delayed');
});

test('a lock that was deleted with its session stays in view as delayed, without an entry, until the delay is over', async () => {
  const session = await take('b/lock', 'delete', 5_000);
  await client.destroySession(session);
  const lock = await delayed('b/lock');
  expect(lock).toMatchObject({ exists: false, value: null, modifyIndex: '0' });
  expect(lock.delay).toMatchObject({ sessionId: session, basis: 'seen' });
  expect((await client.get('b/lock')).value).toBeNull();
  expect(await ask('b/lock')).toBe('delayed');
  await until(() => watching.lock('b/lock') === undefined, { what: 'the delayed lock to go' });
  expect(await ask('b/lock')).toBe('not-delayed');
});

test('a key that is deleted during its delay is still refused, and still shown', async () => {
  const session = await take('c/lock', 'release');
  await client.destroySession(session);
  const row = (await client.get('c/lock')).value;
  await delayed('c/lock');
  await client.deleteCas('c/lock', row?.modifyIndex ?? '0');
  await until(() => watching.lock('c/lock')?.exists === false, { what: 'the key to be gone' });
  expect(watching.lock('c/lock')?.delay?.sessionId).toBe(session);
  expect(await ask('c/lock')).toBe('delayed');
});

test('among sessions and locks that come and go all the time, no end of a session is missed', async () => {
  let over = false;
  const others = [0, 1, 2].map(async (n) => {
    while (!over) {
      const session = await client.createSession({
        name: 'brief',
        ttlMs: null,
        behavior: n === 0 ? 'delete' : 'release',
        lockDelayMs: 0,
        checks: [],
      });
      await client.acquire({ key: `busy/${n}`, session, flags: '0', value: Buffer.alloc(0) });
      await client.destroySession(session);
    }
  });
  /** Every start of a time without missed ends. */
  const seenSince = () => watching.sources.at(-1)?.endsSeenSinceMs;
  let [seen, untold] = [0, 0];
  try {
    for (let round = 0; seen < 12; round += 1) {
      const key = `among/${round}`;
      const since = seenSince();
      const session = await take(key, round % 2 === 0 ? 'delete' : 'release');
      await client.destroySession(session);
      const lock = await until(() => (seenSince() === since ? watching.lock(key)?.delay : 'gap') ?? null, {
        what: `${key} to be delayed`,
      });
      if (lock === 'gap') {
        // A machine that stops all processes for seconds makes a gap, and the watch says so. But not round after round.
        untold += 1;
        expect(untold).toBeLessThan(4);
        continue;
      }
      expect(lock.sessionId).toBe(session);
      seen += 1;
    }
  } finally {
    over = true;
    await Promise.all(others);
  }
});

test('the entry of a contender that went with its session is no lock of its own', async () => {
  const session = await client.createSession({
    name: '',
    ttlMs: null,
    behavior: 'delete',
    lockDelayMs: 20_000,
    checks: [],
  });
  await client.acquire({ key: `sem/${session}`, session, flags: semaphoreFlags, value: Buffer.alloc(0) });
  await until(() => watching.world().semaphores.some(({ prefix }) => prefix === 'sem'), {
    what: 'the contender',
  });
  await client.destroySession(session);
  await until(() => watching.world().semaphores.every(({ prefix }) => prefix !== 'sem'), {
    what: 'it to go',
  });
  expect(watching.world().locks.filter(({ key }) => key.startsWith('sem/'))).toEqual([]);
});

test.each([
  ['held', 'd/held', 1],
  ['free', 'd/free', 1],
  ['not there', 'd/none', 1],
  ['delayed', 'd/delayed', 0],
] as const)(
  'a probe of a key that is %s changes no key, no lock and no session; it costs %s %i entry in the log',
  async (kind, key, entries) => {
    if (kind !== 'not there') {
      const session = await take(key, 'release');
      if (kind === 'free') await client.release({ key, session, flags: '0', value: Buffer.from(key) });
      if (kind === 'delayed') await client.destroySession(session);
    }
    // The agent writes of its own accord, too: the least of a few is what the probe alone costs.
    const costs: number[] = [];
    while (costs.at(-1) !== entries && costs.length < 5) {
      const settled = await until(
        async () => {
          const [first, second] = [await state(key), await state(key)];
          return first.logIndex === second.logIndex ? second : null;
        },
        { what: 'a quiet log' },
      );
      expect(await ask(key)).toBe(kind === 'delayed' ? 'delayed' : 'not-delayed');
      const after = await state(key);
      expect({ ...after, logIndex: 0 }).toEqual({ ...settled, logIndex: 0 });
      costs.push(after.logIndex - settled.logIndex);
    }
    expect(Math.min(...costs)).toBe(entries);
  },
);

test('a token that may not write the key is refused, and that is no answer', async () => {
  const reader = consul.client({ token: null });
  expect(await ask('e/lock', reader)).toBe('forbidden');
});

test('a key outside of the prefixes in view is not asked about', async () => {
  // As above: the agent may write of its own accord meanwhile.
  await until(
    async () => {
      const before = await state('outside');
      expect(await ask('outside')).toBe('not-found');
      return (await state('outside')).logIndex === before.logIndex;
    },
    { what: 'a question without an entry in the log' },
  );
});
