/**
 * The `signalbox` command on Redis and ZooKeeper: the production build, and real clients of Redisson and Curator that are hit, woken
 * or asked by it. And a share of a lock there, for a reader without a token.
 */
import { expect, test } from '@playwright/test';
import { startSignalbox } from '@/e2e/support/signalbox';
import type { Lock, Semaphore } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { decided, run } from '@/test/support/command';
import { startConsul, stopAll } from '@/test/support/consul';
import { startCurator } from '@/test/support/curator';
import { endAll } from '@/test/support/endings';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';

const absent = (await noRedis()) ?? (await noRedisson()) ?? (await noZooKeeper());

/** So long a client of Redisson sleeps that nobody tells: longer than any test. */
const watchdogMs = 300_000;
/** The most that the server grants: so long the place of a dead client of Curator stays. */
const sessionMs = 60_000;
const permits = 'cli:permits';
const because = ['--reason', 'its process is gone'];

async function start() {
  const [consul, redis, zookeeper] = await Promise.all([
    startConsul(),
    startTestRedis(),
    startTestZooKeeper(),
  ]);
  const [one, two, curator, other] = await Promise.all([
    startRedisson(redis, { watchdogMs }),
    startRedisson(redis, { watchdogMs }),
    startCurator(zookeeper.address, { sessionMs }),
    startCurator(zookeeper.address, { sessionMs }),
  ]);
  const inRedis = `redis://${redis.address}?semaphores=${permits}:3`;
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: {
      SIGNALBOX_SOURCES: `consul:// ${inRedis}&id=redis zookeeper://${zookeeper.address}/?id=zookeeper`,
    },
  });
  return { consul, redis, zookeeper, inRedis, one, two, curator, other, signalbox };
}

let made: Awaited<ReturnType<typeof start>> | null = null;
function rig() {
  if (made === null) throw new Error('There is no rig.');
  return made;
}

const here = () => ({ SIGNALBOX_ADDR: rig().signalbox.baseUrl });
/** A person who has read the plan. It is done, and nothing else is said. */
async function done(...args: string[]): Promise<void> {
  const ran = await decided(args, here());
  expect([args, ran.status, ran.err]).toEqual([args, 0, '']);
  expect(ran.out).toContain('Done.');
}

async function snapshot(source: string, name: string): Promise<Snapshot> {
  const path = `/api/v1/snapshot?source=${source}&prefix=${encodeURIComponent(name)}`;
  return (await fetch(`${rig().signalbox.baseUrl}${path}`)).json();
}
const shows = { timeoutMs: 40_000, everyMs: 200 };
/** The lock, once the console shows it so. */
const lock = (source: string, key: string, what: string, is: (lock: Lock) => boolean) =>
  until(async () => (await snapshot(source, key)).locks.find((one) => one.key === key && is(one)), {
    what: `${key} ${what}`,
    ...shows,
  });
const semaphore = (prefix: string, what: string, is: (semaphore: Semaphore) => boolean) =>
  until(
    async () => (await snapshot('redis', prefix)).semaphores.find((one) => one.prefix === prefix && is(one)),
    { what: `${prefix} ${what}`, ...shows },
  );
/** Far sooner than a client that nobody tells, or that waits behind a dead one. */
const soon = <T>(promise: Promise<T>, what: string) => {
  let got: { readonly it: T } | null = null;
  void promise.then((it) => {
    got = { it };
  });
  return until(() => got as { readonly it: T } | null, { what, timeoutMs: 20_000 }).then(({ it }) => it);
};

test.describe('the command on other backends', () => {
  test.skip(absent !== null, absent ?? '');
  test.describe.configure({ timeout: 120_000 });

  test.beforeAll(async () => {
    test.setTimeout(180_000);
    if (absent === null) made = await start();
  });
  test.afterAll(async () => {
    test.setTimeout(60_000);
    await made?.signalbox.stop();
    await endAll();
    await stopAll();
  });

  test('release --holder takes the one reader that is meant, and the others read on', async () => {
    const { one, two } = rig();
    const of = { kind: 'read', name: 'cli:read' } as const;
    const [stays, goes] = [one.thread('stays'), two.thread('goes')];
    for (const reader of [stays, goes]) await reader.acquire(of);
    await lock('redis', of.name, 'is read by two', ({ readers }) => readers?.length === 1);
    const party = await goes.party();
    const unnamed = await run(['release', of.name, '--source', 'redis'], here());
    expect([unnamed.status, unnamed.err]).toEqual([1, expect.stringMatching(/2/)]);
    await done('release', of.name, '--holder', party.slice(0, 12), '--source', 'redis', ...because);
    expect((await goes.held(of)).held).toBe(false);
    expect((await stays.held(of)).held).toBe(true);
    await stays.release(of);
  });

  test('remove-waiter takes a dead client out of a fair queue of Redisson, and the next one gets the lock', async () => {
    const { redis, one, two } = rig();
    const of = { kind: 'fair', name: 'cli:fair' } as const;
    const doomed = await startRedisson(redis, { watchdogMs });
    const [holds, dies, next] = [one.thread('holds'), doomed.thread('dies'), two.thread('next')];
    await holds.acquire(of);
    const party = await dies.party();
    void dies.acquire(of);
    await lock('redis', of.name, 'has one who waits', ({ waiters }) => waiters?.length === 1);
    const waits = next.acquire(of);
    await lock('redis', of.name, 'has two who wait', ({ waiters }) => waiters?.length === 2);
    await doomed.kill9();
    await holds.release(of);
    await lock('redis', of.name, 'is barred by a ghost', ({ waiters }) => waiters?.[0]?.verdict === 'ghost');
    await done('remove-waiter', of.name, party.slice(0, 12), '--source', 'redis', ...because);
    expect(await soon(waits, 'the next one')).toBe(true);
    await next.release(of);
  });

  test('remove-waiter takes the node of a dead client of Curator, and the next one gets the lock', async () => {
    const { zookeeper, curator, other } = rig();
    const of = { kind: 'mutex', path: '/cli/mutex' } as const;
    const doomed = await startCurator(zookeeper.address, { sessionMs });
    await curator.thread('holds').acquire(of);
    void doomed.thread('dies').acquire(of);
    const queued = await lock(
      'zookeeper',
      of.path,
      'has one who waits',
      ({ waiters }) => waiters?.length === 1,
    );
    const waits = other.thread('next').acquire(of);
    await lock('zookeeper', of.path, 'has two who wait', ({ waiters }) => waiters?.length === 2);
    await doomed.kill9();
    const dead = queued.waiters?.[0]?.sessionId ?? '';
    await done('remove-waiter', of.path, dead, '--source', 'zookeeper', ...because);
    await curator.thread('holds').release(of);
    expect(await soon(waits, 'the next one')).toBe(true);
    await other.thread('next').release(of);
  });

  test('ask reaches the program that holds a revocable mutex, which keeps it until it lets go', async () => {
    const { curator } = rig();
    const of = { kind: 'revocable', path: '/cli/revocable' } as const;
    await curator.thread('asked').acquire(of);
    await lock('zookeeper', of.path, 'is held', ({ state }) => state === 'held');
    const elsewhere = await run(['ask', 'cli:nobody', '--source', 'redis'], here());
    expect([elsewhere.status, elsewhere.err]).toEqual([2, 'Nobody holds it. Name the holder.\n']);
    await done('ask', of.path, '--source', 'zookeeper', ...because);
    expect(await curator.heard('asked')).toMatchObject({ path: of.path });
    expect((await curator.thread('asked').held(of)).acquired).toBe(true);
    await curator.thread('asked').release(of);
  });

  test('return gives back the permits that a killed client took, and who waits gets them', async () => {
    const { redis, one } = rig();
    const doomed = await startRedisson(redis, { watchdogMs });
    const pool = one.thread('prints').semaphore(permits);
    await pool.set(3);
    await doomed.thread('dies').semaphore(permits).acquire({ permits: 3 });
    await doomed.kill9();
    const prints = pool.acquire({ permits: 2 });
    await semaphore(permits, 'has one who waits', ({ waitingClients }) => waitingClients === 1);
    const much = await run(['return', permits, '9', '--source', 'redis'], here());
    expect(much.out).toMatch(/^ {2}! .*9.*3/m);
    expect(await redis.call('GET', permits)).toBe('0');
    await done('return', permits, '2', '--source', 'redis', ...because);
    expect(await soon(prints, 'the waiter')).toBe(true);
    expect(await redis.call('GET', permits)).toBe('0');
  });

  test('wake wakes a client that sleeps beside a free lock, without --source where there is one source alone', async () => {
    const { consul, redis, inRedis, one, two } = rig();
    const of = { kind: 'lock', name: 'cli:sleep' } as const;
    await one.thread('old').acquire(of);
    const waits = two.thread('sleeps').acquire(of);
    await lock('redis', of.name, 'has one who waits', ({ waitingClients }) => waitingClients === 1);
    // As a person with redis-cli would free it: nobody is told.
    await redis.call('DEL', of.name);
    // The usual source is Consul, which has no such lock.
    expect((await run(['wake', of.name, '--yes'], here())).status).toBe(1);
    const alone = await startSignalbox({
      consulAddress: consul.address,
      env: { SIGNALBOX_SOURCES: `${inRedis}&id=jobs` },
    });
    try {
      const ran = await decided(['wake', of.name], { SIGNALBOX_ADDR: alone.baseUrl });
      expect([ran.status, ran.err]).toEqual([0, '']);
    } finally {
      await alone.stop();
    }
    expect(await soon(waits, 'the one that slept')).toBe(true);
    await two.thread('sleeps').release(of);
  });

  test('a share of a lock in Redis shows that lock alone, as page, data and badge, and follows it', async () => {
    const { one, signalbox } = rig();
    const of = { kind: 'lock', name: 'cli:shared' } as const;
    const holds = one.thread('shared');
    await holds.acquire(of);
    await holds.acquire({ kind: 'lock', name: 'cli:hidden' });
    await lock('redis', of.name, 'is held', ({ state }) => state === 'held');
    const wish = { kind: 'link', scope: { view: 'lock', source: 'redis', key: of.name } };
    const granted = await fetch(`${signalbox.baseUrl}/api/v1/grants`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wish),
    });
    expect(granted.status, await granted.clone().text()).toBe(201);
    const { secret } = await granted.json();
    const read = async (route: string) => {
      const answer = await fetch(`${signalbox.baseUrl}/embed/v1/${route}?share=${secret}`);
      expect([route, answer.status]).toEqual([route, 200]);
      return answer.text();
    };
    const data = JSON.parse(await read('snapshot'));
    expect(data.locks).toMatchObject([{ key: of.name, source: 'redis', state: 'held' }]);
    expect(data.semaphores).toEqual([]);
    const page = await read('lock');
    expect(page).toContain(of.name);
    expect(page).not.toContain('cli:hidden');
    expect(await read('badge.svg')).toContain('held');
    await holds.release(of);
    await until(async () => (await read('badge.svg')).includes('free'), {
      what: 'the badge says free',
      ...shows,
    });
    await holds.release({ kind: 'lock', name: 'cli:hidden' });
  });
});
