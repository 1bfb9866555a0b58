/** Chinese (simplified): what the stand-in says in its own words. */
import type { standIn as english } from '@/lib/i18n/en/providers/stand-in';

const notices = '持有者在下一次续期时得知：那时它的条目已经不在。在此之前它会继续工作。';

export const standIn: typeof english = {
  evidenceSources: { file: '文件' },
  evidence: {
    'lease-runs': (_, at = null) => (at === null ? '租约有效。' : `租约有效至 ${at}。`),
  },
  layouts: {
    'stand-in-lock': { name: '替身锁', caution: null, notices },
    'stand-in-semaphore': { name: '替身信号量', caution: null, notices },
  },
  summaries: {
    'free-lock': ({ key, holder }) => `从 ${holder} 收回 ${key}，由队首取得。`,
    'free-slot': ({ prefix, holder }) => `收回 ${holder} 在 ${prefix} 的名额。`,
  },
  conditions: {
    'same-hold': ({ sessionId }) => `${sessionId} 的这一次持有仍然存在`,
    'limit-is': ({ limit }) => `上限仍为 ${limit}`,
  },
  warnings: {
    'next-in-queue': ({ first }) => (first === null ? '队列为空。' : `${first} 排在队首，接下来由它取得。`),
  },
  why: {
    'not-offered': () => '这个来源不提供此操作。',
    'file-busy': () => '另一个程序正在写这个文件。没有写入任何内容。请再试一次。',
    'file-not-read': ({ errno }) => `Signalbox 无法读取文件（${errno}）。`,
    'file-not-understood': ({ where }) => `Signalbox 无法解读文件${where === '' ? '' : `中的 ${where}`}。`,
  },
  differences: {
    'hold-retaken': ({ key, sessionId }) => `${sessionId} 释放了 ${key}，又重新获取`,
  },
  outages: {
    'file-unread': {
      short: '文件无法读取',
      title: 'Signalbox 无法读取替身的文件。',
      means: '其他来源中的锁不受影响。使用该文件的程序可能也无法访问它。',
      next: '请检查文件是否在其路径上，以及 Signalbox 是否有权读取。',
    },
    'file-unclear': {
      short: '文件无法解读',
      title: 'Signalbox 无法解读替身的文件。',
      means: '其他来源中的锁不受影响。使用该文件的程序可能也会失败。',
      next: '请检查文件是否为含有 locks 和 semaphores 的 JSON；其格式见 docs/providers.md。',
    },
  },
};
