/** Chinese: a plan, before the action and after it. */

import type {
  ConditionFacts,
  NoteFacts,
  PartFacts,
  StateFacts,
  SummaryFacts,
  TouchFacts,
  UndoFacts,
  WarningFacts,
} from '@/lib/domain/actions/plan';
import type { Sayings } from '@/lib/domain/message';
import { layouts } from '@/lib/i18n/zh/layout';
import { consul } from './consul';
import { redis } from './redis';
import { standIn } from './stand-in';
import { zookeeper } from './zookeeper';

const summaries: Sayings<SummaryFacts> = {
  'set-limit': ({ prefix, before, limit }) => `把 ${prefix} 的上限从 ${before} 改为 ${limit}。`,
  ...consul.summaries,
  ...redis.summaries,
  ...standIn.summaries,
  ...zookeeper.summaries,
};

const conditions: Sayings<ConditionFacts> = {
  ...consul.conditions,
  ...redis.conditions,
  ...standIn.conditions,
  ...zookeeper.conditions,
};

const states: Sayings<StateFacts> = {
  stored: ({ text }) => text,
  'held-by': ({ sessionId }) => `由 ${sessionId} 持有`,
  'holds-slot': ({ prefix }) => `持有 ${prefix} 的一个名额`,
  'key-free': ({ key }) => `${key} 空闲`,
  gone: () => '消失',
  ...consul.states,
};

const touched: Sayings<TouchFacts> = consul.touched;

const warnings: Sayings<WarningFacts> = {
  'holder-notices': ({ layout, heirs }) =>
    ((heirs === 0 && layouts[layout].alone) || layouts[layout]).notices,
  'limit-live': () => '这种客户端每次都读取存储的上限。新上限立即生效，没有等待者失败。',
  'over-limit': ({ holders, limit }) =>
    `${holders} 个持有者会留下：调低上限不驱逐任何持有者。持有者少于 ${limit} 之前，没有客户端能进入。`,
  'layout-caution': ({ layout }) => layouts[layout].caution ?? layouts[layout].name,
  'left-out': ({ prefixes, names }) =>
    `所选信号量中有 ${prefixes} 个现在没有幽灵，或无法写入；它们保持原样：${names.split('\n').join('、')}${prefixes > names.split('\n').length ? '、…' : ''}。`,
  'answer-lost': () => '应答丢失。此结果来自事后读取。',
  'not-read-back': () => '写入成功，但 Signalbox 刚才未能读回状态。',
  ...consul.warnings,
  ...redis.warnings,
  ...standIn.warnings,
  ...zookeeper.warnings,
};

const undos: Sayings<UndoFacts> = {
  'set-limit-back': ({ limit }) => `把上限改回 ${limit}，立即生效。`,
  'not-needed': () => '无需撤销：移除的只是已没有客户端持有的内容。',
  'none-slot': () => '无法撤销。它的进程必须重新等待。',
  'none-hand-over': () => '无法撤销：下一个持有者会保留锁。',
  ...consul.undos,
  ...redis.undos,
};

const notes: Sayings<NoteFacts> = {
  ...consul.notes,
  ...redis.notes,
  ...zookeeper.notes,
};

const parts: Sayings<PartFacts> = {
  pruned: ({ ghosts, named }) => `已清理 ${ghosts} 个幽灵：${named}`,
  'had-no-ghost': () => '没有幽灵了',
};

export const plan = { summaries, conditions, states, touched, warnings, undos, notes, parts };

/** Changes behind an open dialog, each after its time, in one line. */
export const sinceShown = {
  seenAt: ['', ' 看到：'],
  gone: {
    lock: '这个键已不在或不可见。',
    semaphore: '这个信号量已不在或不可见。',
    session: '这个会话已不在或不可见。',
  },
  nobody: '现在没有客户端持有它。',
  holderUnknown: '它的持有者现在未知。',
  taken: (label: string) => `现在由 ${label} 持有。`,
  letGo: (label: string) => `${label} 不再持有它。`,
  waitsNot: (label: string) => `${label} 不再在这里等待。`,
  available: (permits: number | null) =>
    permits === null ? 'Signalbox 不再能读取有多少许可空闲。' : `现在有 ${permits} 个许可空闲。`,
  retaken: '同一个会话释放后又取得了它。',
  overwritten: '它的条目被覆盖；仍由同一个会话持有。',
  noSlot: (label: string | null) =>
    label === null ? '它在这里不再持有名额。' : `它在这里不再持有名额，${label} 已进来。`,
  aliveAgain: '它又存活了。',
  unfollowed: 'Signalbox 不再看到它的续期：它可能存活，也可能已死。',
  countedAnew: '它的静默重新计时，没有看到续期。',
  healthUnread: 'Signalbox 不再能读取它的节点和检查的健康状况。',
  judged: (now: string, before: string) => `它现在的判定是“${now}”，不再是“${before}”。`,
  leaks: '它现在在这里没有锁定任何键，名额泄漏。',
  holdings: '它的持有内容变了。',
  ghosts: (n: number, untold: number) => {
    if (n === 0) return untold === 0 ? '这里不再有名额泄漏。' : 'Signalbox 不再能判断这里是否有名额泄漏。';
    return untold === 0
      ? `这里仍有 ${n} 个名额泄漏，其余的不再泄漏。`
      : `这里仍有 ${n} 个名额泄漏；另有 ${untold} 个无法判断。`;
  },
  otherGhosts: '现在这里泄漏的是其他名额。',
  unreadable: 'Signalbox 不再能读取持有者的记录。',
  unrecorded: '持有者的记录已不在或不可见。',
  limit: (limit: number | null) =>
    limit === null ? 'Signalbox 不再能读取它的上限。' : `它的上限现在是 ${limit}。`,
  used: '现在有会话持有或等待这里的名额。',
};
