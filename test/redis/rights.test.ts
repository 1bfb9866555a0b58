/** The rules for reading alone that `docs/redis.md` gives are enough to watch, and let nothing be written. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { Lock } from '@/lib/domain/model';
import { createRedisBackend } from '@/lib/providers/redis/backend';
import { inProject } from '@/scripts/project.mjs';
import { watching } from '@/test/provider/watching';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { until } from '@/test/support/until';
import { release, settingsFor, startActor } from './stage';

const absent = await noRedis();
const redis = absent === null ? await startTestRedis() : null;
const call = (...words: (string | number)[]) => {
  if (redis === null) throw new Error('There is no Redis.');
  return redis.call(...words);
};

/** The user of the page: its patterns with what sees; the last line, which acts, is left out. */
const [, patterns = '', sees = ''] =
  /^user signalbox on >SECRET (.*)\n {2}(.*)$/m.exec(readFileSync(inProject('docs/redis.md'), 'utf8')) ?? [];
const see = `${patterns} ${sees}`;

const password = 'a-secret-of-this-test';
async function userWith(name: string, rules: string) {
  await call('ACL', 'SETUSER', name, 'reset', 'on', `>${password}`, ...rules.split(' '));
  return { user: name, password, prefixes: ['job:'] };
}

/** A fair lock, as Redisson stores it: held by the first, and another waits. */
async function fairLock(key: string, [holder, waiter]: readonly [string, string]) {
  await call('HSET', key, holder, 1);
  await call('PEXPIRE', key, 60_000);
  await call('RPUSH', `redisson_lock_queue:{${key}}`, waiter);
  await call('ZADD', `redisson_lock_timeout:{${key}}`, Date.now() + 300_000, waiter);
}
const ids = ['3f0c1c52-6d2a-4c8e-9a53-0f4f6a9e4e6f:41', '77777777-6d2a-4c8e-9a53-0f4f6a9e4e6f:7'] as const;

describe.skipIf(absent !== null)('the rights that the page on Redis names', () => {
  afterAll(async () => void (await call('FLUSHALL')));

  test('who may only see is told of changes at once, and refused before anything is written', async () => {
    await fairLock('job:see', ids);
    const credential = await userWith('sees', see);
    const settings = settingsFor([redis?.port ?? 0], credential);
    const provider = createRedisBackend({ settings, now: Date.now }).provider(null);
    const watch = watching(provider);
    await watch.says('live').catch((error) => {
      throw new Error(JSON.stringify(watch.sources.at(-1)), { cause: error });
    });
    const shows = (is: (lock: Lock) => boolean) =>
      until(() => watch.lock('job:see') !== undefined && is(watch.lock('job:see') as Lock), {
        what: 'the lock',
      });
    await shows(({ waiters, holder }) => waiters?.length === 1 && holder?.sessionId === ids[0]);
    await call('DEL', 'job:see');
    await shows(({ state }) => state === 'free');
    await watch.stop();
    provider.close();

    await fairLock('job:see', ids);
    const actor = await startActor([redis?.port ?? 0], credential);
    const before = await call('HGETALL', 'job:see');
    const refused = await actor
      .act(release('job:see'))
      .then(() => null)
      .catch((error: Error) => error.message);
    expect(refused).toContain('forbidden');
    expect(await call('HGETALL', 'job:see')).toEqual(before);
    actor.close();
  });
});
