/** Chinese (simplified): what the stand-in says in its own words, of what is read after the first sight. */
import type { standIn as english } from '@/lib/i18n/en/rest/stand-in';

export const standIn: typeof english = {
  evidenceSources: { file: '文件' },
  evidence: {
    'lease-runs': (_, at = null) => (at === null ? '租约有效。' : `租约有效至 ${at}。`),
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
  differences: {
    'hold-retaken': ({ key, sessionId }) => `${sessionId} 释放了 ${key}，又重新获取`,
  },
};
