/** Chinese (simplified): what Redis says in its own words. */
import type { redis as english } from '@/lib/i18n/en/providers/redis';

const removedLock =
  '旧持有者不会得到通知：它会继续工作，直到 unlock() 抛出异常。isHeldByCurrentThread() 会询问 Redis，立刻返回 false。';
const removedFair =
  '旧持有者不会得到通知，连 unlock() 也会正常返回。isHeldByCurrentThread() 立刻返回 false。';
const polls = '旧持有者不会得到通知。它的下一次续期会失败。';
const unnamed = 'Redis 不记录许可在谁手里，因此无法通知任何人。';
const removedPermit = '旧持有者不会得到通知：它会继续工作，直到 release() 抛出异常。';

export const redis: typeof english = {
  evidenceSources: { redis: 'Redis' },
  evidence: {
    'redis-lease-runs': (_, at = null) => (at === null ? '租约有效。' : `租约有效至 ${at}。`),
  },
  layouts: {
    'redisson-lock': { name: 'Redisson 锁', caution: null, notices: removedLock },
    'redisson-fenced': { name: 'Redisson 带栅栏令牌的锁', caution: null, notices: removedLock },
    'redisson-fair': { name: 'Redisson 公平锁', caution: null, notices: removedFair },
    'redisson-read-write': { name: 'Redisson 读写锁', caution: null, notices: removedLock },
    'redisson-faster-multi': { name: 'Redisson FasterMultiLock', caution: null, notices: removedLock },
    redlock: { name: 'Redlock', caution: null, notices: polls },
    'redisson-semaphore': { name: 'Redisson 信号量', caution: null, notices: unnamed },
    'redisson-permits': { name: 'Redisson 限时许可', caution: null, notices: removedPermit },
    'redisson-latch': { name: 'Redisson 倒计时门闩', caution: null, notices: unnamed },
  },
  summaries: {},
  conditions: {},
  warnings: {},
  why: {},
  differences: {},
  outages: {},
};
