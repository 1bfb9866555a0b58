/** The commands that a plan offers for `redis-cli`, as a shell takes them apart, run on the server. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { evict, release, removeWaiter, resize, returnPermits, startActor } from './stage';

const counter = "counter's name";
const absent = await noRedis();
const redis = absent === null ? await startTestRedis() : null;
const actor =
  redis === null ? null : await startActor([redis.port], { semaphores: [{ name: counter, limit: 9 }] });
afterAll(() => actor?.close());

function rig() {
  if (redis === null || actor === null) throw new Error('There is no Redis.');
  return { redis, actor, call: redis.call };
}

/** The words of a shell command after the address, as `redis-cli` would get them. */
function wordsOf(command: string): string[] {
  // A dash is no part of a function's name.
  const called = command.replace(/^redis-cli /, 'words ');
  const script = `words() { for word; do printf '%s\\0' "$word"; done; }; ${called}`;
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
  return words.slice(words.indexOf('EVAL'));
}

async function byHand(action: Action): Promise<() => Promise<unknown>> {
  const { actor, call } = rig();
  const { plan } = await actor.plan(action);
  const [step] = plan.manual;
  if (step === undefined || step.command === null) throw new Error('No command.');
  const [name = '', ...args] = wordsOf(step.command);
  return () => call(name, ...args);
}

const [a, b] = [`${randomUUID()}:1`, `${randomUUID()}:2`];

describe.skipIf(absent !== null)('by hand', () => {
  test.each(['plain', "with 'quotes' and $dollars", 'with {braces} and spaces'])(
    'a lock is taken from its holder once: %s',
    async (key) => {
      const { call } = rig();
      await call('HSET', key, a, 1);
      await call('PEXPIRE', key, 60_000);
      const run = await byHand(release(key));
      await call('HINCRBY', key, a, 1);
      expect(await run()).toBe(0);
      await call('HINCRBY', key, a, -1);
      expect(await run()).toBe(1);
      expect(await call('EXISTS', key)).toBe(0);
      expect(await run()).toBe(0);
    },
  );

  test('a redlock, a waiter, a permit, a limit and free permits alike', async () => {
    const { call } = rig();
    const token = randomUUID().replaceAll('-', '');
    await call('SET', 'redlock:one', token, 'PX', 60_000);
    const unlock = await byHand(release('redlock:one'));
    expect([await unlock(), await unlock()]).toEqual([1, 0]);

    for (const [i, one] of [a, b].entries()) {
      await call('RPUSH', 'redisson_lock_queue:{fair}', one);
      await call('ZADD', 'redisson_lock_timeout:{fair}', Date.now() + 300_000 + i, one);
    }
    const remove = await byHand(removeWaiter('fair', a));
    expect([await remove(), await remove()]).toEqual([1, 0]);
    expect(await call('LRANGE', 'redisson_lock_queue:{fair}', 0, -1)).toEqual([b]);
    expect(await call('ZRANGE', 'redisson_lock_timeout:{fair}', 0, -1)).toEqual([b]);

    await call('SET', 'pool', 1);
    await call('ZADD', '{pool}:timeout', Date.now() + 60_000, Buffer.alloc(16, 0xab));
    const take = await byHand(evict('pool', 'ab'.repeat(16)));
    const old = 'cd'.repeat(16);
    await call('ZADD', '{pool}:timeout', Date.now() + 60_000, old);
    const takeOld = await byHand(evict('pool', old));
    expect([await takeOld(), await takeOld()]).toEqual([1, 0]);
    await call('DECR', 'pool');
    const grow = await byHand(resize('pool', 4));
    expect([await take(), await take()]).toEqual([1, 0]);
    expect(await call('GET', 'pool')).toBe('2');
    expect([await grow(), await grow()]).toEqual([1, 0]);
    expect(await call('GET', 'pool')).toBe('4');

    await call('SET', counter, 1);
    const give = await byHand(returnPermits(counter, 3));
    expect([await give(), await give()]).toEqual([1, 0]);
    expect(await call('GET', counter)).toBe('4');
  });
});
