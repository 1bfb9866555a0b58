import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ConsulClient, createConsulClient } from '@/lib/providers/consul/client/client';
import { pause } from '@/lib/providers/consul/client/clock';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { recognise } from '@/lib/providers/consul/recognise/recognise';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { withoutHealth } from '@/test/support/fault-pipe';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

let consul: TestConsul;
let proxy: FaultProxy;
/** Through the proxy, as Signalbox reads. */
let watched: ConsulClient;
/** Past the proxy, as other clients write. */
let direct: ConsulClient;
let watching: Watching;

beforeEach(async () => {
  consul = await startConsul();
  proxy = await startFaultProxy(consul.address);
  watched = createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: proxy.address }));
  direct = consul.client();
  watching = startWatching(watched);
  await watching.reaches('live');
});
afterEach(async () => {
  await watching.stop();
  watched.close();
  await proxy.close();
  await consul.stop();
});

async function take(key: string): Promise<string> {
  const session = await direct.createSession({
    name: key,
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 15_000,
    checks: [],
  });
  const write = { key, session, flags: '0', value: Buffer.from(key) };
  expect(await direct.acquire(write)).toBe(true);
  return session;
}

const held = (key: string) =>
  until(() => watching.lock(key)?.state === 'held', { what: `${key} to be held`, timeoutMs: 20_000 });

/** The watch equals a fresh look at the agent, except for facts that only a watch can know. */
async function expectFreshWorld(): Promise<void> {
  const client = consul.client();
  const rows = (await client.list('')).value;
  const sessions = (await client.sessions()).value;
  const last = watching.views.at(-1);
  if (last === undefined) throw new Error('nothing shown');
  const fresh = recognise({ ...last, rows, sessions });
  expect(watching.world()).toEqual(fresh);
}

test('a stopped agent is noticed, its last state stays on show, and it is live again when it continues', async () => {
  await take('before');
  await held('before');
  consul.pause();
  await watching.reaches('down');
  expect(watching.sources.at(-1)?.staleSinceMs).not.toBeNull();
  expect(watching.lock('before')?.state).toBe('held');
  consul.resume();
  await take('during');
  await watching.reaches('live');
  await held('during');
  await expectFreshWorld();
  expect(watching.sources.at(-1)?.staleSinceMs).toBeNull();
});

test('a killed agent that comes back is live again without a new watch', async () => {
  const ended = await take('ends-in-between');
  await held('ends-in-between');
  proxy.refuse();
  await watching.reaches('down');
  await direct.destroySession(ended);
  await take('new');
  proxy.accept();
  await watching.reaches('live');
  await held('new');
  expect(watching.lock('new')?.holder?.since?.basis).toBe('at-least');
  // The end was not seen, so the start of its lock-delay is unknown.
  expect(watching.lock('ends-in-between')?.state).toBe('free');
  await expectFreshWorld();

  await consul.kill();
  await watching.reaches('down');
  await consul.restart();
  await watching.reaches('live');
  await take('after');
  await held('after');
  await expectFreshWorld();
});

test('an agent that comes back empty, with lower indexes, is read in full', async () => {
  for (let n = 0; n < 20; n += 1) await take(`old/${n}`);
  await held('old/19');
  await consul.kill();
  await watching.reaches('down');
  rmSync(`${consul.dir}/data`, { recursive: true, force: true });
  await consul.restart();
  await watching.reaches('live');
  await until(() => watching.world().locks.length === 0, { what: 'the old locks to be gone' });
  await take('fresh');
  await held('fresh');
  await expectFreshWorld();
  // That is another Consul, and not an earlier state of this one.
  expect(watching.sources.at(-1)?.restoredAtMs).toBeNull();
});

test('an end that falls into a lost connection is still seen as one, when that is read again at once', async () => {
  const ended = await take('cut');
  await held('cut');
  const { endsSeenSinceMs } = watching.sources.at(-1) ?? {};
  // A connection at rest between two reads would be reopened silently.
  await until(
    async () => {
      const before = proxy.bytesPassed;
      await pause(300);
      return proxy.bytesPassed === before;
    },
    { what: 'all queries to block' },
  );
  const said = watching.sources.length;
  proxy.reset();
  await direct.destroySession(ended);
  await until(() => watching.lock('cut')?.holder === null, { what: 'the end' });
  expect(watching.lock('cut')?.delay).toMatchObject({ sessionId: ended, basis: 'seen' });
  await watching.reaches('live');
  // A reading that succeeds at once was no outage.
  expect(watching.sources.slice(said).map(({ state }) => state)).not.toContain('stale');
  expect(watching.sources.at(-1)?.endsSeenSinceMs).toBe(endsSeenSinceMs);
});

test('without an index in its answers Consul is read all the same, and nothing is missed', async () => {
  const session = await take('before');
  await held('before');
  proxy.garble((piece) =>
    Buffer.from(piece.toString('latin1').replace(/^X-Consul-Index: [^\r]*/im, 'X-Nothing: 0'), 'latin1'),
  );
  await take('during');
  await held('during');
  await direct.destroySession(session);
  await until(() => watching.lock('before')?.holder === null, { what: 'the end of the first holder' });
  await take('later');
  await held('later');
  await expectFreshWorld();
  proxy.resume();
  await take('after');
  await held('after');
  await watching.reaches('live');
  await expectFreshWorld();
});

test('a connection that is cut, reset in the middle of an answer or stalled heals', async () => {
  await take('first');
  await held('first');
  proxy.cut();
  await take('second');
  await held('second');

  const big = Buffer.alloc(400_000, 'x');
  for (let n = 0; n < 5; n += 1) await direct.cas({ key: `big/${n}`, value: big, flags: '0', index: '0' });
  await until(() => watching.views.at(-1)?.rows.length === 7, { what: 'the big rows' });
  proxy.slow(200_000);
  const before = proxy.bytesPassed;
  await take('third');
  // The answer with all rows takes ten seconds at that speed. Broken before its beginning, it would be read again
  // without a failure.
  await until(() => proxy.bytesPassed > before + 100_000, { what: 'the answer to be on its way' });
  proxy.reset();
  await until(() => watching.sources.some(({ state }) => state === 'stale' || state === 'down'), {
    what: 'the failure to be said',
  });
  proxy.resume();
  await held('third');
  await watching.reaches('live');

  proxy.stall();
  await watching.reaches('down');
  await take('fourth');
  proxy.resume();
  await held('fourth');
  await watching.reaches('live');
  await expectFreshWorld();
});

test('news that comes slowly over a thin line is said to be coming, for heartbeats pass all the while', async () => {
  const big = Buffer.alloc(400_000, 'x');
  await direct.cas({ key: 'big', value: big, flags: '0', index: '0' });
  await until(() => watching.views.at(-1)?.rows.length === 1, { what: 'the big row' });
  await watching.reaches('live');
  // The answer takes half a minute at that speed, and a heartbeat a few milliseconds.
  proxy.slow(16_000);
  const from = watching.sources.length;
  await take('behind');
  await until(() => watching.sources.slice(from).some(({ state }) => state === 'catching-up'), {
    what: 'it to be said that news is coming',
    timeoutMs: 20_000,
  });
  expect(watching.sources.slice(from).map(({ state }) => state)).not.toContain('down');
  expect(watching.sources.at(-1)?.staleSinceMs).not.toBeNull();
  expect(watching.lock('behind')).toBeUndefined();
  proxy.resume();
  await held('behind');
  await watching.reaches('live');
  await expectFreshWorld();
});

test('health that cannot be read while all else can is unknown after a moment, not what it was', async () => {
  const put = async (path: string, body: unknown) => {
    const answer = await fetch(`http://${consul.address}/v1/${path}`, {
      method: 'PUT',
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(200);
    return answer.json();
  };
  const check = { Node: 'elsewhere', CheckID: 'serfHealth', Name: 'Serf Health Status' };
  const node = (Status: string) =>
    put('catalog/register', { Node: 'elsewhere', Address: '10.0.0.9', Check: { ...check, Status } });
  await node('passing');
  const { ID } = await put('session/create', { Node: 'elsewhere', NodeChecks: [], TTL: '600s' });
  await direct.acquire({ key: 'a', session: ID, flags: '0', value: Buffer.from('') });
  const says = (code: string) =>
    until(() => watching.lock('a')?.holder?.evidence.some((one) => one.code === code), {
      what: `the evidence ${code}`,
      timeoutMs: 20_000,
    });
  await says('node-passing');
  proxy.garble(withoutHealth);
  await node('critical');
  await says('node-unknown');
  expect(watching.state()).toBe('live');
  // A later change of a lock does not bring it back.
  await take('b');
  await held('b');
  await says('node-unknown');
  proxy.resume();
  await says('node-critical');
});
