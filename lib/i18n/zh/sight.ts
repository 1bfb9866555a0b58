/** Chinese (simplified): what is said where access control may keep everything, or everything of a kind, from who looks. */

import type { Messages } from '@/lib/i18n/en/messages';
import { formatCount } from '@/lib/i18n/format/format';

export const sight: Messages['sight'] = {
  left: 'Signalbox 只显示此令牌可读的内容。它无法区分隐藏与不存在。',
  nothing: '可见范围内没有内容。是否有需要关注的项目未知。',
  counts: (locks, semaphores, held) =>
    `${formatCount(locks)} 个锁，${formatCount(semaphores)} 个信号量，可见范围内没有会话${
      held ? '：此令牌无权读取持有者的会话' : ''
    }。`,
  sessionsAlone: (n) => `${formatCount(n)} 个会话，可见范围内没有锁或信号量。`,
  noLock: '它可读的锁一旦被客户端获取，就会出现在这里。',
  noSession: '可见范围内没有会话。',
  noneOfThem: '可见范围内没有会话：此令牌无权读取这里持有者的会话。',
  needed: '每个锁和每个名额都需要会话。它可读的会话一创建，就会出现在这里。',
  noKey: (sessions) =>
    `可见范围内有 ${formatCount(sessions)} 个会话。它们持有什么未知：可见范围内没有锁或信号量。Signalbox 只显示此令牌可读的键。`,
  withheld: 'Signalbox 已判定持有者，但此令牌无权读取它们的会话。',
  unjudged: 'Signalbox 无法判定持有者：此令牌无权读取它们的会话。',
};
