/** The server is asked to end while it works. */
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '@/lib/server/store/store';
import { fresh, heldLock, row } from '@/test/actions/stage';
import { startConsul } from '@/test/support/consul';
import { asked, openDesk } from '@/test/support/desk';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { programs } from '@/test/support/programs';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const consul = await startConsul();
const client = consul.client();
const proxy = await startFaultProxy(consul.address);
const run = await programs({ waiter: 'quality/chaos/ours/programs/waiter.ts' });
afterAll(() => proxy.close());

/** A desk on a link that can be stalled, and an action that is begun there and cannot go on. */
async function begun(endMs?: number) {
  const store = openStore({ folder: freshFolder() });
  const desk = openDesk({
    consul: proxy.address,
    store,
    watch: false,
    followMs: 60_000,
    ...(endMs === undefined ? {} : { endMs }),
  });
  const { key } = await heldLock(client, { key: fresh('ending') });
  const action = { type: 'lock.release', source: 'consul', key, how: 'destroy-session' } as const;
  const { expect: seen } = await (await desk.post(asked({ mode: 'plan', action }))).json();
  const rows = async () =>
    (await desk.audit.read({ below: null, limit: 10 }))
      .map(({ kind, detail }) => ({ kind, detail }))
      .reverse();
  proxy.stall();
  const answer = desk.post(asked({ mode: 'apply', action, reason: 'test', expect: seen }));
  await until(async () => (await rows()).length === 1, { what: 'the intent is on record' });
  return { store, desk, key, action, seen, rows, answer };
}

test('an action under way is finished: answered, on record, and followed as far as it was seen', async () => {
  const { store, desk, key, action, seen, rows, answer } = await begun();
  const ended = desk.close();
  const late = await desk.post(asked({ mode: 'apply', action, reason: 'too late', expect: seen }));
  expect(late.status, 'nothing more is begun').toBe(503);
  proxy.resume();
  expect((await answer).status).toBe(200);
  await ended;
  expect((await row(client, key)).session).toBeNull();
  expect(await rows()).toMatchObject([
    { kind: 'intent' },
    { kind: 'outcome', detail: { outcome: 'done' } },
    { kind: 'followed', detail: { cutShort: true } },
  ]);
  await store.close();
});

test('an action that cannot be brought to its end does not keep the server from ending', async () => {
  const { store, desk, answer } = await begun(50);
  await desk.close();
  proxy.resume();
  expect((await answer).status).toBeGreaterThanOrEqual(500);
  await store.close();
});

test('a client that keeps asking on its connection does not keep the server from ending', async () => {
  const waiter = run('waiter', {});
  const port = await until(() => /^(\d+)\n/.exec(waiter.output())?.[1], { what: 'it listens' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (path = '/') =>
    new Promise<string | null>((resolve) => {
      const asked = get({ port, agent, path }, (response) => {
        response.resume();
        response.on('close', () => resolve(response.headers.connection ?? ''));
      });
      asked.on('error', () => resolve(null));
    });
  expect(await ask()).toBe('keep-alive');
  // A stream that nobody ends, as one that comes at the last moment.
  const stream = get({ port, agent: false, path: '/stream' });
  await new Promise((resolve) => stream.on('response', resolve));
  stream.on('error', () => {});
  const slow = ask('/slow');
  await until(() => waiter.output().includes('/slow\n'), { what: 'a request is under way' });
  waiter.terminate();
  let gone = false;
  void waiter.exited.then(() => {
    gone = true;
  });
  expect(await slow).toBe('keep-alive');
  expect(await ask(), 'the next answer on that connection is its last').toBe('close');
  while (!gone) {
    await ask();
    await delay(10);
  }
  agent.destroy();
  expect(await waiter.exited).toBe(143);
  expect(waiter.output(), 'everything is written before the exit').toContain('closed\nleft\n');
});
