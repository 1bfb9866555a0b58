/**
 * Chinese: the name and the clause of each finding. The full text is in `rest/reports.ts`, the owner who can mend it in
 * `rest/findings-page.ts`.
 */
import type { FindingCode, Severity } from '@/lib/domain/findings/finding';

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
    clause: (n) => `${n} 个队列被已不存在或已卡住的客户端挡住`,
    own: '队首看来已不存在或已卡住，挡住了后面的等待者。',
  },
  'sleeping-waiters': {
    short: '等待者未唤醒',
    clause: (n) => `${n} 个空闲的锁旁有客户端仍在休眠`,
    own: '有客户端在它旁边休眠。',
  },
  'sleeping-readers': {
    short: '读者可能未唤醒',
    clause: (n) => `${n} 个锁的等待者可能仍在休眠，虽然已经可以读取`,
    own: '有客户端可能仍在休眠，虽然已经可以读取。',
  },
  'same-thread-removed': {
    short: '可能残留锁定',
    clause: (n) => `${n} 个锁可能被 MultiLock 遗留而一直锁着`,
    own: '它可能被 MultiLock 遗留而一直锁着。',
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
