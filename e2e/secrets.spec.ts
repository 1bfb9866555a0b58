/**
 * Secrets that are known from the start, a tour that uses each of them, and then a search for them in all output: log,
 * pages, scripts, answers, headers, streams, metrics, exports, outgoing requests, and the store's files.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arrive, inView, streamOf } from '@/e2e/support/person';
import { ask, json, type Raw, routePaths } from '@/e2e/support/raw';
import { expect, startSignalbox, test } from '@/e2e/support/signalbox';
import { rulesOf, startTeams } from '@/e2e/support/teams';
import { formsOf } from '@/lib/server/process/scrub';
import { openStore } from '@/lib/server/store/store';
import { until } from '@/test/support/until';

const secret = (name: string) => `${name}-${randomBytes(24).toString('hex')}`;

/** Where any form of any of them stands, one line each. */
function found(
  secrets: Readonly<Record<string, string>>,
  places: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(secrets).flatMap(([name, value]) =>
    Object.entries(places).flatMap(([place, text]) => {
      const low = text.toLowerCase();
      const at = formsOf(value)
        .map((form) => low.indexOf(form.toLowerCase()))
        .find((index) => index >= 0);
      return at === undefined ? [] : [`${name} in ${place}: …${text.slice(Math.max(0, at - 60), at)}`];
    }),
  );
}

/** Every file below a folder, as text in which every byte is kept. */
const filesBelow = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [`file ${name}`, readFileSync(join(folder, name), 'latin1')]),
  );

test('no secret is in anything that comes out, in plain, base64, URL or hex, after a tour that used them all', async ({
  browser,
}) => {
  test.setTimeout(180_000);
  const world = await startTeams();
  const { consul } = world;
  const person = await world.token('a person of the red team', `${rulesOf('red', 'write')}\nacl = "read"`);
  const stored = secret('stored');
  const root = consul.client();
  const places = await world.furnish('red', 'tour');
  const holder = await root.createSession({
    name: 'h',
    node: 'red-node',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await root.acquire({
    key: 'red/tour/valued',
    value: Buffer.from(stored),
    flags: '3304740253564472344',
    session: holder,
  });

  const sent: string[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      sent.push(JSON.stringify(request.headers) + body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));

  const own = {
    'own token': consul.token ?? '',
    'sealing key': secret('seal'),
    'embed key': secret('embed'),
    'metrics token': secret('metrics'),
    'webhook secret': secret('webhook'),
  };
  const theirs = { 'a person’s token': person.secret, 'a token that nobody knows': randomUUID() };
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-secrets-'));
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: {
      CONSUL_HTTP_TOKEN: own['own token'],
      SIGNALBOX_SECRET: own['sealing key'],
      SIGNALBOX_EMBED_KEYS: `one:${own['embed key']}`,
      SIGNALBOX_METRICS: 'on',
      SIGNALBOX_METRICS_TOKEN: own['metrics token'],
      SIGNALBOX_AUDIT_WEBHOOK: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      SIGNALBOX_AUDIT_WEBHOOK_SECRET: own['webhook secret'],
      SIGNALBOX_DATA: folder,
      LOG_LEVEL: 'trace',
    },
  });
  const { baseUrl } = signalbox;
  const out: Record<string, string> = {};
  const asked = async (raw: Raw) => {
    const answer = await ask(baseUrl, raw);
    out[`${raw.method ?? 'GET'} ${raw.path.slice(0, 60)} #${Object.keys(out).length}`] =
      JSON.stringify(answer.headers) + answer.body;
    return answer;
  };
  const bearer = { authorization: `Bearer ${person.secret}` };
  try {
    const one = await arrive(browser, baseUrl, person.secret);
    await inView(one.page, [places.release]);
    out.stream = (await streamOf(one.page)).text;
    for (const path of [
      '/',
      `/lock?key=${encodeURIComponent('red/tour/valued')}`,
      `/semaphore?prefix=${encodeURIComponent(places.pool)}`,
      '/sessions',
      '/findings',
      '/graph',
      '/audit',
      '/shares',
      '/login',
    ])
      await one.page.goto(path);

    // Everything that is asked with a token, with a wrong one, and with one where it does not belong.
    const unknown = theirs['a token that nobody knows'];
    const shownAs: readonly Readonly<Record<string, string>>[] = [
      bearer,
      { 'x-consul-token': person.secret },
      { authorization: `Bearer ${unknown}` },
      { cookie: `signalbox=${unknown}` },
    ];
    for (const path of routePaths()) for (const headers of shownAs) await asked({ path, headers });
    for (const path of [
      '/api/v1/snapshot',
      '/embed/v1/board',
      '/embed/v1/snapshot',
      '/embed/v1/badge.svg',
      '/api/v1/nothing',
    ])
      await asked({
        path: `${path}?prefix=red/&x=1`,
        headers: { ...bearer, referer: `http://x/?token=${person.secret}` },
      });
    await asked({ path: '/api/v1/session', method: 'POST', ...json({ token: unknown }) });
    await asked({
      path: '/api/v1/session',
      method: 'POST',
      ...json({ token: person.secret, [person.secret]: unknown }),
    });
    await asked({
      path: '/api/v1/session',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"token":"${person.secret}"`,
    });
    const write = (body: unknown) => {
      const { headers, body: text } = json(body);
      return asked({
        path: '/api/v1/actions',
        method: 'POST',
        headers: { ...headers, ...bearer },
        ...(text === undefined ? {} : { body: text }),
      });
    };
    const action = { type: 'lock.release', source: 'consul', key: 'red/tour/valued', how: 'hand-over' };
    const planned = await write({ mode: 'plan', action, reason: 'tour' });
    const { expect: seen } = JSON.parse(planned.body) as { expect: unknown };
    expect((await write({ mode: 'apply', action, reason: 'tour', expect: seen })).status).toBe(200);
    expect((await write({ mode: 'apply', action, reason: 'tour', expect: seen })).status).toBeGreaterThan(
      400,
    );
    const scope = { view: 'lock', key: 'red/tour/valued' };
    const shared = await ask(baseUrl, {
      path: '/api/v1/grants',
      method: 'POST',
      headers: { ...json({}).headers, ...bearer },
      body: JSON.stringify({ kind: 'link', scope }),
    });
    // The one answer that holds the secret of a link; from here on it is looked for as well.
    const share = /[?&]share=([\w.~-]+)/.exec(shared.body)?.[1] ?? '';
    expect(share, shared.body).not.toBe('');
    const embeds: Record<string, string> = {};
    for (const path of ['lock', 'snapshot', 'badge.svg', 'events'])
      embeds[`embed ${path}`] = (await ask(baseUrl, { path: `/embed/v1/${path}?share=${share}` })).body;
    expect(embeds['embed snapshot']).toContain('red/tour/valued');

    await asked({ path: '/metrics', headers: { authorization: `Bearer ${own['metrics token']}` } });
    await asked({ path: '/metrics', headers: { authorization: `Bearer ${unknown}` } });
    for (const format of ['json', 'csv', 'jsonl'])
      await asked({ path: `/api/v1/audit?format=${format}`, headers: bearer });
    await asked({ path: '/api/v1/grants', headers: bearer });
    await until(async () => sent.length > 0, { what: 'a row at the webhook' });

    // A failure prints more than a success.
    await consul.kill();
    await write({ mode: 'plan', action, reason: 'down' });
    for (const path of routePaths()) await asked({ path, headers: bearer });
    await one.page.goto('/');
    await one.settled();
    one.heard.forEach(({ url, body }, n) => {
      out[`browser ${n} ${new URL(url).pathname}`] = body;
    });
    out['cookies that scripts see'] = await one.page.evaluate(
      () => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }),
    );
    await one.context.close();
    await signalbox.stop();

    // The sealing key is not in the store, and the sealed token is nowhere else.
    const store = openStore({ folder });
    const { sealed } = await store.db
      .selectFrom('signalbox_grants')
      .select('sealed')
      .executeTakeFirstOrThrow();
    await store.close();
    expect(sealed).not.toBeNull();

    const written = { log: signalbox.log(), webhook: sent.join('\n'), ...filesBelow(folder) };
    expect(written.log).toContain('"level"');
    expect(Object.keys(written).length, 'the store has files').toBeGreaterThan(2);
    expect(Object.keys(out).length).toBeGreaterThan(60);
    expect(found({ ...own, ...theirs }, { ...out, ...written, ...embeds })).toEqual([]);
    expect(
      found(
        { 'sealed token': sealed ?? '' },
        { ...out, ...embeds, log: written.log, webhook: written.webhook },
      ),
    ).toEqual([]);
    // The secret of a link is in its own page's address, and so in what the page is made of; nowhere else.
    expect(found({ 'secret of a link': share }, { ...out, ...written })).toEqual([]);
    // Whoever may read a key sees its value; readers of an embed, logs, metrics, exports and files do not.
    const kept = Object.fromEntries(
      Object.entries(out).filter(([name]) =>
        /^[A-Z]+ .*\/(metrics|audit|grants|session|rights|findings)/.test(name),
      ),
    );
    expect(found({ 'stored value': stored }, { ...kept, ...written, ...embeds })).toEqual([]);
    // The search can find: a readable secret is found in its readable place.
    expect(found({ 'stored value': stored }, out)).not.toEqual([]);
  } finally {
    await signalbox.stop();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
    await consul.stop();
  }
});

test('a database that cannot be reached is not named with its password, by log or answer', async ({
  consul,
}) => {
  const password = secret('database');
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: { DATABASE_URL: `postgres://signalbox:${password}@127.0.0.1:1/signalbox`, LOG_LEVEL: 'trace' },
  });
  try {
    const answers = await Promise.all(
      [...routePaths(), '/', '/audit', '/shares'].map(async (path) => {
        const { headers, body } = await ask(signalbox.baseUrl, { path });
        return JSON.stringify(headers) + body;
      }),
    );
    await signalbox.stop();
    expect(found({ password }, { log: signalbox.log(), answers: answers.join('\n') })).toEqual([]);
  } finally {
    await signalbox.stop();
  }
});
