import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineReader, createLineSplitter, type MonitorEvent, renewedSession } from './monitor-line';

const id = '4473694a-1713-4cf9-4235-d3bbbba4745d';
const url = `/v1/session/renew/${id}`;
const levels: Readonly<Record<string, string>> = { error: 'ERROR', cancelled: 'INFO', finished: 'DEBUG' };
const text = (what: string, { method = 'PUT', path = url, from = '127.0.0.1:60210', rest = '' } = {}) =>
  `2026-11-21T08:40:08.919Z [${levels[what]}] agent.http: Request ${what}: method=${method} url=${path} from=${from} ${rest || 'latency=214.229µs'}`;
const json = (what: string, { method = 'PUT', path = url, from = '127.0.0.1:60216' } = {}) =>
  JSON.stringify({
    '@level': levels[what]?.toLowerCase(),
    '@message': `Request ${what}`,
    '@module': 'agent.http',
    '@timestamp': '2026-11-21T08:40:11.232427Z',
    from,
    latency: '168.815µs',
    method,
    url: path,
  });

function events(lines: readonly string[]): MonitorEvent[] {
  const found: MonitorEvent[] = [];
  const read = createLineReader((event) => found.push(event));
  for (const line of lines) read(line);
  return found;
}
const renewal = { kind: 'renewal', sessionId: id };

test.each([
  ['text', text],
  ['JSON', json],
])('a renewal is read from a line of %s', (_, line) => {
  expect(events([line('finished')])).toEqual([renewal]);
  expect(events([line('finished', { path: `${url}?dc=dc1&token=<hidden>` })])).toEqual([renewal]);
});

test.each([
  ['text', text],
  ['JSON', json],
])('a renewal that was refused is none (%s), and does not hide the next one', (_, line) => {
  expect(events([line('error'), line('finished')])).toEqual([]);
  expect(events([line('error'), line('finished'), line('finished')])).toEqual([renewal]);
  // Somebody else is refused for the same session at the same time.
  expect(events([line('error', { from: '10.0.0.9:1' }), line('finished')])).toEqual([renewal]);
});

test.each([
  ['text', text],
  ['JSON', json],
])('a renewal that failed when its client had given up is none (%s)', (_, line) => {
  expect(events([line('cancelled'), line('finished')])).toEqual([]);
  expect(events([line('cancelled'), line('finished'), line('finished')])).toEqual([renewal]);
});

test('only a PUT renews', () => {
  expect(events([text('finished', { method: 'GET' }), json('finished', { method: 'GET' })])).toEqual([]);
});

test('our own calls are read with their mark', () => {
  expect(events([json('finished', { method: 'GET', path: '/v1/status/leader?signalbox=x-7' })])).toEqual([
    { kind: 'beat', mark: 'x-7' },
  ]);
});

test.each([
  [`${url}/`, null],
  [`/v1/session/renew/${id.replace('-', '%2D')}`, id],
  [`/v1/session/renew/${id.toUpperCase()}`, id],
  ['/v1/session/renew/%', null],
  ['/v1/session/renew/', null],
  [`/v1/kv/v1/session/renew/${id}`, null],
  [`/v1/kv/a?x=/v1/session/renew/${id}`, null],
])('%s renews %s', (path, session) => {
  expect(renewedSession(path)).toBe(session);
});

test('no text of another line passes for a renewal', () => {
  const inside = `2026-11-21T08:40:08.919Z [WARN] agent.server.kvs: Rejecting lock of key: key="${text('finished')}"`;
  expect(
    events([
      inside,
      `  | ${text('finished')}`,
      `{"@module":"agent","x":${JSON.stringify(json('finished'))}}`,
      '{"@module"',
      '',
    ]),
  ).toEqual([]);
});

test('lines are the same wherever the chunks of the stream end', () => {
  const lines = [
    text('finished'),
    json('error'),
    json('finished'),
    '',
    text('finished', { path: '/v1/kv/a' }),
  ];
  const whole = `${lines.join('\n')}\n`;
  fc.assert(
    fc.property(fc.array(fc.nat({ max: whole.length })), (cuts) => {
      const found: string[] = [];
      const split = createLineSplitter((line) => found.push(line));
      const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
      for (let i = 1; i < at.length; i += 1) split(whole.slice(at[i - 1], at[i]));
      expect(found).toEqual(lines);
    }),
  );
});

test('a line without end is skipped, and costs no memory; the one after it is read', () => {
  const found: string[] = [];
  const split = createLineSplitter((line) => found.push(line));
  for (let i = 0; i < 1_000; i += 1) split('x'.repeat(1_000));
  split(`x\n${text('finished')}\n`);
  expect(found).toEqual([text('finished')]);
});

/** As 1.22.7 writes them for one renewal by `PUT …?token=…`, in this order. */
const withToken = (secret: string, failed: boolean) => {
  const line = (level: string, module: string, message: string, more: object) =>
    JSON.stringify({ '@level': level, '@message': message, '@module': module, ...more });
  const hidden = { from: '127.0.0.1:49688', method: 'PUT', url: `${url}?token=<hidden>` };
  const raw = { 'request-path': { Host: '', Path: url, RawQuery: `token=${secret}` } };
  return [
    line('warn', 'agent.http', 'This request used the token query parameter which is deprecated', {
      logUrl: `${url}?token=<hidden>`,
    }),
    ...(failed
      ? [line('error', 'agent.http', 'Request error', { ...hidden, error: `Session id '${id}' not found` })]
      : []),
    line('debug', 'agent.http', 'Request finished', { ...hidden, latency: '319.874µs' }),
    line('debug', 'agent', 'warning: request content-type is not supported', raw),
    line('debug', 'agent', 'warning: response content-type header not explicitly set.', raw),
    `2026-11-23T09:26:18.535Z [DEBUG] agent: warning: request content-type is not supported: request-path=${url}?token=${secret}`,
  ];
};

test('the renewal of a session that is gone is none on agents that call it an error', () => {
  expect(events(withToken('s', true))).toEqual([]);
  expect(events([...withToken('s', true), ...withToken('s', false)])).toEqual([renewal]);
});

test.each([
  ['raw in lines beside the request', (secret: string) => withToken(secret, false)],
  [
    'raw in the lines of the request',
    (secret: string) => [json('finished', { path: `${url}?token=${secret}` })],
  ],
  ['raw in a line that is no JSON', (secret: string) => [`{"@module":"agent.http",${url}?token=${secret}`]],
])('a token that stands %s goes no further', (_, lines) => {
  const secret = '5ec2e7aa-0000-4000-8000-0123456789ab';
  const found = events(lines(secret));
  expect(JSON.stringify(found)).not.toContain(secret);
  for (const one of found) expect(one).toEqual(renewal);
});
