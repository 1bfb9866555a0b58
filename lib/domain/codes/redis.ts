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

export type RedisEvidence = 'redis-lease-runs';

export type RedisSummary = None;

export type RedisCondition = None;

export type RedisWarning = None;

export type RedisRefusal = None;

export type RedisFailure = None;

export type RedisDifference = None;

export const redisOutages = [] as const;
