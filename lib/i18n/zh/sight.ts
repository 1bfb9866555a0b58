/** Chinese (simplified): what is said where access control may keep everything, or everything of a kind, from who looks. */

import type { Messages } from '@/lib/i18n/en/messages';
import { formatCount } from '@/lib/i18n/format/format';

export const sight: Messages['sight'] = {
  left: '此处所用令牌无权读取的内容不会显示，也无法与不存在的内容区分。',
  nothing: '视野内什么也没有，因此是否需人工处理不可知。',
  counts: (locks, semaphores, held) =>
    `${formatCount(locks)} 个锁，${formatCount(semaphores)} 个信号量，视野内没有会话${
      held ? '：此处所用令牌无权读取正在持有的会话' : ''
    }。`,
  sessionsAlone: (n) => `${formatCount(n)} 个会话，视野内没有锁，也没有信号量。`,
  noLock: '它有权读取的锁一旦被获取，就会出现在这里。',
  noSession: '视野内没有会话。',
  noneOfThem: '视野内没有会话：此处所用令牌无权读取这里正在持有的会话。',
  needed: '每个锁和每个名额都需要会话。它有权读取的会话一创建，就会出现在这里。',
  noKey: (sessions) =>
    `视野内有 ${formatCount(sessions)} 个会话。它们持有什么不可知：视野内没有锁，也没有信号量，而此处所用令牌无权读取的键不会显示。`,
  withheld: '持有者已判定，但此处所用令牌无权读取它们的会话。',
  unjudged: '持有者无法判定：此处所用令牌无权读取它们的会话。',
};
