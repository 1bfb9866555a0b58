/** Slots that go from hand to hand within one process, on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import { ProblemError } from '@/lib/domain/problem';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { lostReason } from '@/packages/locks/src/lost';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { another, holderAndWaiter, isHandover } from './process';
import { remainsOf } from './remains';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
const { recorded, nothingLeft } = remainsOf(client);
afterAll(() => consul.stop());

test('a release records the one whose turn it is here in the same write, which the next one then holds by', async () => {
  const prefix = 'handover/same-write';
  const here = another(client);
  const { holder, waiting } = await holderAndWaiter(here, prefix);
  const { writes } = here;
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

test('an earlier waiter in another process is not passed over', async () => {
  const prefix = 'handover/order';
  const here = another(client);
  const there = another(client);
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
  const here = another(client);
  const there = another(client);
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
  // Its first read takes until the slot was released.
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

test('while a client of another library waits, a slot is freed for all, and no session is used again', async () => {
  const prefix = 'handover/outside';
  const here = another(client);
  const { semaphore, holder, waiting } = await holderAndWaiter(here, prefix);
  const go = await client.createSession({ name: prefix, ttlMs: 600_000, behavior: 'delete', lockDelayMs: 0 });
  const entry = { key: `${prefix}/${go}`, value: Buffer.alloc(0), flags: semaphoreFlags, session: go };
  await client.txn([{ verb: 'lock', ...entry }]);
  await until(() => here.follows() > 1, { what: 'the one in front has seen it and follows on' });
  here.writes.length = 0;
  await holder.release();
  const next = await waiting;
  expect(here.writes.filter(isHandover)).toEqual([]);
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
  const here = another(client, async (send) => {
    leaving.abort(new Error('enough'));
    // Time for the one who leaves to see that it is not recorded, and to end its session, which it should not do yet.
    for (let n = 0; n < 20 && !seen.ends; n += 1) await client.list(prefix, { consistency: 'consistent' });
    return send().finally(handed);
  });
  here.own.destroySession = async (id, options) => {
    seen.ends = true;
    await whenHanded;
    return client.destroySession(id, options);
  };
  const { holder, waiting } = await holderAndWaiter(here, prefix, leaving.signal);
  await holder.release();
  await expect(waiting).rejects.toThrow('enough');
  expect(await recorded(prefix)).toEqual([]);
  await nothingLeft(prefix);
});

test('a hand-over whose answer is lost is seen by the one who got the slot; one that is refused is a release', async () => {
  for (const made of [true, false]) {
    const prefix = `handover/answer-lost-${made}`;
    let tried = 0;
    const here = another(client, async (send) => {
      tried += 1;
      if (!made) return { done: false, errors: [] };
      await send();
      throw new ProblemError({ code: 'unknown-result' });
    });
    const { holder, waiting } = await holderAndWaiter(here, prefix);
    await holder.release();
    const next = await waiting;
    expect(await recorded(prefix)).toEqual(next.sessions);
    await next.release();
    expect(tried).toBe(1);
    await nothingLeft(prefix);
  }
});
