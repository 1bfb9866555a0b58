/** What the history shows to whom: a real Consul with ACLs, real tokens, and the answers of the route itself. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as atRoute from '@/app/api/v1/history/at/route';
import * as columnsRoute from '@/app/api/v1/history/columns/route';
import * as figuresRoute from '@/app/api/v1/history/figures/route';
import * as route from '@/app/api/v1/history/route';
import { fresh, heldLock } from '@/test/actions/stage';
import { makeToken, rewrite, type Token } from '@/test/identity/tokens';
import { type Served, serve, whenLive } from '@/test/machines/served';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

vi.mock('server-only', () => ({}));

const consul = await startConsul({ acl: true });
const client = consul.client();
const nodes = 'node_prefix "" { policy = "read" }';
const sessions = 'session_prefix "" { policy = "read" } service_prefix "" { policy = "read" }';
const [mine, theirs] = [fresh('rights'), fresh('rights')];
const readsMine = `key_prefix "${mine}" { policy = "read" } ${nodes}`;
let served: Served;
let [own, other] = [
  { key: '', id: '' },
  { key: '', id: '' },
];
beforeAll(async () => {
  served = await serve(consul, { CONSUL_HTTP_TOKEN: consul.token ?? '' });
  await whenLive();
  own = await heldLock(client, { key: `${mine}/a` });
  other = await heldLock(client, { key: `${theirs}/b` });
  const root = { secret: consul.token ?? '', accessor: '' };
  for (const { key } of [own, other])
    await until(async () => (await read(root, `lock:${key}`)).episodes.length === 1, {
      what: `${key} to be kept`,
    });
});
afterAll(async () => {
  await served.stop();
  await consul.stop();
});

async function read({ secret }: Token, subject: string, more = '') {
  const path = `/api/v1/history?subject=${encodeURIComponent(subject)}&to=${Date.now()}&from=-1h${more}`;
  const response = await served.ask(route.GET, path, { headers: { 'x-consul-token': secret } });
  expect(response.status).toBe(200);
  return response.json();
}

/** Without the instants of the question itself. */
const said = ({ from: _from, to: _to, ...rest }: Record<string, unknown>) => rest;

test('who may not read a key gets the answer of one that is not there, whatever is asked about', async () => {
  const token = await makeToken(consul, `${readsMine} ${sessions}`);
  expect((await read(token, `lock:${own.key}`)).episodes).toMatchObject([{ who: { id: own.id } }]);
  const unknown = said(await read(token, 'lock:no/such/key'));
  // Of a prefix an answer has what is usual as well.
  const unknownPrefix = said(await read(token, 'prefix:no/such/'));
  expect(unknownPrefix).toEqual({ ...unknown, usual: [] });
  for (const subject of [
    `lock:${other.key}`,
    `prefix:${theirs}`,
    `session:${other.id}`,
    `semaphore:${theirs}`,
  ])
    for (const more of ['', '&limit=1'])
      expect(said(await read(token, subject, more))).toEqual(
        subject.startsWith('prefix:') ? unknownPrefix : unknown,
      );
  const all = await read(token, 'prefix:');
  expect(all.episodes.map(({ subject }: { subject: { key: string } }) => subject.key)).toEqual([own.key]);
  const few = await read(token, 'prefix:', '&limit=1');
  expect(few.episodes.map(({ subject }: { subject: { key: string } }) => subject.key)).toEqual([own.key]);
});

test('who may not read sessions sees that somebody held it, and no name and no machine', async () => {
  const token = await makeToken(consul, readsMine);
  const history = await read(token, `lock:${own.key}`);
  // No server of Consul shows who waits for a lock.
  expect('waits' in history).toBe(false);
  const [hold] = history.episodes;
  expect(hold.who).toMatchObject({ id: own.id, name: null, node: null });
  const seeing = await makeToken(consul, `${readsMine} ${sessions}`);
  const [whole] = (await read(seeing, `lock:${own.key}`)).episodes;
  expect(whole.who.node).toBe('test-node');
});

test('figures count what one may read, and do not tell that there is more', async () => {
  const token = await makeToken(consul, `${readsMine} ${sessions}`);
  const figures = async (prefix: string) => {
    const path = `/api/v1/history/figures?prefix=${encodeURIComponent(prefix)}&to=${Date.now()}&from=-1h`;
    const response = await served.ask(figuresRoute.GET, path, {
      headers: { 'x-consul-token': token.secret },
    });
    expect(response.status).toBe(200);
    return response.json();
  };
  const { groups } = await figures(`${mine}/`);
  expect(groups.map(({ name }: { name: string }) => name)).toEqual([own.key]);
  // Nothing of the range is said to be counted: each has its own end.
  const uncounted = async (prefix: string) => {
    const { countedFromMs, to, ...rest } = await figures(prefix);
    expect(countedFromMs).toBe(to);
    return said(rest);
  };
  expect(await uncounted(`${theirs}/`)).toEqual(await uncounted('no/such/'));
});

test('a right that is taken away counts within 10 s, and one that is given as well', async () => {
  const token = await makeToken(consul, `${readsMine} ${sessions}`);
  const count = async (key: string) => (await read(token, `lock:${key}`)).episodes.length;
  expect([await count(own.key), await count(other.key)]).toEqual([1, 0]);
  await rewrite(consul, token, `key_prefix "${theirs}" { policy = "read" } ${nodes} ${sessions}`);
  await until(async () => (await count(own.key)) === 0 && (await count(other.key)) === 1, {
    what: 'the new rights to count',
    timeoutMs: 40_000,
  });
}, 120_000);

async function at({ secret }: Token, time: number | string, more = '') {
  const path = `/api/v1/history/at?time=${time}${more}`;
  const response = await served.ask(atRoute.GET, path, { headers: { 'x-consul-token': secret } });
  expect(response.status).toBe(200);
  return response.json();
}

test('the world of an instant is cut to what the person may read now, and the rest is as if it had not been', async () => {
  const root = { secret: consul.token ?? '', accessor: '' };
  const keysAt = (past: { locks: { key: string }[] }) => past.locks.map(({ key }) => key).sort();
  const atMs = Date.now();
  await until(async () => (await at(root, atMs)).sources[0].state === 'seen', { what: 'this to be written' });
  expect(keysAt(await at(root, atMs))).toEqual([own.key, other.key].sort());
  const token = await makeToken(consul, `${readsMine} ${sessions}`);
  const mine = await at(token, atMs);
  expect(keysAt(mine)).toEqual([own.key]);
  expect(mine.locks[0].holders).toMatchObject([{ sessionId: own.id, session: { node: 'test-node' } }]);
  expect(keysAt(await at(token, atMs, '&limit=1'))).toEqual([own.key]);
  for (const more of ['', '&limit=1'])
    for (const kind of ['lock', 'prefix'])
      expect(await at(token, atMs, `&subject=${kind}:${other.key}${more}`)).toEqual(
        await at(token, atMs, `&subject=${kind}:no/such/key${more}`),
      );
  const narrow = await at(await makeToken(consul, readsMine), atMs);
  expect(narrow.locks[0].holders).toMatchObject([{ sessionId: own.id, session: null }]);
});

test('the last hour of a key that may not be read is absent, as that of one that is not there', async () => {
  const subjects = [`lock:${own.key}`, `lock:${other.key}`, `lock:${theirs}/none`];
  const columns = async ({ secret }: Token) => {
    const response = await served.ask(columnsRoute.POST, '/api/v1/history/columns', {
      method: 'POST',
      headers: { 'x-consul-token': secret },
      body: { subjects },
    });
    expect(response.status).toBe(200);
    return Object.keys((await response.json()).columns);
  };
  expect(await columns({ secret: consul.token ?? '', accessor: '' })).toEqual(subjects);
  expect(await columns(await makeToken(consul, readsMine))).toEqual([`lock:${own.key}`]);
});
