/** Requests: every route and page, with query strings, headers and bodies of any kind, and bytes that are no HTTP. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { methods } from '@/lib/server/http/methods';
import { anyJson, anyText, mutated } from '@/quality/fuzz/bytes';
import { goodBodies, queries } from '@/quality/fuzz/targets/bodies';

export interface Asked {
  /** `legal`: correct HTTP with any content, which must get an answer. `bent`: any bytes. */
  readonly kind: 'legal' | 'bent';
  readonly path: string;
  readonly bytes: Buffer;
  /** The connection ends before all announced bytes were sent. */
  readonly cut: boolean;
}

/** The token of a person who may read everything and write nothing. */
export const readerToken = 'a5c0ffee-0000-4000-8000-00000000f022';

/** Routes that refuse with a problem; a badge is refused as a picture. */
export const apiPaths: readonly string[] = Object.keys(methods).filter(
  (path) => /^\/(api|embed)\/v1\//.test(path) && path !== '/embed/v1/badge.svg',
);
/** Every page, and what is neither a page nor a route that refuses with a problem. */
export const pages: readonly string[] = [
  ...[
    '/',
    '/lock',
    '/semaphore',
    '/session',
    '/sessions',
    '/findings',
    '/graph',
    '/history',
    '/audit',
    '/shares',
    '/login',
  ],
  ...['/embed/v1/board', '/embed/v1/lock', '/embed/v1/semaphore', '/embed/v1/badge.svg', '/embed/v1/nothing'],
  ...['/healthz', '/readyz', '/metrics', '/api/v1/openapi', '/api/v1/nothing', '/api', '/favicon.ico'],
];
const oddPaths = [
  ...[
    '/%',
    '/%ff',
    '/%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..%2f..',
    '//evil.example/',
    '/a//b',
    '/./',
    '/api/v1/../v1/snapshot',
  ],
  ...[
    '/_next/image?url=http://127.0.0.1/&w=64&q=75',
    '/_next/data/x/index.json',
    '/_next/static/../../package.json',
  ],
  ...[
    '/_next/static/%2e%2e/%2e%2e/BUILD_ID',
    '/lock/%E0%A4%A',
    '/API/V1/SNAPSHOT',
    '/api/v1/snapshot/',
    '/__nextjs',
    '/_next',
  ],
  ...[
    '/lock;x=1',
    '/lock%3Fkey=a',
    '*',
    'http://evil.example/api/v1/snapshot',
    '/\\evil',
    `/${'a'.repeat(9_000)}`,
  ],
];

/** A part of the first line: percent-encoded, or not decodable at all. */
const part = fc.oneof(
  anyText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    '%',
    '%zz',
    '%ff',
    '%00',
    '%ed%a0%80',
    '+',
    '[]',
    '[x]=',
    '&',
    '=',
    '?',
    '%0d%0aX:1',
    '__proto__',
  ),
);
const query = fc.oneof(
  queries.map((pairs) =>
    pairs
      .map(
        ([name, value]) =>
          `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
      )
      .join('&'),
  ),
  fc.array(fc.tuple(part, part), { maxLength: 3 }).map((all) => all.map(([a, b]) => `${a}=${b}`).join('&')),
);

const headerValue = fc.oneof(
  // Any text that Node's parser accepts.
  anyText.map((text) =>
    Buffer.from(text, 'utf8')
      .toString('latin1')
      .replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, ''),
  ),
  fc.constantFrom('', '1', '*', '%', 'null', 'undefined', '%5B%22%22%5D', '[]', '{}', 'a'.repeat(4_000)),
);
const headerNames = [
  ...[
    'origin',
    'referer',
    'cookie',
    'authorization',
    'x-consul-token',
    'accept',
    'accept-language',
    'accept-charset',
  ],
  ...[
    'sec-fetch-site',
    'sec-fetch-mode',
    'sec-fetch-dest',
    'x-forwarded-host',
    'x-forwarded-proto',
    'forwarded',
  ],
  ...[
    'x-forwarded-port',
    'last-event-id',
    'x-signalbox-as',
    'if-none-match',
    'if-modified-since',
    'range',
    'te',
  ],
  // Paths of the framework itself.
  ...[
    'rsc',
    'next-router-state-tree',
    'next-router-prefetch',
    'next-router-segment-prefetch',
    'next-url',
    'next-action',
  ],
  ...[
    'x-middleware-subrequest',
    'x-middleware-invoke',
    'x-nextjs-data',
    'x-invoke-path',
    'x-matched-path',
    'x-prerender-revalidate',
  ],
  ...[
    'x-nonce',
    'x-signalbox-address',
    'x-embed-query',
    'content-security-policy',
    'x-http-method-override',
    'purpose',
  ],
];
const cookies = fc.constantFrom(
  'signalbox=',
  'signalbox=x.y.z',
  '__Host-signalbox=a',
  'signalbox_language=zz',
  'signalbox_language=__proto__',
  ';;;=',
  'a=%',
);
/** Half of the requests have a token that Consul knows, so that they are admitted. */
const credentials = fc.constantFrom<[string, string][]>(
  [],
  [],
  [['x-consul-token', readerToken]],
  [['authorization', `Bearer ${readerToken}`]],
);
const odd = fc.array(
  fc.oneof(
    fc.tuple(fc.constantFrom(...headerNames), headerValue),
    fc.tuple(fc.constant('cookie'), cookies),
    fc.constantFrom<[string, string]>(
      ['rsc', '1'],
      ['next-router-state-tree', '%5B%22%22%2C%7B%7D%5D'],
      ['next-router-state-tree', '%'],
      ['next-action', '0'.repeat(40)],
      ['expect', '100-continue'],
      ['range', 'bytes=0-'],
      ['origin', 'null'],
      ['sec-fetch-site', 'cross-site'],
    ),
  ),
  { maxLength: 4 },
);
const headers = fc.tuple(credentials, odd).map(([known, others]) => [...known, ...others]);

const types = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=utf-16',
  'text/plain',
  'APPLICATION/JSON',
  '',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json, text/plain',
];
const bodiesToBend = [...goodBodies, { token: readerToken }];
const json = fc.oneof(
  fc.tuple(fc.constantFrom(...bodiesToBend), fc.nat(9)).map(([body]) => Buffer.from(JSON.stringify(body))),
  mutated(goodBodies.map((body) => Buffer.from(JSON.stringify(body)))),
  anyJson.map((any) => Buffer.from(JSON.stringify(any) ?? '')),
  fc.constantFrom(
    Buffer.alloc(0),
    Buffer.from(`{"mode":"plan","action":${'['.repeat(50_000)}`),
    Buffer.alloc(300_000, 0x20),
    gzipSync(Buffer.alloc(2_000_000)),
    Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]),
    Buffer.from('{}', 'utf16le'),
  ),
);

/** A different address of this machine each time, so that no budget refuses a request. */
const address = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((parts) => `127.${parts.join('.')}`);

function written(
  method: string,
  path: string,
  given: readonly (readonly [string, string])[],
  body: Buffer | null,
  from: string,
): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
    `x-forwarded-for: ${from}`,
    ...given.map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : [`content-length: ${body.length}`]),
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), body ?? Buffer.alloc(0)]);
}

const reading: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'),
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...apiPaths) },
      { weight: 4, arbitrary: fc.constantFrom(...pages) },
      { weight: 1, arbitrary: fc.constantFrom(...oddPaths) },
    ),
    query,
    headers,
    address,
  )
  .map(([method, path, search, given, from]) => {
    const whole = search === '' || path.includes('?') ? path : `${path}?${search}`;
    return { kind: 'legal', path, bytes: written(method, whole, given, null, from), cut: false };
  });

const writing: fc.Arbitrary<Asked> = fc
  .tuple(
    fc.constantFrom('POST', 'POST', 'POST', 'PATCH', 'PUT', 'DELETE'),
    fc.oneof(fc.constantFrom(...apiPaths), fc.constantFrom(...pages)),
    fc.oneof({ weight: 4, arbitrary: fc.constant('application/json') }, fc.constantFrom(...types)),
    headers,
    json,
    address,
  )
  .map(([method, path, type, given, body, from]) => ({
    kind: 'legal',
    path,
    bytes: written(method, path, [['content-type', type], ...given], body, from),
    cut: false,
  }));

const good = (path: string, body: unknown) =>
  written(
    'POST',
    path,
    [['content-type', 'application/json']],
    Buffer.from(JSON.stringify(body)),
    '127.0.0.1',
  );
const chunked = (path: string, body: string) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  );
const whole = [
  good('/api/v1/actions', goodBodies[0]),
  good(
    '/api/v1/rights',
    goodBodies.find((body) => typeof body === 'object' && body !== null && 'actions' in body),
  ),
  chunked('/api/v1/actions', JSON.stringify(goodBodies[1])),
  chunked('/api/v1/session', '{"token":"x"}'),
  written('GET', '/api/v1/snapshot?prefix=jobs', [['accept', '*/*']], null, '127.0.0.1'),
  written('GET', '/lock?key=jobs%2Fleader', [['cookie', 'signalbox=x']], null, '127.0.0.1'),
  written('GET', '/api/v1/events?since=x-1', [['last-event-id', 'x-1']], null, '127.0.0.1'),
];

const bent: fc.Arbitrary<Asked> = fc
  .tuple(mutated(whole, 3))
  .map(([bytes]) => ({ kind: 'bent', path: '', bytes, cut: true }));

export const requests: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 4, arbitrary: reading },
  { weight: 4, arbitrary: writing },
  { weight: 2, arbitrary: bent },
);
