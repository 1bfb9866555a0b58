/** Semaphores of Redis, with what Redisson stores written by hand. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { applyOn, sawIn } from '@/lib/providers/redis/actions/actions';
import { readRow } from '@/lib/providers/redis/actions/permits';
import { movedSince } from '@/lib/view/actions/subject-drift';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { evict, prune, resize, returnPermits, startActor } from './stage';

const counters = ['counter:limited', 'counter:unlimited', 'counter:race'];
const absent = await noRedis();
const redis = absent === null ? await startTestRedis() : null;
const actor =
  redis === null
    ? null
    : await startActor([redis.port], {
        semaphores: counters.map((name) => ({ name, limit: name.endsWith('unlimited') ? null : 5 })),
      });
afterAll(() => actor?.close());

function rig() {
  if (redis === null || actor === null) throw new Error('There is no Redis.');
  return { redis, actor, call: redis.call };
}

const fresh = (name: string) => `${name}:${randomUUID().slice(0, 8)}`;
const never = 922_337_203_685_477;

/** An expirable semaphore with so many permits taken; returns their ids as on screen. */
async function permits(prefix: string, free: number, ends: readonly number[]): Promise<string[]> {
  const { call } = rig();
  await call('SET', prefix, free);
  const ids = ends.map(() => randomBytes(16));
  for (const [i, id] of ids.entries()) await call('ZADD', `{${prefix}}:timeout`, ends[i] ?? 0, id);
  return ids.map((id) => id.toString('hex'));
}

const held = (prefix: string): Promise<number> => rig().call('ZCARD', `{${prefix}}:timeout`);
const free = async (prefix: string) => Number(await rig().call('GET', prefix));
const soon = () => Date.now() + 60_000;

describe.skipIf(absent !== null)('a semaphore of Redisson', () => {
  test('one permit is taken by its id, of the old kind as well; the others and the limit stay', async () => {
    const { actor, call } = rig();
    const prefix = fresh('pool');
    const [first = '', second = ''] = await permits(prefix, 1, [soon(), never]);
    const old = randomBytes(16).toString('hex');
    await call('ZADD', `{${prefix}}:timeout`, soon(), old);
    const planned = await actor.plan(evict(prefix, first));
    expect(planned.plan).toMatchObject({ friction: 'type-name', undo: { code: 'none-slot' } });
    const outcome = await actor.apply(evict(prefix, first), planned);
    expect(outcome.after).toMatchObject({ limit: 4, recorded: 2 });
    expect([await held(prefix), await free(prefix)]).toEqual([2, 2]);
    expect((await actor.stale(evict(prefix, first), planned)).why?.code).toBe('done-before');
    expect(await free(prefix)).toBe(2);
    await actor.act(evict(prefix, old));
    const { plan } = await actor.plan(evict(prefix, second));
    expect(plan.warnings).toContainEqual({ code: 'redis-frees-itself', facts: { withinMs: null } });
    expect([await held(prefix), await free(prefix)]).toEqual([1, 3]);
  });

  test('clients hear what is free, and nothing while that is nothing: a message below one fails them', async () => {
    const { redis, actor, call } = rig();
    const prefix = fresh('heard');
    const [first = '', second = ''] = await permits(prefix, -1, [soon(), soon(), soon()]);
    const heard: string[] = [];
    const line = await redis.connect();
    line.onMessage((message) => {
      if (Array.isArray(message) && message[0] === 'message') heard.push(String(message[2]));
    });
    await line.call('SUBSCRIBE', `redisson_sc:{${prefix}}`);
    await actor.act(evict(prefix, first));
    await actor.act(evict(prefix, second));
    await expect.poll(() => heard).toEqual(['1']);
    await call('PUBLISH', `redisson_sc:{${prefix}}`, 'last');
    await expect.poll(() => heard).toEqual(['1', 'last']);
    line.close();
  });

  test('expired permits are swept, those alone that were seen and that still are', async () => {
    const { actor, call } = rig();
    const [prefix, other, idle] = [fresh('over'), fresh('over'), fresh('idle')];
    const past = Date.now() - 60_000;
    const [first = '', second = ''] = await permits(prefix, 0, [past, past, soon()]);
    await permits(other, 0, [past]);
    await permits(idle, 1, [soon()]);
    const planned = await actor.plan(prune(prefix));
    expect(planned.plan.summary).toEqual({ code: 'redis-sweep', facts: { semaphores: 1, permits: 2 } });
    await call('ZADD', `{${prefix}}:timeout`, soon(), Buffer.from(second, 'hex'));
    const late = randomBytes(16);
    await call('ZADD', `{${prefix}}:timeout`, past, late);
    const outcome = await actor.apply(prune(prefix), planned);
    expect(outcome.after).toMatchObject({ limit: 4 });
    expect([await held(prefix), await free(prefix)]).toEqual([3, 1]);
    expect(await call('ZSCORE', `{${prefix}}:timeout`, Buffer.from(first, 'hex'))).toBeNull();
    expect((await actor.stale(prune(prefix), planned)).why?.code).toBe('done-before');
    expect((await actor.refused(evict(prefix, late.toString('hex')))).why?.code).toBe('is-ghost');
    const batch = await actor.act(prune(prefix, other, idle));
    expect(batch.parts.map(({ detail }) => detail?.code)).toEqual(['pruned', 'pruned', 'had-no-ghost']);
    expect([await free(prefix), await free(other), await free(idle)]).toEqual([2, 1, 1]);
    expect((await actor.refused(prune(prefix))).why?.code).toBe('no-ghost');
  });

  test('the plan of a sweep is about what the page shows, and its dialog offers it', async () => {
    const { actor } = rig();
    const prefix = fresh('shown');
    const past = Date.now() - 60_000;
    await permits(prefix, 0, [past, past]);
    const { semaphore } = await readRow(actor.context, prefix);
    expect(semaphore?.holders.map(({ verdict }) => verdict)).toEqual(['ghost', 'ghost']);
    const action = prune(prefix);
    const shown = { action, lock: null, semaphore, session: null, held: null, label: '', name: prefix };
    const planned = await actor.plan(action);
    const answer = { ...planned, saw: sawIn(action, planned.expect) };
    expect(movedSince({ ...shown, limitTyped: '' }, answer)).toBeNull();
  });

  test('a batch whose time ends says what it swept, and refuses the rest', async () => {
    const { actor } = rig();
    const names = [fresh('timed'), fresh('timed'), fresh('timed')];
    for (const name of names) await permits(name, 0, [Date.now() - 60_000]);
    const action = prune(...names);
    const { expect: seen } = await actor.plan(action);
    const time = new AbortController();
    const { server } = actor.context;
    const run: typeof server.run = async (...asked) => {
      const answer = await server.run(...asked);
      time.abort();
      return answer;
    };
    const context = { ...actor.context, server: { ...server, run } };
    const givenUp = { done: false, problem: { code: 'unavailable', why: { code: 'given-up' } } };
    expect(await applyOn(context, action, seen, time.signal)).toMatchObject({
      done: false,
      freed: [{ prefix: names[0] }],
      parts: [{ done: true, detail: { code: 'pruned' } }, givenUp, givenUp],
    });
    expect(await Promise.all(names.map(held))).toEqual([0, 1, 1]);
  });

  test('a limit is set as long as it is what was seen, below what is held only with a warning', async () => {
    const { actor, call } = rig();
    const prefix = fresh('limit');
    await permits(prefix, 1, [soon(), soon()]);
    await call('PEXPIRE', prefix, 90_000);
    const [more, late] = [await actor.plan(resize(prefix, 5)), await actor.plan(resize(prefix, 6))];
    expect(more.plan.undo).toMatchObject({ code: 'set-limit-back', facts: { limit: 3 } });
    expect((await actor.apply(resize(prefix, 5), more)).after).toMatchObject({ limit: 5 });
    expect(await call('PTTL', prefix)).toBeGreaterThan(0);
    expect(await actor.stale(resize(prefix, 6), late)).toMatchObject({
      why: { code: 'changed-since' },
      difference: [{ code: 'limit-changed', facts: { before: '3', now: '5' } }],
    });
    expect((await actor.stale(resize(prefix, 5), more)).why?.code).toBe('done-before');
    const below = await actor.plan(resize(prefix, 1));
    expect(below.plan.warnings).toContainEqual({ code: 'redis-below-held', facts: { held: 2, limit: 1 } });
    expect((await actor.apply(resize(prefix, 1), below)).after).toMatchObject({ limit: 1 });
    expect([await held(prefix), await free(prefix)]).toEqual([2, -1]);
  });

  test('a limit that its clients set to zero is raised, and no undo is offered that no action takes', async () => {
    const { actor } = rig();
    const prefix = fresh('drained');
    await permits(prefix, -2, [soon(), soon()]);
    const planned = await actor.plan(resize(prefix, 3));
    expect(planned.plan.summary.facts).toMatchObject({ before: 0, limit: 3 });
    expect(planned.plan.undo).toEqual({ code: 'redis-none-permits', facts: {}, action: null });
    expect((await actor.apply(resize(prefix, 3), planned)).after).toMatchObject({ limit: 3 });
  });

  test('permits without names are returned by number, once, while as many are free as were seen', async () => {
    const { actor, call } = rig();
    const [prefix = '', unlimited = ''] = counters;
    await call('SET', prefix, 1, 'PX', 90_000);
    const planned = await actor.plan(returnPermits(prefix, 6));
    expect(planned.plan).toMatchObject({ friction: 'type-name', confirmName: prefix });
    expect(planned.plan.warnings.map(({ code }) => code)).toContain('redis-no-names');
    expect(planned.plan.warnings).toContainEqual({
      code: 'redis-beyond-limit',
      facts: { available: 7, limit: 5 },
    });
    await call('DECR', prefix);
    expect(await actor.stale(returnPermits(prefix, 6), planned)).toMatchObject({
      difference: [{ code: 'redis-available-changed', facts: { before: '1', now: '0' } }],
    });
    expect((await actor.act(returnPermits(prefix, 2))).after).toMatchObject({ available: 2, limit: 5 });
    expect(await call('PTTL', prefix)).toBeGreaterThan(0);
    expect(await free(prefix)).toBe(2);
    await call('SET', unlimited, 2);
    expect((await actor.refused(resize(unlimited, 4))).why?.code).toBe('redis-no-limit');
  });

  test('a configured limit changes the free permits, and says that the setting stays', async () => {
    const { actor, call } = rig();
    const prefix = 'counter:race';
    await call('SET', prefix, 2);
    const planned = await actor.plan(resize(prefix, 8));
    expect(planned.plan.warnings).toContainEqual({
      code: 'redis-setting-stays',
      facts: { prefix, limit: 8 },
    });
    await actor.apply(resize(prefix, 8), planned);
    expect(await free(prefix)).toBe(5);
  });

  test('a number or a set of another program is no semaphore', async () => {
    const { actor, call } = rig();
    const other = fresh('hits');
    await call('SET', other, 12);
    expect((await actor.refused(resize(other, 3))).why?.code).toBe('no-semaphore');
    expect((await actor.refused(returnPermits(other, 3))).why?.code).toBe('no-semaphore');
    const prefix = fresh('changed');
    const [id = ''] = await permits(prefix, 1, [soon()]);
    const planned = await actor.plan(evict(prefix, id));
    await call('DEL', prefix);
    expect(await actor.stale(evict(prefix, id), planned)).toMatchObject({
      difference: [{ code: 'redis-kind-changed' }],
    });
    expect(await call('EXISTS', prefix)).toBe(0);
    expect(await held(prefix)).toBe(1);
  });
});
