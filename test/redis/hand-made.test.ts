/** An `apply` with an `expect` that no plan gave writes nothing to the keys of other programs. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { Expect } from '@/lib/domain/actions/expect';
import { applyOn, refusesOf } from '@/lib/providers/redis/actions/actions';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { release, removeWaiter, resize, returnPermits, startActor } from './stage';

const counter = 'counter:limited';
const absent = await noRedis();
const redis = absent === null ? await startTestRedis() : null;
const actor =
  redis === null ? null : await startActor([redis.port], { semaphores: [{ name: counter, limit: 5 }] });
afterAll(() => actor?.close());

function rig() {
  if (redis === null || actor === null) throw new Error('There is no Redis.');
  return { redis, actor, call: redis.call };
}

/** The problem of this request. Fails where Redis stores anything else afterwards. */
async function refusal(action: Action, asked: Expect) {
  const { actor, call } = rig();
  const stored = async () => {
    const keys: string[] = (await call('KEYS', '*')).sort();
    return Promise.all(keys.map(async (key) => [key, await call('DUMP', key)]));
  };
  const before = await stored();
  const answer = await applyOn(actor.context, action, asked, AbortSignal.timeout(30_000));
  expect(await stored()).toEqual(before);
  return answer;
}

const fresh = (name: string) => `${name}:${randomUUID().slice(0, 8)}`;
const token = randomUUID().replaceAll('-', '');
const thread = `${randomUUID()}:1`;
const lease = { endsMs: null, rule: 'any', longestMs: 0 };
const hold = (key: string, kind: string, over: object): Expect => ({
  ...{ key, kind, count: '1', mode: '', token: '', lease, verdict: 'overdue' },
  ...over,
});
const ofNoPlan = { code: 'invalid', why: { code: 'not-of-plan' } };
const ofAnother = { code: 'stale', difference: [{ code: 'redis-kind-changed' }] };

describe.skipIf(absent !== null)('a request that was made by hand', () => {
  test('deletes a string as a redlock only under a prefix of redlocks, and only by a token', async () => {
    const { call } = rig();
    const [other, under] = [fresh('setting'), fresh('redlock:flag')];
    await call('SET', other, token);
    await call('SET', under, 'on');
    expect(await refusal(release(other), hold(other, 'redlock', { holder: token }))).toMatchObject(ofNoPlan);
    expect(await refusal(release(under), hold(under, 'redlock', { holder: 'on' }))).toMatchObject(ofNoPlan);
  });

  test('deletes a hash only by the id of a thread', async () => {
    const { call } = rig();
    const [cart, shared] = [fresh('cart'), fresh('shared')];
    await call('HSET', cart, 'apples', 3);
    await call('HSET', shared, 'mode', 'write', 'apples:write', 3);
    const seen = { holder: 'apples', count: '3' };
    expect(refusesOf(release(cart), hold(cart, 'alone', seen))).toMatchObject(ofNoPlan);
    expect(await refusal(release(cart), hold(cart, 'alone', seen))).toMatchObject(ofNoPlan);
    const written = { holder: 'apples:write', count: '3', mode: 'write' };
    expect(await refusal(release(shared), hold(shared, 'write', written))).toMatchObject(ofNoPlan);
    const unlike = { holder: thread, mode: 'write' };
    expect(await refusal(release(shared), hold(shared, 'write', unlike))).toMatchObject(ofNoPlan);
  });

  test('adds to a number only where it is a semaphore, and to no more than Java counts', async () => {
    const { call } = rig();
    const [hits, pool] = [fresh('hits'), fresh('pool')];
    await call('SET', hits, 12);
    const available = '12';
    expect(await refusal(returnPermits(hits, 3), { prefix: hits, available })).toMatchObject(ofAnother);
    const limit = 12;
    expect(await refusal(resize(hits, 15), { prefix: hits, limit, available: null })).toMatchObject(
      ofAnother,
    );
    expect(await refusal(resize(hits, 15), { prefix: hits, limit, available })).toMatchObject(ofAnother);
    await call('SET', pool, 12);
    await call('ZADD', `{${pool}}:timeout`, Date.now() + 60_000, Buffer.alloc(16, 7));
    expect(await refusal(returnPermits(pool, 3), { prefix: pool, available })).toMatchObject(ofAnother);
    await call('SET', counter, 12);
    expect(await refusal(resize(counter, 15), { prefix: counter, limit, available })).toMatchObject({
      code: 'stale',
      difference: [{ code: 'limit-changed', facts: { before: '12', now: '5' } }],
    });
    const most = String(2 ** 31 - 1);
    await call('SET', counter, most);
    expect(await refusal(returnPermits(counter, 1), { prefix: counter, available: most })).toMatchObject(
      ofNoPlan,
    );
  });

  test('removes an entry only from the queue of a fair lock', async () => {
    const { call } = rig();
    const key = fresh('tasks');
    await call('RPUSH', `redisson_lock_queue:{${key}}`, 'first', 'second');
    const seen = { key, waiter: 'first', untilMs: '', isDead: false, verdict: 'unknown' };
    expect(await refusal(removeWaiter(key, 'first'), seen)).toMatchObject(ofAnother);
    await call('SET', key, 'of another program');
    expect(await refusal(removeWaiter(key, 'first'), seen)).toMatchObject(ofAnother);
  });
});
