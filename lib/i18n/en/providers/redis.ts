/** English: what Redis says in its own words. */
import type {
  RedisFailure,
  RedisLockLayout,
  RedisRefusal,
  RedisSemaphoreLayout,
  redisOutages,
} from '@/lib/domain/codes/redis';
import type { Sayings } from '@/lib/domain/message';
import { formatCount } from '@/lib/i18n/format/format';

const removedLock =
  'The old holder is not told: it works on, and unlock() throws there. isHeldByCurrentThread() asks Redis and is false at once.';
const removedFair =
  'The old holder is not told. unlock() throws if another client holds the lock by then, and returns normally if none does. isHeldByCurrentThread() asks Redis and is false at once.';
/** A fair lock shows as one only once it has been seen with a queue. */
const removedPlain = `${removedLock} If it is a fair lock, which looks the same without a queue, unlock() returns normally while no other client holds it.`;
const polls =
  'The old holder is not told. Its extensions fail only once a majority of its servers has lost the lock.';
const unnamed = 'Redis does not store who took a permit, so nobody can be told.';
const removedPermit = 'The old holder is not told: it works on, and release() throws there.';

const others = 'Programs hold and wait as before, as far as they reach Redis themselves.';

/** Every part is complete, or does not compile. */
export const redis = {
  layouts: {
    'redisson-lock': { name: 'Redisson lock', caution: null, notices: removedPlain },
    'redisson-fenced': { name: 'Redisson fenced lock', caution: null, notices: removedLock },
    'redisson-fair': { name: 'Redisson fair lock', caution: null, notices: removedFair },
    'redisson-read-write': { name: 'Redisson read-write lock', caution: null, notices: removedLock },
    'redisson-faster-multi': { name: 'Redisson FasterMultiLock', caution: null, notices: removedLock },
    redlock: { name: 'Redlock', caution: null, notices: polls },
    'redisson-semaphore': { name: 'Redisson semaphore', caution: null, notices: unnamed },
    'redisson-permits': { name: 'Redisson expirable permits', caution: null, notices: removedPermit },
    'redisson-latch': { name: 'Redisson count-down latch', caution: null, notices: unnamed },
  } satisfies Record<RedisLockLayout | RedisSemaphoreLayout, unknown>,
  why: {
    'redis-key-not-permitted': () => 'Redis does not permit Signalbox some key that it is to read or write.',
    'redis-sign-in-refused': () => 'Redis refuses the name or password of Signalbox.',
    'redis-not-permitted': ({ command }) => `Redis does not permit ${command} to Signalbox.`,
    'redis-loading': () => 'Redis is loading its data.',
    'redis-busy': () => 'Redis is busy with a script of some client.',
    'redis-cluster-down': () => 'The Redis cluster does not serve this key now.',
    'redis-moved': () => 'The servers of Redis have changed their parts. Try again.',
    'redis-no-master': ({ name }) => `No sentinel names a master for ${name}.`,
    'redis-replica': () => 'The server that answers is a replica, which takes no writes.',
    'redis-too-old': () => 'This Redis is older than 6.0.',
    'redis-refused': ({ command, reason }) => `Redis refused ${command} (${reason}).`,
    'redis-no-limit': () =>
      'Redis stores only how many permits are free. Name the limit of this semaphore in the source’s settings first.',
    'redis-too-many': ({ max }) => `A semaphore counts to ${formatCount(max)}.`,
  } satisfies Sayings<RedisRefusal & RedisFailure>,
  outages: {
    'redis-sign-in': {
      short: 'sign-in refused',
      title: 'Redis refuses the name or password of Signalbox.',
      means: others,
      next: 'Check the user and password that this source names, and whether the user is on.',
    },
    'redis-permission': {
      short: 'not permitted',
      title: 'Redis does not permit Signalbox to read what it must.',
      means: others,
      next: 'Give its user the commands and key patterns of docs/redis.md, and let prefixes= of this source name no others.',
    },
    'redis-starting': {
      short: 'Redis is loading',
      title: 'Redis is loading its data and answers nothing yet.',
      means: 'No program gets or renews a lock there until it is done.',
      next: 'Wait. Signalbox tries again by itself.',
    },
    'redis-script': {
      short: 'Redis is busy',
      title: 'Redis is busy with a script and answers nothing else.',
      means: 'No program gets or renews a lock there until the script ends.',
      next: 'Find the script, or end it with SCRIPT KILL.',
    },
    'redis-cluster': {
      short: 'cluster not whole',
      title: 'The Redis cluster does not serve all keys.',
      means: 'Locks in the missing part can be neither taken nor renewed. Their leases may run out.',
      next: 'Check which masters are down, and whether their replicas take over.',
    },
    'redis-failover': {
      short: 'no master',
      title: 'No master of this Redis can be found.',
      means:
        'Programs can neither take nor renew locks until there is one. Redis may lose its last writes in a failover.',
      next: 'Check the sentinels and the servers that they watch.',
    },
    'redis-version': {
      short: 'Redis too old',
      title: 'This Redis is older than 6.0, which Signalbox cannot watch.',
      means: others,
      next: 'Update Redis.',
    },
  } satisfies Record<(typeof redisOutages)[number], unknown>,
};
