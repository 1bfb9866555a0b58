/** English: what Redis says in its own words. */
import type {
  RedisCondition,
  RedisDifference,
  RedisEvidence,
  RedisFailure,
  RedisLockLayout,
  RedisRefusal,
  RedisSemaphoreLayout,
  RedisSummary,
  RedisWarning,
  redisOutages,
} from '@/lib/domain/codes/redis';
import type { Sayings } from '@/lib/domain/message';

const removedLock =
  'The old holder is not told: it works on, and unlock() throws there. isHeldByCurrentThread() asks Redis and is false at once.';
const removedFair =
  'The old holder is not told, not even at unlock(), which returns normally. isHeldByCurrentThread() is false at once.';
const polls = 'The old holder is not told. Its next extension fails.';
const unnamed = 'Redis does not store who took a permit, so nobody can be told.';
const removedPermit = 'The old holder is not told: it works on, and release() throws there.';

/** Every part is complete, or does not compile. */
export const redis = {
  evidenceSources: { redis: 'Redis' },
  evidence: {
    'redis-lease-runs': (_: string | null, at: string | null = null) =>
      at === null ? 'Its lease runs.' : `Its lease runs until ${at}.`,
  } satisfies Record<RedisEvidence, unknown>,
  layouts: {
    'redisson-lock': { name: 'Redisson lock', caution: null, notices: removedLock },
    'redisson-fenced': { name: 'Redisson fenced lock', caution: null, notices: removedLock },
    'redisson-fair': { name: 'Redisson fair lock', caution: null, notices: removedFair },
    'redisson-read-write': { name: 'Redisson read-write lock', caution: null, notices: removedLock },
    'redisson-faster-multi': { name: 'Redisson FasterMultiLock', caution: null, notices: removedLock },
    redlock: { name: 'Redlock', caution: null, notices: polls },
    'redisson-semaphore': { name: 'Redisson semaphore', caution: null, notices: unnamed },
    'redisson-permits': { name: 'Redisson expirable permits', caution: null, notices: removedPermit },
    'redisson-latch': { name: 'Redisson count-down latch', caution: null, notices: unnamed },
  } satisfies Record<RedisLockLayout | RedisSemaphoreLayout, unknown>,
  summaries: {} satisfies Sayings<RedisSummary>,
  conditions: {} satisfies Sayings<RedisCondition>,
  warnings: {} satisfies Sayings<RedisWarning>,
  why: {} satisfies Sayings<RedisRefusal & RedisFailure>,
  differences: {} satisfies Sayings<RedisDifference>,
  outages: {} satisfies Record<(typeof redisOutages)[number], unknown>,
};
