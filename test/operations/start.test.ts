/** The start of the server's process by its environment alone: its failures and warnings. */
import { expect, test } from 'vitest';
import { programs } from '@/test/support/programs';
import { freshFolder } from '@/test/support/stores';
import { until } from '@/test/support/until';

const run = await programs({ server: 'test/operations/programs/server.ts' });
const folder = freshFolder();
const start = (env: Record<string, string>) =>
  run('server', { CONSUL_HTTP_ADDR: '127.0.0.1:1', SIGNALBOX_DATA: folder, NODE_ENV: 'production', ...env });

test.each([
  ['SIGNALBOX_MODE', 'readonly'],
  ['SIGNALBOX_SECRET', 'short'],
  ['SIGNALBOX_TRUSTED_PROXY', 'nginx'],
  ['CONSUL_HTTP_SSL', 'maybe'],
  ['CONSUL_CAPATH', '/nowhere'],
  ['DATABASE_URL', 'mysql://host'],
  ['SIGNALBOX_PREFIXES', 'a//'],
  ['SIGNALBOX_SOURCES', 'nowhere'],
  ['SIGNALBOX_SOURCES', 'etcd://10.0.0.1'],
  ['SIGNALBOX_SOURCES', 'consul://10.0.0.1?prefix=a/'],
  ['SIGNALBOX_SOURCES', 'consul://10.0.0.1?prefixes=a//'],
  ['SIGNALBOX_SOURCES', 'stand-in://locks.json'],
])('a wrong %s ends the start with a sentence that names it, and with a status', async (name, value) => {
  const server = start({ [name]: value });
  expect(await server.exited).toBe(1);
  expect(server.errors()).toMatch(new RegExp(`^Signalbox cannot start: .*${name}.*\\.\\n$`));
  expect(server.output()).toBe('');
});

test.each([
  ['https://127.0.0.1:1', true],
  ['http://127.0.0.1:1', false],
])(
  'unchecked certificates are warned of at the start where TLS is spoken: %s, %s',
  async (address, warns) => {
    const server = start({ CONSUL_HTTP_ADDR: address, CONSUL_HTTP_SSL_VERIFY: 'false' });
    await until(() => server.output().includes('started') && server.errors().includes('"watching"'), {
      what: 'it has started',
    });
    const lines = server.errors().split('\n');
    const warnings = lines.filter((line) => line.includes('CONSUL_HTTP_SSL_VERIFY'));
    expect(warnings.map((line) => JSON.parse(line).level)).toEqual(warns ? ['warn'] : []);
    server.terminate();
    expect(await server.exited).toBe(143);
  },
);

test('every line on standard error is a line of the log, at any output of the framework', async () => {
  const server = start({});
  await until(() => server.output().includes('started'), { what: 'it has started' });
  server.terminate();
  expect(await server.exited).toBe(143);
  const lines = server
    .errors()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; message?: string });
  expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
    'of the framework',
  ]);
});
