import { describe, expect, test, vi } from 'vitest';
import { ProblemError } from '@/lib/domain/problem';
import {
  addressLengthMax,
  answering,
  HttpProblem,
  problemResponse,
  readJsonBody,
  requireSameOrigin,
  requireSoundAddress,
  requireWriter,
} from './http';

const headers = (fields: Record<string, string>) => new Headers(fields);
const problemOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (error instanceof HttpProblem) return `${error.httpStatus} ${error.problem.why?.code}`;
    if (error instanceof ProblemError) return `${error.problem.code} ${error.problem.why?.code}`;
    throw error;
  }
  return 'passed';
};

describe('a page of another site is refused', () => {
  const url = new URL('https://locks.example');
  const ask = (fields: Record<string, string>, method = 'POST', env: { url: URL | null } = { url: null }) =>
    problemOf(() =>
      requireSameOrigin({ headers: headers({ host: 'locks.example', ...fields }), method }, env),
    );
  const refused = '403 other-site';

  test.each<[string, Record<string, string>]>([
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour below the same domain', { 'sec-fetch-site': 'same-site' }],
    ['an unknown word', { 'sec-fetch-site': 'none, same-origin' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    [
      'a foreign origin that says it is of the same origin',
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    ],
    ['no origin at all, as from a sandboxed frame', { origin: 'null' }],
    ['an origin that is no address', { origin: 'locks.example' }],
    ['our name with another port', { origin: 'https://locks.example:444' }],
    ['a name that begins as ours', { origin: 'https://locks.example.evil.example' }],
    [
      'a followed link, for what writes',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
  ])('%s', (_name, fields) => expect(ask(fields)).toBe(refused));

  test.each<[string, Record<string, string>]>([
    ['our own page', { 'sec-fetch-site': 'same-origin', origin: 'https://locks.example' }],
    ['our own page in a browser that says no Sec-Fetch-Site', { origin: 'https://locks.example' }],
    ['an address that somebody typed', { 'sec-fetch-site': 'none' }],
    ['a program, which says neither', {}],
  ])('%s is not', (_name, fields) => expect(ask(fields)).toBe('passed'));

  test('reading is refused as well, but a link may be followed to it, not into a frame', () => {
    const navigate = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(ask({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 'GET')).toBe(refused);
    expect(
      ask(
        { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', origin: 'https://evil.example' },
        'GET',
      ),
    ).toBe(refused);
    expect(ask({ ...navigate, 'sec-fetch-dest': 'iframe' }, 'GET')).toBe(refused);
    expect(ask({ ...navigate, 'sec-fetch-dest': 'document' }, 'GET')).toBe('passed');
  });

  test('with an address for people, its scheme counts, and a proxy may rewrite the host', () => {
    expect(ask({ host: '10.0.0.7:3000', origin: 'https://locks.example' }, 'POST', { url })).toBe('passed');
    expect(ask({ origin: 'http://locks.example' }, 'POST', { url })).toBe(refused);
    expect(ask({ host: '10.0.0.7:3000', origin: 'https://evil.example' }, 'POST', { url })).toBe(refused);
  });

  test("a proxy header's host counts for nothing", () => {
    const fields = {
      origin: 'https://evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    };
    expect(ask(fields)).toBe(refused);
    expect(ask(fields, 'POST', { url })).toBe(refused);
  });
});

describe('an address must be sound', () => {
  const env = { url: null, loopback: true };
  const ask = (host: string, path = '/') =>
    problemOf(() => requireSoundAddress({ headers: headers({ host }), url: `http://${host}${path}` }, env));
  test('a foreign name is 421, at any proxy header', () => {
    expect(ask('127.0.0.1:3000')).toBe('passed');
    expect(ask('rebound.example')).toBe('421 other-host');
    const forwarded = headers({
      host: 'rebound.example',
      'x-forwarded-host': 'localhost',
      forwarded: 'host=localhost',
    });
    expect(problemOf(() => requireSoundAddress({ headers: forwarded, url: 'http://localhost/' }, env))).toBe(
      '421 other-host',
    );
  });
  test('one that is longer than any key needs is 414', () => {
    expect(ask('localhost', `/lock?key=${'%2F'.repeat(2048)}`)).toBe('passed');
    expect(ask('localhost', `/lock?key=${'x'.repeat(addressLengthMax)}`)).toBe('414 address-too-long');
  });
});

describe('the gate of what writes', () => {
  type Writes = Parameters<typeof requireWriter>[1]['writes'];
  const ask = (host: string, writes: Writes, fields: Record<string, string> = {}, address = '127.0.0.1') =>
    problemOf(() => requireWriter({ headers: headers({ ...fields, host }) }, { writes, address }));
  test('is shut with its reason, for every caller', () => {
    const reason = { code: 'read-only-mode', facts: {} } as const;
    expect(ask('localhost', { allowed: false, reason })).toBe('read-only read-only-mode');
  });
  test('opens under a name of this machine alone, where only this machine may act', () => {
    expect(ask('localhost:3000', { allowed: true, hosts: 'loopback' })).toBe('passed');
    expect(ask('rebound.example', { allowed: true, hosts: 'loopback' })).toBe('read-only this-machine-only');
    expect(ask('locks.example', { allowed: true, hosts: 'any' })).toBe('passed');
  });
  test('behind a proxy on this machine that rewrites the host, no remote client counts as local', () => {
    const here = { allowed: true, hosts: 'loopback' } as const;
    const shut = 'read-only this-machine-only';
    expect(ask('localhost:3000', here, { origin: 'https://locks.example' })).toBe(shut);
    expect(ask('localhost:3000', here, { origin: 'null' })).toBe(shut);
    expect(ask('localhost:3000', here, { origin: 'http://localhost:3000' })).toBe('passed');
    expect(ask('localhost:3000', here, {}, '192.0.2.9')).toBe(shut);
    expect(ask('localhost:3000', here, {}, '::1')).toBe('passed');
  });
});

describe('a body', () => {
  const read = (
    body: BodyInit | null,
    fields: Record<string, string> = { 'content-type': 'application/json' },
  ) =>
    answering(async () =>
      Response.json(
        await readJsonBody(
          new Request('http://localhost/', {
            method: 'POST',
            body,
            headers: fields,
            duplex: 'half',
          } as RequestInit),
          64,
        ),
      ),
    );
  test.each<[number, string | null, Record<string, string>?]>([
    [200, '{"a":1}'],
    [200, '{"a":1}', { 'content-type': 'Application/JSON; charset=utf-8' }],
    [415, '{"a":1}', { 'content-type': 'text/plain' }],
    [415, '{"a":1}', { 'content-type': 'application/x-www-form-urlencoded' }],
    [415, '{"a":1}', { 'content-type': 'multipart/form-data; boundary=application/json' }],
    [415, '{"a":1}', { 'content-type': 'application/json-patch+json' }],
    [413, JSON.stringify({ a: 'x'.repeat(64) })],
    [413, '{}', { 'content-type': 'application/json', 'content-length': '65' }],
    [400, '{"a":'],
    [400, ''],
    [400, null],
  ])('%d for %j %j', async (status, body, fields) => expect((await read(body, fields)).status).toBe(status));

  test('that does not say its length is counted as it comes, and no more of it is read', async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(32));
      },
    });
    expect((await read(endless)).status).toBe(413);
    expect(pulled).toBeLessThan(8);
  });

  test('that is no UTF-8 is no JSON', async () => {
    expect((await read(new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
  });
});

test('a problem is never cached, and carries its own headers', async () => {
  const answer = await answering(async () => {
    throw new HttpProblem({ code: 'busy' }, 429, { 'retry-after': '7' });
  });
  expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('cache-control')]).toEqual([
    429,
    '7',
    'no-store',
  ]);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(problemResponse({ code: 'stale' }).status).toBe(409);
});

test('a problem of another copy of this file is known as one: the framework loads several into one process', async () => {
  vi.resetModules();
  const other = await import('./http');
  expect(other.HttpProblem).not.toBe(HttpProblem);
  const thrown = new other.HttpProblem({ code: 'busy' }, 429, { 'retry-after': '7' });
  const answer = await answering(async () => {
    throw thrown;
  });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
  expect(thrown).toBeInstanceOf(ProblemError);
  expect(new ProblemError({ code: 'stale' })).not.toBeInstanceOf(HttpProblem);
  expect(new Error('a bug')).not.toBeInstanceOf(ProblemError);
});
