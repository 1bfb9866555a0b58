/** Locks of Redis, with what Redisson stores written by hand: an action does what its plan said, or nothing. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { planOn } from '@/lib/providers/redis/actions/actions';
import { readRow } from '@/lib/providers/redis/actions/release';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { release, removeWaiter, startActor, wake } from './stage';

const absent = await noRedis();
const redis = absent === null ? await startTestRedis() : null;
const actor = redis === null ? null : await startActor([redis.port]);
afterAll(() => actor?.close());

function rig() {
  if (redis === null || actor === null) throw new Error('There is no Redis.');
  return { redis, actor, call: redis.call };
}

const fresh = (name: string) => `${name}:${randomUUID().slice(0, 8)}`;
const client = randomUUID();
const [a, b, c] = [`${client}:41`, `${client}:42`, `${randomUUID()}:7`];
const leaseMs = 60_000;

async function hold(key: string, field = a, count = 1, ms = leaseMs): Promise<void> {
  const { call } = rig();
  await call('HSET', key, field, count);
  await call('PEXPIRE', key, ms);
}

async function queue(key: string, waiters: readonly string[], untilMs = Date.now() + 300_000) {
  const { call } = rig();
  for (const [i, one] of waiters.entries()) {
    await call('RPUSH', `redisson_lock_queue:{${key}}`, one);
    await call('ZADD', `redisson_lock_timeout:{${key}}`, untilMs + i * 1_000, one);
  }
}

/** Everything that is stored, so that equal texts mean that nothing was written. */
async function stored(): Promise<string> {
  const { call } = rig();
  const keys: string[] = (await call('KEYS', '*')).sort();
  const all = await Promise.all(
    keys.map(async (key) => [key, await call('DUMP', key), await call('PEXPIRETIME', key)]),
  );
  return JSON.stringify(all);
}

/** What is heard on a channel from now on. */
async function hearing(channel: string): Promise<{ heard: string[]; close(): void }> {
  const heard: string[] = [];
  const line = await rig().redis.connect();
  line.onMessage((message) => {
    if (Array.isArray(message) && message[0] === 'message') heard.push(String(message[2]));
  });
  await line.call('SUBSCRIBE', channel);
  return { heard, close: () => line.close() };
}

describe.skipIf(absent !== null)('a lock of Redisson', () => {
  test('a plain lock is taken from the holder that was seen, its clients are told, and the plan says what they do not learn', async () => {
    const { actor, call } = rig();
    const key = fresh('job');
    await hold(key);
    const ear = await hearing(`redisson_lock__channel:{${key}}`);
    const before = await stored();
    const planned = await actor.plan(release(key));
    expect(await stored()).toBe(before);
    expect(planned.plan.writes.map(({ condition }) => condition?.code)).toEqual(['redis-same-holder']);
    const codes = planned.plan.warnings.map(({ code }) => code);
    expect(codes).toContain('holder-notices');
    expect(codes).toContain('redis-same-thread');
    expect(codes).toContain('redis-frees-itself');
    expect(codes).not.toContain('redis-reentered');
    const outcome = await actor.apply(release(key), planned);
    expect(outcome).toMatchObject({ done: true, freed: [{ kind: 'lock', key }], warnings: [] });
    expect(await call('EXISTS', key)).toBe(0);
    await expect.poll(() => ear.heard).toEqual(['0']);
    ear.close();
    expect((await actor.stale(release(key), planned)).why?.code).toBe('done-before');
  });

  test('another holder, another count and a shorter or much longer lease are another hold: refused, nothing written', async () => {
    const { actor, call } = rig();
    const key = fresh('changed');
    const differs = async (code: string) => {
      const before = await stored();
      const problem = await actor.stale(release(key), planned);
      expect(problem).toMatchObject({ code: 'stale', difference: [{ code }] });
      expect(await stored()).toBe(before);
    };
    await hold(key);
    const planned = await actor.plan(release(key));
    await call('HINCRBY', key, a, 1);
    await differs('redis-count-changed');
    await call('DEL', key);
    await hold(key, b);
    await differs('holder-changed');
    await call('DEL', key);
    await hold(key, a, 1, 10_000);
    await differs('redis-lease-changed');
    await call('DEL', key);
    await hold(key, a, 1, 3 * leaseMs);
    await differs('redis-lease-changed');
    await call('DEL', key);
    await call('SET', key, 'of another program');
    await differs('redis-kind-changed');
  });

  test('a renewal since the plan is no other hold', async () => {
    const { actor, call } = rig();
    const key = fresh('renewed');
    await hold(key, a, 1, 25_000);
    const planned = await actor.plan(release(key));
    await call('PEXPIRE', key, 30_000);
    expect(await actor.apply(release(key), planned)).toMatchObject({ done: true });
    expect(await call('EXISTS', key)).toBe(0);
  });

  test('a fencing token tells a new hold of the same thread, and is compared instead of the lease', async () => {
    const { actor, call } = rig();
    const key = fresh('fenced');
    await hold(key);
    await call('SET', `redisson_lock_token:{${key}}`, 17);
    const planned = await actor.plan(release(key));
    expect(planned.plan.writes[0]?.condition).toMatchObject({
      code: 'redis-same-token',
      facts: { token: '17' },
    });
    await call('SET', `redisson_lock_token:{${key}}`, 18);
    expect(await actor.stale(release(key), planned)).toMatchObject({
      code: 'stale',
      difference: [{ code: 'redis-token-changed', facts: { before: '17', now: '18' } }],
    });
    await call('PEXPIRE', key, 900_000);
    await actor.act(release(key));
    expect(await call('EXISTS', key)).toBe(0);
    expect(await call('GET', `redisson_lock_token:{${key}}`)).toBe('18');
  });

  test('three re-entries and other locks of the same thread are said before', async () => {
    const { actor } = rig();
    const [key, part] = [fresh('multi'), fresh('multi')];
    await hold(key, a, 3);
    await hold(part, a);
    const { plan: own } = await actor.plan(release(part));
    expect(own.warnings.map(({ code }) => code)).not.toContain('redis-multi');
    const { lock } = await readRow(actor.context, part);
    if (lock === null) throw new Error('No row.');
    const context = { ...actor.context, locks: () => [lock] };
    const planned = await planOn(context, release(key), AbortSignal.timeout(5_000));
    expect(planned).toMatchObject({ plan: { friction: 'type-name' } });
    const warnings = 'plan' in planned ? planned.plan.warnings : [];
    expect(warnings).toContainEqual({ code: 'redis-reentered', facts: { count: 3 } });
    expect(warnings).toContainEqual({ code: 'redis-multi', facts: { others: 1, names: part } });
  });

  test('a fair lock: heads whose time is over go first, the next one is told on its own channel', async () => {
    const { actor, call } = rig();
    const key = fresh('fair');
    await hold(key);
    await queue(key, [b], Date.now() - 1_000);
    await queue(key, [c]);
    const ear = await hearing(`redisson_lock__channel:{${key}}:${c}`);
    const planned = await actor.plan(release(key));
    expect(planned.plan.warnings.find(({ code }) => code === 'next-in-queue')?.facts).toEqual({
      first: expect.stringContaining(':7'),
    });
    const outcome = await actor.apply(release(key), planned);
    expect(outcome.warnings).toEqual([]);
    expect(outcome.after).toMatchObject({ layout: 'redisson-fair', holder: null });
    await expect.poll(() => ear.heard).toEqual(['0']);
    ear.close();
    expect(await call('LRANGE', `redisson_lock_queue:{${key}}`, 0, -1)).toEqual([c]);
    expect(await call('ZRANGE', `redisson_lock_timeout:{${key}}`, 0, -1)).toEqual([c]);
  });

  test('a dead head is told by its silent channel, said in the plan and the outcome, and removed alone', async () => {
    const { actor, call } = rig();
    const key = fresh('dead');
    await hold(key);
    await queue(key, [b, c]);
    const ear = await hearing(`redisson_lock__channel:{${key}}:${c}`);
    const planned = await actor.plan(release(key));
    expect(planned.plan.warnings.map(({ code }) => code)).toContain('redis-next-dead');
    const outcome = await actor.apply(release(key), planned);
    expect(outcome.warnings.map(({ code }) => code)).toEqual(['redis-next-dead']);
    const removal = await actor.plan(removeWaiter(key, b));
    expect(removal.plan.writes[0]?.condition?.code).toBe('redis-still-dead');
    expect(await actor.apply(removeWaiter(key, b), removal)).toMatchObject({ done: true, warnings: [] });
    await expect.poll(() => ear.heard).toEqual(['0']);
    ear.close();
    expect(await call('LRANGE', `redisson_lock_queue:{${key}}`, 0, -1)).toEqual([c]);
    expect((await actor.stale(removeWaiter(key, b), removal)).why?.code).toBe('done-before');
  });

  test('a waiter that lives, or has queued again, is not the dead one that was seen', async () => {
    const { actor, call } = rig();
    const key = fresh('lives');
    await hold(key);
    await queue(key, [b]);
    const planned = await actor.plan(removeWaiter(key, b));
    const ear = await hearing(`redisson_lock__channel:{${key}}:${b}`);
    const before = await stored();
    expect(await actor.stale(removeWaiter(key, b), planned)).toMatchObject({
      difference: [{ code: 'redis-waiter-lives' }],
    });
    ear.close();
    expect(await stored()).toBe(before);
    await call('ZADD', `redisson_lock_timeout:{${key}}`, Date.now() + 900_000, b);
    expect(await actor.stale(removeWaiter(key, b), planned)).toMatchObject({
      difference: [{ code: 'redis-queued-again' }],
    });
  });

  test('of several readers exactly one is taken; the lock lasts as long as the others', async () => {
    const { actor, call } = rig();
    const key = fresh('read');
    await call('HSET', key, 'mode', 'read', a, 2, b, 1);
    await call('SET', `{${key}}:${a}:rwlock_timeout:1`, 1, 'PX', 60_000);
    await call('SET', `{${key}}:${a}:rwlock_timeout:2`, 1, 'PX', 60_000);
    await call('SET', `{${key}}:${b}:rwlock_timeout:1`, 1, 'PX', 20_000);
    await call('PEXPIRE', key, 60_000);
    expect((await actor.refused(release(key))).why?.code).toBe('several-hold');
    const planned = await actor.plan(release(key, a));
    expect(planned.plan.warnings).toContainEqual({ code: 'redis-readers-stay', facts: { readers: 1 } });
    const outcome = await actor.apply(release(key, a), planned);
    expect(outcome).toMatchObject({ freed: [], after: { holder: { sessionId: b, mode: 'read' } } });
    expect(await call('HGETALL', key)).toEqual(['mode', 'read', b, '1']);
    expect(await call('KEYS', `{${key}}:*`)).toEqual([`{${key}}:${b}:rwlock_timeout:1`]);
    expect(await call('PTTL', key)).toBeLessThanOrEqual(20_000);
    expect((await actor.stale(release(key, a), planned)).why?.code).toBe('done-before');
    const ear = await hearing(`redisson_rwlock:{${key}}`);
    expect(await actor.act(release(key))).toMatchObject({ freed: [{ key }] });
    expect(await call('KEYS', `*${key}*`)).toEqual([]);
    await expect.poll(() => ear.heard).toEqual(['0']);
    ear.close();
  });

  test('a reader whose hold is over holds nothing, and nobody is removed for it', async () => {
    const { actor, call } = rig();
    const key = fresh('over');
    await call('HSET', key, 'mode', 'read', a, 1, b, 1);
    await call('SET', `{${key}}:${b}:rwlock_timeout:1`, 1, 'PX', 20_000);
    await call('PEXPIRE', key, 20_000);
    expect((await actor.refused(release(key, a))).why?.code).toBe('not-holder');
    await actor.act(release(key));
    expect(await call('EXISTS', key)).toBe(0);
  });

  test('a reader whose hold never ends is planned, and removed', async () => {
    const { actor, call } = rig();
    const key = fresh('endless');
    await call('HSET', key, 'mode', 'read', a, 1, b, 1);
    await call('SET', `{${key}}:${a}:rwlock_timeout:1`, 1);
    await call('SET', `{${key}}:${b}:rwlock_timeout:1`, 1, 'PX', 20_000);
    await call('PEXPIRE', key, 60_000);
    const planned = await actor.plan(release(key, a));
    expect(planned.plan.summary.code).toBe('redis-remove-reader');
    expect(planned.plan.warnings).toContainEqual({ code: 'redis-frees-itself', facts: { withinMs: null } });
    await actor.apply(release(key, a), planned);
    expect(await call('HGETALL', key)).toEqual(['mode', 'read', b, '1']);
  });

  test('a writer that also reads keeps its read; readers that wait are told', async () => {
    const { actor, call } = rig();
    const key = fresh('write');
    await call('HSET', key, 'mode', 'write', `${a}:write`, 1, a, 1);
    await call('SET', `{${key}}:${a}:rwlock_timeout:1`, 1, 'PX', 20_000);
    await call('PEXPIRE', key, 89_000);
    const ear = await hearing(`redisson_rwlock:{${key}}`);
    const planned = await actor.plan(release(key, `${a}:write`));
    expect(planned.plan.summary.code).toBe('redis-remove-holder');
    const outcome = await actor.apply(release(key, `${a}:write`), planned);
    expect(outcome.after).toMatchObject({ holder: { sessionId: a, mode: 'read' } });
    expect(await call('HGETALL', key)).toEqual(['mode', 'read', a, '1']);
    expect(await call('PTTL', key)).toBeLessThanOrEqual(20_000);
    await expect.poll(() => ear.heard).toEqual(['1', '0']);
    await actor.act(wake(key));
    await expect.poll(() => ear.heard).toEqual(['1', '0', '1', '0']);
    ear.close();
  });

  test('sleepers are woken beside a free lock, and not while it is held alone', async () => {
    const { actor, call } = rig();
    const key = fresh('asleep');
    const ear = await hearing(`redisson_lock__channel:{${key}}`);
    const planned = await actor.plan(wake(key));
    expect(planned.plan.warnings).toContainEqual({ code: 'redis-clients-wait', facts: { clients: 1 } });
    const before = await stored();
    expect(await actor.apply(wake(key), planned)).toMatchObject({ done: true, freed: [] });
    await expect.poll(() => ear.heard).toEqual(['0']);
    expect(await stored()).toBe(before);
    await hold(key);
    expect(await actor.stale(wake(key), planned)).toMatchObject({ difference: [{ code: 'redis-held-now' }] });
    expect((await actor.refused(wake(key))).why?.code).toBe('lock-held');
    expect(ear.heard).toEqual(['0']);
    ear.close();
    await call('DEL', key);
  });

  test('a redlock goes by its own token, and nothing else of the server is taken for one', async () => {
    const { actor, call } = rig();
    const key = fresh('redlock');
    const token = randomUUID().replaceAll('-', '');
    await call('SET', key, token, 'PX', 60_000);
    const planned = await actor.plan(release(key));
    expect(planned.plan.warnings.map(({ code }) => code)).toContain('redis-one-of-several');
    await call('SET', key, randomUUID().replaceAll('-', ''), 'PX', 60_000);
    expect(await actor.stale(release(key), planned)).toMatchObject({
      difference: [{ code: 'holder-changed' }],
    });
    await actor.act(release(key));
    expect(await call('EXISTS', key)).toBe(0);
    const other = fresh('settings');
    await call('SET', other, token);
    expect((await actor.refused(release(other))).why?.code).toBe('no-lock');
    await call('HSET', `${other}:hash`, 'name', 'value');
    expect((await actor.refused(release(`${other}:hash`))).why?.code).toBe('no-lock');
  });
});
