/** Sessions of semaphores that outlive a release for a moment, on a real Consul. */
import { getEventListeners } from 'node:events';
import { afterAll, expect, test, vi } from 'vitest';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { Lock } from '@/packages/locks/src/lock';
import { lostReason } from '@/packages/locks/src/lost';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { KeptSession } from '@/packages/locks/src/session';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { losing } from './losing';
import { another } from './process';
import { remainsOf } from './remains';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
const { recorded, sessionsNamed, nothingLeft } = remainsOf(client);
afterAll(() => consul.stop());

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

test('while a client of another library waits and another holds, one that waits has one session and keeps no other', async () => {
  const prefix = `handover/idle-${Math.random().toString(36).slice(2)}`;
  const go = await Promise.all(
    [0, 1].map(() =>
      client.createSession({ name: 'go', ttlMs: 600_000, behavior: 'delete', lockDelayMs: 0 }),
    ),
  );
  const { own } = another(client);
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
  await until(async () => (await sessionsNamed(prefix)).length === 1, { what: 'it has one session' });
  expect((await sessionsNamed(prefix)).map(({ id }) => id)).not.toEqual(first.sessions);
  for (const id of go.reverse()) await client.destroySession(id);
  await (await waiting).release();
  await nothingLeft(prefix);
});

test('after an entry whose answer was lost no client holds by that session again: the write may still come', async () => {
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

test('after a taking whose answer was lost, at once or after a wait, no client holds by that session again', async () => {
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
