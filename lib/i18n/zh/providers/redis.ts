/** Chinese (simplified): what Redis says in its own words. */
import type { redis as english } from '@/lib/i18n/en/providers/redis';
import { formatCount } from '@/lib/i18n/format/format';

const removedLock =
  '旧持有者不会得到通知：它会继续工作，直到 unlock() 抛出异常。isHeldByCurrentThread() 会询问 Redis，立刻返回 false。';
const removedFair =
  '旧持有者不会得到通知。到时若有其他客户端持有此锁，unlock() 会抛出异常，否则正常返回。isHeldByCurrentThread() 会询问 Redis，立刻返回 false。';
const removedPlain = `${removedLock}没有队列的公平锁看起来与普通锁相同：如果它是公平锁，在没有其他客户端持有时 unlock() 会正常返回。`;
const polls = '旧持有者不会得到通知。只有它的多数服务器都失去此锁后，续期才会失败。';
const unnamed = 'Redis 不记录许可在谁手里，因此无法通知任何人。';
const removedPermit = '旧持有者不会得到通知：它会继续工作，直到 release() 抛出异常。';

const others = '程序照常持有和等待，只要它们自己能连上 Redis。';

export const redis: typeof english = {
  layouts: {
    'redisson-lock': { name: 'Redisson 锁', caution: null, notices: removedPlain },
    'redisson-fenced': { name: 'Redisson 带栅栏令牌的锁', caution: null, notices: removedLock },
    'redisson-fair': { name: 'Redisson 公平锁', caution: null, notices: removedFair },
    'redisson-read-write': { name: 'Redisson 读写锁', caution: null, notices: removedLock },
    'redisson-faster-multi': { name: 'Redisson FasterMultiLock', caution: null, notices: removedLock },
    redlock: { name: 'Redlock', caution: null, notices: polls },
    'redisson-semaphore': { name: 'Redisson 信号量', caution: null, notices: unnamed },
    'redisson-permits': { name: 'Redisson 限时许可', caution: null, notices: removedPermit },
    'redisson-latch': { name: 'Redisson 倒计时门闩', caution: null, notices: unnamed },
  },
  why: {
    'redis-sign-in-refused': () => 'Redis 拒绝了 Signalbox 的用户名或密码。',
    'redis-not-permitted': ({ command }) => `Redis 不允许 Signalbox 执行 ${command}。`,
    'redis-key-not-permitted': () => 'Redis 不允许 Signalbox 访问它需要读写的某个键。',
    'redis-loading': () => 'Redis 正在加载数据。',
    'redis-busy': () => 'Redis 正忙于执行某个客户端的脚本。',
    'redis-cluster-down': () => 'Redis 集群目前不提供这个键。',
    'redis-moved': () => 'Redis 各服务器的分工已经改变。请重试。',
    'redis-no-master': ({ name }) => `没有哨兵能说出 ${name} 的主服务器。`,
    'redis-replica': () => '应答的服务器是副本，不接受写入。',
    'redis-too-old': () => '这个 Redis 的版本低于 6.0。',
    'redis-refused': ({ command, reason }) => `Redis 拒绝了 ${command}（${reason}）。`,
    'redis-no-limit': () => 'Redis 只存储空闲许可数。请先在数据源设置中写明此信号量的上限。',
    'redis-too-many': ({ max }) => `信号量最多计到 ${formatCount(max)}。`,
  },
  outages: {
    'redis-sign-in': {
      short: '登录被拒绝',
      title: 'Redis 拒绝了 Signalbox 的用户名或密码。',
      means: others,
      next: '请检查此数据源指定的用户和密码，以及该用户是否已启用。',
    },
    'redis-permission': {
      short: 'Redis 权限不足',
      title: 'Redis 不允许 Signalbox 读取必需的内容。',
      means: others,
      next: '请按 docs/redis.md 给它的用户授予所需的命令和键模式，并让此来源的 prefixes= 只包含这些键。',
    },
    'redis-starting': {
      short: 'Redis 正在加载',
      title: 'Redis 正在加载数据，暂不应答。',
      means: '加载完成之前，任何程序都无法在那里获取锁或续期。',
      next: '请等待。Signalbox 会自动重试。',
    },
    'redis-script': {
      short: 'Redis 正忙',
      title: 'Redis 正忙于执行脚本，不应答其他请求。',
      means: '脚本结束之前，任何程序都无法在那里获取锁或续期。',
      next: '请找出该脚本，或用 SCRIPT KILL 终止它。',
    },
    'redis-cluster': {
      short: '集群不完整',
      title: 'Redis 集群没有提供全部的键。',
      means: '缺失部分的锁既不能获取，也不能续期，租约可能到期。',
      next: '请检查哪些主服务器停止了工作，以及它们的副本是否接管。',
    },
    'redis-failover': {
      short: '没有主服务器',
      title: '找不到这个 Redis 的主服务器。',
      means: '在有主服务器之前，程序既不能获取锁，也不能续期。故障转移可能丢失 Redis 最后的写入。',
      next: '请检查哨兵以及它们监视的服务器。',
    },
    'redis-version': {
      short: 'Redis 版本过低',
      title: '这个 Redis 的版本低于 6.0，Signalbox 无法监视。',
      means: others,
      next: '请升级 Redis。',
    },
  },
};
