import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ProblemError } from '@/lib/domain/problem';
import { newAuthority } from '@/test/support/certificate';
import { atPeer, consulSettings, isUnverified, origin, renewalAgents } from './settings';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-settings-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const settled = (env: Record<string, string>) => {
  const { protocol, host, port, socketPath } = consulSettings(env);
  return { protocol, host, port, socketPath };
};

test.each([
  [{}, { protocol: 'http', host: '127.0.0.1', port: 8500, socketPath: null }],
  [{ CONSUL_HTTP_ADDR: 'consul.example:8501' }, { protocol: 'http', host: 'consul.example', port: 8501 }],
  [{ CONSUL_HTTP_ADDR: 'https://consul.example' }, { protocol: 'https', port: 443 }],
  [
    { CONSUL_HTTP_ADDR: 'consul.example:1', CONSUL_HTTP_SSL: 'true' },
    { protocol: 'https', port: 1 },
  ],
  [{ CONSUL_HTTP_ADDR: 'http://consul.example:1', CONSUL_HTTP_SSL: '1' }, { protocol: 'https' }],
  [{ CONSUL_HTTP_ADDR: '[::1]:8500' }, { host: '::1', port: 8500 }],
  [{ CONSUL_HTTP_ADDR: 'unix:///run/consul.sock' }, { socketPath: '/run/consul.sock' }],
] as const)('%j is read as the consul command reads it', (env, expected) => {
  expect(settled(env)).toMatchObject(expected);
});

test('the token file wins over the token, and a newline at its end is not part of it', () => {
  const path = join(dir, 'token');
  writeFileSync(path, 'from-file\n');
  expect(consulSettings({ CONSUL_HTTP_TOKEN: 'direct' }).token).toBe('direct');
  expect(consulSettings({ CONSUL_HTTP_TOKEN: 'direct', CONSUL_HTTP_TOKEN_FILE: path }).token).toBe(
    'from-file',
  );
});

test.each([
  [{ CONSUL_HTTP_SSL: 'maybe' }, 'CONSUL_HTTP_SSL'],
  [{ CONSUL_HTTP_ADDR: 'ftp://consul' }, 'CONSUL_HTTP_ADDR'],
  [{ CONSUL_HTTP_ADDR: 'http://a b' }, 'CONSUL_HTTP_ADDR'],
  [{ CONSUL_CACERT: join(dir, 'missing.pem') }, 'CONSUL_CACERT'],
])('%j is refused with the name of the variable at fault', (env, variable) => {
  expect(() => consulSettings(env)).toThrow(ProblemError);
  expect(() => consulSettings(env)).toThrow(variable);
});

describe('CONSUL_CAPATH', () => {
  const folder = (name: string, files: Readonly<Record<string, string>> = {}) => {
    const path = join(dir, name);
    mkdirSync(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    }
    return path;
  };
  const [one, two] = [newAuthority().pem, newAuthority().pem];
  const tlsOf = (env: Record<string, string>) => consulSettings(env).tls;

  test('names a directory: every certificate in it and below it is an authority', () => {
    const path = folder('both', { 'one.pem': `Of the office\n${one}`, 'below/two.crt': `${two}${one}` });
    // Kubernetes mounts a secret like this: a link leads to the directory as well.
    symlinkSync(join(path, 'below'), join(path, '..data'));
    const { ca, caFrom } = tlsOf({ CONSUL_CAPATH: path });
    expect([...(ca?.toString().match(/BEGIN/g) ?? [])]).toHaveLength(3);
    expect([one, two].every((pem) => ca?.toString().includes(pem.trim()))).toBe(true);
    expect(caFrom).toBe('CONSUL_CAPATH');
  });

  test('counts where CONSUL_CACERT does not, as for the consul command', () => {
    const CONSUL_CAPATH = folder('lesser', { 'two.pem': two });
    const CONSUL_CACERT = join(folder('file', { 'one.pem': one }), 'one.pem');
    expect(tlsOf({ CONSUL_CACERT, CONSUL_CAPATH })).toMatchObject({ caFrom: 'CONSUL_CACERT' });
    expect(tlsOf({ CONSUL_CACERT, CONSUL_CAPATH }).ca?.toString()).toBe(one);
    expect(tlsOf({})).toMatchObject({ ca: null, caFrom: null });
  });

  test.each([
    ['that is not there', () => join(dir, 'nowhere'), /CONSUL_CAPATH names .*nowhere, which is no directory/],
    ['that is a file', () => join(folder('a-file', { 'one.pem': one }), 'one.pem'), /no directory/],
    ['that is empty', () => folder('empty'), /where there is no certificate/],
    [
      'with a file of something else',
      () => folder('odd', { 'one.pem': one, 'x.txt': 'hello' }),
      /x\.txt has no certificate/,
    ],
    [
      'with a broken certificate',
      () => folder('broken', { 'one.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }),
      /one\.pem has no certificate/,
    ],
  ])('%s is refused with what is wrong', (_, path, sentence) => {
    expect(() => tlsOf({ CONSUL_CAPATH: path() })).toThrow(ProblemError);
    expect(() => tlsOf({ CONSUL_CAPATH: path() })).toThrow(sentence);
  });
});

test('certificates are checked unless that is switched off', () => {
  expect(consulSettings({}).tls.verify).toBe(true);
  expect(consulSettings({ CONSUL_HTTP_SSL_VERIFY: 'false' }).tls.verify).toBe(false);
  const unverified = (env: Record<string, string>) => isUnverified(consulSettings(env));
  expect(unverified({ CONSUL_HTTP_SSL_VERIFY: 'false', CONSUL_HTTP_ADDR: 'https://a' })).toBe(true);
  expect(unverified({ CONSUL_HTTP_SSL_VERIFY: 'false', CONSUL_HTTP_ADDR: 'http://a' })).toBe(false);
  expect(unverified({ CONSUL_HTTP_ADDR: 'https://a' })).toBe(false);
});

test('the origin shown to people never holds the token', () => {
  const settings = consulSettings({ CONSUL_HTTP_ADDR: 'https://[::1]:8501', CONSUL_HTTP_TOKEN: 'secret' });
  expect(origin(settings)).toBe('https://[::1]:8501');
  expect(origin(consulSettings({ CONSUL_HTTP_ADDR: 'https://user:secret@consul:1' }))).not.toContain(
    'secret',
  );
});

test('renewals are looked for on the agent in use, unless others are listed or it is off', () => {
  const main = consulSettings({ CONSUL_HTTP_ADDR: 'a:8500', CONSUL_HTTP_TOKEN: 'secret' });
  const listed = (text: string) => {
    const agents = renewalAgents(text, main);
    return agents === 'servers' ? agents : agents.map(origin);
  };
  expect(listed(' ')).toEqual(['http://a:8500']);
  expect(listed('off')).toEqual([]);
  expect(listed('b:8500, https://c:8501 ,unix:///run/consul.sock,b:8500')).toEqual([
    'http://b:8500',
    'https://c:8501',
    'unix:///run/consul.sock',
  ]);
  expect(listed(' servers ')).toBe('servers');
  expect(listed('servers:8500')).toEqual(['http://servers:8500']);
  expect(renewalAgents('b:8500', main)).toMatchObject([{ token: 'secret' }]);
});

test('a server is called at its own address, and with the port, the TLS and the token of the agent in use', () => {
  const env = { CONSUL_HTTP_ADDR: 'https://a:8501', CONSUL_HTTP_TOKEN: 'secret' };
  const main = consulSettings({ ...env, CONSUL_TLS_SERVER_NAME: 'server.dc1.consul' });
  const server = atPeer(main, '10.0.0.2:8300');
  expect(server).toEqual({ ...main, host: '10.0.0.2' });
  expect(origin(server)).toBe('https://10.0.0.2:8501');
  expect(origin(atPeer(main, '[fd00::2]:8300'))).toBe('https://[fd00::2]:8501');
});

test.each(['servers,a:8500', 'a:8500, servers', 'off,servers'])(
  'renewal agents %j are refused, and the sentence names the three choices',
  (text) => {
    expect(() => renewalAgents(text, consulSettings({}))).toThrow(
      'SIGNALBOX_RENEWAL_AGENTS is either off, or servers, or a list of addresses.',
    );
  },
);

test('servers are refused where the agent in use is a Unix socket, which has no port', () => {
  const main = consulSettings({ CONSUL_HTTP_ADDR: 'unix:///run/consul.sock' });
  expect(() => renewalAgents('servers', main)).toThrow(/SIGNALBOX_RENEWAL_AGENTS .* Unix socket/);
});

test('the token never goes out in the clear to a listed agent when the main one is spoken to by TLS', () => {
  const main = consulSettings({ CONSUL_HTTP_ADDR: 'https://a:8501', CONSUL_HTTP_TOKEN: 'secret' });
  expect(renewalAgents('http://b:8500', main)).toMatchObject([{ protocol: 'https' }]);
});

test.each([
  'a:8500,,b:8500',
  'off,a:8500',
  'ftp://a',
  'http://a b',
  'user:secret@a:8500',
  Array.from({ length: 65 }, (_, n) => `a${n}`).join(),
])('renewal agents %j are refused with the name of the variable, and without what was in it', (text) => {
  const read = () => renewalAgents(text, consulSettings({}));
  expect(read).toThrow(/SIGNALBOX_RENEWAL_AGENTS/);
  expect(read).not.toThrow(/secret/);
});
