/**
 * Clients take and release while actions run at random: each hold that is lost was evicted, and each that was evicted is lost, one
 * for one. Nothing is left in Redis afterwards. `SIGNALBOX_STORM_MS` makes it as long as one likes.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { isProblem } from '@/lib/domain/problem';
import { applyOn, planOn, sawIn } from '@/lib/providers/redis/actions/actions';
import { readRow as readLockRow } from '@/lib/providers/redis/actions/release';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { type RawLock, rawClient } from './raw-redisson';
import {
  type Actor,
  evict,
  prune,
  release,
  removeWaiter,
  resize,
  returnPermits,
  startActor,
  wake,
} from './stage';

const stormMs = Number(process.env.SIGNALBOX_STORM_MS ?? 6_000);
const absent = await noRedis();
const redis = absent === null ? await startTestRedis() : null;
const counter = 's:counter';
const counterLimit = 6;
const actors =
  redis === null
    ? []
    : await Promise.all(
        Array.from({ length: 3 }, () =>
          startActor([redis.port], { semaphores: [{ name: counter, limit: counterLimit }] }),
        ),
      );
afterAll(() => {
  for (const actor of actors) actor.close();
});

const leaseMs = 600_000;
/** So many evictions at least, however slow the machine is. */
const least = 25;
/** Runs for its time, and on until enough was struck; never for much longer. */
function stormOf(isEnough: () => boolean): () => boolean {
  const endMs = performance.now() + stormMs;
  return () => performance.now() < endMs || (!isEnough() && performance.now() < endMs + 60_000);
}
const any = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];
const short = (maxMs: number) => pause(Math.random() * maxMs);

/** How often each hold was evicted, and how often it was found lost. */
class Ledger {
  private readonly rows = new Map<string, number>();
  count = 0;
  add(hold: string): void {
    this.rows.set(hold, (this.rows.get(hold) ?? 0) + 1);
    this.count += 1;
  }
  get sorted(): readonly (readonly [string, number])[] {
    return [...this.rows].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

/** Plans, waits for a moment, applies. True: it was done. */
async function strike({ context }: Actor, action: Action): Promise<readonly string[] | null> {
  const signal = AbortSignal.timeout(20_000);
  const planned = await planOn(context, action, signal);
  if (isProblem(planned)) return null;
  await short(12);
  const outcome = await applyOn(context, action, planned.expect, signal);
  if (isProblem(outcome)) {
    expect(['stale', 'not-held', 'not-found']).toContain(outcome.code);
    return null;
  }
  return sawIn(action, planned.expect).sessions;
}

describe.skipIf(absent !== null)('a storm of actions', () => {
  test(
    'no lock is lost that was not evicted, none is evicted that is not lost, and nothing is left',
    async () => {
      if (redis === null) throw new Error('There is no Redis.');
      const names: readonly (readonly [string, RawLock])[] = [
        ['s:plain', 'lock'],
        ['s:fenced', 'fenced'],
        ['s:fair', 'fair'],
        ['s:rw', 'read'],
      ];
      const [evicted, lost] = [new Ledger(), new Ledger()];
      let taken = 0;
      const storms = stormOf(() => evicted.count >= least);

      const client = async () => {
        const { party, lock, unlock, leave } = rawClient(redis.call);
        for (let thread = 1; storms(); thread = (thread % 3) + 1) {
          const [name, first] = any(names) ?? ['s:plain', 'lock'];
          const kind = first === 'read' && Math.random() < 0.4 ? 'write' : first;
          const id = party(thread);
          let got = await lock(kind, name, id, leaseMs);
          for (let tries = 0; !got && tries < 20; tries++) {
            await short(10);
            got = await lock(kind, name, id, leaseMs);
          }
          if (!got) {
            if (kind === 'fair') await leave(name, id);
            continue;
          }
          taken += 1;
          await short(60);
          if (!(await unlock(kind, name, id))) lost.add(`${name} ${id}${kind === 'write' ? ':write' : ''}`);
        }
      };
      const operator = async (actor: Actor) => {
        while (storms()) {
          const [name = ''] = any(names) ?? [];
          const { lock } = await readLockRow(actor.context, name);
          const holder = any([lock?.holder, ...(lock?.readers ?? [])].flatMap((one) => one ?? []));
          const waiter = any(lock?.waiters ?? []);
          if (Math.random() < 0.2) await strike(actor, wake(name));
          else if (waiter !== undefined && Math.random() < 0.3)
            await strike(actor, removeWaiter(name, waiter.sessionId));
          else if (holder !== undefined) {
            const sessions = await strike(actor, release(name, holder.sessionId));
            for (const id of sessions ?? []) evicted.add(`${name} ${id}`);
          }
          await short(10);
        }
      };
      await Promise.all([...Array.from({ length: 8 }, client), ...actors.map(operator)]);
      console.log(`locks: taken ${taken}, evicted ${evicted.count}`);
      expect(evicted.count).toBeGreaterThanOrEqual(least);
      expect(lost.sorted).toEqual(evicted.sorted);
      expect(await redis.call('KEYS', '*s:*')).toEqual(['redisson_lock_token:{s:fenced}']);
    },
    stormMs + 120_000,
  );

  test(
    'no permit is lost that was not evicted, none appears, and the limit is what was set last',
    async () => {
      if (redis === null) throw new Error('There is no Redis.');
      const [name, grave] = ['s:pool', 's:grave'];
      await redis.call('SET', name, 5);
      await redis.call('SET', grave, 10);
      await redis.call('SET', counter, counterLimit);
      const [evicted, lost] = [new Ledger(), new Ledger()];
      const limits: number[] = [];
      let [swept, dead, taken, dropped] = [0, 0, 0, 0];
      const storms = stormOf(() => evicted.count >= least && swept > 0);

      const client = async () => {
        const { acquire, release: give } = rawClient(redis.call);
        while (storms()) {
          // Some die, by a clock that is slow: their permits are over at once.
          const dies = Math.random() < 0.2;
          const ids = await acquire(
            name,
            1 + Math.floor(Math.random() * 2),
            Date.now() + (dies ? -2_000 : leaseMs),
          );
          if (ids === null) {
            await short(10);
            continue;
          }
          taken += ids.length;
          if (dies) {
            dead += ids.length;
            continue;
          }
          await short(40);
          for (const id of ids) if (!(await give(name, id))) lost.add(id);
        }
      };
      /** Permits of the dead lie here for a while, and clients sweep them, too. */
      const dying = async () => {
        const { acquire } = rawClient(redis.call);
        while (storms()) {
          await acquire(grave, 1, Date.now() - 2_000);
          await short(200);
        }
      };
      const counting = async () => {
        const { take, give } = rawClient(redis.call);
        while (storms()) {
          if (!(await take(counter, 1))) {
            await short(10);
            continue;
          }
          await short(10);
          // A process that is gone keeps its permit: operators give those back.
          if (Math.random() < 0.1) dropped += 1;
          else await give(counter, 1);
        }
      };
      let returned = 0;
      const evictOne = async (actor: Actor) => {
        const found = await redis.call('ZRANGEBYSCORE', `{${name}}:timeout`, Date.now() + 1_000, '+inf');
        const id = any((found as string[]).map((bytes) => Buffer.from(bytes, 'latin1').toString('hex')));
        if (id !== undefined && (await strike(actor, evict(name, id))) !== null) evicted.add(id);
      };
      const operator = async (actor: Actor) => {
        while (storms()) {
          const chance = Math.random();
          if (chance < 0.2) {
            if ((await strike(actor, any([prune(grave), prune(name, grave)]) ?? prune(name))) !== null)
              swept += 1;
          } else if (chance < 0.4) {
            const to = 2 + Math.floor(Math.random() * 6);
            if ((await strike(actor, resize(name, to))) !== null) limits.push(to);
          } else if (chance < 0.5) {
            if (returned < dropped && (await strike(actor, returnPermits(counter, 1))) !== null)
              returned += 1;
          } else {
            await evictOne(actor);
          }
          await short(10);
        }
      };
      const [first, ...others] = actors;
      if (first === undefined) throw new Error('No actor.');
      // One sets limits alone, so that the last one is known.
      await Promise.all([
        ...Array.from({ length: 6 }, client),
        ...Array.from({ length: 4 }, counting),
        dying(),
        operator(first),
        ...others.map(async (actor) => {
          while (storms()) {
            await evictOne(actor);
            await short(10);
          }
        }),
      ]);
      console.log(
        `permits: taken ${taken}, evicted ${evicted.count}, dead ${dead}, sweeps ${swept}, limits ${limits.length}, returned ${returned} of ${dropped}`,
      );
      expect(evicted.count).toBeGreaterThanOrEqual(least);
      expect(lost.sorted).toEqual(evicted.sorted);
      if ((await redis.call('ZCARD', `{${name}}:timeout`)) > 0) await first.act(prune(name));
      expect(await redis.call('ZCARD', `{${name}}:timeout`)).toBe(0);
      const lain = await redis.call('ZCARD', `{${grave}}:timeout`);
      expect(Number(await redis.call('GET', grave)) + lain).toBe(10);
      expect(Number(await redis.call('GET', name))).toBe(limits.at(-1) ?? 5);
      expect(Number(await redis.call('GET', counter))).toBe(counterLimit - dropped + returned);
    },
    stormMs + 120_000,
  );
});
