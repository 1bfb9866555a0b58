/** There is room for a bounded number of different rights, and no one keeps others out by bringing many. */
import { afterAll, expect, test } from 'vitest';
import type { World } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';
import { createConsulBackend } from '@/lib/providers/consul/backend';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { heldLock } from '@/test/actions/stage';
import { makeToken, readerOf } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

const sightsMax = 4;
const consul = await startConsul({ acl: true });
const settings = { ...consulSettings({ CONSUL_HTTP_ADDR: consul.address }), token: consul.token };
const backendWith = (room: { rows: number; least: number }) =>
  createConsulBackend({ settings, renewalAgents: [], prefixes: [''], now: Date.now, room });
const backend = backendWith({ rows: 0, least: sightsMax });
const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  backend.close();
  await consul.stop();
});

/** A viewer from there, with their last news. */
function looking(secret: string | null, from: string, by = backend) {
  const told: { world: World | null; source: SourceState | null } = { world: null, source: null };
  const provider = by.provider(secret, () => from);
  const end = new AbortController();
  const ended = provider.watch(
    {
      world: (world) => {
        told.world = world;
      },
      source: (source) => {
        told.source = source;
      },
    },
    end.signal,
  );
  const leave = async () => {
    end.abort();
    await ended;
    provider.close();
  };
  ends.push(leave);
  return {
    leave,
    sees: () => told.source?.state === 'live' && told.world?.locks.some(({ key }) => key === 'all/lock'),
    isTurnedAway: () => told.source?.problem?.why?.code === 'too-many-rights',
    told,
  };
}

test('many rights of one network keep out neither those of another network nor those who share rights', async () => {
  await heldLock(consul.client(), { key: 'all/lock' });
  const server = looking(null, '');
  await until(() => server.told.source?.state === 'live', { what: 'the server sees' });
  const tokenOf = async (name: string) =>
    (await makeToken(consul, `${readerOf('all/')}\nkey_prefix "${name}/" { policy = "read" }`)).secret;
  const hoard: ReturnType<typeof looking>[] = [];
  const secrets: string[] = [];
  for (let n = 0; n < sightsMax; n += 1) {
    const secret = await tokenOf(`hoard-${n}`);
    secrets.push(secret);
    const one = looking(secret, '10.0.0.1');
    hoard.push(one);
    await until(one.sees, { what: `number ${n} sees` });
  }
  const beyond = looking(await tokenOf('beyond'), '10.0.0.1');
  await until(beyond.isTurnedAway, { what: 'one more is told that there is no room' });
  expect(beyond.told.source).toMatchObject({
    state: 'stale',
    problem: {
      code: 'busy',
      why: { code: 'too-many-rights', facts: { max: sightsMax, retryAfterMs: 2_500 } },
    },
  });

  const alike = looking(secrets[0] ?? '', '10.0.0.1');
  await until(alike.sees, { what: 'who has the rights of another sees at once' });

  const others = [
    looking(await tokenOf('other-1'), '10.0.0.2'),
    looking(await tokenOf('other-2'), '10.0.0.3'),
  ];
  for (const one of others) await until(one.sees, { what: 'another network is shown what it may see' });
  await until(() => hoard[3]?.isTurnedAway() === true && hoard[2]?.isTurnedAway() === true, {
    what: 'the newest of the network with the most are turned away',
  });
  expect([hoard[0]?.sees(), hoard[1]?.sees()]).toEqual([true, true]);

  await Promise.all(others.map(({ leave }) => leave()));
  const waiting = [beyond, ...hoard.slice(2)];
  await until(() => waiting.filter((one) => one.sees()).length === 2, {
    what: 'those who were turned away come in where there is room, without asking',
  });
  expect(waiting.filter((one) => one.isTurnedAway()).length).toBe(1);
});

test('a world that grows leaves room for fewer, and the newest of the network with the most are turned away', async () => {
  const grown = backendWith({ rows: 40, least: 2 });
  const looks: ReturnType<typeof looking>[] = [];
  const look = async (n: number, from: string) => {
    const rules = `${readerOf('all/')}\nkey_prefix "grown-${n}/" { policy = "read" }`;
    looks.push(looking((await makeToken(consul, rules)).secret, from, grown));
  };
  try {
    looks.push(looking(null, '', grown));
    await until(() => looks[0]?.told.source?.state === 'live', { what: 'the server sees' });
    for (const [n, from] of ['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.2'].entries()) {
      await look(n, from);
      await until(() => looks.at(-1)?.sees() === true, { what: `number ${n} sees` });
    }
    for (let n = 0; n < 20; n += 1) await heldLock(consul.client(), { key: `all/more-${n}` });
    await until(() => looks.filter((one) => one.isTurnedAway()).length === 2, { what: 'two have no room' });
    expect(looks.slice(1).map((one) => one.isTurnedAway())).toEqual([false, true, true, false]);
  } finally {
    await Promise.all(looks.map(({ leave }) => leave()));
    grown.close();
  }
});
