/** Chinese (simplified): how what is there differs from what a plan saw. */
import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import type { DifferenceFacts } from '@/lib/domain/refusal';
import { verdicts } from '@/lib/i18n/zh/verdict';
import { consul } from './consul';
import { redis } from './redis';
import { standIn } from './stand-in';
import { zookeeper } from './zookeeper';

const holder = (sessionId: string | null) => (sessionId === null ? '无' : shortId(sessionId));
const ids = (list: string) => (list === '' ? '无' : list.split(', ').map(shortId).join('、'));

export const differences: Sayings<DifferenceFacts> = {
  'entry-gone': ({ key }) => `${key} 原来存在，现在没有了`,
  'entry-replaced': ({ key }) => `${key} 已被删除并重新创建`,
  'holder-changed': ({ key, before, now }) => `${key} 的持有者原为 ${holder(before)}，现为 ${holder(now)}`,
  'limit-changed': ({ before, now }) => `上限原为 ${before}，现为 ${now}`,
  'ghosts-changed': ({ before, now }) => `幽灵原为 ${ids(before)}，现为 ${ids(now)}`,
  'verdict-changed': ({ sessionId, before, now }) =>
    `会话 ${shortId(sessionId)} 原为${verdicts[before].word}，现为${verdicts[now].word}：它的进程可能正在工作`,
  'verdict-lost': ({ sessionId, before }) =>
    `会话 ${shortId(sessionId)} 原为${verdicts[before].word}，现在无法判断是否仍然如此：它的进程可能正在工作`,
  ...consul.differences,
  ...redis.differences,
  ...standIn.differences,
  ...zookeeper.differences,
};
