import { afterEach, expect, test, vi } from 'vitest';
import { GET as scrape } from '@/app/metrics/route';
import { GET as ready } from '@/app/readyz/route';
import { problemCodes } from '@/lib/domain/problem';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { rowsMaxDefault } from '@/lib/server/metrics/metrics';
import { runtime } from '@/lib/server/runtime';
import { runConsulLock, startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { type Family, readExposition } from './exposition';
import { host, type Served, serve, whenLive } from './served';

// It throws outside of Next's server layer; this process is a server of its own.
vi.mock('server-only', () => ({}));

let served: Served | null = null;
let consul: TestConsul;

afterEach(async () => {
  await served?.stop();
  served = null;
  await consul.stop();
});

async function start(env: Record<string, string> = {}, acl = false): Promise<Served> {
  consul = await startConsul({ acl });
  served = await serve(consul, env);
  return served;
}

async function scraped(): Promise<ReadonlyMap<string, Family>> {
  const response = await served?.ask(scrape, '/metrics');
  expect(response?.status).toBe(200);
  expect(response?.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return readExposition((await response?.text()) ?? '');
}

/** The value of one series; `undefined` where there is none. */
function value(families: ReadonlyMap<string, Family>, name: string, labels: Record<string, string> = {}) {
  const found = families
    .get(name)
    ?.samples.find((one) => Object.entries(labels).every(([label, text]) => one.labels[label] === text));
  return found?.value;
}

const put = (path: string, body: string) =>
  fetch(`http://${consul.address}/v1/${path}`, { method: 'PUT', body });

test('a scrape shows the holds and waits of real clients, and the ghosts', async () => {
  await start();
  const prefix = 'metrics/jobs';
  for (let i = 0; i < 4; i += 1) runConsulLock(consul, { n: 2, prefix, command: 'sleep 600' });
  await whenLive();
  const named = { kind: 'semaphore', name: prefix };
  const families = await until(
    async () => {
      const now = await scraped();
      return value(now, 'signalbox_waiters', named) === 2 && value(now, 'signalbox_held', named) === 2 && now;
    },
    { what: 'two holders and two waiters', timeoutMs: 30_000 },
  );
  expect(value(families, 'signalbox_limit', named)).toBe(2);
  expect(value(families, 'signalbox_recorded', named)).toBe(2);
  expect(value(families, 'signalbox_ghosts', named)).toBe(0);
  expect(value(families, 'signalbox_source_state', { state: 'live' })).toBe(1);
  expect(value(families, 'signalbox_data_age_seconds')).toBe(0);
  expect(value(families, 'signalbox_subjects', { kind: 'semaphore' })).toBe(1);
  expect(value(families, 'signalbox_subjects_left_out', { kind: 'semaphore' })).toBe(0);
  expect(value(families, 'signalbox_holders', { verdict: 'ghost' })).toBe(0);
  expect(value(families, 'signalbox_actions_total', { mode: 'apply', outcome: 'done' })).toBe(0);
  for (const name of [
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'process_start_time_seconds',
    'process_open_fds',
    'process_max_fds',
    'nodejs_heap_size_used_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    expect([name, (value(families, name) ?? 0) > 0]).toEqual([name, true]);

  // The waiters of a plain lock leave no trace: that is no 0, and there is no such series.
  await put('kv/metrics/plain', 'held by nobody');
  const session = ((await (await put('session/create', '{"TTL":"60s"}')).json()) as { ID: string }).ID;
  await put(`kv/metrics/plain?acquire=${session}`, 'a secret value');
  const lock = { kind: 'lock', name: 'metrics/plain' };
  const later = await until(
    async () => {
      const now = await scraped();
      return value(now, 'signalbox_held', lock) === 1 && now;
    },
    { what: 'the lock' },
  );
  expect(value(later, 'signalbox_waiters', lock)).toBeUndefined();
  expect(value(later, 'signalbox_limit', lock)).toBeUndefined();

  // What it held is over once it lets go, and is a length among others of its name's first part.
  await put(`kv/metrics/plain?release=${session}`, '');
  const count = (families: ReadonlyMap<string, Family>) =>
    families
      .get('signalbox_hold_seconds')
      ?.samples.filter(({ labels }) => labels.le === '+Inf')
      .map(({ labels: { source, prefix }, value }) => ({ source, prefix, value }));
  await until(async () => count(await scraped())?.[0]?.value === 1, { what: 'the hold to be counted' });
  expect(count(await scraped())).toEqual([{ source: 'consul', prefix: 'metrics/', value: 1 }]);
});

test('a ghost is counted, a finding goes to 0 when it is over, and a stored value is nowhere', async () => {
  await start();
  const prefix = 'metrics/leak';
  const ghost = '11111111-2222-4333-8444-555555555555';
  const write = (holders: string) =>
    put(`kv/${prefix}/.lock?flags=${semaphoreFlags}`, `{"Limit":1,"Holders":{${holders}}}`);
  await write(`"${ghost}":true`);
  await put('kv/metrics/secret', 'hunter2-in-the-value');
  await whenLive();
  const finding = { code: 'ghost-slots' };
  await until(async () => value(await scraped(), 'signalbox_ghosts', { name: prefix }) === 1, {
    what: 'a ghost',
  });
  expect(value(await scraped(), 'signalbox_findings', finding)).toBe(1);
  const text = (await (await served?.ask(scrape, '/metrics'))?.text()) ?? '';
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain(ghost);
  await write('');
  await until(async () => value(await scraped(), 'signalbox_findings', finding) === 0, {
    what: 'the finding to be over, as a 0',
  });
});

test('unknown figures are absent: an unreadable entry has no holders, nor ghosts, nor a limit', async () => {
  await start();
  const session = ((await (await put('session/create', '{"TTL":"60s"}')).json()) as { ID: string }).ID;
  await put(`kv/metrics/broken/.lock?flags=${semaphoreFlags}`, '{"Limit":"three"');
  await put(`kv/metrics/broken/${session}?acquire=${session}&flags=${semaphoreFlags}`, '');
  await whenLive();
  const named = { kind: 'semaphore', name: 'metrics/broken' };
  const families = await until(
    async () => {
      const now = await scraped();
      return value(now, 'signalbox_waiters', named) !== undefined && now;
    },
    { what: 'the broken semaphore' },
  );
  for (const name of ['signalbox_held', 'signalbox_ghosts', 'signalbox_limit', 'signalbox_recorded'])
    expect([name, value(families, name, named)]).toEqual([name, undefined]);
  expect(value(families, 'signalbox_subjects_unknown', { kind: 'semaphore' })).toBe(1);
});

test('2,600 locks are 500 rows and a sum, nothing is lost in between, findings come first and free locks last', async () => {
  await start();
  const session = ((await (await put('session/create', '{"TTL":"600s"}')).json()) as { ID: string }).ID;
  const named = (prefix: string, length: number) =>
    Array.from({ length }, (_, i) => `${prefix}/${String(i).padStart(4, '0')}`);
  const all = async (Verb: 'lock' | 'unlock', names: readonly string[]) => {
    for (let i = 0; i < names.length; i += 50) {
      const ops = names
        .slice(i, i + 50)
        .map((Key) => ({ KV: { Verb, Key, Session: session, Value: 'eA==' } }));
      await put('txn', JSON.stringify(ops));
    }
  };
  await all('lock', [...named('a-free', 600), ...named('bulk', 2_000)]);
  await all('unlock', named('a-free', 600));
  await put('kv/zz/leak/.lock', '{"Limit":1,"Holders":{"11111111-2222-4333-8444-555555555555":true}}');
  await whenLive();
  const families = await until(
    async () => {
      const now = await scraped();
      const counted = value(now, 'signalbox_subjects', { kind: 'lock' });
      const holding = value(now, 'signalbox_holders', { verdict: 'alive' });
      const leaked = value(now, 'signalbox_ghosts', { name: 'zz/leak' });
      return counted === 2_600 && holding === 2_000 && leaked === 1 && now;
    },
    { what: 'all of them, the semaphore with its ghost by name' },
  );
  const held = families.get('signalbox_held')?.samples ?? [];
  const rowNames = held.flatMap(({ labels: { kind = '', name = '' } }) =>
    kind.startsWith('other_') ? [] : name,
  );
  expect(rowNames.length).toBe(rowsMaxDefault);
  expect(rowNames.filter((name) => name.startsWith('a-free/'))).toEqual([]);
  expect(value(families, 'signalbox_subjects_left_out', { kind: 'lock' })).toBe(2_600 - (rowsMaxDefault - 1));
  expect(held.reduce((sum, one) => sum + one.value, 0)).toBe(2_000);
  const rows = [...families.values()].reduce((sum, { samples }) => sum + samples.length, 0);
  expect(rows).toBeLessThan(rowsMaxDefault + 250);
});

test('a key of quotes, backslashes and line ends is one label and comes back as it is', async () => {
  await start();
  const session = ((await (await put('session/create', '{"TTL":"60s"}')).json()) as { ID: string }).ID;
  const keys = ['odd/"quoted"', 'odd/back\\slash\\n', 'odd/line\nend', 'odd/},x="1"} 7', 'odd/中文 🚦'];
  // Consul takes no line end in an address, but it does in a transaction.
  await put(
    'txn',
    JSON.stringify(keys.map((Key) => ({ KV: { Verb: 'lock', Key, Session: session, Value: '' } }))),
  );
  await whenLive();
  for (const name of keys)
    await until(async () => value(await scraped(), 'signalbox_held', { kind: 'lock', name }) === 1, {
      what: JSON.stringify(name),
    });
});

test('while Consul is away the data is marked as old, with its age; before it was ever read there is none', async () => {
  await start();
  await put('kv/metrics/away/.lock', '{"Limit":1,"Holders":{"11111111-2222-4333-8444-555555555555":true}}');
  // Live already before the write, it may not have read it yet.
  await until(async () => value(await scraped(), 'signalbox_ghosts', { name: 'metrics/away' }) === 1, {
    what: 'the semaphore to be read',
  });
  await consul.kill();
  const families = await until(
    async () => {
      const now = await scraped();
      return value(now, 'signalbox_source_state', { state: 'live' }) === 0 && now;
    },
    { what: 'the data to be old' },
  );
  expect(value(families, 'signalbox_data_age_seconds')).toBeGreaterThan(0);
  expect(value(families, 'signalbox_subjects', { kind: 'semaphore' })).toBe(1);
  await served?.stop();
  served = await serve(consul);
  const fresh = await scraped();
  expect(value(fresh, 'signalbox_source_state', { state: 'live' })).toBe(0);
  for (const name of [
    'signalbox_data_age_seconds',
    'signalbox_subjects',
    'signalbox_held',
    'signalbox_findings',
  ])
    expect([name, fresh.get(name)?.samples.length]).toEqual([name, 0]);
});

test('every outcome of an action is counted, and an alert sees the first of its kind', async () => {
  await start();
  await whenLive();
  const { metrics } = runtime();
  for (const outcome of [...problemCodes, 'done', 'partly'] as const)
    metrics.acted('lock.release', 'apply', outcome);
  metrics.audited('intent');
  metrics.auditFailed();
  const families = await scraped();
  for (const outcome of [...problemCodes, 'done', 'partly'])
    expect(
      value(families, 'signalbox_actions_total', { action: 'lock.release', mode: 'apply', outcome }),
    ).toBe(1);
  expect(
    value(families, 'signalbox_actions_total', { action: 'lock.delete', outcome: 'unknown-result' }),
  ).toBe(0);
  expect(value(families, 'signalbox_audit_rows_total', { kind: 'intent' })).toBe(1);
  expect(value(families, 'signalbox_audit_failures_total')).toBe(1);
});

const doors: readonly {
  readonly what: string;
  readonly env: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly status: number;
}[] = [
  { what: 'open on loopback by itself', env: {}, status: 200 },
  { what: 'not under a foreign name on loopback', env: {}, headers: { host: 'evil.example' }, status: 421 },
  { what: 'closed elsewhere by itself', env: { SIGNALBOX_HOST: '0.0.0.0' }, status: 404 },
  { what: 'off is off', env: { SIGNALBOX_METRICS: 'off' }, status: 404 },
  {
    what: 'off is off with a token as well',
    env: { SIGNALBOX_METRICS: 'off', SIGNALBOX_METRICS_TOKEN: 'scrape' },
    headers: { authorization: 'Bearer scrape' },
    status: 404,
  },
  { what: 'on is on', env: { SIGNALBOX_HOST: '0.0.0.0', SIGNALBOX_METRICS: 'on' }, status: 200 },
  {
    what: 'the token opens it anywhere, by any name',
    env: {
      SIGNALBOX_HOST: '0.0.0.0',
      SIGNALBOX_METRICS_TOKEN: 'scrape',
      SIGNALBOX_URL: 'https://console.example',
    },
    headers: { authorization: 'Bearer scrape', host: '10.0.0.7:3000' },
    status: 200,
  },
  { what: 'a token that is set is asked for', env: { SIGNALBOX_METRICS_TOKEN: 'scrape' }, status: 401 },
  {
    what: 'another token is none',
    env: { SIGNALBOX_METRICS: 'on', SIGNALBOX_METRICS_TOKEN: 'scrape' },
    headers: { authorization: 'Bearer scrap' },
    status: 401,
  },
];

test('access to a scrape: by default on loopback only, elsewhere with a token or by the operator', async () => {
  consul = await startConsul();
  for (const { what, env, headers = {}, status } of doors) {
    served = await serve(consul, env);
    const response = await served.ask(scrape, '/metrics', { headers: { host, ...headers } });
    expect([what, response.status]).toEqual([what, status]);
    const text = await response.text();
    expect(text).not.toContain('scrape"');
    if (status !== 200) expect(text).not.toContain('signalbox_');
    await served.stop();
    served = null;
  }
});

test('where Consul asks for tokens the names of locks need a token or a setting on loopback as well', async () => {
  consul = await startConsul({ acl: true });
  const session = await consul.client().createSession({
    name: 'holder',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await consul.client().acquire({ key: 'metrics/named', value: Buffer.from(''), flags: '0', session });
  const open = async (env: Record<string, string>) => {
    served = await serve(consul, { CONSUL_HTTP_TOKEN: consul.token ?? '', ...env });
    await whenLive();
    const authorization = `Bearer ${env.SIGNALBOX_METRICS_TOKEN ?? ''}`;
    const response = await served.ask(scrape, '/metrics', { headers: { host, authorization } });
    const text = await response.text();
    expect(text.includes('metrics/named')).toBe(response.status === 200);
    await served.stop();
    served = null;
    return response.status;
  };
  expect(await open({})).toBe(404);
  expect(await open({ SIGNALBOX_METRICS_TOKEN: 'scrape' })).toBe(200);
  expect(await open({ SIGNALBOX_METRICS: 'on' })).toBe(200);
  // The console shows them to everyone then.
  expect(await open({ SIGNALBOX_ANONYMOUS: 'on' })).toBe(200);
});

test('ready means that what is shown can be trusted: live, or Consul answers those who bring their own token', async () => {
  await start({}, true);
  // No token of its own before a Consul that asks for one: it sees nothing, and people sign in.
  await until(async () => (await served?.ask(ready, '/readyz'))?.status === 200, {
    what: 'ready for people',
  });
  expect(await (await served?.ask(ready, '/readyz'))?.json()).toEqual({ status: 'sign-in' });
  await served?.stop();
  served = await serve(consul, { CONSUL_HTTP_TOKEN: consul.token ?? '' });
  await whenLive();
  expect(await (await served.ask(ready, '/readyz')).json()).toEqual({ status: 'live' });
  await consul.kill();
  await until(async () => (await served?.ask(ready, '/readyz'))?.status === 503, { what: 'not ready' });
});
