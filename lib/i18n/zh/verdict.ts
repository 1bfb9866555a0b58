/**
 * Chinese: what verdicts and lamps are called, and how since and ends are said.
 *
 * Terms, one for each thing, in every file of this folder:
 *   lock 锁 · semaphore 信号量 · slot 名额 · limit 上限 · holder 持有者 · waiter 等待者 · contender 竞争者
 *   session 会话 · node 节点 · check 健康检查 · renewal 续期 · TTL, token, agent, leader: 令牌 for a token, the others as they are
 *   lock-delay 锁延迟 · ghost 幽灵持有者 (幽灵 where it is short) · lock entry 条目, `.lock`: 协调条目 · key 键 · prefix 前缀
 *   value 值 · flags 标志 · index 索引 · layout 客户端类型 · verdict 判定 · evidence 依据 · finding 问题 · needs attention 需要关注
 *   evict 驱逐 · release 释放 · hand over 移交 · destroy 销毁 · prune 清理 · resize 调整上限 · plan 计划 · apply 执行
 *   freeze 冻结 · stale 过时 · live 实时 · credential 凭据 · client 客户端 · deadlock 死锁 · herd 惊群 · flapping 频繁易手
 *   split brain 脑裂 · unknown 未知 (never 无, which is none) · in view 可见范围内 · board 看板 · graph 等待图
 *   urgent 紧急 · warning 警告 · notice 提示 · passing 通过 · critical 严重 · n/v 不可见
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
  held: (age: string, time: string) => `已持有 ${age}，始于 ${time}`,
  atLeast: (age: string) => `≥ ${age}`,
  observedBasis: 'Signalbox 看到了它发生。',
  atLeastBasis: 'Signalbox 开始观察时它已存在。起始时间没有记录。',
  valueBasis: '来自它自己的记录。',
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
    ghost: '不会自行释放',
    lease: (at: string) => `最迟 ${at}`,
  },
  observed: (latest: string) => `若不续期，最迟在 ${latest} 结束。`,
  bounded: (within: string) => `如果进程已死，会在 ${within}内结束（2 × TTL；leader 选举会重新计时）。`,
  withNode: '在会话所绑定的节点故障或离开时结束，而不是在进程死亡时。',
  withServer: '在会话所绑定的 Consul 服务器故障或离开时结束。持有者死亡不会结束它。',
  never: '不会自行结束。只有人工或它的客户端才能释放。',
  unknown: '未知：可读取的事实都没有说明时间。',
  lease: (at: string) => `若不续期，租约在 ${at} 到期。`,
  ghost: '不会自行结束。在客户端或人工清理之前，记录会一直保留。',
};
