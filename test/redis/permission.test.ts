/** Access rules of Redis, and a line that breaks after a script was sent. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { rightTo } from '@/lib/providers/redis/actions/actions';
import { startFaultProxy } from '@/test/support/fault-proxy';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { evict, release, resize, startActor } from './stage';

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

  test('whose answer is lost says what is seen afterwards, and is not sent again', async () => {
    const { redis, call } = rig();
    const proxy = await startFaultProxy(redis.address);
    ends.push(() => void proxy.close());
    const port = Number(proxy.address.split(':')[1]);
    const actor = await actorOf(null, port);
    const loseAnswer = () => {
      proxy.garble((piece) => {
        proxy.reset();
        proxy.resume();
        return piece;
      });
    };
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
