/**
 * What Redis's provider says beyond the words that every backend shares: codes with their facts. Each has its sentences in
 * `lib/i18n/{en,zh}/providers/redis.ts`; without them the languages do not compile.
 */
type None = Readonly<Record<never, never>>;

export type RedisLockLayout =
  | 'redisson-lock'
  | 'redisson-fenced'
  | 'redisson-fair'
  | 'redisson-read-write'
  | 'redisson-faster-multi'
  | 'redlock';
export type RedisSemaphoreLayout = 'redisson-semaphore' | 'redisson-permits' | 'redisson-latch';

/** `atMs` of a lease: when it ends unless renewed, by Redis's own clock. */
export type RedisEvidence =
  | 'redis-lease-runs'
  /** Its end was seen to move on at least twice without a new hold: a watchdog does so. `detail`: the lease. */
  | 'redis-lease-renewed'
  /** As above, and then not for longer than its rhythm. `atMs`: the last time. */
  | 'redis-renewal-overdue'
  /** Seen from its beginning past the moment when a watchdog would have renewed it. */
  | 'redis-lease-fixed'
  | 'redis-no-lease'
  /** A permit whose time is over, and that no client has swept. `atMs`: its end. */
  | 'redis-permit-over'
  /** `detail`: the id of a Redisson instance, which leads to no address. */
  | 'redis-client'
  | 'redis-thread'
  /** Waits, and is subscribed to its channel. */
  | 'redis-subscribed'
  /** Waits in the queue, and nobody was subscribed to its channel in two looks. `atMs`: the first. */
  | 'redis-not-subscribed'
  | 'redis-not-asked';

export type RedisSummary = None;

export type RedisCondition = None;

export type RedisWarning = None;

export type RedisRefusal = None;

export type RedisFailure = {
  /** The name or password is wrong, or one is wanted. */
  'redis-sign-in-refused': None;
  'redis-not-permitted': { readonly command: string };
  'redis-loading': None;
  /** Busy with somebody's script. */
  'redis-busy': None;
  'redis-cluster-down': None;
  /** Slots are moving to another server, or the servers have changed their parts. */
  'redis-moved': None;
  /** No sentinel answers, or none knows a master by this name. */
  'redis-no-master': { readonly name: string };
  /** What answers is a replica. */
  'redis-replica': None;
  /** Older than 6.0: it does not speak RESP3. */
  'redis-too-old': None;
  /** `reason`: the first word of its answer. */
  'redis-refused': { readonly command: string; readonly reason: string };
};

export type RedisDifference = None;

export const redisOutages = [
  'redis-sign-in',
  'redis-permission',
  'redis-starting',
  'redis-script',
  'redis-cluster',
  'redis-failover',
  'redis-version',
] as const;
