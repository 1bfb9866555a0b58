import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import {
  createLineReader,
  createLineSplitter,
  type MonitorEvent,
} from '@/lib/providers/consul/renewals/monitor-line';
import { runConsulLock, startConsul, type TestConsul } from '@/test/support/consul';
import { isConsulSince } from '@/test/support/consul-version';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

/** The shortest that Consul allows, by default. */
const ttlMs = 10_000;
/** The full time is waited for with a real `consul lock`; where no more than an end is needed, this will do. */
const shortTtlMs = 5_000;
let consul: TestConsul;
let client: ConsulClient;
let watching: Watching | null = null;
let proxy: FaultProxy | null = null;

beforeAll(async () => {
  consul = await startConsul({ extraConfig: { session_ttl_min: `${shortTtlMs}ms` } });
  client = consul.client();
});
afterEach(async () => {
  await watching?.stop();
  await proxy?.close();
  watching = null;
  proxy = null;
});
afterAll(() => consul.stop());

const at = (address: string, token: string | null = null) => ({
  ...consulSettings({ CONSUL_HTTP_ADDR: address }),
  token,
});
const watch = (...addresses: string[]) =>
  startWatching(
    client,
    [''],
    addresses.map((address) => at(address)),
  );
const observed = (count = 1) =>
  until(
    () => watching?.sources.at(-1)?.renewals.filter(({ state }) => state === 'observed').length === count,
    { what: 'the agents to be observed' },
  );
const holder = (key: string) => watching?.lock(key)?.holder ?? null;
const codes = (key: string) => holder(key)?.evidence.map(({ code }) => code) ?? [];
const becomes = (key: string, verdict: string, timeoutMs: number) =>
  until(() => (holder(key)?.verdict === verdict ? holder(key) : null), {
    what: `${key} ${verdict}`,
    timeoutMs,
  });

/** The log of an agent as it comes, with what the product's own reader finds in it. */
async function rawLog(address: string, token: string | null = null) {
  const end = new AbortController();
  const response = await fetch(`http://${address}/v1/agent/monitor?loglevel=debug&logjson=true`, {
    // 1.8.7 holds a packed answer back until there is much of it.
    headers: { 'accept-encoding': 'identity', ...(token === null ? {} : { 'x-consul-token': token }) },
    signal: end.signal,
  });
  const lines: string[] = [];
  const found: MonitorEvent[] = [];
  const read = createLineReader((event) => found.push(event));
  const split = createLineSplitter((line) => {
    lines.push(line);
    read(line);
  });
  const reading = (async () => {
    for await (const piece of response.body ?? []) split(Buffer.from(piece).toString('latin1'));
  })().catch(() => {});
  return {
    lines,
    found,
    stop: async () => {
      end.abort();
      await reading;
    },
  };
}

async function hold(key: string, sessionTtlMs = ttlMs): Promise<string> {
  const session = await client.createSession({
    name: key,
    ttlMs: sessionTtlMs,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key, session, flags: '3304740253564472344', value: Buffer.alloc(0) });
  return session;
}

test('consul lock is alive while it renews, overdue when it is stopped, and alive again when it continues', async () => {
  watching = watch(consul.address);
  await observed();
  const program = runConsulLock(consul, { n: 1, prefix: 'a', command: 'sleep 600' });
  const key = 'a/.lock';
  await until(() => codes(key).includes('renewal-observed'), { what: 'a renewal', timeoutMs: 40_000 });
  expect(holder(key)).toMatchObject({ verdict: 'alive', expiry: { kind: 'observed', lastRenewalMs: null } });
  process.kill(program.pid, 'SIGSTOP');
  const silent = await becomes(key, 'overdue', 40_000);
  const { lastRenewalMs, latestMs } = silent.expiry;
  expect(latestMs).toBe((lastRenewalMs ?? 0) + 30_000);
  const byCode = new Map(silent.evidence.map((fact) => [fact.code, fact]));
  expect(byCode.get('renewal-observed')).toMatchObject({
    atMs: lastRenewalMs,
    detail: `http://${consul.address}`,
  });
  expect(byCode.get('renewal-overdue')?.atMs).toBe((lastRenewalMs ?? 0) + 15_000);
  process.kill(program.pid, 'SIGCONT');
  await becomes(key, 'alive', 40_000);
  program.kill9();
  await becomes(key, 'overdue', 40_000);
  const end = holder(key)?.expiry.latestMs ?? 0;
  await until(() => watching?.lock(key)?.state !== 'held', { what: 'its end', timeoutMs: 30_000 });
  // The promise on the screen: not later than this. The seconds are for the write and our reading of it, on a busy machine.
  expect(Date.now()).toBeLessThan(end + 5_000);
}, 240_000);

test('a stream that breaks is a gap: no holder is overdue by it, and silence counts from its end', async () => {
  proxy = await startFaultProxy(consul.address);
  watching = watch(proxy.address);
  await observed();
  const session = await hold('gap');
  await client.renewSession(session);
  const direct = setInterval(() => void client.renewSession(session).catch(() => {}), 2_000);
  try {
    const { sinceMs: before } = watching.sources.at(-1)?.renewals[0] ?? {};
    await until(() => codes('gap').includes('renewal-observed'), { what: 'a renewal' });
    proxy.stall();
    await until(() => watching?.sources.at(-1)?.renewals[0]?.state !== 'observed', {
      what: 'the stall to be noticed',
    });
    expect(watching.worlds.flatMap((world) => world.locks.map((lock) => lock.holder?.verdict))).not.toContain(
      'overdue',
    );
    proxy.reset();
    proxy.resume();
    await observed();
    expect(watching.sources.at(-1)?.renewals[0]?.sinceMs).toBeGreaterThan(before ?? 0);
  } finally {
    clearInterval(direct);
  }
}, 180_000);

test('a stream that has broken silently makes no holder overdue in the seconds before that is noticed', async () => {
  proxy = await startFaultProxy(consul.address);
  watching = watch(proxy.address);
  await observed();
  const session = await hold('unnoticed');
  await client.renewSession(session);
  await until(() => codes('unnoticed').includes('renewal-observed'), { what: 'a renewal' });
  const renewedMs = Date.now();
  // Its next renewals go by unseen, and its time is over before the missing mark is: due 11 s after the first.
  await until(() => Date.now() - renewedMs > 7_500, { what: 'a client that renews seldom' });
  proxy.stall();
  await client.renewSession(session);
  await until(() => watching?.sources.at(-1)?.renewals[0]?.state !== 'observed', {
    what: 'the stall to be noticed',
    timeoutMs: 20_000,
  });
  expect(Date.now() - renewedMs).toBeGreaterThan(11_000);
  const verdicts = watching.worlds.flatMap(({ locks }) => locks.map(({ holder: by }) => by?.verdict));
  expect(verdicts).not.toContain('overdue');
}, 180_000);

test('a renewal that the agent refuses, and one of a session that is gone, prove nothing', async () => {
  const secured = await startConsul({ acl: true });
  const allowed = secured.client();
  const anonymous = secured.client({ token: null });
  watching = startWatching(allowed, [''], [at(secured.address, secured.token)]);
  await observed();
  const log = await rawLog(secured.address, secured.token);
  const started = (name: string) =>
    allowed.createSession({ name, ttlMs, behavior: 'release', lockDelayMs: 0, checks: [] });
  const session = await started('refused');
  await allowed.acquire({ key: 'refused', session, flags: '0', value: Buffer.alloc(0) });
  await expect(anonymous.renewSession(session)).rejects.toThrow();
  const gone = await started('gone');
  await allowed.destroySession(gone);
  expect(await allowed.renewSession(gone)).toBeNull();
  const other = await started('o');
  await allowed.acquire({ key: 'renewed', session: other, flags: '0', value: Buffer.alloc(0) });
  await allowed.renewSession(other);
  await until(() => codes('renewed').includes('renewal-observed'), { what: 'the later renewal' });
  expect(codes('refused')).toContain('renewals-not-observed');
  // A later agent calls the renewal of a session that is gone an error first; before, its line was as any other.
  const renewal = (sessionId: string) => ({ kind: 'renewal', sessionId });
  await until(() => log.found.some((event) => event.kind === 'renewal' && event.sessionId === other), {
    what: 'the later renewal in the log',
  });
  const says = log.lines
    .filter((line) => line.includes(`/v1/session/renew/${gone}`))
    .map((line) => /Request \w+/.exec(line)?.[0])
    .filter((words) => words !== undefined);
  const failsFirst = await isConsulSince('1.22.0');
  expect(says).toEqual(failsFirst ? ['Request error', 'Request finished'] : ['Request finished']);
  expect(log.found.filter(({ kind }) => kind === 'renewal')).toEqual([
    ...(failsFirst ? [] : [renewal(gone)]),
    renewal(other),
  ]);
  await log.stop();
  await watching.stop();
  watching = null;
});

test('a token that may not follow the log says so, and the locks are there all the same', async () => {
  const secured = await startConsul({ acl: true });
  watching = startWatching(secured.client(), [''], [at(secured.address, null)]);
  await watching.reaches('live');
  await until(() => watching?.sources.at(-1)?.renewals[0]?.state === 'forbidden', { what: 'forbidden' });
  await watching.stop();
  watching = null;
});

test('a server that refuses every token while it starts is followed as soon as it takes them', async () => {
  proxy = await startFaultProxy(consul.address);
  // So Consul 1.8.7 answers until it knows its leader; 1.22.7 does so in other words.
  proxy.answer({ status: 403, body: 'ACL not found' });
  watching = watch(proxy.address);
  await until(() => watching?.sources.at(-1)?.renewals[0]?.state === 'forbidden', { what: 'forbidden' });
  proxy.accept();
  await observed();
});

test('a renewal through another agent is seen only where that one is followed', async () => {
  const beside = await startConsul({ beside: consul });
  watching = watch(consul.address);
  await observed();
  // It is renewed by this test alone.
  const session = await hold('beside', 120_000);
  await beside.client().renewSession(session);
  await client.leader();
  await until(() => holder('beside') !== null, { what: 'the holder' });
  expect(holder('beside')?.evidence).toContainEqual(
    expect.objectContaining({ code: 'renewals-not-observed', detail: 'unseen' }),
  );
  await watching.stop();
  watching = watch(consul.address, beside.address);
  await observed(2);
  await beside.client().renewSession(session);
  await until(
    () =>
      holder('beside')?.evidence.some(
        ({ code, detail }) => code === 'renewal-observed' && detail === `http://${beside.address}`,
      ),
    { what: 'the renewal' },
  );
});

test('a session that outlives its silence is renewed elsewhere, and not overdue any more', async () => {
  const beside = await startConsul({ beside: consul });
  const away = beside.client();
  watching = watch(consul.address);
  await observed();
  const session = await hold('moved', shortTtlMs);
  await client.renewSession(session);
  await until(() => codes('moved').includes('renewal-observed'), { what: 'a renewal' });
  const renewing = setInterval(() => void away.renewSession(session).catch(() => {}), 1_500);
  try {
    await becomes('moved', 'overdue', 40_000);
    await becomes('moved', 'alive', 30_000);
    expect(codes('moved')).toContain('renewals-elsewhere');
    expect(holder('moved')?.expiry.kind).toBe('bounded');
  } finally {
    clearInterval(renewing);
  }
}, 180_000);

test('a token in a URL, which the agent may log as it is, is in nothing that is said', async () => {
  const secret = '5ec2e7aa-0000-4000-8000-0123456789ab';
  watching = watch(consul.address);
  await observed();
  const log = await rawLog(consul.address);
  const session = await hold('secret');
  await fetch(`http://${consul.address}/v1/session/renew/${session}?token=${secret}`, { method: 'PUT' });
  await fetch(`http://${consul.address}/v1/session/renew/${session}?token=${secret}&signalbox=${secret}`);
  await until(() => codes('secret').includes('renewal-observed'), { what: 'the renewal' });
  // An agent of 2024 or earlier logs no such line; nothing can be kept there that it does not say.
  if (await isConsulSince('1.22.0'))
    await until(() => log.lines.some((line) => line.includes(secret)), { what: 'the token in the raw log' });
  await until(() => log.found.some((event) => event.kind === 'renewal' && event.sessionId === session), {
    what: 'the renewal in the log',
  });
  await log.stop();
  // A mark is for the product to compare with its own; nothing else of a line comes out.
  expect(JSON.stringify(log.found.filter(({ kind }) => kind === 'renewal'))).not.toContain(secret);
  expect(JSON.stringify([watching.worlds, watching.sources])).not.toContain(secret);
});
