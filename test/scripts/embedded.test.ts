import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { createCrew } from '@/scripts/crew.mjs';
import { startEmbedded } from '@/scripts/embedded.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { chooseConsul, endpoint } from '@/scripts/which-consul.mjs';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

let dir = '';
let crew = createCrew();
let heard: string[] = [];
const say = (line: string) => void heard.push(line);
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'signalbox-embedded-'));
  crew = createCrew();
  heard = [];
});
afterEach(async () => {
  await crew.end();
  rmSync(dir, { recursive: true, force: true });
});

/** SIGSTOP takes effect when a process is scheduled next; until then it may still answer. */
const stopped = (pid = 0) =>
  until(
    async () =>
      readdirSync(`/proc/${pid}/task`).every((thread) =>
        / T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
      ),
    { what: 'every thread stopped' },
  );

const client = (address: string) => createConsulClient(consulSettings({ CONSUL_HTTP_ADDR: address }));

test('data outlives kill -9 and a restart on other ports', async () => {
  const first = await startEmbedded({ crew, say, demo: true, dir });
  await first.ready;
  const before = client(first.address);
  await before.cas({ key: 'kept', value: Buffer.from('yes'), flags: '18446744073709551615', index: '0' });
  before.close();
  first.agent?.process.kill('SIGKILL');
  await first.agent?.exited;

  const { ports } = JSON.parse(readFileSync(join(dir, 'running.json'), 'utf8')) as {
    ports: { http: number };
  };
  const taken = await claimPorts(1, { prefer: [ports.http] });
  const second = await startEmbedded({ crew, say, demo: true, dir });
  await second.ready;
  expect(second.address).not.toBe(first.address);
  const after = client(second.address);
  expect((await after.get('kept')).value).toMatchObject({ flags: '18446744073709551615' });
  // A write proves that it is its own leader under its new address.
  expect(await after.cas({ key: 'new', value: Buffer.from('1'), flags: '0', index: '0' })).toBe(true);
  after.close();
  taken.release();
});

test('a second Signalbox of the same folder joins the agent that runs', async () => {
  const first = await startEmbedded({ crew, say, demo: true, dir });
  const second = await startEmbedded({ crew, say, demo: false, dir });
  expect(second).toMatchObject({ address: first.address, owned: false, demo: true, agent: null });
});

test('a second Signalbox that is started during the election joins the agent, and ends nothing', async () => {
  const first = await startEmbedded({ crew, say, demo: true, dir });
  expect(heard.join()).not.toContain('runs on');
  const second = await startEmbedded({ crew, say, demo: false, dir });
  await first.ready;
  expect(second).toMatchObject({ address: first.address, owned: false, demo: true, agent: null });
  expect(first.agent?.process.exitCode).toBeNull();
  expect(first.agent?.process.signalCode).toBeNull();
});

test('an agent on the folder that does not answer is ended and replaced', async () => {
  const first = await startEmbedded({ crew, say, demo: false, dir });
  await first.ready;
  first.agent?.process.kill('SIGSTOP');
  await stopped(first.agent?.process.pid);
  const second = await startEmbedded({ crew, say, demo: false, dir });
  expect(second.owned).toBe(true);
  await first.agent?.exited;
});

test('an agent that cannot start is reported with its log and the next step, when it is waited for', async () => {
  mkdirSync(join(dir, 'data'));
  writeFileSync(join(dir, 'data', 'raft'), 'no folder');
  const first = await startEmbedded({ crew, say, demo: false, dir });
  await expect(first.ready).rejects.toThrow(/ended by itself[\s\S]*raft[\s\S]*remove .* and try again/);
});

test('an address that is given is used as it is, and said when nothing answers there', async () => {
  const consul = await startConsul();
  const env = { ...process.env, CONSUL_HTTP_ADDR: consul.address, CONSUL_HTTP_TOKEN: 'secret' };
  expect(await chooseConsul({ env, demo: null, crew, say })).toMatchObject({
    kind: 'given',
    env,
    demo: false,
  });
  expect(heard).toEqual([]);
  await consul.stop();
  await chooseConsul({ env, demo: null, crew, say });
  expect(heard.join()).toContain('Nothing answers');
  await expect(
    chooseConsul({ env: { ...env, CONSUL_HTTP_ADDR: 'http://[' }, demo: null, crew, say }),
  ).rejects.toThrow('CONSUL_HTTP_ADDR is not an address');
});

test('addresses mean what they mean to the consul command', () => {
  expect(endpoint('unix:///run/consul.sock')).toEqual({ path: '/run/consul.sock' });
  expect(endpoint('consul.example')).toEqual({ host: 'consul.example', port: 80 });
  expect(endpoint('https://consul.example')).toEqual({ host: 'consul.example', port: 443 });
  expect(endpoint('[::1]:8500')).toEqual({ host: '::1', port: 8500 });
});
