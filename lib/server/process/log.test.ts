import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { readEnv } from './env';
import { createLog, errorFields } from './log';
import { createScrub, formsOf, secretsOf } from './scrub';

const own = 'f0e1d2c3-b4a5-4697-8877-665544332211';
const persons = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const odd = 'p"a\\ss/w+o=rd&né';

function logged(
  run: (log: ReturnType<typeof createLog>) => void,
  secrets: readonly string[] = [own, odd],
): string {
  const lines: string[] = [];
  run(createLog('trace', { secrets, write: (line) => void lines.push(line) }));
  expect(lines.length, 'something was written').toBeGreaterThan(0);
  // Redacted or not, a line is JSON.
  for (const line of lines) JSON.parse(line);
  return lines.join('');
}

/** As the `consul` package throws it: with the request, its headers and the response. */
const packageError = (message = 'internal server error') =>
  Object.assign(new Error(message), {
    statusCode: 500,
    request: { headers: { 'x-consul-token': persons, authorization: `Bearer ${persons}` } },
    response: { body: `stored ${persons}`, headers: { 'set-cookie': [`s=${persons}`] } },
  });
const consulError = () =>
  new ConsulError(
    { code: 'unavailable', why: { code: 'connection-broke', facts: {} } },
    500,
    `body ${persons}`,
    {
      cause: packageError(),
    },
  );

describe('a token does not reach the log', () => {
  test.each<[string, () => Error]>([
    ['of a call that failed', consulError],
    ['as its package threw it', packageError],
    ['in a message', () => new Error(`GET http://consul:8500/v1/kv/a?token=${persons}&index=1 failed`)],
    [
      'in the credentials of an address',
      () => new Error(`connect postgres://signalbox:${persons}@db:5432/x`),
    ],
    ['in a header that a message quotes', () => new Error(`sent X-Consul-Token: ${persons}\r\nHost: x`)],
    [
      'in a header as JSON',
      () => new Error(JSON.stringify({ headers: { Authorization: `Bearer ${persons}` } })),
    ],
    ['in a raw list of headers', () => new Error(JSON.stringify(['Cookie', `a=b; signalbox=${persons}`]))],
    [
      'in a cause of a cause',
      () => new Error('outer', { cause: new Error('inner', { cause: consulError() }) }),
    ],
  ])('from an error %s', (_name, make) => {
    expect(logged((log) => log.error(errorFields(make()), 'bug'))).not.toContain(persons);
    expect(logged((log) => log.error({ err: make() }, 'bug'))).not.toContain(persons);
  });

  test('from fields that hold one, three deep', () => {
    const fields = { token: persons, a: { cookie: persons, b: { authorization: persons, value: persons } } };
    expect(logged((log) => log.info({ ...fields, headers: { x: persons } }, 'x'))).not.toContain(persons);
  });

  test.each([own, odd])('from any text, where it is the server’s own: %s', (secret) => {
    for (const form of formsOf(secret)) {
      const text = logged((log) =>
        log.info({ note: `before ${form} after`, list: [{ deep: { er: [form] } }] }, form),
      );
      for (const each of formsOf(secret)) expect(text.toLowerCase()).not.toContain(each.toLowerCase());
      expect(text).toContain('before [redacted] after');
    }
  });

  test('of an embed, that stands in an address', () => {
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzY29wZSI6ImxvY2sifQ.c2lnbmF0dXJl';
    const text = logged((log) =>
      log.info({ path: `/embed/v1/lock?token=${jwt}&theme=dark`, jwt }, `/embed?share=${persons}`),
    );
    expect(text).not.toContain(jwt);
    expect(text).not.toContain(persons);
    expect(text).toContain('theme=dark');
  });
});

test('what an error holds beside its message is not shown by whoever prints it whole, such as the framework', () => {
  const shown = inspect(new Error('while rendering', { cause: consulError() }), { depth: 10 });
  expect(shown).not.toContain(persons);
  expect(shown).toContain('unavailable');
});

test('the parts of a line that people need stay: keys, sessions, addresses, codes', () => {
  const session = '57518c34-2110-c115-45e3-45c14e9d68ee';
  const text = logged((log) =>
    log.info(
      { subjects: ['lock:jobs/token/bearer of news'], session, address: '192.0.2.1', outcome: 'done' },
      'action',
    ),
  );
  expect(text).toContain('lock:jobs/token/bearer of news');
  expect(text).toContain(session);
  expect(text).not.toContain('redacted');
});

test('every secret that the operator can set is known to the log', () => {
  const long = (name: string) => `${name}-${'x'.repeat(32)}`;
  const env = readEnv({
    CONSUL_HTTP_TOKEN: long('consul'),
    SIGNALBOX_SECRET: `${long('seal')},${long('sealed-before')}`,
    SIGNALBOX_EMBED_KEYS: `one:${long('embed')}`,
    SIGNALBOX_METRICS_TOKEN: long('metrics'),
    SIGNALBOX_AUDIT_WEBHOOK: 'https://audit.example/',
    SIGNALBOX_AUDIT_WEBHOOK_SECRET: long('webhook'),
    DATABASE_URL: `postgres://user:${long('database')}%2F@localhost/x`,
    SIGNALBOX_SOURCES: 'consul://a?token-env=EAST redis://b?password-env=JOBS',
    EAST: long('east'),
    JOBS: long('jobs'),
  });
  const scrub = createScrub(secretsOf(env));
  for (const name of ['consul', 'seal', 'sealed-before', 'embed', 'metrics', 'webhook', 'east', 'jobs'])
    expect(scrub(`a ${long(name)} b`), name).toContain('[redacted]');
  expect(scrub(`a ${long('database')}/ b`)).toBe('a [redacted] b');
});
