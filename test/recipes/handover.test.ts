/** Slots that go from hand to hand within one process, and sessions that outlive a release, on a real Consul. */
import { getEventListeners } from 'node:events';
import { afterAll, expect, test, vi } from 'vitest';
import type { ConsulClient } from '@/lib/consul/client';
import { readCoordination, semaphoreFlags } from '@/lib/consul/coordination';
import type { TxnOp } from '@/lib/consul/wire';
import { ProblemError } from '@/lib/domain/problem';
import { Lock } from '@/lib/recipes/lock';
import { lostReason } from '@/lib/recipes/lost';
import { Semaphore } from '@/lib/recipes/semaphore';
import { KeptSession } from '@/lib/recipes/session';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { losing } from './losing';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
afterAll(() => consul.stop());

type Send = () => ReturnType<ConsulClient['txn']>;

const recorded = async (prefix: string) =>
  readCoordination((await client.get(`${prefix}/.lock`)).value?.value ?? Buffer.alloc(0)).holders ?? [];
const sessionsOf = async (prefix: string) =>
  (await client.sessions()).value.filter(({ name }) => name === prefix).map(({ id }) => id);
const nothingLeft = (prefix: string) =>
  until(
    async () => {
      const keys = (await client.list(`${prefix}/`)).value.map(({ key }) => key);
      return (
        (await recorded(prefix)).length === 0 &&
        keys.every((key) => key === `${prefix}/.lock`) &&
        (await sessionsOf(prefix)).length === 0
      );
    },
    { what: `nothing of ${prefix} is left` },
  );

/** A write by which one leaves and another comes: it changes the holders and the entries of two. */
const isHandover = (ops: readonly TxnOp[]) =>
  ops.filter(({ verb }) => verb === 'cas').length > 1 && ops.some(({ verb }) => verb === 'delete-cas');

/** A client of its own, so a process of its own as far as semaphores go. `meet`: sees each hand-over. */
function another(meet: (send: Send) => ReturnType<Send> = (send) => send()) {
  const writes: (readonly TxnOp[])[] = [];
  const own: ConsulClient = {
    ...client,
    txn: (ops, options) => {
      writes.push(ops);
      const send = () => client.txn(ops, options);
      return isHandover(ops) ? meet(send) : send();
    },
  };
  return { own, writes };
}

const never = new AbortController().signal;

/** The holder of the only slot, and one who waits in the same process and follows the semaphore. */
async function holderAndWaiter(own: ConsulClient, prefix: string, signal = never) {
  const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix });
  let follows = 0;
  const { list } = own;
  own.list = (at, options) => {
    if (options?.block !== undefined) follows += 1;
    return list(at, options);
  };
  const holder = await semaphore.acquire();
  const waiting = semaphore.acquire({ signal });
  waiting.catch(() => {});
  await until(() => follows > 0, { what: 'it follows the semaphore' });
  return { semaphore, holder, waiting, follows: () => follows };
}

test('a release records the one whose turn it is here in the same write, which the next one then holds by', async () => {
  const prefix = 'handover/same-write';
  const { own, writes } = another();
  const { holder, waiting } = await holderAndWaiter(own, prefix);
  writes.length = 0;
  await holder.release();
  const next = await waiting;
  expect(writes.map(isHandover)).toEqual([true]);
  expect(await recorded(prefix)).toEqual(next.sessions);
  const rows = (await client.list(`${prefix}/`)).value;
  expect(rows.map(({ key }) => key).sort()).toEqual(
    [`${prefix}/.lock`, `${prefix}/${next.sessions[0]}`].sort(),
  );
  expect(next.fencingToken).toBe(BigInt(rows[0]?.modifyIndex ?? 0));
  expect(next.fencingToken).toBeGreaterThan(holder.fencingToken);
  expect(lostReason(next.lost)).toBeNull();
  await next.release();
  await nothingLeft(prefix);
});

test('who waits in another process and came first is not passed over', async () => {
  const prefix = 'handover/order';
  const here = another();
  const there = another();
  const mine = new Semaphore(here.own, { prefix, limit: 1, owner: prefix });
  const theirs = new Semaphore(there.own, { prefix, limit: 1, owner: prefix });
  const order: string[] = [];
  const holder = await mine.acquire();
  const all: Promise<unknown>[] = [];
  const queue = async (semaphore: Semaphore, name: string) => {
    all.push(semaphore.run(async () => order.push(name)));
    await until(async () => (await mine.queueLength()) === all.length, { what: `${name} waits` });
  };
  await queue(theirs, 'there');
  await queue(mine, 'here');
  await queue(theirs, 'there again');
  await holder.release();
  await Promise.all(all);
  expect(order).toEqual(['there', 'here', 'there again']);
  await nothingLeft(prefix);
});

test('one that came in between what was seen and our own entry is not passed over', async () => {
  const prefix = 'handover/between';
  const here = another();
  const there = another();
  const mine = new Semaphore(here.own, { prefix, limit: 1, owner: prefix });
  const theirs = new Semaphore(there.own, { prefix, limit: 1, owner: prefix });
  const order: string[] = [];
  const holder = await mine.acquire();
  let before: Promise<unknown> = Promise.resolve();
  let released = () => {};
  const whenReleased = new Promise<void>((resolve) => {
    released = resolve;
  });
  const { txn, list } = here.own;
  let entered = false;
  here.own.txn = async (ops, options) => {
    const enters = !entered && ops.every(({ verb }) => verb === 'lock');
    if (!enters) return txn(ops, options);
    before = theirs.run(async () => order.push('there'));
    await until(async () => (await theirs.queueLength()) === 1, { what: 'the other has come in' });
    const outcome = await txn(ops, options);
    entered = true;
    return outcome;
  };
  // What it reads once it has come in takes until the slot was released.
  let reads = 0;
  here.own.list = async (at, options) => {
    if (entered) {
      reads += 1;
      await whenReleased;
    }
    return list(at, options);
  };
  const waiting = mine.run(async () => order.push('here'));
  await until(() => reads > 0, { what: 'it has come in and looks' });
  here.writes.length = 0;
  await holder.release();
  released();
  await Promise.all([before, waiting]);
  expect(here.writes.filter(isHandover)).toEqual([]);
  expect(order).toEqual(['there', 'here']);
  await nothingLeft(prefix);
});

test('where slots are taken out of turn, too, only the first of the queue is handed one', async () => {
  for (const fair of [true, false]) {
    const prefix = `handover/unfair-beside-${fair}`;
    const { own, writes } = another();
    const mine = new Semaphore(own, { prefix, limit: 1, owner: prefix, fair: false });
    const theirs = new Semaphore(another().own, { prefix, limit: 1, owner: prefix, fair });
    let follows = 0;
    const { list } = own;
    own.list = (at, options) => {
      if (options?.block !== undefined) follows += 1;
      return list(at, options);
    };
    const holder = await mine.acquire();
    const there = theirs.run(async () => {});
    await until(async () => (await mine.queueLength()) === 1, { what: 'one waits in another process' });
    const here = mine.run(async () => {});
    await until(() => follows > 0, { what: 'one waits here' });
    writes.length = 0;
    await holder.release();
    await Promise.all([there, here]);
    expect(writes.filter(isHandover)).toEqual([]);
    await nothingLeft(prefix);
  }
});

test('where slots are taken out of turn a process that uses one all the time does not keep it from others', async () => {
  const prefix = 'handover/unfair';
  let stop = false;
  let cycles = 0;
  const { own } = another();
  const busy = [0, 1].map(async () => {
    const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix, fair: false });
    while (!stop) {
      await semaphore.run(() => new Promise((resolve) => setTimeout(resolve, 50)));
      cycles += 1;
    }
  });
  await until(() => cycles > 3, { what: 'they change hands' });
  const other = new Semaphore(another().own, { prefix, limit: 1, owner: prefix, fair: false });
  let got = 0;
  const beside = (async () => {
    while (!stop)
      await other.run(async () => {
        got += 1;
      });
  })();
  await until(() => got >= 8, { what: 'it gets the slot again and again', timeoutMs: 20_000 }).finally(() => {
    stop = true;
  });
  await Promise.all([...busy, beside]);
  await nothingLeft(prefix);
});

test('while a client of another library waits and another holds, one that waits has one session and keeps no other', async () => {
  const prefix = `handover/idle-${Math.random().toString(36).slice(2)}`;
  const go = await Promise.all(
    [0, 1].map(() => client.createSession({ name: 'go', ttlMs: 60_000, behavior: 'delete', lockDelayMs: 0 })),
  );
  const { own } = another();
  const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix });
  const first = await semaphore.acquire();
  for (const session of go) {
    const entry = { key: `${prefix}/${session}`, value: Buffer.alloc(0), flags: semaphoreFlags, session };
    expect(await client.txn([{ verb: 'lock', ...entry }])).toMatchObject({ done: true });
  }
  await first.release();
  // Taken by the other library before we look.
  const row = (await client.get(`${prefix}/.lock`)).value;
  const value = Buffer.from(JSON.stringify({ Limit: 1, Holders: { [go[0] ?? '']: true } }));
  const { list } = own;
  const write = { key: `${prefix}/.lock`, value, flags: semaphoreFlags, index: row?.modifyIndex ?? '0' };
  let takes: Promise<boolean> | undefined;
  own.list = async (at, options) => {
    takes ??= client.cas(write);
    expect(await takes).toBe(true);
    return list(at, options);
  };
  const waiting = semaphore.acquire();
  // The other library's waits, too.
  await until(async () => (await semaphore.queueLength()) === 2, { what: 'it waits' });
  await until(async () => (await sessionsOf(prefix)).length === 1, { what: 'it has one session' });
  expect(await sessionsOf(prefix)).not.toEqual(first.sessions);
  for (const id of go.reverse()) await client.destroySession(id);
  await (await waiting).release();
  await nothingLeft(prefix);
});

test('a session that is used again remembers none of those who used it', async () => {
  const name = 'handover/remembers';
  const sessions: KeptSession[] = [];
  const { create } = KeptSession;
  const made = vi.spyOn(KeptSession, 'create').mockImplementation(async (...of) => {
    const session = await create.apply(KeptSession, of);
    sessions.push(session);
    return session;
  });
  const any = vi.spyOn(AbortSignal, 'any');
  try {
    const semaphore = new Semaphore(client, { prefix: name, limit: 1, owner: name });
    const lock = new Lock(client, { key: `${name}-lock`, sessionName: name });
    for (const piece of [semaphore, lock]) {
      sessions.length = 0;
      for (let n = 0; n < 5; n += 1) await piece.run(async () => {});
      // Less than the cycles, so it was used again; how often depends on how busy the machine is.
      expect(sessions.length).toBeLessThan(5);
      const remembers = () => sessions.map(({ lost }) => getEventListeners(lost, 'abort').length);
      await until(() => remembers().every((n) => n === 0), { what: 'it remembers nobody' });
      const sources = any.mock.calls.flatMap(([signals]) => [...signals]);
      expect(sources.filter((signal) => sessions.some(({ lost }) => lost === signal))).toEqual([]);
    }
  } finally {
    made.mockRestore();
    any.mockRestore();
  }
  await nothingLeft(name);
});

test('while a client of another library waits, a slot is freed for everybody, and no session is used again', async () => {
  const prefix = 'handover/outside';
  const { own, writes } = another();
  const { semaphore, holder, waiting, follows } = await holderAndWaiter(own, prefix);
  const go = await client.createSession({ name: prefix, ttlMs: 60_000, behavior: 'delete', lockDelayMs: 0 });
  const entry = { key: `${prefix}/${go}`, value: Buffer.alloc(0), flags: semaphoreFlags, session: go };
  await client.txn([{ verb: 'lock', ...entry }]);
  await until(() => follows() > 1, { what: 'the one in front has seen it and follows on' });
  writes.length = 0;
  await holder.release();
  const next = await waiting;
  expect(writes.filter(isHandover)).toEqual([]);
  await next.release();
  const again = await semaphore.acquire();
  expect(again.sessions).not.toEqual(next.sessions);
  await again.release();
  await client.destroySession(go);
  await nothingLeft(prefix);
});

test('one who gives up while being recorded leaves the slot free, and no dead holder', async () => {
  const prefix = 'handover/gives-up';
  const leaving = new AbortController();
  const seen = { ends: false };
  let handed = () => {};
  const whenHanded = new Promise<void>((resolve) => {
    handed = resolve;
  });
  const { own } = another(async (send) => {
    leaving.abort(new Error('enough'));
    // Time for the one who leaves to see that it is not recorded, and to end its session, which it should not do yet.
    for (let n = 0; n < 20 && !seen.ends; n += 1) await client.list(prefix, { consistency: 'consistent' });
    return send().finally(handed);
  });
  own.destroySession = async (id, options) => {
    seen.ends = true;
    await whenHanded;
    return client.destroySession(id, options);
  };
  const { holder, waiting } = await holderAndWaiter(own, prefix, leaving.signal);
  await holder.release();
  await expect(waiting).rejects.toThrow('enough');
  expect(await recorded(prefix)).toEqual([]);
  await nothingLeft(prefix);
});

test('a hand-over whose answer is lost is seen by the one who got the slot; one that is refused is a release', async () => {
  for (const made of [true, false]) {
    const prefix = `handover/answer-lost-${made}`;
    let tried = 0;
    const { own } = another(async (send) => {
      tried += 1;
      if (!made) return { done: false, errors: [] };
      await send();
      throw new ProblemError({ code: 'unknown-result' });
    });
    const { holder, waiting } = await holderAndWaiter(own, prefix);
    await holder.release();
    const next = await waiting;
    expect(await recorded(prefix)).toEqual(next.sessions);
    await next.release();
    expect(tried).toBe(1);
    await nothingLeft(prefix);
  }
});

test('one that takes a slot again at once does it by the same session, and holds and loses it as a new holder', async () => {
  const prefix = 'handover/again';
  const semaphore = new Semaphore(client, { prefix, limit: 2, owner: prefix });
  const tokens: bigint[] = [];
  const used = new Set<string>();
  for (let n = 0; n < 5; n += 1)
    await semaphore.run(async ({ sessions, fencingToken, lost }) => {
      expect(await recorded(prefix)).toEqual(sessions);
      expect(lostReason(lost)).toBeNull();
      used.add(sessions[0] ?? '');
      tokens.push(fencingToken);
    });
  expect(used.size).toBe(1);
  expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => Number(a - b)));
  const held = await semaphore.acquire();
  expect(held.sessions).toEqual([...used]);
  await client.destroySession(held.sessions[0] ?? '');
  await until(() => held.lost.aborted, { what: 'it learns of it' });
  expect(lostReason(held.lost)).toBe('session-invalidated');
  await held.release();
  await nothingLeft(prefix);
});

test('after an entry whose answer was lost nobody holds by that session again: the write may still come', async () => {
  const prefix = 'handover/late';
  const { own, lost } = losing(client, (ops) => ops.every(({ verb }) => verb === 'lock'));
  const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix, monitorRetryMs: 1 });
  const outside = await new Semaphore(client, { prefix, limit: 1, owner: prefix }).acquire();
  const waiting = semaphore.acquire();
  await until(async () => (await semaphore.queueLength()) === 1, { what: 'it waits' });
  await outside.release();
  const first = await waiting;
  expect(lost()).toBe(true);
  await first.release();
  const second = await semaphore.acquire();
  expect(second.sessions).not.toEqual(first.sessions);
  await second.release();
  await nothingLeft(prefix);
});

test('after a taking whose answer was lost, at once or after a wait, nobody holds by that session again', async () => {
  for (const waits of [false, true]) {
    const prefix = `handover/late-taking-${waits}`;
    const { own, lost } = losing(client, (ops) =>
      ops.some(({ verb, key }) => verb === 'cas' && key === `${prefix}/.lock`),
    );
    const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix, monitorRetryMs: 1 });
    const outside = waits
      ? await new Semaphore(client, { prefix, limit: 1, owner: prefix }).acquire()
      : undefined;
    const coming = semaphore.acquire();
    if (outside !== undefined) {
      await until(async () => (await semaphore.queueLength()) === 1, { what: 'it waits' });
      await outside.release();
    }
    const first = await coming;
    expect(lost()).toBe(true);
    await first.release();
    const second = await semaphore.acquire();
    expect(second.sessions).not.toEqual(first.sessions);
    await second.release();
    await nothingLeft(prefix);
  }
});

test('one whose session is ended after its release gets in all the same', async () => {
  const prefix = 'handover/ended';
  const semaphore = new Semaphore(client, { prefix, limit: 1, owner: prefix });
  const first = await semaphore.acquire();
  await first.release();
  const again = semaphore.acquire();
  await client.destroySession(first.sessions[0] ?? '');
  const next = await again;
  await until(async () => (await recorded(prefix)).join() === next.sessions.join() || next.lost.aborted, {
    what: 'it holds, or knows that it does not',
  });
  await next.release();
  await (await semaphore.acquire()).release();
  await nothingLeft(prefix);
});
