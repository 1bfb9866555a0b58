/** Slots that go from hand to hand within one process, and sessions that outlive a release, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/consul/client';
import { readCoordination, semaphoreFlags } from '@/lib/consul/coordination';
import type { TxnOp } from '@/lib/consul/wire';
import { ProblemError } from '@/lib/domain/problem';
import { lostReason } from '@/lib/recipes/lost';
import { Semaphore } from '@/lib/recipes/semaphore';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

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
  let lose = true;
  const own: ConsulClient = {
    ...client,
    txn: async (ops, options) => {
      const outcome = await client.txn(ops, options);
      const enters = ops.every(({ verb }) => verb === 'lock');
      if (!lose || !enters) return outcome;
      lose = false;
      throw new ProblemError({ code: 'unknown-result' });
    },
  };
  const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix, monitorRetryMs: 1 });
  const outside = await new Semaphore(client, { prefix, limit: 1, owner: prefix }).acquire();
  const waiting = semaphore.acquire();
  await until(async () => (await semaphore.queueLength()) === 1, { what: 'it waits' });
  await outside.release();
  const first = await waiting;
  expect(lose).toBe(false);
  await first.release();
  const second = await semaphore.acquire();
  expect(second.sessions).not.toEqual(first.sessions);
  await second.release();
  await nothingLeft(prefix);
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
