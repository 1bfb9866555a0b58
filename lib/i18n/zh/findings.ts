/** Chinese: each finding: its name, its clause, the page of findings, and who can mend it. In full: `reports.ts`. */
import type { FindingCode, FindingFacts, Severity } from '@/lib/domain/findings/finding';
import type { Need } from '@/lib/domain/findings/need';

export const severities: Readonly<Record<Severity, string>> = {
  urgent: '紧急',
  warning: '警告',
  notice: '提示',
};

interface Words {
  readonly short: string;
  readonly clause: (n: number) => string;
  readonly own?: string;
}

export const findings: Readonly<Record<FindingCode, Words>> = {
  'ghost-slots': {
    short: '幽灵名额',
    clause: (n) => `${n} 个信号量泄漏名额`,
  },
  'over-limit': {
    short: '超出上限',
    clause: (n) => `${n} 个信号量的持有者超出上限`,
  },
  'overdue-holder': {
    short: '持有者逾期',
    clause: (n) => `${n} 个持有者很可能已死`,
  },
  'suspect-holder': {
    short: '持有者可疑',
    clause: (n) => `${n} 个持有者可能已死或失联`,
  },
  'endless-holder': {
    short: '不会自行释放',
    clause: (n) => `${n} 个锁或信号量的持有者不会自行释放`,
  },
  'unreadable-entry': {
    short: '无法解读',
    clause: (n) => `${n} 个信号量无法解读`,
  },
  'wrong-flags': {
    short: '标志错误',
    clause: (n) => `${n} 个键的标志错误`,
    own: '它的标志错误。',
  },
  'limit-disagreement': {
    short: '上限有分歧',
    clause: (n) => `${n} 个信号量的客户端对上限有分歧`,
    own: '它的客户端对上限有分歧。',
  },
  herd: {
    short: '惊群',
    clause: (n) => `${n} 个信号量有惊群`,
    own: '每次变化都会唤醒所有等待者。',
  },
  flapping: {
    short: '频繁易手',
    clause: (n) => `${n} 个对象易手过于频繁`,
    own: '它易手过于频繁。',
  },
  deadlock: {
    short: '死锁',
    clause: (n) => `${n} 处死锁`,
    own: '它处于死锁中。',
  },
  'dead-queue-head': {
    short: '队首已失效',
    clause: (n) => `${n} 个队列被已消失的客户端挡住`,
    own: '队首看来已不存在，挡住了后面的等待者。',
  },
  'sleeping-waiters': {
    short: '等待者未唤醒',
    clause: (n) => `${n} 个空闲的锁旁有客户端仍在休眠`,
    own: '有客户端在它旁边休眠。',
  },
  'no-lock-delay': {
    short: '无锁延迟',
    clause: (n) => `${n} 个锁没有锁延迟`,
  },
  'session-leak': {
    short: '会话泄漏',
    clause: (n) => `${n} 个会话泄漏`,
  },
};

export const owners: {
  readonly [C in FindingCode]: (facts: FindingFacts[C] & { readonly mended: 0 | 1 }) => string;
} = {
  'ghost-slots': ({ mended }) =>
    mended
      ? '在这里清理即可：没有客户端在用这些名额。'
      : '须由客户端负责人修复。Signalbox 不能清理：条目无法解读，或服务器拒绝写入它。',
  'over-limit': () => '请客户端负责人确认哪个持有者可以停止。驱逐那一个，或提高上限。',
  'overdue-holder': () => '若不续期，期限一到服务器就会释放它。要现在释放，请操作。',
  'suspect-holder': () => '请节点负责人确认进程是否仍在运行。如果已死，请操作。',
  'endless-holder': ({ holders, label, waiting, holds }) =>
    (waiting ?? 0) === 0
      ? holds === 'lease'
        ? '客户端修复：获取时带上租约。'
        : '客户端修复：给会话设置 TTL 并续期。'
      : `请${holders === 1 ? ` ${label} ` : '这些持有者'}的负责人确认进程是否仍在运行。如果已死，请驱逐。`,
  'unreadable-entry': ({ named }) =>
    named === 0
      ? '客户端修复：停掉客户端，在这里删除信号量，再重新启动。'
      : '客户端修复：停掉客户端，手动删除 .lock，再重新启动。其中可能写有持有者，因此 Signalbox 不删除它。',
  'wrong-flags': () => '离开的 Go 持有者会写回正确的标志。如果已没有这样的持有者：停掉客户端并删除信号量。',
  'limit-disagreement': () => '客户端修复：所有客户端以同一个上限部署，或把上限调整为它们的值。',
  herd: () =>
    '客户端修复：减少竞争者，使用队列，或改用按顺序等待的客户端。提高上限只在业务允许的范围内有用。',
  flapping: () => '客户端修复：查明持有者为何这么快放弃（崩溃、选举失败），或延长每次持有的工作。',
  deadlock: () => '结束其中任何一个，其余即可继续。建议的那个持有最少、到得最晚。',
  'dead-queue-head': ({ mended }) =>
    mended
      ? '在这里移除失效的条目：队列中的下一个会立即进入。'
      : '须由客户端负责人修复。Signalbox 在这里不能移除它。',
  'sleeping-waiters': ({ mended }) =>
    mended
      ? '在这里唤醒即可：存储的内容不会改变。'
      : '它们会在各自的等待超时后醒来。可重启其中一个，或继续等待。',
  'no-lock-delay': () => '客户端修复：设置锁延迟，或校验 fencing token。',
  'session-leak': () => '它的创建者。',
};
