/** Two real Consuls that both ask for tokens: who sees and does what on the one that nobody signs in to. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { isProblem } from '@/lib/domain/problem';
import type { SourceAccess } from '@/lib/domain/seam/source-settings';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createConsulBackend } from '@/lib/providers/consul/backend';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { joinBackends } from '@/lib/server/sources/joined-backend';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { type Server, serverOn, signedIn } from './server';
import { makeToken, operatorOf, readerOf, revoke } from './tokens';

const [east, west] = await Promise.all([startConsul({ acl: true }), startConsul({ acl: true })]);
const servers: Server[] = [];
afterAll(async () => {
  for (const one of servers) {
    await one.close();
    expect(one.bugs).toEqual([]);
  }
});

const viewing = `${readerOf('')} service_prefix "" { policy = "read" } agent_prefix "" { policy = "read" }`;
const acting = `${operatorOf('')} service_prefix "" { policy = "read" }`;
const [ofEast, ofWest] = await Promise.all([makeToken(east, viewing), makeToken(west, acting)]);

/** West stands beside east, each with a token of the server's own. */
function consoleOf(access: SourceAccess | null, variables: Record<string, string> = {}): Server {
  const backendOf = (id: string, consul: TestConsul, token: string) =>
    createConsulBackend({
      settings: { ...consulSettings({ CONSUL_HTTP_ADDR: consul.address }), id, title: id, token },
      renewalAgents: [],
      prefixes: [''],
      now: Date.now,
    });
  const backend = joinBackends(
    [backendOf('east', east, ofEast.secret), backendOf('west', west, ofWest.secret)],
    (id) => (id === 'west' ? access : null),
  );
  const one = serverOn(east, { backend, variables });
  servers.push(one);
  return one;
}

async function held(consul: TestConsul, key: string): Promise<string> {
  const client = consul.client();
  const session = await client.createSession({
    name: key,
    // Nobody renews it.
    ttlMs: 3_600_000,
    behavior: 'release',
    lockDelayMs: 0,
  });
  await client.acquire({ key, session, flags: lockFlags, value: Buffer.alloc(0) });
  return session;
}
await Promise.all([held(east, 'here/a'), held(west, 'there/a'), held(west, 'mine/a')]);

const look = async (server: Server, headers: Record<string, string>) => {
  const response = await server.snapshot(headers);
  if (!response.ok) return { status: response.status, keys: [], parts: [] };
  const { locks, source } = (await response.json()) as Snapshot;
  return { status: 200, keys: locks.map(({ key }) => key).sort(), parts: source.parts ?? [] };
};
const seen = (server: Server, headers: Record<string, string>, ...keys: string[]) =>
  until(async () => (await look(server, headers)).keys.join() === keys.join(), {
    what: `exactly ${keys.join() || 'nothing'} to be in view`,
  });
const release = (key: string): Action => ({ type: 'lock.release', source: 'west', key, how: 'hand-over' });
const act = async (server: Server, headers: Record<string, string>, action: Action) => {
  const { provider } = (await server.caller(headers)).viewpoint;
  const signal = AbortSignal.timeout(10_000);
  const planned = await provider.plan(action, signal);
  return isProblem(planned) ? planned : provider.apply(action, planned.expect, signal);
};
const person = (secret?: string) =>
  makeToken(east, readerOf('here/'), secret === undefined ? {} : { secret });

test('unless its operator says who sees it, nobody does, whoever is signed in', async () => {
  const server = consoleOf(null);
  const headers = await signedIn(server, (await person()).secret);
  await seen(server, headers, 'here/a');
  await until(async () => (await look(server, headers)).parts[1]?.state === 'down', {
    what: 'west to be left out',
  });
  expect((await look(server, headers)).parts[1]).toMatchObject({
    problem: { why: { code: 'second-sign-in' } },
  });
  expect((await look(server, headers)).keys).toEqual(['here/a']);
  expect(await act(server, headers, release('there/a'))).toMatchObject({ why: { code: 'second-sign-in' } });
});

describe('access=read', () => {
  const server = consoleOf('read');

  test('everyone who is signed in to the first sees it by the server’s token, and no stranger does', async () => {
    const headers = await signedIn(server, (await person()).secret);
    await seen(server, headers, 'here/a', 'mine/a', 'there/a');
    expect((await look(server, headers)).parts[1]).toMatchObject({ id: 'west', readOnly: true });
    expect(await look(server, {})).toMatchObject({ status: 401, keys: [] });
  });

  test('nobody acts on it, though the server’s token may, and the right to it is denied beforehand', async () => {
    const headers = await signedIn(server, east.token ?? '');
    expect(await act(server, headers, release('there/a'))).toMatchObject({
      code: 'forbidden',
      why: { code: 'source-read-only' },
    });
    const answer = await (await server.rights(headers, [release('there/a')])).json();
    expect(answer.rights).toEqual(['no']);
    expect((await west.client().get('there/a')).value?.session).not.toBeNull();
  });
});

test('access=act: who is signed in acts by the server’s token; a stranger neither sees nor acts', async () => {
  const server = consoleOf('act');
  await held(west, 'act/a');
  const headers = await signedIn(server, (await person()).secret);
  await seen(server, headers, 'act/a', 'here/a', 'mine/a', 'there/a');
  expect(await act(server, headers, release('act/a'))).toMatchObject({ done: true });
  expect((await west.client().get('act/a')).value?.session).toBeNull();
  await west.client().deleteCas('act/a', (await west.client().get('act/a')).value?.modifyIndex ?? '');
  expect((await look(server, {})).status).toBe(401);
  await expect(server.caller({})).rejects.toMatchObject({ problem: { code: 'signed-out' } });
});

describe('access=token', () => {
  const server = consoleOf('token');

  test('each sees and does there what their own token may there, and the server’s token lends nobody anything', async () => {
    const both = await person();
    const there = await makeToken(west, readerOf('mine/'), { secret: both.secret });
    const headers = await signedIn(server, both.secret);
    await seen(server, headers, 'here/a', 'mine/a');
    expect(await act(server, headers, release('mine/a'))).toMatchObject({ code: 'forbidden' });
    expect(await act(server, headers, release('there/a'))).toMatchObject({ code: 'not-found' });
    expect((await west.client().get('mine/a')).value?.session).not.toBeNull();
    // Gone there, it takes its rows with it, and the sign-in to the first stays.
    await revoke(west, there);
    await seen(server, headers, 'here/a');
    expect((await look(server, headers)).status).toBe(200);
  });

  test('whom it does not know sees nothing of it, is told so, and stays signed in', async () => {
    const headers = await signedIn(server, (await person()).secret);
    await until(async () => (await look(server, headers)).parts[1]?.problem != null, { what: 'the refusal' });
    expect((await look(server, headers)).parts[1]).toMatchObject({
      problem: { code: 'forbidden', why: { code: 'token-not-of-source' } },
    });
    expect((await look(server, headers)).keys).toEqual(['here/a']);
    expect(await act(server, headers, release('there/a'))).toMatchObject({ code: 'forbidden' });
    expect((await look(server, headers)).status).toBe(200);
  });
});

test('what the server’s token lends is not to be passed on as a share, and what one’s own token reads is', async () => {
  const mayShare = async (server: Server) => {
    const headers = await signedIn(server, (await person()).secret);
    const { provider } = (await server.caller(headers)).viewpoint;
    return ['east', 'west'].map((source) => provider.mayPassOn?.(source));
  };
  expect(await mayShare(consoleOf('read'))).toEqual([true, false]);
  expect(await mayShare(consoleOf('act'))).toEqual([true, false]);
  expect(await mayShare(consoleOf('token'))).toEqual([true, true]);
});

test('strangers who are let in see what the server’s own tokens may read, and act nowhere', async () => {
  const server = consoleOf('act', { SIGNALBOX_ANONYMOUS: 'on' });
  await seen(server, {}, 'here/a', 'mine/a', 'there/a');
  const session = await (await server.session('GET')).json();
  expect(session.writes).toMatchObject({ allowed: false, reason: { code: 'sign-in-to-act' } });
});
