/**
 * Chinese, part one: verdicts, evidence, lamps, and how since and ends are said.
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
import type { EvidenceCode, SemaphoreProblemCode, Verdict } from '@/lib/domain/model';

export const verdicts: Readonly<Record<Verdict, { readonly word: string; readonly meaning: string }>> = {
  alive: {
    word: '存活',
    meaning:
      '会话存活，健康检查通过。如果进程已死，Consul 会在两个 TTL 之内，或在某项健康检查失败时结束该会话。',
  },
  overdue: {
    word: '逾期',
    meaning: '曾观察到续期，但已停止超过一个 TTL，很可能已死。',
  },
  suspect: {
    word: '可疑',
    meaning: '会话还在，但所在节点或某项健康检查为 critical，或节点已离开。可能已死，或已失联。',
  },
  'node-bound': {
    word: '依附节点',
    meaning: '会话没有 TTL，只有节点的健康检查能结束它。进程死了而节点还活着时，会一直占用。',
  },
  immortal: {
    word: '永不释放',
    meaning: '会话既没有 TTL，也没有健康检查。它不会自行释放，节点死了也不会。',
  },
  ghost: {
    word: '幽灵',
    meaning: '记录在 .lock 里，但这里没有任何键被它的会话锁住。名额会一直泄漏，直到有人清理。',
  },
  unknown: {
    word: '未知',
    meaning: '判定所需的信息读不到。这不等于已死。',
  },
};

export const lampWords = {
  free: { word: '空闲', meaning: '没有人持有这个名额。' },
  delayed: { word: '延迟中', meaning: '空闲，但在锁延迟结束之前，Consul 拒绝任何人获取。' },
  waiting: { word: '等待', meaning: '想要名额但还没有得到的会话。' },
};

export const evidenceSources = {
  kv: 'KV 存储',
  session: '会话',
  catalog: '目录',
  agent: 'agent 日志',
  signalbox: 'Signalbox',
};

const or = (detail: string | null, text: (d: string) => string, without: string) =>
  detail === null ? without : text(detail);

const notObservedPlain = '没有观察续期，因此最后一次续期的时间未知。';
const notObserved: Readonly<Record<string, string>> = {
  unseen: '在所观察的 agent 上还没有看到它的续期：它可能通过别的 agent 续期。',
  connecting: '目前没有观察续期：正在打开 agent 的日志。',
  forbidden: '没有观察续期：当前凭据无权跟踪 agent 的日志（agent:read）。',
  unreachable: '没有观察续期：目前无法跟踪 agent 的日志。',
  off: '没有观察续期：此功能已关闭（SIGNALBOX_RENEWAL_AGENTS）。',
};

type EvidenceText = (detail: string | null, at?: string | null) => string;

export const evidence: Readonly<Record<EvidenceCode, EvidenceText>> = {
  'session-exists': (d) => or(d, (x) => `会话存在（${x}）。`, '会话存在。'),
  'session-not-listed': () => '会话不在 Consul 的列表里：它已结束，或当前凭据看不到它。',
  'session-not-visible': () => '看不到该会话：无权读取，或不在视野内。',
  'holds-entry': (d) => or(d, (x) => `会话锁住了 ${x}。`, '会话锁住了自己的条目。'),
  'recorded-as-holder': (d) => or(d, (x) => `在 ${x} 中记录为持有者。`, '在 .lock 中记录为持有者。'),
  'no-entry-locked': () => '该前缀下没有任何键被这个会话锁住。',
  'view-incomplete': (d) => or(d, (x) => `视野不完整：${x}。`, '视野不完整，因此无法判定。'),
  ttl: (d) => or(d, (x) => `会话的 TTL 为 ${x}。`, '会话有 TTL。'),
  'no-ttl': () => '会话没有 TTL：它不会因时间而结束。',
  'no-checks': () => '会话没有健康检查：进程或节点故障都不会结束它。',
  'node-checks-only': (d) =>
    or(
      d,
      (x) => `它只有节点 ${x} 的健康检查，这些检查不反映进程的状况。`,
      '它只有节点的健康检查，这些检查不反映进程的状况。',
    ),
  'node-passing': (d) => or(d, (x) => `节点 ${x} 的健康检查通过。`, '所在节点的健康检查通过。'),
  'node-critical': (d) => or(d, (x) => `节点 ${x} 为 critical。`, '所在节点为 critical。'),
  'node-gone': (d) => or(d, (x) => `节点 ${x} 已离开目录。`, '所在节点已离开目录。'),
  'node-unknown': (d) => or(d, (x) => `节点 ${x} 的健康状况未知。`, '所在节点的健康状况未知。'),
  'check-critical': (d) => or(d, (x) => `健康检查 ${x} 为 critical。`, '有一项健康检查为 critical。'),
  'check-warning': (d) => or(d, (x) => `健康检查 ${x} 为 warning。`, '有一项健康检查为 warning。'),
  'check-unknown': (d) => or(d, (x) => `健康检查 ${x} 的状态未知。`, '有一项健康检查的状态未知。'),
  'checks-passing': (d) => or(d, (x) => `健康检查通过（${x}）。`, '健康检查通过。'),
  'renewals-not-observed': (d) => notObserved[d ?? ''] ?? notObservedPlain,
  'renewal-observed': (d, at) =>
    `${at === null || at === undefined ? '已看到' : `${at} 看到`}最后一次续期${d === null ? '' : `，在 agent ${d} 上`}。`,
  'renewal-overdue': (_, at = null) =>
    at === null
      ? '超过一个 TTL 没有看到续期，而它的 agent 一直在观察之中。'
      : `此后没有续期；最迟应在 ${at} 续期，而它的 agent 一直在观察之中。`,
  'renewals-elsewhere': (_, at = null) =>
    `在这里它的续期停了，但会话还在${at === null ? '' : `（${at} 发现）`}：它正通过未被观察的 agent 续期。`,
  'timers-restarted': (_, at = null) =>
    `${at === null ? '选出了新的 leader' : `${at} 看到新的 leader`}：Consul 让每个会话重新计满时间。`,
  'limit-changed-while-waiting': (d) =>
    or(
      d,
      (x) => `等待期间上限变了（${x}）：Go 客户端已经放弃，只留下了条目。`,
      '等待期间上限变了：Go 客户端已经放弃，只留下了条目。',
    ),
};

export const entryProblems: Readonly<Record<SemaphoreProblemCode, (detail: string | null) => string>> = {
  'empty-value': () => '.lock 是空的。每个持有名额的 Go 客户端都会失去名额，也没有人能判断上限。',
  'not-json': () => '.lock 不是 JSON。Go 客户端一读就会失败。',
  'not-an-object': () => '.lock 是 JSON，但不是对象。客户端一读就会失败。',
  'limit-missing': () => '.lock 没有写上限。Go 客户端会当作 0，拒绝进入。',
  'limit-not-integer': (d) => or(d, (x) => `.lock 中的上限是 ${x}，不是整数。`, '.lock 中的上限不是整数。'),
  'limit-below-one': (d) =>
    or(d, (x) => `.lock 中的上限是 ${x}：谁都无法进入。`, '.lock 中的上限小于 1：谁都无法进入。'),
  'holders-missing': () => '.lock 没有写持有者。',
  'holders-wrong-type': () => '.lock 中的持有者既不是列表，也不是映射。',
  'holder-not-a-session': (d) =>
    or(d, (x) => `.lock 把 ${x} 写作持有者，但它不是会话 ID。`, '.lock 中有一个持有者不是会话 ID。'),
  'duplicate-holders': (d) =>
    or(d, (x) => `.lock 把 ${x} 写了两次：它占两个名额，却只会释放一个。`, '.lock 把同一个持有者写了两次。'),
  'duplicate-fields': (d) =>
    or(d, (x) => `.lock 中字段 ${x} 出现多次；不同客户端认定的不是同一个。`, '.lock 中有字段出现多次。'),
  'wrong-flags': (d) =>
    or(
      d,
      (x) => `标志是 ${x}，不是信号量的标志：Go 客户端会拒绝这个键。`,
      '标志不是信号量的标志：Go 客户端会拒绝这个键。',
    ),
  'entry-missing': () => '没有 .lock。竞争者在这里，但没有任何记录说明允许多少个进入。',
  'unknown-fields': (d) =>
    or(
      d,
      (x) => `.lock 含有已知客户端都不会写的字段（${x}），会原样保留。`,
      '.lock 含有已知客户端都不会写的字段。',
    ),
};

export const since = {
  observed: (time: string) => `自 ${time}`,
  atLeast: (age: string) => `≥ ${age}`,
  observedBasis: 'Signalbox 亲眼看到它发生。',
  atLeastBasis: '此视图开始观察 Consul 时它就已经在了，因此可能更早。Consul 不保存时间。',
  valueBasis: '来自它的锁信息。',
  unknown: '未知',
};

export const expiry = {
  aliveWithin: (within: string) =>
    `会话存活，健康检查通过。如果进程已死，Consul 会在 ${within}内结束该会话。`,
  short: {
    observed: (rest: string) => `最迟 ${rest}`,
    bounded: (within: string) => `≤ ${within}`,
    withNode: '随节点',
    never: '永不',
    unknown: '未知',
    ghost: '不会自行结束',
  },
  observed: (latest: string) => `如果一直没有续期，Consul 最迟在 ${latest} 结束它。`,
  bounded: (within: string) =>
    `如果进程已死，会在 ${within}内结束（2 × TTL；重新选举 leader 会让计时重新开始）。`,
  withNode: '在节点故障或离开时结束，而不是在进程死亡时。',
  never: '不会自行结束，会一直占用，直到有人处理。',
  unknown: '未知：从这里能读到的信息里看不出来。',
  ghost: '不会自行结束：记录会一直保留，直到有客户端或人来清理。',
};
