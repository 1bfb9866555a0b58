/** Chinese (simplified): how what is there differs from what a plan saw. */
import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import type { DifferenceFacts } from '@/lib/domain/refusal';
import { verdicts } from '@/lib/i18n/zh/verdict';
import { redis } from './redis';
import { standIn } from './stand-in';
import { zookeeper } from './zookeeper';

const holder = (sessionId: string | null) => (sessionId === null ? '无' : shortId(sessionId));
const ids = (list: string) => (list === '' ? '无' : list.split(', ').map(shortId).join('、'));

export const differences: Sayings<DifferenceFacts> = {
  'entry-came': ({ key, index }) => `${key} 原来不存在，现在索引为 ${index}`,
  'entry-gone': ({ key }) => `${key} 原来存在，现在没有了`,
  'entry-replaced': ({ key }) => `${key} 已被删除并重新创建`,
  'holder-changed': ({ key, before, now }) => `${key} 的持有者原为 ${holder(before)}，现为 ${holder(now)}`,
  'index-changed': ({ key, before, now }) => `${key} 的索引原为 ${before ?? '无'}，现为 ${now}`,
  'limit-changed': ({ before, now }) => `上限原为 ${before}，现为 ${now}`,
  'ghosts-changed': ({ before, now }) => `幽灵原为 ${ids(before)}，现为 ${ids(now)}`,
  'session-gone': ({ sessionId }) => `会话 ${shortId(sessionId)} 原来存在，现在没有了`,
  'verdict-changed': ({ sessionId, before, now }) =>
    `会话 ${shortId(sessionId)} 原为${verdicts[before].word}，现为${verdicts[now].word}：它的进程可能正在工作`,
  'verdict-lost': ({ sessionId, before }) =>
    `会话 ${shortId(sessionId)} 原为${verdicts[before].word}，现在无法判断是否仍然如此：它的进程可能正在工作`,
  'holdings-changed': ({ sessionId, before, now, keys }) =>
    `会话 ${shortId(sessionId)} 原来持有 ${before} 个键，${
      now === 0
        ? '现在一个也不持有'
        : `现在持有 ${now} 个：${keys.split('\n').join('、')}${now > keys.split('\n').length ? '…' : ''}`
    }`,
  ...redis.differences,
  ...standIn.differences,
  ...zookeeper.differences,
};
