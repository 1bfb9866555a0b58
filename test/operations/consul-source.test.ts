/** A Consul source by its address and the environment. */
import { expect, test } from 'vitest';
import { consulSettings, renewalAgents } from '@/lib/providers/consul/client/settings';
import { consulSource } from '@/lib/providers/consul/source';
import { readSources } from '@/lib/server/process/source-list';

/** `env`: of the one Consul that the variables name. */
function of(
  address: string,
  { env = {}, signsIn = false, more = {} as Record<string, string>, listed = '' } = {},
) {
  const consul = consulSettings({ CONSUL_HTTP_ADDR: '10.0.0.1:8500', CONSUL_HTTP_TOKEN: 'own', ...env });
  const agents = renewalAgents(listed, consul);
  const [source] = readSources({ SIGNALBOX_SOURCES: address, ...more });
  if (source === undefined) throw new Error('no source');
  return consulSource(source, { consul, renewalAgents: agents, prefixes: ['jobs/'], signsIn });
}
const settings = (...given: Parameters<typeof of>) => of(...given).settings;

test('without a host it is the agent of the variables, with one another agent, over TLS where its scheme says so', () => {
  expect(settings('consul://?id=a')).toMatchObject({ protocol: 'http', host: '10.0.0.1', port: 8500 });
  expect(settings('consul://[::1]:8501?id=a')).toMatchObject({ protocol: 'http', host: '::1', port: 8501 });
  expect(settings('consuls://b?id=a')).toMatchObject({ protocol: 'https', host: 'b', port: 443 });
  expect(settings('consul://b:8501?tls=on')).toMatchObject({ protocol: 'https', port: 8501 });
  const secure = { env: { CONSUL_HTTP_SSL: 'true' } };
  expect(settings('consul://b', secure).protocol).toBe('https');
  expect(settings('consul://b?tls=off', secure).protocol).toBe('http');
});

test('the token of the variables is for the source that people sign in to alone, and one of its own for it alone', () => {
  expect(settings('consul://b').token).toBeNull();
  expect(settings('consul://b', { signsIn: true }).token).toBe('own');
  const named = { signsIn: true, more: { WEST: 'theirs' } };
  const { settings: own, renewalAgents: theirs } = of(
    'consul://b?token-env=WEST&renewal-agents=c:8500,d:8500',
    named,
  );
  expect(own.token).toBe('theirs');
  expect(theirs).toMatchObject([
    { host: 'c', token: 'theirs' },
    { host: 'd', token: 'theirs' },
  ]);
});

test('TLS files of a source stand in place of the variables’, and what it does not name stays', () => {
  const env = { CONSUL_TLS_SERVER_NAME: 'server.dc1.consul', CONSUL_HTTP_SSL_VERIFY: 'false' };
  const { tls } = settings('consuls://b?server-name=server.west.consul', { env });
  expect(tls).toMatchObject({ serverName: 'server.west.consul', ca: null, verify: false });
  expect(settings('consuls://b', { env }).tls.serverName).toBe('server.dc1.consul');
});

test('datacenter, prefixes and followed agents are those of the address, else those of the variables', () => {
  expect(of('consul://b?dc=west-2&prefixes=a/,b/&renewal-agents=off')).toMatchObject({
    settings: { datacenter: 'west-2' },
    prefixes: ['a/', 'b/'],
    renewalAgents: [],
  });
  const plain = of('consul://b');
  expect(plain.settings.datacenter).toBeUndefined();
  expect(plain.prefixes).toEqual(['jobs/']);
  expect(plain.renewalAgents).toEqual([plain.settings]);
  expect(of('consul://b?renewal-agents=servers').renewalAgents).toBe('servers');
});

test('the servers that the variable names are those of its own agent, and another source has its own agent', () => {
  expect(of('consul://', { listed: 'servers' }).renewalAgents).toBe('servers');
  const other = of('consul://b', { listed: 'servers' });
  expect(other.renewalAgents).toEqual([other.settings]);
});

test.each([
  ['consul://a/path', 'consul has a path'],
  ['consul://a,b', 'consul has several hosts'],
  ['consul://a?tls=yes', 'tls of consul must be on or off'],
  ['consuls://a?tls=off', 'consuls is consuls://, which is TLS'],
  ['consul://?tls=on', 'consul names no host'],
  ['consul://a?dc=West', 'dc of consul must be the name of a datacenter'],
  ['consul://a?renewal-agents=x@y', 'must not hold credentials'],
  ['consul://a?renewal-agents=servers,b', 'consul, renewal-agents is either off, or servers, or a list'],
  ['consul://a?password-env=P', 'consul has password-env, which its kind does not know'],
  ['consul://a?access=all', 'access of consul must be token, read, act'],
])('%s ends the start with one sentence', (address, sentence) => {
  expect(() => of(address, { more: { P: 'hush' } })).toThrow(sentence);
});
