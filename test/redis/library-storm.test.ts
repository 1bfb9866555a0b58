/** The storm among real Redisson clients: what is lost was evicted, nothing is left, and the clients work on. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import { applyOn, planOn, sawIn } from '@/lib/providers/redis/actions/actions';
import { readRow as readPermitsRow } from '@/lib/providers/redis/actions/permits';
import { readRow } from '@/lib/providers/redis/actions/release';
import { JavaThrown } from '@/test/support/driven';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { noRedisson, type RedissonLock, type RedissonThread, startRedisson } from '@/test/support/redisson';
import { evict, release, startActor, wake } from './stage';

const stormMs = Number(process.env.SIGNALBOX_STORM_MS ?? 6_000);
const absent = (await noRedis()) ?? (await noRedisson());
const redis = absent === null ? await startTestRedis() : null;
const watchdogMs = 6_000;
const clients =
  redis === null
    ? []
    : await Promise.all([startRedisson(redis, { watchdogMs }), startRedisson(redis, { watchdogMs })]);
const actor = redis === null ? null : await startActor([redis.port]);
afterAll(() => actor?.close());

type Named = RedissonLock & { readonly name: string };
const locks: readonly Named[] = [
  { kind: 'lock', name: 'l:plain' },
  { kind: 'fenced', name: 'l:fenced' },
  { kind: 'fair', name: 'l:fair' },
  { kind: 'read', name: 'l:rw' },
  { kind: 'write', name: 'l:rw' },
];
const pool = 'l:pool';
const limit = 2;
const least = 15;

const any = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];
const short = (maxMs: number) => pause(Math.random() * maxMs);

describe.skipIf(absent !== null)('a storm of actions among real Redisson clients', () => {
  test(
    'each loss is an eviction, each eviction a loss, nothing is left, and all of them go on',
    async () => {
      if (redis === null || actor === null) throw new Error('There is no rig.');
      const [evicted, lost] = [[] as string[], [] as string[]];
      /** A fair lock's unlock says nothing while nobody holds it. */
      let silent = 0;
      let taken = 0;
      const endMs = performance.now() + stormMs;
      const storms = () =>
        performance.now() < endMs || (evicted.length < least && performance.now() < endMs + 60_000);

      const once = async (thread: RedissonThread, party: string) => {
        const lock = any(locks);
        if (lock === undefined || Math.random() < 0.3) {
          const permits = thread.permits(pool);
          const [id] = await permits.acquire({ waitMs: 500, leaseMs: 600_000 });
          if (id === undefined) return;
          taken += 1;
          await short(60);
          if (!(await permits.tryRelease(id))) lost.push(`${pool} ${id}`);
          return;
        }
        if ((await thread.acquire({ ...lock, waitMs: 1_000 })) === false) return;
        taken += 1;
        await short(60);
        try {
          await thread.release(lock);
          if (lock.kind === 'fair') silent += 1;
        } catch (error) {
          if (!(error instanceof JavaThrown)) throw error;
          expect(error.thrown).toContain('IllegalMonitorState');
          lost.push(`${lock.name} ${party}${lock.kind === 'write' ? ':write' : ''}`);
        }
      };
      const works = async (thread: RedissonThread) => {
        const party = await thread.party();
        while (storms()) await once(thread, party);
      };
      const operates = async () => {
        const signal = AbortSignal.timeout(stormMs + 100_000);
        while (storms()) {
          const key = any(locks)?.name ?? '';
          const { lock } = await readRow(actor.context, key);
          const holder = any([lock?.holder, ...(lock?.readers ?? [])].flatMap((one) => one ?? []));
          const { semaphore } = await readPermitsRow(actor.context, pool);
          const permit = any(semaphore?.holders ?? []);
          const action =
            permit !== undefined && Math.random() < 0.4
              ? evict(pool, permit.sessionId)
              : holder !== undefined
                ? release(key, holder.sessionId)
                : wake(key);
          const planned = await planOn(actor.context, action, signal);
          if (!isProblem(planned)) {
            await short(10);
            const outcome = await applyOn(actor.context, action, planned.expect, signal);
            const name = 'key' in action ? action.key : pool;
            if (!isProblem(outcome))
              for (const id of sawIn(action, planned.expect).sessions) evicted.push(`${name} ${id}`);
          }
          await short(40);
        }
      };
      await clients[0]?.thread('sets').permits(pool).set(limit);
      const threads = clients.flatMap((client) => ['a', 'b', 'c'].map((name) => client.thread(name)));
      await Promise.all([...threads.map(works), operates(), operates()]);
      console.log(`taken ${taken}, evicted ${evicted.length}, lost ${lost.length}`);

      const isFair = (hold: string) => hold.startsWith('l:fair ');
      const sure = (holds: readonly string[]) => holds.filter((one) => !isFair(one)).sort();
      expect(evicted.length).toBeGreaterThanOrEqual(least);
      expect(sure(lost)).toEqual(sure(evicted));
      const fairs = evicted.filter(isFair);
      for (const one of lost.filter(isFair)) expect(fairs).toContain(one);
      expect(fairs.length - lost.filter(isFair).length).toBeLessThanOrEqual(silent);
      // Latches of calls that may be repeated go by themselves.
      const left: string[] = (await redis.call('KEYS', '*l:*')).filter(
        (key: string) => !key.startsWith('redisson_unlock_latch:'),
      );
      expect(left.sort()).toEqual([pool, 'redisson_lock_token:{l:fenced}']);
      expect(await redis.call('GET', pool)).toBe(String(limit));
      for (const lock of locks)
        for (const thread of threads) {
          expect(await thread.acquire({ ...lock, waitMs: 10_000 })).toBeTruthy();
          await thread.release(lock);
        }
    },
    stormMs + 180_000,
  );
});
