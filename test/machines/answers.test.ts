/**
 * Real answers of every route, from a real Consul with ACLs and a real `consul lock`, held against the schemas that the
 * document is made from. They are strict: a field that the document lacks fails here.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { z } from 'zod';
import * as actions from '@/app/api/v1/actions/route';
import * as chain from '@/app/api/v1/audit/chain/route';
import * as audit from '@/app/api/v1/audit/route';
import * as events from '@/app/api/v1/events/route';
import * as findings from '@/app/api/v1/findings/route';
import * as grants from '@/app/api/v1/grants/route';
import * as historyAt from '@/app/api/v1/history/at/route';
import * as historyColumns from '@/app/api/v1/history/columns/route';
import * as historyFigures from '@/app/api/v1/history/figures/route';
import * as history from '@/app/api/v1/history/route';
import * as openapi from '@/app/api/v1/openapi/route';
import * as openapiJson from '@/app/api/v1/openapi.json/route';
import * as opening from '@/app/api/v1/opening/route';
import * as probe from '@/app/api/v1/probe/route';
import * as rights from '@/app/api/v1/rights/route';
import * as session from '@/app/api/v1/session/route';
import * as snapshot from '@/app/api/v1/snapshot/route';
import * as embedBadge from '@/app/embed/v1/badge.svg/route';
import * as embedEvents from '@/app/embed/v1/events/route';
import * as embedHistory from '@/app/embed/v1/history/route';
import * as embedSnapshot from '@/app/embed/v1/snapshot/route';
import * as healthz from '@/app/healthz/route';
import * as metrics from '@/app/metrics/route';
import * as readyz from '@/app/readyz/route';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { openApi } from '@/lib/server/openapi/openapi';
import { type Name, named } from '@/lib/server/openapi/parts';
import { events as eventsOf } from '@/packages/cli/stream.mjs';
import { runConsulLock, startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { type Served, serve, whenLive } from './served';

vi.mock('server-only', () => ({}));

const ghost = '11111111-2222-4333-8444-555555555555';
const prefix = 'answers/jobs';
const leak = 'answers/leak';
let consul: TestConsul;
let served: Served;
/** Routes that were asked here: `get /api/v1/snapshot`. */
const asked = new Set<string>();

type Routes = Readonly<Record<string, unknown>>;
type Handler = Parameters<Served['ask']>[0];

async function ask(
  routes: Routes,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string>; token?: string | null } = {},
): Promise<Response> {
  const { token = consul.token, headers = {}, body } = options;
  const handler = routes[method] as Handler | undefined;
  if (handler === undefined) throw new Error(`${method} ${path} is not there`);
  const response = await served.ask(handler, path, {
    method,
    headers: { ...headers, ...(token === null ? {} : { 'x-consul-token': token }) },
    ...(body === undefined ? {} : { body }),
  });
  if (response.ok) asked.add(`${method.toLowerCase()} ${path.replace(/\?.*/, '')}`);
  return response;
}

/** The body, once it has passed the schema of that name. */
async function holds(name: Name, response: Response, status = 200) {
  const text = await response.text();
  expect([name, response.status, response.status === status ? '' : text]).toEqual([name, status, '']);
  const body = JSON.parse(text);
  const parsed = (named[name] as z.ZodType).safeParse(body);
  expect([name, parsed.success ? [] : parsed.error.issues]).toEqual([name, []]);
  return body;
}

const consulPut = (path: string, body: string) =>
  fetch(`http://${consul.address}/v1/${path}`, {
    method: 'PUT',
    body,
    headers: { 'x-consul-token': consul.token ?? '' },
  });

beforeAll(async () => {
  consul = await startConsul({ acl: true });
  served = await serve(consul, {
    CONSUL_HTTP_TOKEN: consul.token ?? '',
    SIGNALBOX_EMBED_KEYS: `one:${'k'.repeat(40)}`,
    SIGNALBOX_METRICS: 'on',
  });
  for (let i = 0; i < 3; i += 1) runConsulLock(consul, { n: 2, prefix, command: 'sleep 600' });
  runConsulLock(consul, { n: 1, prefix: 'answers/alone', command: 'sleep 600' });
  await consulPut(`kv/${leak}/.lock?flags=${semaphoreFlags}`, `{"Limit":1,"Holders":{"${ghost}":true}}`);
  await consulPut(`kv/answers/broken/.lock?flags=${semaphoreFlags}`, '{"Limit":"x"}');
  await whenLive();
});

afterAll(async () => {
  await served.stop();
  await consul.stop();
});

/** Once the holders are in, and what was written last is read. */
async function world() {
  return until(
    async () => {
      const now = await (await ask(snapshot, 'GET', '/api/v1/snapshot')).json();
      const jobs = now.semaphores.find((one: { prefix: string }) => one.prefix === prefix);
      const alone = now.locks.find((one: { key: string }) => one.key === 'answers/alone/.lock');
      const broken = now.semaphores.some((one: { prefix: string }) => one.prefix === 'answers/broken');
      // A ghost is one only once a list of sessions read after its entry lacks it.
      const haunted = now.findings.some(({ code }: { code: string }) => code === 'ghost-slots');
      const isThere = jobs?.waiters.length === 1 && jobs.holders.length === 2 && alone?.state === 'held';
      return isThere && broken && haunted && { now, jobs };
    },
    { what: 'holders and a waiter', timeoutMs: 30_000 },
  );
}

test('reading: snapshot, findings, session, rights, health, readiness and the document', async () => {
  await world();
  await holds('Snapshot', await ask(snapshot, 'GET', '/api/v1/snapshot'));
  const { findings: found } = await holds('Findings', await ask(findings, 'GET', '/api/v1/findings'));
  const address = encodeURIComponent('/?show=locks');
  const openingSince = async (since: string) =>
    holds('Opening', await ask(opening, 'GET', `/api/v1/opening?address=${address}${since}`));
  const { name, opening: shown } = await openingSince('');
  expect(shown).not.toBeNull();
  // Sessions renew meanwhile.
  let last = name;
  await until(
    async () => {
      const again = await openingSince(`&since=${last}`);
      last = again.name;
      return again.opening === null;
    },
    { what: 'nothing to have changed' },
  );
  for (const bad of ['', 'https://elsewhere', '//elsewhere', '/\\elsewhere'])
    await holds(
      'Problem',
      await ask(opening, 'GET', `/api/v1/opening?address=${encodeURIComponent(bad)}`),
      400,
    );
  expect(found.map(({ code }: { code: string }) => code)).toEqual(
    expect.arrayContaining(['ghost-slots', 'unreadable-entry']),
  );
  // A finding that an action mends does not say that nothing can be done from here.
  const ghosts = found.find(({ code }: { code: string }) => code === 'ghost-slots');
  expect(ghosts).toMatchObject({ mend: { type: 'semaphore.prune' } });
  expect(ghosts.who).toMatch(/^Prune/);
  const visitor = await holds('Visitor', await ask(session, 'GET', '/api/v1/session'));
  expect(visitor.identity.kind).toBe('token');
  await holds('Visitor', await ask(session, 'GET', '/api/v1/session', { token: null }));
  const some = { actions: [{ type: 'semaphore.prune', source: 'consul', prefixes: [leak] }] };
  expect(await holds('Rights', await ask(rights, 'POST', '/api/v1/rights', { body: some }))).toEqual({
    rights: ['yes'],
    needs: [
      [
        {
          code: 'write-entry',
          facts: { key: `${leak}/.lock` },
          text: `key:write on ${leak}/.lock`,
        },
      ],
    ],
  });
  await holds('Health', await ask(healthz, 'GET', '/healthz'));
  await holds('Readiness', await ask(readyz, 'GET', '/readyz'));
  expect((await ask(metrics, 'GET', '/metrics')).status).toBe(200);
  const document = await (await ask(openapi, 'GET', '/api/v1/openapi', { token: null })).json();
  expect(document).toEqual(JSON.parse(JSON.stringify(openApi())));
  expect((await ask(openapiJson, 'GET', '/api/v1/openapi.json')).status).toBe(200);
});

test('acting: plans of every action, an outcome, a batch, a probe, and what is refused', async () => {
  const { now, jobs } = await world();
  const post = (body: unknown) => ask(actions, 'POST', '/api/v1/actions', { body });
  const [holder] = jobs.holders;
  const plans = [
    {
      type: 'semaphore.evict',
      source: 'consul',
      prefix,
      sessionId: holder.sessionId,
      how: 'destroy-session',
    },
    { type: 'semaphore.evict', source: 'consul', prefix, sessionId: holder.sessionId, how: 'slot-only' },
    { type: 'semaphore.resize', source: 'consul', prefix, limit: 5 },
    { type: 'semaphore.resize', source: 'consul', prefix, limit: 1 },
    { type: 'semaphore.prune', source: 'consul', prefixes: [leak, prefix] },
    { type: 'lock.release', source: 'consul', key: 'answers/alone/.lock', how: 'destroy-session' },
    { type: 'lock.release', source: 'consul', key: 'answers/alone/.lock', how: 'hand-over' },
    { type: 'session.destroy', source: 'consul', sessionId: holder.sessionId },
  ];
  expect(now.findings.length).toBeGreaterThan(0);
  for (const action of plans) await holds('Planned', await post({ mode: 'plan', action }));

  const evict = plans[0];
  const { expect: seen } = await holds('Planned', await post({ mode: 'plan', action: evict }));
  // A reason is asked for.
  await holds('Problem', await post({ mode: 'apply', action: evict, expect: seen }), 400);
  const { outcome } = await holds(
    'Applied',
    await post({ mode: 'apply', action: evict, expect: seen, reason: 'stuck' }),
  );
  expect(outcome.done).toBe(true);
  // It is out, so the same once more has moved.
  const again = await holds(
    'Problem',
    await post({ mode: 'apply', action: evict, expect: seen, reason: 'stuck' }),
    409,
  );
  expect(again.code === 'stale' || again.code === 'not-held').toBe(true);
  const batch = { type: 'semaphore.prune', source: 'consul', prefixes: [leak, prefix] };
  const planned = await holds('Planned', await post({ mode: 'plan', action: batch }));
  const pruned = await holds('Applied', await post({ mode: 'apply', action: batch, expect: planned.expect }));
  expect(pruned.outcome.parts.length).toBeGreaterThan(0);
  await holds(
    'Planned',
    await post({ mode: 'plan', action: { type: 'semaphore.delete', source: 'consul', prefix: leak } }),
  );
  await holds(
    'Problem',
    await post({ mode: 'plan', action: { type: 'lock.delete', source: 'consul', key: 'no/such' } }),
    404,
  );
  await holds('Probed', await ask(probe, 'POST', '/api/v1/probe', { body: { key: 'answers/alone/.lock' } }));
});

test('the audit: rows, an export of each kind, and the chain', async () => {
  const { rows, part } = await holds('AuditRows', await ask(audit, 'GET', '/api/v1/audit?limit=5'));
  expect(part).toBe(false);
  expect(rows.length).toBe(5);
  const lines = (await (await ask(audit, 'GET', '/api/v1/audit?format=jsonl')).text()).trim().split('\n');
  for (const line of lines)
    expect(named.AuditRow.safeParse(JSON.parse(line)).error?.issues ?? []).toEqual([]);
  expect((await ask(audit, 'GET', '/api/v1/audit?format=csv')).headers.get('content-type')).toMatch(
    /^text\/csv/,
  );
  await holds('Chain', await ask(chain, 'GET', '/api/v1/audit/chain'));
});

test('sharing: a link, a token, the list, a change, and what a reader of it gets', async () => {
  const scope = { view: 'semaphore', prefix, history: true };
  const link = await holds(
    'NewGrant',
    await ask(grants, 'POST', '/api/v1/grants', { body: { kind: 'link', scope } }),
    201,
  );
  await holds(
    'NewGrant',
    await ask(grants, 'POST', '/api/v1/grants', {
      body: { kind: 'token', scope, lifeMs: 60_000, grant: link.grant.id },
    }),
    201,
  );
  await holds('Grants', await ask(grants, 'GET', '/api/v1/grants'));
  const query = new URL(link.address, 'http://x').search;
  const seen = await until(
    async () => {
      const now = await (
        await ask(embedSnapshot, 'GET', `/embed/v1/snapshot${query}`, { token: null })
      ).json();
      return now.semaphores.length === 1 && now;
    },
    { what: 'the cut world' },
  );
  expect(named.Snapshot.safeParse(seen).error?.issues ?? []).toEqual([]);
  await holds('History', await ask(embedHistory, 'GET', `/embed/v1/history${query}`, { token: null }));
  const badge = await ask(embedBadge, 'GET', `/embed/v1/badge.svg${query}`, { token: null });
  expect(badge.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
  await badge.text();
  const stream = await ask(embedEvents, 'GET', `/embed/v1/events${query}`, { token: null });
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await stream.body?.cancel();
  const body = { id: link.grant.id, change: 'revoke' };
  const { grant } = await holds('ChangedGrant', await ask(grants, 'PATCH', '/api/v1/grants', { body }));
  expect(grant.state).toBe('revoked');
  await holds('Problem', await ask(embedSnapshot, 'GET', `/embed/v1/snapshot${query}`, { token: null }), 404);
});

test('history: what was seen of a semaphore, each kind of export, and what is refused', async () => {
  const get = (query: string) => ask(history, 'GET', `/api/v1/history?${query}`);
  const body = await until(
    async () => {
      const answer = await holds('History', await get(`subject=semaphore:${prefix}&from=-1h`));
      return answer.episodes.length >= 2 && answer.waits.length > 0 && answer;
    },
    { what: 'the holders to be kept', timeoutMs: 30_000 },
  );
  expect(body).toMatchObject({ off: false, awaySinceMs: null, folded: false, more: false, hours: [] });
  const [one] = body.episodes;
  const mine = await holds('History', await get(`subject=session:${one.who.id}`));
  expect(mine.episodes.map(({ id }: { id: string }) => id)).toContain(one.id);
  const few = await holds('History', await get('subject=prefix:answers/&limit=1'));
  expect(few).toMatchObject({ more: true });
  const lost = await holds('History', await get('subject=prefix:answers/&ends=lost'));
  for (const { end } of lost.episodes) expect(['released', 'not-watched', null]).not.toContain(end);
  const lines = (await (await get('format=jsonl')).text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).kind)).toContain('episode');
  expect(JSON.parse(lines.at(-1) ?? '').kind).not.toBe('more');
  const csv = await get('format=csv');
  expect(csv.headers.get('signalbox-more')).toBe('false');
  expect(csv.headers.get('content-disposition')).toContain('"signalbox-history.csv"');
  expect(await csv.text()).toContain(one.who.id);
  const cut = await get('format=jsonl&limit=1');
  expect(cut.headers.get('signalbox-more')).toBe('true');
  expect(cut.headers.get('content-disposition')).toContain('"signalbox-history-newest.jsonl"');
  expect((await cut.text()).trim().split('\n').at(-1)).toBe('{"kind":"more"}');
  for (const bad of [
    'subject=lock',
    'subject=key:a',
    `subject=lock:${'a'.repeat(5_000)}`,
    'from=yesterday',
    'from=-1h&to=-2h',
    'from=-32d',
    'from=0',
    'to=99999999999999',
    'from=999999999999999',
    'limit=0',
    'limit=5001',
    'limit=x',
    'ends=soon',
    'format=xml',
    'source=No%20Such',
    // Postgres has no such text.
    'subject=lock:%00',
  ])
    await holds('Problem', await get(bad), 400);
  await holds('Problem', await get('source=no-such'), 404);
  const odd = await holds('History', await get(`subject=lock:${encodeURIComponent('%_\'"\\')}`));
  expect(odd.episodes).toEqual([]);
});

test('history at one instant: the holders of then, and what is refused', async () => {
  const get = (query: string) => ask(historyAt, 'GET', `/api/v1/history/at?${query}`);
  const now = await until(
    async () => {
      // What is written is a few seconds old.
      const answer = await holds('Past', await get(`time=-7s&subject=semaphore:${prefix}`));
      return answer.semaphores.length === 1 && answer;
    },
    { what: 'this instant to be written', timeoutMs: 30_000 },
  );
  expect(now).toMatchObject({ off: false, locks: [], sources: [{ id: 'consul', state: 'seen' }] });
  expect(now.semaphores[0].holders.length).toBeGreaterThan(0);
  expect(now.previous.atMs).toBeLessThan(now.at);
  const before = await holds('Past', await get('time=0'));
  // A token may hide some, so that no end is certain.
  expect(before).toMatchObject({ previous: { atMs: null, complete: false } });
  expect(before.next.atMs).toBeGreaterThanOrEqual(before.keptSinceMs);
  expect(before).toMatchObject({ semaphores: [], sources: [{ state: 'unseen', why: 'not-kept' }] });
  for (const bad of [
    '',
    'time=',
    'time=yesterday',
    'time=99999999999999',
    'time=-99999999d',
    'time=-1h&subject=session:x',
    'time=-1h&subject=key',
    'time=-1h&limit=0',
    'time=-1h&limit=5001',
    'time=-1h&source=No%20Such',
  ])
    await holds('Problem', await get(bad), 400);
  await holds('Problem', await get('time=-1h&source=no-such'), 404);
});

test('the last hour of some rows: a path each, none for a stranger, and what is refused', async () => {
  const get = (subjects: unknown) =>
    ask(historyColumns, 'POST', '/api/v1/history/columns', { body: { subjects } });
  const { columns, off } = await holds('HourColumns', await get([`semaphore:${prefix}`, 'lock:no/such']));
  expect(off).toBe(false);
  const { path, heldShare, waitersMax, seenMs } = columns[`semaphore:${prefix}`];
  expect(path).toMatch(/^M\d+ 16V/);
  expect(heldShare).toBeGreaterThan(0);
  expect(waitersMax).toBeGreaterThan(0);
  expect(seenMs).toBeGreaterThan(0);
  expect(columns['lock:no/such']).toMatchObject({ heldShare: 0, waitersMax: null });
  for (const bad of [[], 'lock:a', ['a'], ['session:x'], ['lock:a'.repeat(5_000)], Array(201).fill('lock:a')])
    await holds('Problem', await get(bad), 400);
  await holds('Problem', await get(['no-such!lock:a']), 404);
});

test('figures of the history: what is held below a prefix, and what is refused', async () => {
  const get = (query: string) => ask(historyFigures, 'GET', `/api/v1/history/figures?${query}`);
  const body = await until(
    async () => {
      const answer = await holds('HistoryFigures', await get('prefix=answers/&from=-1h'));
      return answer.groups.length > 0 && answer;
    },
    { what: 'a hold to be counted', timeoutMs: 30_000 },
  );
  expect(body).toMatchObject({ off: false, cellMs: 3_600_000 });
  expect(body.groups[0].name).toMatch(/^answers\//);
  expect(body.groups[0].heldMs).toBeGreaterThan(0);
  expect(body.countedFromMs).toBeGreaterThan(body.from);
  for (const bad of [
    'from=yesterday',
    'from=-1h&to=-2h',
    'from=-32d',
    'source=No%20Such',
    'order=worst',
    `prefix=${'a'.repeat(5_000)}`,
  ])
    await holds('Problem', await get(bad), 400);
  await holds('Problem', await get('source=no-such'), 404);
  expect(await holds('HistoryFigures', await get('prefix=no-such-name/&order=lost'))).toMatchObject({
    groups: [],
    groupsMore: 0,
  });
});

test('every event of the stream: a snapshot, patches that join it, a ping', async () => {
  const response = await ask(events, 'GET', '/api/v1/events');
  const seen = new Map<string, number>();
  await consulPut(`kv/${leak}/.lock?flags=${semaphoreFlags}`, '{"Limit":2,"Holders":{}}');
  for await (const { event, data } of eventsOf(response.body as unknown as AsyncIterable<Uint8Array>)) {
    seen.set(event, (seen.get(event) ?? 0) + 1);
    const name = event === 'snapshot' ? 'Snapshot' : event === 'ping' ? null : 'Patch';
    if (name !== null)
      expect([event, named[name].safeParse(JSON.parse(data)).error?.issues ?? []]).toEqual([event, []]);
    if (!seen.has('patch'))
      await consulPut(`kv/${leak}/.lock?flags=${semaphoreFlags}`, '{"Limit":3,"Holders":{}}');
    if (seen.has('ping') && seen.has('patch')) break;
  }
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['snapshot', 'patch', 'ping']));
});

test('problems of the edge have the shape that the document says', async () => {
  const bad = { mode: 'plan', action: { type: 'no.such' } };
  await holds('Problem', await ask(actions, 'POST', '/api/v1/actions', { body: bad }), 400);
  await holds('Problem', await ask(actions, 'POST', '/api/v1/actions', { body: bad, token: null }), 401);
  const plain = { body: bad, headers: { 'content-type': 'text/plain' } };
  await holds('Problem', await ask(actions, 'POST', '/api/v1/actions', plain), 415);
  await holds('Problem', await ask(snapshot, 'GET', '/api/v1/snapshot?kind=none'), 400);
  await holds('Problem', await ask(snapshot, 'GET', '/api/v1/snapshot', { token: ghost }), 401);
  const foreign = { headers: { origin: 'https://evil.example' } };
  await holds('Problem', await ask(snapshot, 'GET', '/api/v1/snapshot', foreign), 403);
  await holds(
    'Problem',
    await ask(session, 'POST', '/api/v1/session', { body: { token: ghost }, token: null }),
    401,
  );
});

test('signing in by cookie, staying, and signing out', async () => {
  const body = { token: consul.token };
  const signedIn = await ask(session, 'POST', '/api/v1/session', { body, token: null });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  await holds('Visitor', signedIn);
  const headers = { cookie };
  await holds('Visitor', await ask(session, 'PUT', '/api/v1/session', { headers, token: null }));
  expect((await ask(session, 'DELETE', '/api/v1/session', { headers, token: null })).status).toBe(204);
});

test('nothing of the document was left out above', () => {
  const { paths } = openApi() as { paths: Record<string, Record<string, unknown>> };
  const told = Object.entries(paths).flatMap(([path, methods]) =>
    // HEAD is GET without a body.
    Object.keys(methods).flatMap((method) => (method === 'head' ? [] : [`${method} ${path}`])),
  );
  expect(told.filter((one) => !asked.has(one))).toEqual([]);
});
