/**
 * Chinese, part one: what verdicts and lamps are called, and how since and ends are said.
 *
 * Terms, one for each thing, in every file of this folder:
 *   lock 锁 · semaphore 信号量 · slot 名额 · limit 上限 · holder 持有者 · waiter 等待者 · contender 竞争者
 *   session 会话 · node 节点 · check 健康检查 · renewal 续期 · TTL, token, agent, leader: 令牌 for a token, the others as they are
 *   lock-delay 锁延迟 · ghost 幽灵持有者 (幽灵 where it is short) · lock entry 条目, `.lock`: 协调条目 · key 键 · prefix 前缀
 *   value 值 · flags 标志 · index 索引 · layout 布局 · verdict 判定 · evidence 依据 · finding 问题 · needs a human 需人工处理
 *   evict 驱逐 · release 释放 · hand over 移交 · destroy 销毁 · prune 清理 · resize 调整上限 · plan 计划 · apply 执行
 *   freeze 冻结 · stale 过时 · live 实时 · credential 凭据 · client 客户端 · deadlock 死锁 · herd 惊群 · flapping 频繁易手
 *   split brain 脑裂 · not known 未知 or 无法得知 (never 无, which is none) · board 看板 · graph 等待图
 * A space stands between Han and Latin letters or digits; punctuation is full-width; addressing is without 你.
 */
import type { Verdict } from '@/lib/domain/model';

export const verdicts: Readonly<Record<Verdict, { readonly word: string }>> = {
  alive: { word: '存活' },
  overdue: { word: '逾期' },
  suspect: { word: '可疑' },
  'node-bound': { word: '依附节点' },
  immortal: { word: '永不释放' },
  ghost: { word: '幽灵' },
  unknown: { word: '未知' },
};

export const lampWords = {
  free: { word: '空闲' },
  delayed: { word: '延迟中' },
  waiting: { word: '等待' },
};

export const since = {
  observed: (time: string) => `自 ${time}`,
  atLeast: (age: string) => `≥ ${age}`,
  observedBasis: 'Signalbox 亲眼看到它发生。',
  atLeastBasis: 'Signalbox 开始看到它时它就已经在了，因此可能更早。Consul 不保存时间。',
  valueBasis: '来自它的锁信息。',
  unknown: '未知',
};

export const expiry = {
  short: {
    observed: (rest: string) => `最迟 ${rest}`,
    bounded: (within: string) => `≤ ${within}`,
    withNode: '随节点',
    withServer: '随服务器',
    never: '永不',
    unknown: '未知',
    ghost: '不会自行结束',
  },
  observed: (latest: string) => `如果一直没有续期，Consul 最迟在 ${latest} 结束它。`,
  bounded: (within: string) =>
    `如果进程已死，会在 ${within}内结束（2 × TTL；重新选举 leader 会让计时重新开始）。`,
  withNode: '在会话所绑定的节点故障或离开时结束，而不是在进程死亡时。',
  withServer: '在会话所绑定的 Consul 服务器故障或离开时结束。持有者死亡不会结束它。',
  never: '不会自行结束，会一直占用，直到有人处理。',
  unknown: '未知：从这里能读到的信息里看不出来。',
  ghost: '不会自行结束：记录会一直保留，直到有客户端或人来清理。',
};

const kinds: Readonly<Record<Verdict | 'free' | 'delayed' | 'waiting', string>> = {
  alive: '会话存活，健康检查通过。如果进程已死，Consul 会在两个 TTL 之内，或在某项健康检查失败时结束该会话。',
  overdue: '曾观察到续期，但已停止超过一个 TTL，很可能已死。',
  suspect: '会话还在，但所在节点或某项健康检查为 critical，或节点已离开。可能已死，或已失联。',
  'node-bound': '会话没有 TTL，只有会话所绑定节点的健康检查能结束它。进程死了而该节点还活着时，会一直占用。',
  immortal: '会话既没有 TTL，也没有健康检查。它不会自行释放，节点死了也不会。',
  ghost: '记录在 .lock 里，但这里没有任何键被它的会话锁住。名额会一直泄漏，直到有人清理。',
  unknown: '判定所需的信息读不到。这不等于已死。',
  free: '没有人持有这个名额。',
  delayed: '空闲，但在锁延迟结束之前，Consul 拒绝任何人获取。',
  waiting: '想要名额但还没有得到的会话。',
};

export const meanings = {
  ...kinds,
  aliveWithin: (within: string) =>
    `会话存活，健康检查通过。如果进程已死，Consul 会在 ${within}内结束该会话。`,
};
