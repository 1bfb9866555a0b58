import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { makeToken, revoke } from '@/test/identity/tokens';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

let consul: TestConsul;
let all: ConsulClient;
let watching: Watching | null = null;

beforeEach(async () => {
  consul = await startConsul({ acl: true });
  all = consul.client();
});
afterEach(async () => {
  await watching?.stop();
  watching = null;
  await consul.stop();
});

/** A token that may do what these rules say. */
const token = async (rules: string) => (await makeToken(consul, rules)).secret;

async function take(key: string): Promise<string> {
  const session = await all.createSession({
    name: key,
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 15_000,
    checks: [],
  });
  expect(await all.acquire({ key, session, flags: '0', value: Buffer.from(key) })).toBe(true);
  return session;
}

test('a token that may not see sessions shows who holds by id, and never takes a release for an invalidation', async () => {
  const session = await take('hidden/a');
  watching = startWatching(consul.client({ token: await token('key_prefix "" { policy = "read" }') }));
  await watching.reaches('live');
  expect(watching.lock('hidden/a')?.holder).toMatchObject({ sessionId: session, session: null });
  const later = await take('hidden/b');
  await until(() => watching?.lock('hidden/b')?.holder?.sessionId === later, { what: 'the second lock' });
  await all.release({ key: 'hidden/b', session: later, flags: '0', value: Buffer.from('x') });
  await until(() => watching?.lock('hidden/b')?.state === 'free', { what: 'the release' });
  await all.destroySession(session);
  await until(() => watching?.lock('hidden/a')?.holder === null, { what: 'the end of the first' });
  // This token cannot tell it from a release.
  expect(watching.lock('hidden/a')?.delayedUntilMs).toBeNull();
  expect(watching.state()).toBe('live');
});

test('a token that is deleted and made again hides no session meanwhile, and each keeps its age', async () => {
  const rules =
    'key_prefix "" { policy = "read" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }';
  const account = await makeToken(consul, rules);
  const reader = consul.client({ token: account.secret });
  let isUnknown = false;
  const listing: ConsulClient = {
    ...reader,
    sessions: (options) =>
      reader.sessions(options).catch((error) => {
        isUnknown = true;
        throw error;
      }),
  };
  watching = startWatching(listing);
  await watching.reaches('live');
  const session = await take('again/a');
  const since = () => watching?.views.at(-1)?.sightings.sessionSince(session) ?? null;
  const began = await until(since, { what: 'the session' });
  expect(began.basis).toBe('observed');
  const earlier = watching.views.length;
  await revoke(consul, account);
  // The end of a wait, so that the list is asked for with the deleted token; no key changes.
  const other = () =>
    all.createSession({ name: 'other', ttlMs: null, behavior: 'release', lockDelayMs: 0, checks: [] });
  await other();
  await until(() => isUnknown, { what: 'the refusal of the list' });
  await until(() => watching?.state() !== 'live', { what: 'the end of the live view' });
  await makeToken(consul, rules, { secret: account.secret });
  await watching.reaches('live');
  expect(watching.views.slice(earlier).filter(({ sessions }) => sessions === null)).toEqual([]);
  expect(since()).toEqual(began);
});

test('a key whose path leads elsewhere is judged by its own entry, not by the one that is read there', async () => {
  const session = await all.createSession({
    name: 'hidden',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  // Since 1.22 the path of the first is that of the second.
  const lock = (key: string) => ({ verb: 'lock', key, value: Buffer.alloc(0), flags: '0', session }) as const;
  expect((await all.txn([lock('odd//a')])).done).toBe(true);
  await all.cas({ key: 'odd/a', value: Buffer.from(''), flags: '0', index: '0' });
  const reader = consul.client({ token: await token('key_prefix "" { policy = "read" }') });
  let reads = 0;
  const counting: ConsulClient = {
    ...reader,
    get: (...args) => {
      reads += 1;
      return reader.get(...args);
    },
  };
  watching = startWatching(counting);
  await watching.reaches('live');
  expect(watching.lock('odd//a')?.holder).toMatchObject({ sessionId: session, session: null });
  expect((await all.txn([lock('odd//b')])).done).toBe(true);
  await until(() => watching?.lock('odd//b')?.holder?.sessionId === session, { what: 'the second lock' });
  // Rows and sessions that seem not to fit are read four times a second.
  expect(reads).toBeLessThan(5);
});

test('a key that is no text is judged by its own entry, and is not asked for by another name', async () => {
  const session = await all.createSession({
    name: 'hidden',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  const put = async (path: string, body: string) => {
    const response = await fetch(`http://${consul.address}/v1/kv/${path}`, {
      method: 'PUT',
      headers: { 'x-consul-token': consul.token ?? '' },
      body,
    });
    expect(response.ok).toBe(true);
  };
  await put(`odd/%ff?acquire=${session}`, '');
  // The entry of this holder is absent, or hidden from the token.
  const holder = '0a0a0a0a-1111-2222-3333-444444444444';
  await put('odd/%fe/.lock?flags=16210313421097356768', `{"Limit":1,"Holders":{"${holder}":true}}`);
  const reader = consul.client({ token: await token('key_prefix "" { policy = "read" }') });
  const asked: string[] = [];
  const counting: ConsulClient = {
    ...reader,
    get: (key, ...more) => {
      asked.push(key);
      return reader.get(key, ...more);
    },
  };
  watching = startWatching(counting);
  await watching.reaches('live');
  expect(watching.lock('odd/\ufffd')?.holder).toMatchObject({ sessionId: session, session: null });
  const [semaphore] = watching.world().semaphores;
  expect(semaphore?.holders.map(({ verdict }) => verdict)).toEqual(['unknown']);
  expect(asked.filter((key) => key.startsWith('odd/'))).toEqual([]);
});

test('a token that may see everything shows the same locks with their sessions', async () => {
  await take('seen/a');
  watching = startWatching(
    consul.client({
      token: await token(
        'key_prefix "" { policy = "read" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }',
      ),
    }),
  );
  await watching.reaches('live');
  expect(watching.lock('seen/a')?.holder?.session?.name).toBe('seen/a');
});

test('a session that is listed after its record came is never called ended, and one that has ended is', async () => {
  // The list of sessions comes late, as from an agent that is busy; everything else at once.
  let held: Promise<void> | null = null;
  let letGo = () => {};
  const slow: ConsulClient = {
    ...all,
    sessions: async (options) => {
      const reply = await all.sessions(options);
      await held;
      return reply;
    },
  };
  watching = startWatching(slow, ['late/']);
  await watching.reaches('live');
  held = new Promise((resolve) => {
    letGo = resolve;
  });
  const create = () =>
    all.createSession({ name: 'at-work', ttlMs: null, behavior: 'release', lockDelayMs: 0, checks: [] });
  const [id, gone] = [await create(), await create()];
  await all.destroySession(gone);
  const record = async (prefix: string, holder: string) =>
    all.cas({
      key: `${prefix}/.lock`,
      value: Buffer.from(`{"limit":2,"holders":["${holder}"]}`),
      flags: '0',
      index: '0',
    });
  const told = (prefix: string) =>
    watching?.world().semaphores.find((one) => one.prefix === prefix)?.holders[0];
  await record('late/own', id);
  await record('late/gone', gone);
  await until(() => told('late/gone')?.verdict === 'ghost', { what: 'the ghost, without the list' });
  await until(() => told('late/own') !== undefined, { what: 'the record' });
  letGo();
  held = null;
  await until(() => told('late/own')?.session?.name === 'at-work', { what: 'the list' });
  const verdicts = watching.worlds.flatMap(({ semaphores }) =>
    semaphores.flatMap(({ prefix, holders }) => (prefix === 'late/own' ? holders.map((h) => h.verdict) : [])),
  );
  expect([...new Set(verdicts)]).toEqual(['unknown']);
  await all.destroySession(id);
  await until(() => told('late/own')?.verdict === 'ghost', { what: 'its end' });
});

test('a token that Consul does not know is said as such, and nothing is shown', async () => {
  watching = startWatching(consul.client({ token: '00000000-0000-0000-0000-00000000dead' }));
  await until(() => watching?.sources.at(-1)?.problem?.code === 'signed-out', { what: 'the problem' });
  expect(watching.state()).not.toBe('live');
  expect(watching.worlds).toEqual([]);
});
