/** Real Redisson clients in processes of their own. */
import { findJava } from '@/scripts/java.mjs';
import { whyAbsent } from './absence';
import { startTestProgram, type TestProgram, unheard } from './driven';
import type { RedisCluster, RedisSentinels, RedisServer } from './redis';

/** Why there is no Redisson here, `null` where there is; as `whyAbsent` has it. */
export const noRedisson = () =>
  whyAbsent((options) => findJava('redisson', options), 'SKIPPED: every test on Redisson in this file.');

export type RedissonLock =
  | {
      readonly kind:
        | 'lock'
        | 'fair'
        | 'fenced'
        | 'spin'
        | 'non-reentrant'
        | 'non-reentrant-fair'
        | 'read'
        | 'write';
      readonly name: string;
    }
  /** Several plain locks at once. */
  | { readonly kind: 'multi'; readonly names: readonly string[] }
  /** FasterMultiLock: the values `names` under one key. */
  | { readonly kind: 'faster-multi'; readonly name: string; readonly names: readonly string[] };

export interface RedissonHeld {
  /** `isHeldByCurrentThread()`. */
  readonly held: boolean;
  /** As Redis has it: `<client>:<thread>`. */
  readonly party: string;
  /** `isLocked()`, `getHoldCount()`, `remainTimeToLive()`; `null` of several at once. */
  readonly locked: boolean | null;
  readonly count: number | null;
  readonly ttlMs: number | null;
}

/** `leaseMs`: fixed, instead of the watchdog's. `waitMs`: give up after this, instead of never. */
export interface RedissonTake {
  readonly leaseMs?: number;
  readonly waitMs?: number;
}

/** One thread of a client: it does one thing after the other, and locks belong to it. */
export interface RedissonThread {
  readonly name: string;
  /** `uuid:threadId`. */
  party(): Promise<string>;
  /** True once it holds; a fenced lock's token as text; false where it gave up. */
  acquire(lock: RedissonLock & RedissonTake): Promise<boolean | string>;
  /** `unlock()`; what it throws is a `JavaThrown`. */
  release(lock: RedissonLock): Promise<void>;
  held(lock: RedissonLock): Promise<RedissonHeld>;
  /** `forceUnlock()`. */
  force(lock: RedissonLock): Promise<boolean>;
  interrupt(): Promise<void>;
  readonly semaphore: (name: string) => {
    /** `trySetPermits`. */
    set(permits: number): Promise<boolean>;
    add(permits: number): Promise<void>;
    acquire(options?: { permits?: number; waitMs?: number }): Promise<boolean>;
    release(permits?: number): Promise<void>;
    drain(): Promise<number>;
    available(): Promise<number>;
  };
  readonly permits: (name: string) => {
    set(permits: number): Promise<void>;
    add(permits: number): Promise<void>;
    /** The ids in hexadecimal, one for each permit; none where it gave up. */
    acquire(options?: { permits?: number } & RedissonTake): Promise<readonly string[]>;
    release(...ids: readonly string[]): Promise<void>;
    tryRelease(id: string): Promise<boolean>;
    /** `updateLeaseTime`. */
    lease(id: string, leaseMs: number): Promise<boolean>;
    available(): Promise<number>;
  };
  readonly latch: (name: string) => {
    set(count: number): Promise<boolean>;
    await(options?: { waitMs?: number }): Promise<boolean>;
    countDown(): Promise<void>;
    count(): Promise<number>;
  };
}

export interface TestRedisson extends Omit<TestProgram, 'ask' | 'interrupt'> {
  thread(name: string): RedissonThread;
  /** `shutdown()`; the process runs on until it is killed. */
  close(): Promise<void>;
}

const modeOf = (redis: RedisServer | RedisSentinels | RedisCluster) => {
  if ('sentinels' in redis)
    return {
      mode: 'sentinel',
      master: redis.master,
      addresses: redis.sentinels.map(({ address }) => `redis://${address}`),
    };
  if ('servers' in redis)
    return { mode: 'cluster', addresses: redis.servers.map(({ address }) => `redis://${address}`) };
  return { mode: 'single', addresses: [`redis://${redis.address}`] };
};

/**
 * Starts a client (0.5 to 10 s). `watchdogMs`: the lease of locks without one, renewed every third of it (30 s by default).
 */
export async function startRedisson(
  redis: RedisServer | RedisSentinels | RedisCluster,
  options: { watchdogMs?: number; username?: string; password?: string } = {},
): Promise<TestRedisson> {
  const { ask, interrupt, ...program } = await startTestProgram('redisson', { ...modeOf(redis), ...options });
  const thread = (name: string): RedissonThread => {
    const call = (command: Record<string, unknown>) => ask(name, command);
    const yes = async (command: Record<string, unknown>) => (await call(command)) === true;
    const done = async (command: Record<string, unknown>) => void (await call(command));
    const number = async (command: Record<string, unknown>) => Number(await call(command));
    return unheard({
      name,
      party: async () => String(await call({ op: 'party' })),
      acquire: async (lock) => {
        const got = await call({ op: 'acquire', ...lock });
        return typeof got === 'number' ? String(got) : got === true;
      },
      release: (lock) => done({ op: 'release', ...lock }),
      held: async (lock) => (await call({ op: 'held', ...lock })) as RedissonHeld,
      force: (lock) => yes({ op: 'force', ...lock }),
      interrupt: () => interrupt(name),
      semaphore: (semaphore) => {
        const of = { kind: 'semaphore', name: semaphore };
        return unheard({
          set: (permits) => yes({ op: 'set', ...of, permits }),
          add: (permits) => done({ op: 'add', ...of, permits }),
          acquire: (more) => yes({ op: 'acquire', ...of, ...more }),
          release: (permits = 1) => done({ op: 'release', ...of, permits }),
          drain: () => number({ op: 'drain', ...of }),
          available: () => number({ op: 'available', ...of }),
        });
      },
      permits: (semaphore) => {
        const of = { kind: 'permits', name: semaphore };
        return unheard({
          set: (permits) => done({ op: 'set', ...of, permits }),
          add: (permits) => done({ op: 'add', ...of, permits }),
          acquire: async (more) => ((await call({ op: 'acquire', ...of, ...more })) ?? []) as string[],
          release: (...ids) => done({ op: 'release', ...of, ids }),
          tryRelease: (id) => yes({ op: 'try-release', ...of, ids: [id] }),
          lease: (id, leaseMs) => yes({ op: 'lease', ...of, ids: [id], leaseMs }),
          available: () => number({ op: 'available', ...of }),
        });
      },
      latch: (latch) => {
        const of = { kind: 'latch', name: latch };
        return unheard({
          set: (permits) => yes({ op: 'set', ...of, permits }),
          await: (more) => yes({ op: 'acquire', ...of, ...more }),
          countDown: () => done({ op: 'release', ...of }),
          count: () => number({ op: 'available', ...of }),
        });
      },
    });
  };
  return { ...program, thread, close: async () => void (await ask('close', { op: 'close' })) };
}
