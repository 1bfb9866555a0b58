/** Chinese (simplified): what Redis says in its own words, of what is read after the first sight. */
import type { redis as english } from '@/lib/i18n/en/rest/redis';
import { formatCount, formatDuration, unitsZh } from '@/lib/i18n/format/format';

export const redis: typeof english = {
  evidenceSources: { redis: 'Redis' },
  evidence: {
    'redis-lease-runs': (_, at = null) => (at === null ? '租约有效。' : `租约有效至 ${at}。`),
    'redis-lease-renewed': (lease) =>
      `Signalbox 看到它的租约（${lease ?? '长度未知'}）在续期，与看门狗的行为一致。同一线程释放后重新获取，看上去也一样。`,
    'redis-renewal-overdue': (lease, at = null) =>
      `它的租约（${lease ?? '长度未知'}）${at === null ? '曾在续期' : `最后一次续期在 ${at}`}，此后再没有续期。看门狗每过租约的三分之一就会续期一次。`,
    'redis-lease-fixed': () => 'Signalbox 看到它的租约开始，此后没有续期：可能是固定租约，客户端也可能已死。',
    'redis-no-lease': () => '它没有租约：不会自行结束。',
    'redis-permit-over': (_, at = null) =>
      `它的期限${at === null ? '' : `在 ${at} `}已过。下一个申请许可的客户端会把它清除。`,
    'redis-client': (client) => `Redisson 客户端 ${client ?? '?'}。Redis 不知道它的地址。`,
    'redis-thread': (thread) => `该客户端的线程 ${thread ?? '?'}。`,
    'redis-subscribed': () => '有客户端在监听它的频道。',
    'redis-not-subscribed': (_, at = null) =>
      `${at === null ? '' : `自 ${at} 起`}没有客户端监听它的频道，客户端死后就是这样。通过副本订阅的客户端看起来也是如此。`,
    'redis-not-asked': () => '不知道是否有客户端在监听它的频道。',
    'redis-writer-reads-on': (writer, at = null) =>
      `写者 ${writer ?? '?'} ${at === null ? '' : `在 ${at} `}放开了写锁，仍在读取。`,
    'redis-thread-lost': (name, at = null) =>
      `Signalbox ${at === null ? '' : `在 ${at} `}把这个客户端的同一线程从${name === null ? '另一个锁' : ` ${name} `}上移除了。`,
    'redis-sleep-ends': (_, at = null) =>
      at === null
        ? '等待的读者会一直休眠到收到消息。'
        : `等待的读者最迟休眠到 ${at}，即它读到的租约到期之时。`,
  },
  summaries: {
    'redis-remove-holder': ({ key, holder }) => `从 ${holder} 收回 ${key}。`,
    'redis-remove-reader': ({ key, holder }) => `收回 ${holder} 对 ${key} 的读锁。其他读者不受影响。`,
    'redis-remove-waiter': ({ key, waiter }) => `把 ${waiter} 移出 ${key} 的队列。`,
    'redis-wake': ({ key }) => `唤醒等待 ${key} 的客户端。存储的内容不变。`,
    'redis-take-permit': ({ prefix, holder }) => `收回 ${prefix} 的许可 ${holder}，使其空闲。`,
    'redis-sweep': ({ semaphores, permits }) =>
      `清理${semaphores === 1 ? '' : ` ${formatCount(semaphores)} 个信号量的`} ${formatCount(permits)} 个过期许可。`,
    'redis-return': ({ prefix, permits }) => `向 ${prefix} 归还 ${formatCount(permits)} 个许可。`,
  },
  conditions: {
    'redis-same-holder': ({ sessionId, count }) =>
      `${sessionId} 仍持有它${count === '1' ? '' : ` ${count} 次`}，且租约与这次持有相符`,
    'redis-same-token': ({ sessionId, token }) => `${sessionId} 仍持有它，且栅栏令牌仍为 ${token}`,
    'redis-still-waits': ({ sessionId }) => `${sessionId} 仍在等待且没有重新排队`,
    'redis-still-dead': ({ sessionId }) => `${sessionId} 仍在队列中，且没有客户端监听它的频道`,
    'redis-lock-open': () => '此刻没有客户端独占它',
    'redis-permit-there': ({ sessionId }) => `许可 ${sessionId} 仍被占用`,
    'redis-still-over': ({ permits }) => `许可仍然过期（共 ${formatCount(permits)} 个）`,
    'redis-available-is': ({ available }) => `空闲许可仍为 ${formatCount(available)} 个`,
  },
  warnings: {
    'redis-reentered': ({ count }) =>
      `持有者已重入 ${count} 次。它的客户端为此锁保留一个续期定时器，可能提前停止。如果同一客户端的另一线程接着取得此锁，可能在一个租约后不知不觉地失去它。`,
    'redis-same-thread': () =>
      '此锁没有栅栏令牌。同一线程释放后再次取得时，Redis 显示同一持有者。Signalbox 会比较租约，能看出是新的持有时就拒绝，但并非总能看出。',
    'redis-fenced': ({ token }) => `栅栏令牌 ${token}：只会移除你看到的那次持有。`,
    'redis-multi': ({ others, names }) =>
      `同一线程还持有 ${formatCount(others)} 个锁：${names.replaceAll('\n', '、')}。如果它们属于同一个 MultiLock，解锁会在这里失败，之后的部分会一直锁着并继续续期。`,
    'redis-clients-wait': ({ clients }) =>
      clients === null
        ? 'Signalbox 无法统计有多少客户端在等待。'
        : clients === 0
          ? '现在没有客户端监听它。轮询的客户端不计在内。'
          : `${formatCount(clients)} 个客户端在等待，最快的取得它。`,
    'redis-next-dead': ({ waiter }) =>
      `没有客户端监听队首 ${waiter} 的频道。只要它排在第一，就没有客户端能取得此锁。请把它也移出队列。`,
    'redis-frees-itself': ({ withinMs }) =>
      withinMs === null
        ? '没有租约会结束这次持有。'
        : `不执行此操作，它的租约在 ${formatDuration(withinMs, unitsZh)} 后结束，除非续期。`,
    'redis-readers-stay': ({ readers }) => `另有 ${formatCount(readers)} 个读者继续持有。`,
    'redis-one-of-several': () =>
      '这个 Redis 可能只是此 redlock 所在的多个之一。如果是，请在其余每一个上做同样的操作：以多数为准。',
    'redis-waiter-dead': () => '没有客户端监听它的频道。通过副本订阅的客户端看起来也是这样。',
    'redis-waiter-returns': () => '仍在等待的客户端会重新排到队尾。',
    'redis-wake-changes-nothing': () =>
      '客户端会再次请求此锁。如果没有客户端在休眠，什么也不会发生。Redis 不说明唤醒了多少。',
    'redis-clocks': () =>
      '客户端按自己的时钟写入许可的到期时间。这里以 Redis 的时钟为准，时钟正确的客户端也会这样判断。',
    'redis-more-over': ({ permits }) => `还有 ${formatCount(permits)} 个过期许可未包含在内：请再次规划。`,
    'redis-below-held': ({ held, limit }) =>
      `已有 ${formatCount(held)} 个许可被占用：上限 ${limit} 不会收回任何许可。占用少于 ${limit} 个之前，没有客户端能取得许可。`,
    'redis-no-names': () =>
      'Redis 不知道许可在谁手里。如果你认为已死的客户端之后又归还了自己的许可，就会多出一个。',
    'redis-beyond-limit': ({ available, limit }) =>
      `空闲许可将达到 ${formatCount(available)} 个，超过配置的上限 ${limit}。`,
    'redis-not-replicated': () =>
      '尚无副本确认此操作。如果主服务器现在发生故障，Redis 可能会撤销它。故障转移后请再次检查。',
    'redis-setting-stays': ({ prefix, limit }) =>
      `此操作增减空闲许可。${prefix} 的上限是 Signalbox 的设置：请把它也改为 ${limit}。`,
  },
  undos: {
    'redis-nothing-to-undo': () => '无需撤销：存储的内容没有变化。',
    'redis-none-permits': () => '无法撤销：客户端可能立刻取走这些许可。',
  },
  notes: {
    'redis-script': () =>
      '这是较短的脚本，比较的内容比 Signalbox 少。1：已完成；0：状态已变化，没有写入任何内容。',
  },
  differences: {
    'redis-count-changed': ({ key, before, now }) => `${key} 原为重入 ${before} 次，现为 ${now} 次`,
    'redis-token-changed': ({ key, before, now }) =>
      `${key} 的栅栏令牌原为 ${before || '无'}，现为 ${now || '无'}`,
    'redis-lease-changed': ({ key }) => `${key} 的租约变化并非续期所致，像是新的持有`,
    'redis-kind-changed': ({ key }) => `${key} 现在是另一种条目`,
    'redis-not-waiting': ({ sessionId }) => `${sessionId} 不再等待`,
    'redis-queued-again': ({ sessionId }) => `${sessionId} 已重新排队`,
    'redis-waiter-lives': ({ sessionId }) => `现在有客户端监听 ${sessionId} 的频道`,
    'redis-held-now': ({ key, holder }) => `${holder || '某个客户端'} 现在持有 ${key}`,
    'redis-permit-gone': ({ sessionId }) => `许可 ${sessionId} 不再被占用`,
    'redis-available-changed': ({ before, now }) => `空闲许可原为 ${before} 个，现为 ${now} 个`,
  },
};
