/** The actions among real Redisson clients: who waits gets it at once, and who lost it finds out as the plan says. */
import { afterAll, describe, expect, test } from 'vitest';
import { JavaThrown } from '@/test/support/driven';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { noRedisson, type RedissonLock, startRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { evict, release, removeWaiter, resize, returnPermits, startActor, wake } from './stage';

const absent = (await noRedis()) ?? (await noRedisson());
const here = absent === null;
const redis = here ? await startTestRedis() : null;
/** Far longer than a waiter that is told needs, and than any test waits for one. */
const watchdogMs = 60_000;
const [one, two] =
  redis === null
    ? [null, null]
    : await Promise.all([startRedisson(redis, { watchdogMs }), startRedisson(redis, { watchdogMs })]);
const actor =
  redis === null ? null : await startActor([redis.port], { semaphores: [{ name: 'r:counter', limit: 3 }] });
afterAll(() => actor?.close());

function rig() {
  if (redis === null || one === null || two === null || actor === null) throw new Error('There is no rig.');
  return { redis, one, two, actor };
}

/** Well below the lease that a waiter would sleep for, and above what a loaded machine takes. */
const soonMs = 30_000;
const soon = <T>(promise: Promise<T>, what: string): Promise<T> =>
  Promise.race([
    promise,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error(`${what}: not soon`)), soonMs)),
  ]);

const listens = (channel: string) =>
  until(async () => (await rig().redis.call('PUBSUB', 'NUMSUB', channel))[1] > 0, {
    what: `somebody listens to ${channel}`,
  });

const thrown = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return '';
  } catch (error) {
    return error instanceof JavaThrown ? error.thrown : String(error);
  }
};

describe.skipIf(!here)('among real Redisson clients', () => {
  test.each<[RedissonLock & { name: string }, string]>([
    [{ kind: 'lock', name: 'r:lock' }, 'redisson_lock__channel:{r:lock}'],
    [{ kind: 'fenced', name: 'r:fenced' }, 'redisson_lock__channel:{r:fenced}'],
    [{ kind: 'non-reentrant', name: 'r:once' }, 'redisson_lock__channel:{r:once}'],
    [{ kind: 'write', name: 'r:write' }, 'redisson_rwlock:{r:write}'],
    [{ kind: 'fair', name: 'r:fair' }, ''],
  ])('a release wakes who waits, and the old holder learns at unlock: %j', async (lock, channel) => {
    const { one, two, actor } = rig();
    const [old, next] = [one.thread(`old ${lock.name}`), two.thread(`next ${lock.name}`)];
    await old.acquire(lock);
    // A thread that waits answers nothing.
    const party = await next.party();
    const waits = next.acquire(lock);
    await listens(channel || `redisson_lock__channel:{${lock.name}}:${party}`);
    const outcome = await actor.act(release(lock.name));
    expect(outcome.freed).toMatchObject([{ key: lock.name }]);
    expect(await soon(waits, 'the waiter')).toBeTruthy();
    expect(await old.held(lock)).toMatchObject({ held: false });
    expect(await thrown(old.release(lock))).toContain('IllegalMonitorState');
    expect(await next.held(lock)).toMatchObject({ held: true });
    await next.release(lock);
    // Both clients work on.
    expect(await old.acquire({ ...lock, waitMs: 5_000 })).toBeTruthy();
    await old.release(lock);
  });

  test('where nobody holds it by then, the unlock of a fair lock alone returns normally', async () => {
    const { one, actor } = rig();
    const old = one.thread('old alone');
    for (const [kind, learns] of [
      ['lock', /IllegalMonitorState/],
      ['fair', /^$/],
      ['non-reentrant-fair', /^$/],
    ] as const) {
      const lock = { kind, name: `r:alone-${kind}` };
      await old.acquire(lock);
      await actor.act(release(lock.name));
      expect(await thrown(old.release(lock))).toMatch(learns);
    }
  });

  test('the dead head of a fair queue keeps everybody out until exactly it is removed', async () => {
    const { redis, one, two, actor } = rig();
    const lock = { kind: 'fair', name: 'r:dead' } as const;
    const doomed = await startRedisson(redis, { watchdogMs });
    const [holder, dies, lives] = [one.thread('holds'), doomed.thread('dies'), two.thread('lives')];
    const channel = (party: string) => `redisson_lock__channel:{${lock.name}}:${party}`;
    await holder.acquire(lock);
    const [dead, behind] = [await dies.party(), await lives.party()];
    dies.acquire(lock).catch(() => {});
    await listens(channel(dead));
    const waits = lives.acquire(lock);
    await listens(channel(behind));
    await doomed.kill9();
    await until(async () => (await redis.call('PUBSUB', 'NUMSUB', channel(dead)))[1] === 0, {
      what: 'the dead one listens no more',
    });
    await holder.release(lock);
    let got = false;
    void waits.then(() => {
      got = true;
    });
    const planned = await actor.plan(removeWaiter(lock.name, dead));
    expect(planned.plan.warnings.map(({ code }) => code)).toContain('redis-waiter-dead');
    expect(got).toBe(false);
    const outcome = await actor.apply(removeWaiter(lock.name, dead), planned);
    expect(outcome.warnings).toEqual([]);
    expect(await soon(waits, 'the one behind it')).toBe(true);
    await lives.release(lock);
  });

  test('a permit that is taken away goes to who waits, and its holder finds out when it gives it back', async () => {
    const { one, two, actor } = rig();
    const name = 'r:permits';
    const [old, next] = [one.thread('old permit').permits(name), two.thread('next permit').permits(name)];
    await old.set(1);
    const [id = ''] = await old.acquire();
    const waits = next.acquire();
    await listens('redisson_sc:{r:permits}');
    await actor.act(evict(name, id));
    const [other = ''] = await soon(waits, 'the waiter');
    expect(other).not.toBe('');
    expect(await thrown(old.release(id))).toContain('RedisException');
    expect(await old.tryRelease(id)).toBe(false);
    const more = [old.acquire(), old.acquire()];
    await listens('redisson_sc:{r:permits}');
    await actor.act(resize(name, 2));
    const [third = ''] = await soon(Promise.race(more), 'one more');
    expect(third).not.toBe('');
    await next.release(other);
    const ids = (await soon(Promise.all(more), 'both')).flat();
    await old.release(...ids);
    expect(await next.available()).toBe(2);
  });

  test('permits of clients that are gone, given back by number, go to who waits', async () => {
    const { one, actor } = rig();
    const name = 'r:counter';
    const semaphore = one.thread('counter').semaphore(name);
    await semaphore.set(3);
    await semaphore.drain();
    const waits = one.thread('waits').semaphore(name).acquire({ permits: 2 });
    await listens('redisson_sc:{r:counter}');
    await actor.act(returnPermits(name, 2));
    expect(await soon(waits, 'the waiter')).toBe(true);
    expect(await semaphore.available()).toBe(0);
  });

  test('readers that slept beside a removed writer that also read are awake', async () => {
    const { one, two, actor } = rig();
    const [write, read] = [
      { kind: 'write', name: 'r:down' },
      { kind: 'read', name: 'r:down' },
    ] as const;
    const [old, next] = [one.thread('down'), two.thread('reader')];
    await old.acquire(write);
    await old.acquire(read);
    const waits = next.acquire(read);
    await listens('redisson_rwlock:{r:down}');
    await actor.act(release('r:down', `${await old.party()}:write`));
    expect(await soon(waits, 'the reader')).toBe(true);
    expect(await old.held(read)).toMatchObject({ held: true });
    // One of two readers, and nobody else.
    await actor.act(release('r:down', await old.party()));
    expect(await old.held(read)).toMatchObject({ held: false });
    expect(await next.held(read)).toMatchObject({ held: true });
    await next.release(read);
    expect(await two.thread('last').acquire({ ...write, waitMs: 5_000 })).toBe(true);
    await two.thread('last').release(write);
  });

  test('a client that sleeps beside a lock that is free is woken', async () => {
    const { redis, one, two, actor } = rig();
    const lock = { kind: 'lock', name: 'r:asleep' } as const;
    const scripts = async () =>
      [
        ...String(await redis.call('INFO', 'commandstats')).matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm),
      ].reduce((sum, [, calls]) => sum + Number(calls), 0);
    await one.thread('sleeps').acquire(lock);
    const before = await scripts();
    const waits = two.thread('sleeper').acquire(lock);
    await listens('redisson_lock__channel:{r:asleep}');
    // It tries once more after it has subscribed, and would take a lock that is free by then.
    await until(async () => (await scripts()) >= before + 2, { what: 'the client to sleep' });
    await redis.call('DEL', lock.name);
    await actor.act(wake(lock.name));
    expect(await soon(waits, 'the sleeper')).toBe(true);
    await two.thread('sleeper').release(lock);
  });
});
