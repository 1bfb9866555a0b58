/** Every way to an agent that the settings know: reads and watches are the same on each. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type OutageCode, outageOf } from '@/lib/domain/outage';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { type ConsulSettings, consulSettings } from '@/lib/providers/consul/client/settings';
import { consulSource } from '@/lib/providers/consul/source';
import { readSources } from '@/lib/server/process/source-list';
import { findConsul } from '@/scripts/consul-binary.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching } from './watching';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-transport-'));
const socketPath = join(folder, 'http.sock');
const pem = (name: string) => join(folder, name);
const { path: binary } = await findConsul();
for (const args of [
  ['ca', 'create'],
  ['cert', 'create', '-server', '-dc', 'dc1'],
  ['cert', 'create', '-client', '-dc', 'dc1'],
])
  execFileSync(binary, ['tls', ...args], { cwd: folder, stdio: 'ignore' });
mkdirSync(pem('elsewhere'));
for (const args of [
  ['ca', 'create'],
  ['cert', 'create', '-client', '-dc', 'dc1'],
])
  execFileSync(binary, ['tls', ...args], { cwd: pem('elsewhere'), stdio: 'ignore' });
const authorities = pem('authorities');
mkdirSync(authorities);
copyFileSync(pem('elsewhere/consul-agent-ca.pem'), join(authorities, 'another.pem'));
copyFileSync(pem('consul-agent-ca.pem'), join(authorities, 'ours.pem'));
const block = await claimPorts(1);
const [https = 0] = block.ports;
const consul = await startConsul({
  extraConfig: {
    addresses: { http: `127.0.0.1 unix://${socketPath}`, https: '127.0.0.1' },
    ports: { https },
    ca_file: pem('consul-agent-ca.pem'),
    cert_file: pem('dc1-server-consul-0.pem'),
    key_file: pem('dc1-server-consul-0-key.pem'),
    verify_incoming_https: true,
  },
});
afterAll(async () => {
  await consul.stop();
  block.release();
  rmSync(folder, { recursive: true, force: true });
});

/** Of a source that names its own files, beside variables that name others. */
function ofSource(): ConsulSettings {
  const files = new URLSearchParams({
    'ca-file': pem('consul-agent-ca.pem'),
    'cert-file': pem('dc1-client-consul-0.pem'),
    'key-file': pem('dc1-client-consul-0-key.pem'),
    'server-name': 'server.dc1.consul',
  });
  const [source] = readSources({ SIGNALBOX_SOURCES: `consuls://127.0.0.1:${https}?${files}` });
  if (source === undefined) throw new Error('no source');
  const consul = consulSettings({
    CONSUL_CACERT: pem('elsewhere/consul-agent-ca.pem'),
    CONSUL_TLS_SERVER_NAME: 'server.dc9.consul',
  });
  return consulSource(source, { consul, renewalAgents: [consul], prefixes: [''], signsIn: false }).settings;
}

test.each<[string, () => ConsulSettings]>([
  ['a unix socket', () => consulSettings({ CONSUL_HTTP_ADDR: `unix://${socketPath}` })],
  ['TLS by the files of a source', ofSource],
  [
    'TLS with a certificate of our own',
    () =>
      consulSettings({
        CONSUL_HTTP_ADDR: `https://127.0.0.1:${https}`,
        CONSUL_CACERT: pem('consul-agent-ca.pem'),
        CONSUL_CLIENT_CERT: pem('dc1-client-consul-0.pem'),
        CONSUL_CLIENT_KEY: pem('dc1-client-consul-0-key.pem'),
      }),
  ],
  [
    'TLS by a directory of authorities',
    () =>
      consulSettings({
        CONSUL_HTTP_ADDR: `https://127.0.0.1:${https}`,
        CONSUL_CAPATH: authorities,
        CONSUL_CLIENT_CERT: pem('dc1-client-consul-0.pem'),
        CONSUL_CLIENT_KEY: pem('dc1-client-consul-0-key.pem'),
      }),
  ],
])('over %s locks are watched, and renewals are observed', async (way, settingsOf) => {
  const settings = settingsOf();
  const client = createConsulClient(settings);
  const watching = startWatching(client, [''], [settings]);
  try {
    await until(() => watching.sources.at(-1)?.renewals[0]?.state === 'observed', { what: 'the agent' });
    const key = `over/${way}`;
    const session = await client.createSession({
      name: key,
      ttlMs: 10_000,
      behavior: 'release',
      lockDelayMs: 0,
      checks: [],
    });
    expect(await client.acquire({ key, session, flags: '0', value: Buffer.alloc(0) })).toBe(true);
    // As a client does: the agent drops lines for a reader that is slow, and says so to nobody.
    const renewed = async () => {
      await client.renewSession(session);
      return watching.lock(key)?.holder?.evidence.some(({ code }) => code === 'renewal-observed') ?? false;
    };
    await until(renewed, { what: 'the renewal', everyMs: 1_000 });
    await watching.reaches('live');
  } finally {
    await watching.stop();
    client.close();
  }
});

const trusted = {
  CONSUL_HTTP_ADDR: `https://127.0.0.1:${https}`,
  CONSUL_CACERT: pem('consul-agent-ca.pem'),
  CONSUL_CLIENT_CERT: pem('dc1-client-consul-0.pem'),
  CONSUL_CLIENT_KEY: pem('dc1-client-consul-0-key.pem'),
};
test.each<[string, OutageCode, Record<string, string>]>([
  ['an authority that is not trusted', 'not-trusted', { CONSUL_CACERT: '' }],
  ['a certificate of another name', 'wrong-name', { CONSUL_TLS_SERVER_NAME: 'server.dc9.consul' }],
  ['no certificate of ours', 'certificate-wanted', { CONSUL_CLIENT_CERT: '', CONSUL_CLIENT_KEY: '' }],
  [
    'a certificate of ours that somebody else has signed',
    'certificate-wanted',
    {
      CONSUL_CLIENT_CERT: pem('elsewhere/dc1-client-consul-0.pem'),
      CONSUL_CLIENT_KEY: pem('elsewhere/dc1-client-consul-0-key.pem'),
    },
  ],
  ['http where https is spoken', 'tls-on-one-side', { CONSUL_HTTP_ADDR: `http://127.0.0.1:${https}` }],
  ['https where http is spoken', 'tls-on-one-side', { CONSUL_HTTP_ADDR: `https://${consul.address}` }],
])('%s is said as such, and nothing is taken from the agent', async (_, outage, wrong) => {
  const settings = consulSettings({ ...trusted, ...wrong });
  const client = createConsulClient(settings);
  const watching = startWatching(client, [''], [settings]);
  await until(() => watching.sources.at(-1)?.renewals[0]?.state === 'unreachable', { what: 'the refusal' });
  const source = await until(
    () => {
      const last = watching.sources.at(-1);
      return last?.problem == null ? null : last;
    },
    { what: 'the problem' },
  );
  expect(outageOf(source)).toBe(outage);
  expect(watching.worlds).toEqual([]);
  await watching.stop();
  client.close();
});

test('a token comes from its file, over TLS as elsewhere', () => {
  const path = pem('token');
  writeFileSync(path, 'secret-of-the-file\n');
  const settings = consulSettings({ ...trusted, CONSUL_HTTP_TOKEN: 'other', CONSUL_HTTP_TOKEN_FILE: path });
  expect(settings.token).toBe('secret-of-the-file');
  expect(() => consulSettings({ ...trusted, CONSUL_HTTP_TOKEN_FILE: pem('none') })).toThrow(
    /CONSUL_HTTP_TOKEN_FILE names .*none/,
  );
});
