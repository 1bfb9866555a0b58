/** Chinese: what each finding is called, and how it is said in one clause. In full: `reports.ts`; who can mend it: `owners.ts`. */
import type { FindingCode } from '@/lib/domain/findings/finding';

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
    clause: (n) => `${n} 个信号量的持有者不会自行释放`,
  },
  'unreadable-entry': {
    short: '读不懂',
    clause: (n) => `${n} 个信号量读不懂`,
  },
  'wrong-flags': {
    short: '标志错误',
    clause: (n) => `${n} 个键的标志错误`,
    own: '它的标志不对。',
  },
  'limit-disagreement': {
    short: '上限不一致',
    clause: (n) => `${n} 个信号量的客户端对上限看法不一`,
    own: '客户端对上限意见不一。',
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
    clause: (n) => `存在 ${n} 处死锁`,
    own: '它处于死锁中。',
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
