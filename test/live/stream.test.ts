import { afterEach, beforeEach, expect, test } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import { findingsOf } from '@/lib/domain/rules/table';
import type { Provider } from '@/lib/domain/seam/provider';
import { apply, type Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { createConsulProvider } from '@/lib/providers/consul/provider';
import { createHub, type Hub } from '@/lib/server/live/hub';
import { createStreams, type Streams } from '@/lib/server/stream/sse';
import { runConsulLock, startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

let consul: TestConsul;
let client: ConsulClient;
let provider: Provider;
let hub: Hub;
let streams: Streams;

beforeEach(async () => {
  consul = await startConsul();
  client = consul.client();
  provider = createConsulProvider({
    settings: consulSettings({ CONSUL_HTTP_ADDR: consul.address }),
    prefixes: [''],
    now: Date.now,
  });
  hub = createHub({
    provider,
    now: Date.now,
    instance: 'test',
    findingsOf,
    onBug: (error) => bugs.push(error),
  });
  streams = createStreams({ hub, max: 10, onBug: (error) => bugs.push(error) });
  bugs.length = 0;
  await until(() => hub.snapshot().source.state === 'live', { what: 'the hub to be live' });
});
const bugs: unknown[] = [];
afterEach(async () => {
  streams.close();
  await hub.close();
  provider.close();
  await consul.stop();
  expect(bugs).toEqual([]);
});

/** Follows a stream as a browser does, from its bytes. */
function view(had: { id: string; snapshot: Snapshot } | null = null) {
  const end = new AbortController();
  const stream = streams.open({
    asker: { identity: { kind: 'anonymous' }, address: null },
    filter: null,
    lastEventId: had?.id ?? null,
    signal: end.signal,
  });
  if (stream === null) throw new Error('refused');
  let snapshot: Snapshot | null = had?.snapshot ?? null;
  let lastId = had?.id ?? '';
  let wholes = 0;
  const done = (async () => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of stream) {
      text += decoder.decode(bytes, { stream: true });
      for (let at = text.indexOf('\n\n'); at !== -1; at = text.indexOf('\n\n')) {
        const block = text.slice(0, at);
        text = text.slice(at + 2);
        const [, name] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data = '{}'] = /^data: (.*)$/m.exec(block) ?? [];
        lastId = /^id: (.*)$/m.exec(block)?.[1] ?? lastId;
        if (name === 'snapshot') {
          snapshot = JSON.parse(data) as Snapshot;
          wholes += 1;
        } else if (name === 'patch' || name === 'status') {
          if (snapshot === null) throw new Error('a patch before any snapshot');
          snapshot = apply(snapshot, JSON.parse(data) as Patch);
          if (snapshot === null) throw new Error('a patch that does not join');
        }
      }
    }
  })();
  return {
    snapshot: () => snapshot as Snapshot | null,
    lastId: () => lastId,
    wholes: () => wholes,
    end: async () => {
      end.abort();
      await done;
    },
  };
}

test('six real consul lock processes: three hold, three wait, and every viewer follows to the end', async () => {
  const viewer = view();
  const locks = Array.from({ length: 6 }, () =>
    runConsulLock(consul, { n: 3, prefix: 'semaphore/mg-init', command: 'sleep 600' }),
  );
  const semaphore = () => viewer.snapshot()?.semaphores.find((s) => s.prefix === 'semaphore/mg-init');
  await until(() => semaphore()?.holders.length === 3 && semaphore()?.waiters.length === 3, {
    what: 'three holders and three waiters',
    timeoutMs: 30_000,
  });
  expect(semaphore()).toMatchObject({ limit: 3, recorded: 3, effective: 3, layout: 'go-semaphore' });
  for (const holder of semaphore()?.holders ?? []) expect(holder.since?.basis).toBe('observed');
  for (const lock of locks) lock.terminate();
  await Promise.all(locks.map((lock) => lock.exited));
  // `consul lock` may end before the session it gave up is destroyed; that one then lives to the end of its TTL.
  await until(
    async () => {
      const left = (await client.sessions()).value.map(({ id }) => id).sort();
      return (
        viewer
          .snapshot()
          ?.sessions.map(({ id }) => id)
          .join() === left.join()
      );
    },
    { what: 'the sessions in Consul and no others' },
  );
  await until(() => viewer.lastId() === `test-${hub.snapshot().version}`, { what: 'the last patch' });
  expect(viewer.snapshot()).toEqual({ ...hub.snapshot(), asOfMs: viewer.snapshot()?.asOfMs });
  expect(viewer.wholes()).toBe(1);
  await viewer.end();
});

test('a viewer that was away during a storm comes back to the state of a fresh viewer, by patches alone', async () => {
  const before = view();
  await until(() => before.snapshot() !== null, { what: 'the snapshot' });
  const had = { id: before.lastId(), snapshot: before.snapshot() ?? hub.snapshot() };
  await before.end();
  for (let n = 0; n < 20; n += 1) {
    const session = await client.createSession({
      name: `s${n}`,
      ttlMs: null,
      behavior: n % 2 === 0 ? 'delete' : 'release',
      lockDelayMs: 0,
      checks: [],
    });
    await client.acquire({ key: `k/${n % 7}`, session, flags: '0', value: Buffer.from(`${n}`) });
    if (n % 3 === 0) await client.destroySession(session);
  }
  const sessions = (await client.sessions()).value.map((session) => session.id).sort();
  await until(
    () =>
      sessions.join() ===
      hub
        .snapshot()
        .sessions.map((s) => s.id)
        .join(),
    {
      what: 'the hub to have seen all',
    },
  );
  const fresh = view();
  const back = view(had);
  await until(() => fresh.lastId() !== '' && back.lastId() === fresh.lastId(), {
    what: 'both to be up to date',
  });
  expect(back.snapshot()).toEqual({ ...fresh.snapshot(), asOfMs: back.snapshot()?.asOfMs });
  expect(back.wholes()).toBe(0);
  await fresh.end();
  await back.end();
});

test('rows that did not change keep their identity from world to world', async () => {
  const session = await client.createSession({
    name: 'stays',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: 'stays', session, flags: '0', value: Buffer.from('x') });
  const stays = () => hub.snapshot().locks.find((lock) => lock.key === 'stays');
  await until(() => stays()?.state === 'held', { what: 'the lock' });
  const before = stays();
  await client.acquire({ key: 'other', session: session, flags: '0', value: Buffer.from('y') });
  await until(() => hub.snapshot().locks.length === 2, { what: 'the other lock' });
  expect(stays()).toBe(before);
});

test('a lock that was released here is under its lock-delay, also where its client deletes the key at once', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const clients = names.map((prefix) => runConsulLock(consul, { n: 1, prefix, command: 'exec sleep 600' }));
  const lockOf = (name: string) => hub.snapshot().locks.find(({ key }) => key === `${name}/.lock`);
  await until(() => names.every((name) => lockOf(name)?.state === 'held'), { what: 'all of them to hold' });
  for (const name of names) {
    const action = {
      type: 'lock.release',
      source: 'consul',
      key: `${name}/.lock`,
      how: 'destroy-session',
    } as const;
    const planned = await provider.plan(action, AbortSignal.timeout(10_000));
    if (isProblem(planned)) throw new Error(JSON.stringify(planned));
    expect(await provider.apply(action, planned.expect, AbortSignal.timeout(10_000))).toHaveProperty('after');
    await until(() => lockOf(name)?.state === 'delayed', { what: `${name} to be delayed` });
    await until(async () => (await client.get(`${name}/.lock`)).value === null, {
      what: `${name} is deleted`,
    });
    await until(() => lockOf(name)?.exists === false, { what: `${name} to be gone` });
    expect(lockOf(name)?.delay).not.toBeNull();
  }
  await Promise.all(clients.map(({ exited }) => exited));
});
