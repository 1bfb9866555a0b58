/** Access rules of Redis, and a line that breaks after a script was sent. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { rightTo } from '@/lib/providers/redis/actions/actions';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { redisSource } from '@/lib/providers/redis/source';
import { readSources } from '@/lib/server/process/source-list';
import { watching } from '@/test/provider/watching';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { evict, prune, release, removeWaiter, resize, returnPermits, startActor, wake } from './stage';

const password = 'a-secret';
const lines = [
  // Each lacks one thing that some action does in the middle.
  `user silent on >${password} ~* +@all`,
  `user reader on >${password} ~* &* +@read +@connection +eval +type +time +pubsub`,
  `user narrow on >${password} ~pool:* ~{pool:* &* +@all`,
  `user blind on >${password} ~* &* +@all -pexpiretime`,
];
const absent = await noRedis();
const redis = absent === null ? await startTestRedis({ lines }) : null;
const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

function rig() {
  if (redis === null) throw new Error('There is no Redis.');
  return { redis, call: redis.call };
}

async function actorOf(user: string | null, port = rig().redis.port) {
  const actor = await startActor([port], user === null ? {} : { user, password });
  ends.push(() => actor.close());
  return actor;
}

/** An actor whose next answer can be lost: Redis does what was asked, and the line breaks. */
async function farActor() {
  const proxy = await startFaultProxy(rig().redis.address);
  ends.push(() => void proxy.close());
  const loseAnswer = () => {
    proxy.garble((piece) => {
      proxy.reset();
      proxy.resume();
      return piece;
    });
  };
  return { actor: await actorOf(null, Number(proxy.address.split(':')[1])), loseAnswer };
}

const fresh = (name: string) => `${name}:${randomUUID().slice(0, 8)}`;
const holder = `${randomUUID()}:1`;

async function hold(key: string) {
  const { call } = rig();
  await call('HSET', key, holder, 1);
  await call('PEXPIRE', key, 60_000);
}

describe.skipIf(absent !== null)('an action on Redis', () => {
  test('that access rules stop is refused by the command that they forbid, before anything is written', async () => {
    const { call } = rig();
    const key = fresh('pool');
    await hold(key);
    for (const [user, command] of [
      ['silent', 'publish'],
      ['reader', 'del'],
    ] as const) {
      const actor = await actorOf(user);
      const planned = await actor.plan(release(key));
      expect(await actor.stale(release(key), planned)).toMatchObject({
        code: 'forbidden',
        why: { code: 'redis-not-permitted', facts: { command } },
      });
      expect(await call('HGETALL', key)).toEqual([holder, '1']);
      expect(await rightTo(actor.context, release(key))).toEqual({
        right: 'no',
        needs: [{ code: 'redis-command', facts: { command } }],
      });
    }
    expect((await (await actorOf('blind')).refused(release(key))).why).toEqual({
      code: 'redis-not-permitted',
      facts: { command: 'pexpiretime' },
    });
    const narrow = await actorOf('narrow');
    expect((await rightTo(narrow.context, resize(key, 2))).right).toBe('yes');
    expect((await rightTo(narrow.context, release(fresh('other')))).right).toBe('no');
    const all = await actorOf(null);
    expect((await rightTo(all.context, release(key))).right).toBe('yes');
    expect(await call('HGETALL', key)).toEqual([holder, '1']);
  });

  test('that may not delete what stands beside a reader takes nothing from that reader', async () => {
    const server = await startTestRedis({
      lines: [`user half on >${password} %R~* ~pool:* ~redisson_* &* +@all`],
    });
    const key = 'pool:shared';
    const beside = `{${key}}:${holder}:rwlock_timeout:1`;
    await server.call('HSET', key, 'mode', 'read', holder, 1);
    await server.call('PEXPIRE', key, 60_000);
    await server.call('SET', beside, 1, 'PX', 60_000);
    const actor = await startActor([server.port], { user: 'half', password });
    try {
      const planned = await actor.plan(release(key));
      expect(await actor.stale(release(key), planned)).toMatchObject({ code: 'forbidden' });
      expect(await server.call('HGETALL', key)).toEqual(['mode', 'read', holder, '1']);
      expect(await server.call('EXISTS', beside)).toBe(1);
    } finally {
      actor.close();
    }
  });

  test('is permitted to the user that the documents name, and watching alone without its last line', async () => {
    const [, rule = ''] =
      /^```\n(user signalbox [^`]+)```/m.exec(readFileSync('docs/redis.md', 'utf8')) ?? [];
    const [head = '', looks = '', acts = ''] = rule.trim().split('\n');
    expect(head).toContain('>SECRET ');
    const docs = (name: string, ...more: string[]) =>
      [head.replace('user signalbox', `user ${name}`).replace('SECRET', password), ...more].join(' ');
    const server = await startTestRedis({ lines: [docs('acts', looks, acts), docs('looks', looks)] });
    const of = async (user: string) => {
      const actor = await startActor([server.port], {
        user,
        password,
        semaphores: [{ name: 'job:count', limit: 3 }],
        redlock: ['job:red'],
      });
      ends.push(() => actor.close());
      return actor;
    };
    const waiter = `${randomUUID()}:2`;
    const stock = async () => {
      await server.call('FLUSHALL');
      for (const key of ['job:a', 'job:{b}']) await server.call('HSET', key, holder, 1);
      await server.call('HSET', 'job:rw', 'mode', 'read', holder, 1, waiter, 1);
      for (const one of [holder, waiter])
        await server.call('SET', `{job:rw}:${one}:rwlock_timeout:1`, 1, 'PX', 60_000);
      await server.call('SET', 'job:red', 'ab'.repeat(16));
      for (const key of ['job:a', 'job:{b}', 'job:rw', 'job:red']) await server.call('PEXPIRE', key, 60_000);
      // Beside a name with braces of its own, Redisson adds none.
      for (const tagged of ['{job:a}', 'job:{b}']) {
        await server.call('RPUSH', `redisson_lock_queue:${tagged}`, waiter);
        await server.call('ZADD', `redisson_lock_timeout:${tagged}`, Date.now() + 60_000, waiter);
      }
      await server.call('SET', 'job:pool', 0);
      await server.call('ZADD', '{job:pool}:timeout', Date.now() + 60_000, Buffer.alloc(16, 1));
      await server.call('ZADD', '{job:pool}:timeout', Date.now() - 60_000, Buffer.alloc(16, 2));
      // Without any permit it is a number like others.
      await server.call('ZADD', '{job:pool}:timeout', Date.now() + 60_000, Buffer.alloc(16, 3));
      await server.call('SET', 'job:count', 1);
    };
    const all = [
      removeWaiter('job:a', waiter),
      removeWaiter('job:{b}', waiter),
      release('job:{b}'),
      release('job:a'),
      wake('job:a'),
      release('job:rw', holder),
      release('job:rw'),
      release('job:red'),
      evict('job:pool', '01'.repeat(16)),
      prune('job:pool'),
      resize('job:pool', 4),
      returnPermits('job:count', 1),
      resize('job:count', 5),
    ];
    await stock();
    const ear = await server.connect();
    await ear.call('SUBSCRIBE', 'redisson_lock__channel:{job:a}');
    const acting = await of('acts');
    for (const action of all) {
      expect(await rightTo(acting.context, action)).toEqual({ right: 'yes', needs: [] });
      expect(await acting.act(action)).toMatchObject({ done: true });
    }
    ear.close();
    await stock();
    const looking = await of('looks');
    for (const action of all) expect((await rightTo(looking.context, action)).right).toBe('no');
    for (const [user, state] of [
      ['acts', 'live'],
      ['looks', 'live'],
    ] as const) {
      const address = `redis://${server.address}?prefixes=job:&user=${user}&password-env=P`;
      const [source] = readSources({ SIGNALBOX_SOURCES: address, P: password });
      if (source === undefined) throw new Error('no source');
      const provider = createRedisBackend({ settings: redisSource(source), now: Date.now }).provider(null);
      const watch = watching(provider);
      await watch.says(state);
      await watch.stop();
      provider.close();
    }
  });

  test('whose answer is lost says what is seen afterwards, and is not sent again', async () => {
    const { call } = rig();
    const { actor, loseAnswer } = await farActor();
    const key = fresh('lost');
    await hold(key);
    const planned = await actor.plan(release(key));
    loseAnswer();
    const outcome = await actor.apply(release(key), planned);
    expect(outcome.warnings.map(({ code }) => code)).toEqual(['answer-lost']);
    expect(outcome.freed).toMatchObject([{ key }]);
    expect(await call('EXISTS', key)).toBe(0);
    expect((await actor.stale(release(key), planned)).why?.code).toBe('done-before');

    const prefix = fresh('lost-pool');
    await call('SET', prefix, 0);
    await call('ZADD', `{${prefix}}:timeout`, Date.now() + 60_000, Buffer.alloc(16, 7));
    const id = Buffer.alloc(16, 7).toString('hex');
    const eviction = await actor.plan(evict(prefix, id));
    loseAnswer();
    expect((await actor.apply(evict(prefix, id), eviction)).after).toMatchObject({ limit: 1, recorded: 0 });
    expect(await call('GET', prefix)).toBe('1');
  });

  test('that removes a reader, with its answer lost, claims a free lock only when the last reader is gone', async () => {
    const { call } = rig();
    const { actor, loseAnswer } = await farActor();
    const key = fresh('lost-reader');
    const readers = [1, 2].map((thread) => `${randomUUID()}:${thread}`);
    for (const one of readers) {
      await call('HSET', key, 'mode', 'read', one, 1);
      await call('SET', `{${key}}:${one}:rwlock_timeout:1`, 1, 'PX', 60_000);
    }
    await call('PEXPIRE', key, 60_000);
    const freed: number[] = [];
    for (const one of readers) {
      const planned = await actor.plan(release(key, one));
      loseAnswer();
      const outcome = await actor.apply(release(key, one), planned);
      expect(outcome.warnings.map(({ code }) => code)).toEqual(['answer-lost']);
      freed.push(outcome.freed.length);
    }
    expect(freed).toEqual([0, 1]);
  });

  test('in a batch says that an answer was lost, and claims no number for that part', async () => {
    const { call } = rig();
    const { actor, loseAnswer } = await farActor();
    const names = [fresh('lost-batch'), fresh('lost-batch')];
    for (const name of names) {
      await call('SET', name, 0);
      await call('ZADD', `{${name}}:timeout`, Date.now() - 60_000, Buffer.alloc(16, 9));
    }
    const planned = await actor.plan(prune(...names));
    loseAnswer();
    expect(await actor.apply(prune(...names), planned)).toMatchObject({
      done: true,
      freed: names.map((prefix) => ({ prefix })),
      warnings: [{ code: 'answer-lost' }],
      parts: [
        { done: true, problem: null, detail: null },
        { done: true, detail: { code: 'pruned', facts: { ghosts: 1 } } },
      ],
    });
    expect(await Promise.all(names.map((name) => call('GET', name)))).toEqual(['1', '1']);
  });

  test('that never reached the server is unknown, or not done, and never claimed', async () => {
    const { redis, call } = rig();
    const proxy = await startFaultProxy(redis.address);
    ends.push(() => void proxy.close());
    const actor = await actorOf(null, Number(proxy.address.split(':')[1]));
    const key = fresh('never');
    await hold(key);
    const planned = await actor.plan(release(key));
    proxy.stall();
    const refused = actor.stale(release(key), planned);
    setTimeout(() => {
      proxy.reset();
      proxy.resume();
    }, 300);
    expect(await refused).toMatchObject({ code: 'unknown-result', why: { code: 'write-not-seen' } });
    expect(await call('HGETALL', key)).toEqual([holder, '1']);
  });
});
