/** The history of several sources at once: a Consul with ACLs and an open one, none of them named `consul`. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as atRoute from '@/app/api/v1/history/at/route';
import * as route from '@/app/api/v1/history/route';
import type { SentHistory } from '@/lib/domain/history/answer';
import type { PastAnswer } from '@/lib/domain/history/past';
import { subjectId } from '@/lib/domain/model';
import { fresh, heldLock } from '@/test/actions/stage';
import { makeToken } from '@/test/identity/tokens';
import { type Served, serve, whenLive } from '@/test/machines/served';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

vi.mock('server-only', () => ({}));

const east = await startConsul({ acl: true });
const west = await startConsul();
const shared = fresh('sources');
let served: Served;
beforeAll(async () => {
  served = await serve(east, {
    CONSUL_HTTP_TOKEN: east.token ?? '',
    SIGNALBOX_SOURCES: `consul://?id=east consul://${west.address.replace(/^https?:\/\//, '')}?id=west`,
  });
  await whenLive();
  for (const [consul, names] of [
    [east, [`${shared}/seen`, `${shared}-hidden`]],
    [west, [`${shared}/seen`]],
  ] as const)
    for (const key of names) await heldLock(consul.client(), { key });
  await until(async () => (await read(east.token ?? '', `prefix:${shared}`)).episodes.length === 3, {
    what: 'all holds to be kept',
  });
});
afterAll(async () => {
  await served.stop();
  await Promise.all([east.stop(), west.stop()]);
});

async function read(token: string, subject: string, more = ''): Promise<SentHistory> {
  const path = `/api/v1/history?subject=${encodeURIComponent(subject)}&to=${Date.now()}&from=-1h${more}`;
  const response = await served.ask(route.GET, path, { headers: { 'x-consul-token': token } });
  expect(response.status).toBe(200);
  return response.json();
}

test('a prefix without a source is that of all sources, each by the rights that the caller has there', async () => {
  const { secret } = await makeToken(
    east,
    `key_prefix "${shared}/" { policy = "read" } node_prefix "" { policy = "read" }`,
  );
  for (const subject of [`prefix:${shared}`, 'prefix:']) {
    const { episodes } = await read(secret, subject);
    const told = episodes.map(({ subject, who }) => [subjectId(subject), who.node !== null]);
    // It may read sessions of the open Consul alone.
    expect(told.sort()).toEqual([
      [`east!lock:${shared}/seen`, false],
      [`west!lock:${shared}/seen`, true],
    ]);
  }
  const { episodes } = await read(secret, `prefix:${shared}`, '&source=west');
  expect(episodes.map(({ subject: { source } }) => source)).toEqual(['west']);
});

test('a source that is not configured is refused, also that of a lock without one', async () => {
  for (const asked of [`subject=prefix:${shared}&source=north`, `subject=lock:${shared}/seen`]) {
    const response = await served.ask(route.GET, `/api/v1/history?${asked}`, {
      headers: { 'x-consul-token': east.token ?? '' },
    });
    expect([response.status, (await response.json()).why]).toMatchObject([404, { code: 'no-source' }]);
  }
});

test('at an instant each source is seen or unseen by itself, and holds are there until they end', async () => {
  const at = async (atMs: number) => {
    const path = `/api/v1/history/at?time=${atMs}&subject=prefix:${shared}`;
    const response = await served.ask(atRoute.GET, path, { headers: { 'x-consul-token': east.token ?? '' } });
    expect(response.status).toBe(200);
    return (await response.json()) as PastAnswer;
  };
  const written = (atMs: number) =>
    until(
      async () => {
        const past = await at(atMs);
        return past.sources.every(({ why }) => why !== 'not-written') && past;
      },
      { what: 'this instant to be written' },
    );
  const beforeMs = Date.now();
  const held = await written(beforeMs);
  expect(held.locks).toHaveLength(3);
  await west.stop();
  await until(async () => (await written(Date.now())).sources.some(({ state }) => state === 'unseen'), {
    what: 'the west to be known as away',
    timeoutMs: 30_000,
  });
  const { sources, locks } = await written(Date.now());
  expect(sources).toMatchObject([
    { id: 'east', state: 'seen', why: null },
    { id: 'west', state: 'unseen', why: 'outage' },
  ]);
  expect(new Set(locks.map(({ source }) => source))).toEqual(new Set(['east']));
  // Whether sessions of a source may be read cannot be told while it is away.
  const named = (past: PastAnswer) =>
    past.locks.map(({ source, key, holders }) => [source, key, holders.map(({ sessionId }) => sessionId)]);
  expect(named(await at(beforeMs))).toEqual(named(held));
}, 120_000);
