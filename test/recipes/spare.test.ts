/** Sessions that outlive a release for a moment, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { systemClock } from '@/packages/locks/src/clock';
import { Lock } from '@/packages/locks/src/lock';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { losing } from './losing';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
afterAll(() => consul.stop());

const noSession = (key: string) =>
  until(async () => !(await client.sessions()).value.some(({ name }) => name === key), {
    what: 'no session is left',
  });

test('one that takes a key again at once does it by the same session, as a new holder, and leaves no session', async () => {
  const key = 'spare/again';
  const lock = new Lock(client, { key, sessionName: key });
  const holds: { session: string; fencingToken: bigint }[] = [];
  for (let n = 0; n < 5; n += 1)
    await lock.run(async ({ session, fencingToken }) => {
      expect((await client.get(key)).value?.session).toBe(session);
      holds.push({ session, fencingToken });
    });
  expect(new Set(holds.map(({ session }) => session)).size).toBe(1);
  expect(holds.map(({ fencingToken }) => fencingToken)).toEqual([1n, 2n, 3n, 4n, 5n]);
  await noSession(key);
  expect((await client.get(key)).value?.session).toBeNull();
});

test('a lock that wants other things of its session gets a session of its own', async () => {
  const key = 'spare/other';
  const used: string[] = [];
  for (const sessionTtlMs of [15_000, 20_000])
    await new Lock(client, { key, sessionName: key, sessionTtlMs }).run(async ({ session }) => {
      expect((await client.session(session)).value?.ttlMs).toBe(sessionTtlMs);
      used.push(session);
    });
  expect(new Set(used).size).toBe(2);
  await noSession(key);
});

test('after a release whose answer was lost no client holds by that session again: the write may still come', async () => {
  const key = 'spare/late';
  let lose = true;
  const own: ConsulClient = {
    ...client,
    release: async (write, options) => {
      const made = await client.release(write, options);
      if (!lose) return made;
      lose = false;
      throw new ProblemError({ code: 'unknown-result' });
    },
  };
  const lock = new Lock(own, { key, sessionName: key, monitorRetryMs: 1 });
  const first = await lock.acquire();
  await first.release();
  const second = await lock.acquire();
  expect(second.session).not.toBe(first.session);
  await second.release();
  await noSession(key);
});

test('after a lock whose answer was lost no client holds by that session again: the write may still come', async () => {
  const key = 'spare/late-lock';
  const { own } = losing(client);
  const lock = new Lock(own, { key, sessionName: key });
  const first = await lock.acquire();
  await first.release();
  const second = await lock.acquire();
  expect(second.session).not.toBe(first.session);
  await second.release();
  await noSession(key);
});

test('after a release that finds the session gone no client tries to hold by it again', async () => {
  const key = 'spare/gone';
  const used: (string | undefined)[] = [];
  const own: ConsulClient = {
    ...client,
    txn: (ops, options) => {
      used.push(ops[0] !== undefined && 'session' in ops[0] ? ops[0].session : undefined);
      return client.txn(ops, options);
    },
    release: async (write, options) => {
      await client.destroySession(write.session);
      return client.release(write, options);
    },
  };
  const lock = new Lock(own, { key, sessionName: key, lockDelayMs: 0 });
  const first = await lock.acquire();
  await first.release();
  const second = await lock.acquire();
  expect(used).toEqual([first.session, second.session]);
  await second.release();
  await noSession(key);
});

test('a client that returns by the same session does not take an old answer, of its last hold, for a new hold', async () => {
  const key = 'spare/old-answer';
  const id = await client.createSession({
    name: 'passed',
    ttlMs: 600_000,
    behavior: 'release',
    lockDelayMs: 0,
  });
  for (const session of [undefined, { id }]) {
    let old: Awaited<ReturnType<typeof client.get>> | null = null;
    let told = 0;
    // As a server answers that has just become the leader, and has not heard of the release yet.
    const own: ConsulClient = {
      ...client,
      get: async (name, options) => {
        if (old === null || options?.consistency !== 'default') return client.get(name, options);
        told += 1;
        return old;
      },
    };
    const lock = new Lock(own, { key, sessionName: key, ...(session === undefined ? {} : { session }) });
    const first = await lock.acquire();
    old = await client.get(key);
    await first.release();
    const second = await lock.acquire();
    expect(told).toBeGreaterThan(0);
    expect(second.session).toBe(first.session);
    expect(second.fencingToken).toBe(first.fencingToken + 1n);
    old = null;
    expect((await client.get(key)).value?.session).toBe(second.session);
    await second.release();
  }
  await client.destroySession(id);
  await noSession(key);
});

/** Locks the key for another client; frees it again. */
async function rival(key: string) {
  const id = await client.createSession({
    name: 'rival',
    ttlMs: 600_000,
    behavior: 'release',
    lockDelayMs: 0,
  });
  const common = { key, value: Buffer.alloc(0), flags: lockFlags, session: id };
  return {
    lock: async () => expect((await client.txn([{ verb: 'lock', ...common }])).done).toBe(true),
    leave: () => client.destroySession(id),
  };
}

test('a client with rivals gives way when it comes back, also by a new lock', async () => {
  const key = 'spare/anew';
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  let looks = 0;
  const own: ConsulClient = {
    ...client,
    get: (name, options) => {
      looks += 1;
      return client.get(name, options);
    },
    release: async (write, options) => {
      const made = await client.release(write, options);
      // The longest way to Consul that is reckoned with.
      nowMs += 25;
      return made;
    },
  };
  const other = await rival(key);
  await other.lock();
  const waiting = new Lock(own, { key, sessionName: key, clock }).acquire();
  await until(() => looks > 1, { what: 'it has met the other and waits' });
  await other.leave();
  const first = await waiting;
  await first.release();
  const releasedMs = performance.now();
  looks = 0;
  const coming = new Lock(own, { key, sessionName: key, clock }).acquire();
  await until(() => looks > 0, { what: 'it looks', everyMs: 1 });
  expect(performance.now() - releasedMs, 'not before others had time to come in').toBeGreaterThan(45);
  const second = await coming;
  expect(second.session).toBe(first.session);
  await second.release();
  await noSession(key);
});

test('a key that a rival had meanwhile has not been among us since before', async () => {
  const key = 'spare/between';
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  let handed = 0;
  let looks = 0;
  let waits = 0;
  let between = async () => {};
  const own: ConsulClient = {
    ...client,
    get: async (name, options) => {
      const first = between;
      between = async () => {};
      await first();
      looks += 1;
      // A holder's reads are confirmed by a quorum, a waiter's are not.
      if (options?.block !== undefined && options.consistency === 'default') waits += 1;
      return client.get(name, options);
    },
    txn: (ops, options) => {
      if (ops[0]?.verb === 'unlock') handed += 1;
      return client.txn(ops, options);
    },
    release: async (write, options) => {
      const made = await client.release(write, options);
      // So that its session is kept for a moment.
      nowMs += 20;
      return made;
    },
  };
  const lock = () => new Lock(own, { key, sessionName: key, clock });
  const first = await lock().acquire();
  const other = await rival(key);
  await first.release();
  looks = 0;
  between = other.lock;
  const coming = lock().acquire();
  await until(() => looks > 1, { what: 'it has met the other and waits' });
  nowMs += 500;
  await other.leave();
  const second = await coming;
  expect(second.session).toBe(first.session);
  waits = 0;
  const waiting = lock().acquire();
  await until(() => waits > 0, { what: 'another one waits here' });
  await second.release();
  expect(handed).toBe(1);
  await (await waiting).release();
  await noSession(key);
});

test('of two processes that take a key again and again, neither keeps it from the other', async () => {
  const key = 'spare/two';
  const hands: number[] = [];
  const changes = () => hands.filter((who, at) => at > 0 && hands[at - 1] !== who).length;
  await Promise.all(
    [0, 1].map(async (who) => {
      const lock = new Lock(consul.client(), { key, sessionName: key });
      while (changes() < 30)
        await lock.run(async () => {
          hands.push(who);
        });
    }),
  );
  await noSession(key);
});
