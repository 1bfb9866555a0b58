/** The `signalbox` command against the production build, a real Consul and real `consul lock` clients. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type Signalbox, startSignalbox } from '@/e2e/support/signalbox';
import { startTeams } from '@/e2e/support/teams';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { confirmed, decided, run, start } from '@/test/support/command';
import { runConsulLock, startConsul, stopAll, type TestConsul } from '@/test/support/consul';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

// Each command is a process of its own, and some of these start dozens.
test.describe.configure({ timeout: 120_000 });

let consul: TestConsul;
let signalbox: Signalbox;
let folder: string;

/** Servers of one test, which end with it however it ends. */
const serving = new Set<Signalbox>();
async function serve(options: Parameters<typeof startSignalbox>[0]): Promise<Signalbox> {
  const server = await startSignalbox(options);
  serving.add(server);
  return server;
}

test.afterEach(async () => {
  await Promise.all([...serving].map((server) => server.stop()));
  serving.clear();
});

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
  consul = await startConsul();
  signalbox = await startSignalbox({ consulAddress: consul.address });
});

test.afterAll(async () => {
  await signalbox.stop();
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
});

const here = () => ({ SIGNALBOX_ADDR: signalbox.baseUrl });
const command = (...args: string[]) => run(args, here());

/** Waits until the command prints this. */
const printed = (text: string, args: readonly string[] = ['list'], env = here()) =>
  until(async () => (await run(args, env)).out.includes(text), { what: text, everyMs: 300 });

/** The coordination entry, as it is in Consul. */
const entryOf = async (prefix: string) => {
  const row = (await consul.client().get(`${prefix}/.lock`)).value;
  return row === null ? null : { index: row.modifyIndex, text: row.value.toString(), flags: row.flags };
};

const holdersOf = async (prefix: string) =>
  Object.keys(JSON.parse((await entryOf(prefix))?.text ?? '{"Holders":{}}').Holders);

/** Real clients of one semaphore, once all of them are in and the console has seen them. */
async function clients(prefix: string, count: number, n: number) {
  const started = Array.from({ length: count }, () =>
    runConsulLock(consul, { n, prefix, command: 'sleep 600', args: ['-verbose'] }),
  );
  const wanted = `${Math.min(n, count)} of ${n} slots held, ${Math.max(0, count - n)} waiting`;
  await until(async () => (await command('list', '--prefix', prefix)).out.includes(wanted), {
    what: `${prefix}: ${wanted}`,
    timeoutMs: 30_000,
    everyMs: 300,
  });
  return started;
}

test('list, show and findings say what Consul holds, as text and as JSON', async () => {
  const prefix = 'cli/read';
  await clients(prefix, 3, 2);
  const holders = await holdersOf(prefix);
  const shown = await command('show', prefix);
  expect(shown.status).toBe(0);
  for (const id of holders) expect(shown.out).toContain(id);
  const json = JSON.parse((await command('show', prefix, '--json')).out);
  expect(json.found[0].holders.map((one: { sessionId: string }) => one.sessionId).sort()).toEqual(
    holders.sort(),
  );
  const session = await command('show', holders[0]?.slice(0, 8) ?? '');
  expect(session.out).toContain(`session ${holders[0]}`);
  expect(session.out).toContain(`semaphore ${prefix}`);
  const list = JSON.parse((await command('list', '--json', '--prefix', prefix)).out);
  expect(list.source.state).toBe('live');
  expect((await command('findings')).status).toBe(0);
  expect((await command('show', 'cli/no-such')).status).toBe(1);
  expect((await command('frobnicate')).status).toBe(2);
  expect((await command('list', '--yes')).status).toBe(2);
});

test('evict writes nothing without --yes, asks for a reason, and then reaches the process', async () => {
  const prefix = 'cli/evict';
  const started = await clients(prefix, 4, 2);
  const before = await entryOf(prefix);
  const [victim = ''] = await holdersOf(prefix);
  const planned = await command('evict', prefix, victim.slice(0, 8));
  expect(planned.status).toBe(0);
  expect(planned.out).toContain('Nothing was written');
  expect(planned.out).toContain(victim);
  expect(planned.out).toMatch(/^ {2}! /m);
  const without = await command('evict', prefix, victim, '--yes');
  expect(without.status).toBe(2);
  expect(without.err).toContain('--reason');
  // It is alive, and the plan says so.
  expect(planned.out).toContain('verdict: alive');
  const unnamed = await command('evict', prefix, victim, '--yes', '--reason', 'stuck since the deploy');
  expect([unnamed.status, unnamed.err]).toEqual([2, expect.stringContaining('--confirm')]);
  expect(await entryOf(prefix)).toEqual(before);

  const done = await decided(['evict', prefix, victim, '--reason', 'stuck since the deploy'], here());
  expect([done.status, done.err]).toEqual([0, '']);
  expect(done.out).toContain('Done.');
  await until(() => started.filter((one) => one.output().includes('Lock lost')).length === 1, {
    what: 'exactly one process to say that it lost',
  });
  expect(await holdersOf(prefix)).not.toContain(victim);
  expect((await entryOf(prefix))?.flags).toBe(semaphoreFlags);
});

test('a saved plan is applied as it was seen, and refused with the difference once that has moved', async () => {
  const prefix = 'cli/saved';
  await clients(prefix, 3, 2);
  const [first = '', second = ''] = await holdersOf(prefix);
  const plan = join(folder, 'plan.json');
  writeFileSync(plan, (await command('resize', prefix, '3', '--json')).out);
  const other = join(folder, 'other.json');
  writeFileSync(other, (await command('evict', prefix, first, '--json')).out);
  const { confirmName } = JSON.parse(readFileSync(other, 'utf8')).plan;
  expect((await decided(['evict', prefix, first, '--reason', 'a'], here())).status).toBe(0);
  // The client that waited comes in by itself, and that moves the entry once more.
  await until(async () => (await holdersOf(prefix)).filter((id) => id !== first).length === 2, {
    what: 'the next client to be in',
  });

  const before = await entryOf(prefix);
  const moved = await command('apply', other, '--yes', '--reason', 'b', '--confirm', confirmName);
  expect([moved.status, moved.out.includes('Done.')]).toEqual([3, false]);
  expect(moved.err).toMatch(/^It changed since the plan\. Nothing was written\. /);
  expect(moved.err.trim().split('\n').length).toBeGreaterThan(1);
  const json = await command('apply', other, '--yes', '--reason', 'b', '--confirm', confirmName, '--json');
  expect(JSON.parse(json.out).problem).toMatchObject({ code: 'stale' });
  expect(await holdersOf(prefix)).toContain(second);
  expect((await entryOf(prefix))?.text).toBe(before?.text);

  // Holders came and went, but the limit is the one that was seen.
  expect((await command('apply', plan)).out).toContain('Nothing was written');
  expect((await command('apply', plan, '--yes', '--reason', 'more room')).status).toBe(0);
  expect((await entryOf(prefix))?.text).toMatch(/^\{"Limit":3,/);
  expect((await command('apply', join(folder, 'none.json'), '--yes')).status).toBe(2);
});

test('prune needs no reason, release frees a lock, and an answer that is lost is not taken for a failure', async () => {
  const ghost = '11111111-2222-4333-8444-555555555555';
  const client = consul.client();
  const value = Buffer.from(`{"Limit":1,"Holders":{"${ghost}":true}}`);
  await client.txn([{ verb: 'set', key: 'cli/leak/.lock', value, flags: semaphoreFlags }]);
  await printed('1 leaked');
  expect((await command('prune', 'cli/leak', '--yes')).status).toBe(0);
  expect(await holdersOf('cli/leak')).toEqual([]);

  const lock = runConsulLock(consul, { n: 1, prefix: 'cli/lock', command: 'sleep 600' });
  await printed('held by', ['show', 'cli/lock/.lock']);
  const plan = join(folder, 'release.json');
  writeFileSync(plan, (await command('release', 'cli/lock/.lock', '--json')).out);
  // A proxy answers in the console's place: the fate of the request is unknown.
  const between = await startFaultProxy(new URL(signalbox.baseUrl).host);
  between.answer({ status: 502, body: 'Bad Gateway' });
  const env = { SIGNALBOX_ADDR: `http://${between.address}` };
  const done = ['apply', plan, '--reason', 'a', '--yes', '--confirm'];
  done.push(JSON.parse(readFileSync(plan, 'utf8')).plan.confirmName);
  const lost = await run(done, env);
  expect(lost.status).toBe(4);
  expect(lost.err).toContain('The outcome is unknown');
  await between.close();
  expect((await command(...done)).status).toBe(0);
  await lock.exited;
  await until(async () => !(await command('show', 'cli/lock/.lock')).out.includes('held by sleep'), {
    what: 'the lock to be shown as free',
    everyMs: 300,
  });
});

test('a read-only console refuses, and a Consul or a console that is away differs from a refusal', async () => {
  const own = await startConsul();
  const reader = await serve({
    consulAddress: own.address,
    env: { SIGNALBOX_MODE: 'read-only' },
  });
  const env = { SIGNALBOX_ADDR: reader.baseUrl };
  const client = own.client();
  await client.txn([
    { verb: 'set', key: 'a/.lock', value: Buffer.from('{"Limit":1,"Holders":{}}'), flags: semaphoreFlags },
  ]);
  await printed('semaphore', ['list'], env);
  for (const args of [
    ['resize', 'a', '2'],
    ['delete-semaphore', 'a', '--yes', '--reason', 'x'],
  ]) {
    const refused = await run(args, env);
    expect([refused.status, refused.err]).toEqual([
      1,
      expect.stringMatching(/^This console is read-only\. /),
    ]);
  }
  await own.kill();
  await until(async () => (await run(['list'], env)).status === 5, {
    what: 'old data to be said so',
    everyMs: 300,
  });
  const old = await run(['list'], env);
  expect(old.err).toContain('Stale: Consul last answered');
  expect(old.out).toContain('semaphore');
  await reader.stop();
  expect((await run(['list'], env)).status).toBe(5);
});

test('with ACLs a token sees and does what Consul lets it, and is never printed', async () => {
  const acl = await startTeams();
  const guarded = await serve({ consulAddress: acl.consul.address });
  const places = await acl.furnish('red', 'cli');
  await acl.furnish('zebrafish', 'cli');
  const { secret } = await acl.token(
    'reader',
    'key_prefix "red/" { policy = "read" } session "red-node" { policy = "read" } node "red-node" { policy = "read" }',
  );
  const file = join(folder, 'token');
  writeFileSync(file, `${secret}\n`);
  const ways: readonly Record<string, string>[] = [
    { SIGNALBOX_TOKEN: secret },
    { CONSUL_HTTP_TOKEN: secret },
    { SIGNALBOX_TOKEN_FILE: file },
    { CONSUL_HTTP_TOKEN_FILE: file, SIGNALBOX_TOKEN: '' },
  ];
  const nobody = await run(['list'], { SIGNALBOX_ADDR: guarded.baseUrl });
  expect([nobody.status, nobody.out, nobody.err]).toEqual([
    1,
    '',
    expect.stringMatching(/^Not signed in\. /),
  ]);
  const env = { SIGNALBOX_ADDR: guarded.baseUrl, SIGNALBOX_TOKEN: secret };
  await until(async () => (await run(['list'], env)).out.includes(places.pool), {
    what: 'its own',
    everyMs: 300,
  });
  const said: string[] = [];
  const tried = async (status: number, way: Record<string, string>, ...args: string[]) => {
    const ran = await run(args, { SIGNALBOX_ADDR: guarded.baseUrl, ...way });
    said.push(ran.out, ran.err);
    expect([args[0], ran.status]).toEqual([args[0], status]);
    if (status !== 0) expect(ran.err).toMatch(/^Not allowed\. /m);
  };
  await Promise.all(ways.map((way) => tried(0, way, 'list', '--json')));
  const evict = ['evict', places.pool, places.holder, '--slot-only'];
  await tried(1, env, ...evict, '--yes', '--reason', 'x', ...(await confirmed(evict, env)));
  await tried(1, env, 'prune', places.pool, '--yes', '--json');
  expect(said.join('\n')).not.toContain(secret);
  expect(said.join('\n')).not.toContain('zebrafish');
  const watching = start(['watch', '--json'], env);
  await until(() => watching.out().includes('"snapshot"'), { what: 'the first event' });
  watching.signal('SIGINT');
  expect(await watching.exited).toBe(0);
  expect(watching.out() + watching.err()).not.toContain(secret);
  const wrong = await run(['list'], { ...env, SIGNALBOX_TOKEN: 'not-a-token' });
  expect([wrong.status, wrong.err]).toEqual([1, expect.not.stringContaining('not-a-token')]);
});

test('a key that holds commands for a terminal is printed with escapes, as text and as JSON', async () => {
  const key = 'cli/evil\u001b]0;owned\u0007\u001b[2J\r\u202e\u009b31m/lock';
  const client = consul.client();
  const session = await client.createSession({
    name: 'e\u001b[31mvil',
    ttlMs: 60_000,
    lockDelayMs: 0,
    behavior: 'release',
  });
  await client.txn([{ verb: 'lock', key, value: Buffer.from('x'), flags: '0', session }]);
  await printed('cli/evil');
  const watching = start(['watch'], here());
  await until(() => watching.out().includes('cli/evil'), { what: 'the key in watch' });
  watching.signal('SIGTERM');
  await watching.exited;
  const said = [
    watching.out(),
    ...(await Promise.all(
      [
        ['list'],
        ['list', '--json'],
        ['show', key],
        ['show', session, '--json'],
        ['findings', '--json'],
        ['release', key],
        ['release', key, '--json'],
        ['show', `${key}x`],
        ['evict', key, 'no'],
      ].map(async (args) => {
        const { out, err } = await command(...args);
        return out + err;
      }),
    )),
  ].join('');
  expect(said).toContain('cli/evil');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(said.match(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g)).toBeNull();
  const back = JSON.parse((await command('list', '--json')).out);
  expect(back.locks.map((one: { key: string }) => one.key)).toContain(key);
});

test('watch prints what happens, outlives a restart of the console, and ends cleanly', async () => {
  const own = await startConsul();
  const env = { consulAddress: own.address };
  let server = await serve(env);
  const port = Number(new URL(server.baseUrl).port);
  const client = own.client();
  const put = (limit: number) =>
    client.txn([
      {
        verb: 'set',
        key: 'cli/watch/.lock',
        value: Buffer.from(`{"Limit":${limit},"Holders":{}}`),
        flags: semaphoreFlags,
      },
    ]);
  const watching = start(['watch', '--prefix', 'cli/'], { SIGNALBOX_ADDR: server.baseUrl });
  await put(2);
  await until(() => /semaphore +cli\/watch +0 of 2 slots held/.test(watching.out()), { what: 'a change' });
  await server.stop();
  await until(() => watching.err().includes('retrying'), { what: 'that it is away' });
  await put(3);
  server = await serve({ ...env, port });
  await until(() => watching.err().includes('Connected again'), {
    what: 'the console back',
    timeoutMs: 30_000,
  });
  await until(() => watching.out().includes('semaphore cli/watch  0 of 3 slots held'), {
    what: 'what happened meanwhile',
  });
  await put(4);
  await until(() => watching.out().includes('0 of 4 slots held'), { what: 'changes after it' });
  watching.signal('SIGINT');
  expect(await watching.exited).toBe(0);
  expect(watching.err()).not.toMatch(/Error|at .*\.mjs/);
});
