/** Chinese: the pages of one lock, one semaphore, one session. */
import type { Verdict } from '@/lib/domain/model';
import { holding } from './holding';

const holderClause: Readonly<Record<Verdict, (label: string) => string>> = {
  alive: (label) => `由 ${label} 持有，会话存活`,
  overdue: (label) => `由 ${label} 持有，它很可能已死`,
  suspect: (label) => `由 ${label} 持有，它可能已死或失联`,
  'node-bound': (label) => `由 ${label} 持有，只有会话所绑定节点的健康检查能结束它`,
  immortal: (label) => `由 ${label} 持有，只有人工才能释放它`,
  ghost: (label) => `记录为 ${label} 持有，但它在这里没有锁住任何键`,
  unknown: (label) => `由 ${label} 持有，是否存活未知`,
};

const doubtful: Readonly<Record<Verdict, ((n: number) => string) | null>> = {
  alive: null,
  overdue: (n) => `${n} 个持有者很可能已死。`,
  suspect: (n) => `${n} 个持有者可能已死或失联。`,
  'node-bound': (n) => `${n} 个持有者只会随会话所绑定的节点结束。`,
  immortal: (n) => `${n} 个持有者永远不会自行释放。`,
  ghost: (n) => `${n} 个名额泄漏：其会话在这里什么都不持有。`,
  unknown: (n) => `${n} 个持有者无法判定。`,
};

export const lock = {
  held: (verdict: Verdict, label: string, bound: string | null) =>
    `${holderClause[verdict](label)}${bound === null ? '' : `。${bound}`}。`,
  boundToServer: (label: string) => `由 ${label} 持有。会话绑定在 Consul 服务器上，持有者死亡不会结束它。`,
  bound: {
    bounded: (within: string) => `如果进程已死，服务器会在 ${within}内释放它`,
    observed: (latest: string) => `若不续期，其会话最迟在 ${latest} 结束`,
  },
  free: '空闲。没有会话持有这个锁。',
  freeOfLeases: '空闲。没有客户端持有这个锁。',
  delayed: (rest: string | null) =>
    rest === null
      ? '空闲，但 Consul 暂时拒绝任何人获取（锁延迟）。'
      : `空闲，但 Consul 还会拒绝获取 ${rest}（锁延迟）。`,
  unknown: '是否有会话持有这个锁未知。',
  waiters: '普通锁的等待者没有记录。可能仍有等待者。',
};

export const semaphore = {
  slots: (recorded: number, limit: number, effective: number | null, waiting: number, part = false) =>
    `${limit} 个名额${effective !== null && effective !== recorded ? `已占用 ${recorded} 个，实际持有 ${effective} 个` : `已持有 ${recorded} 个`}，${
      waiting === 0 ? (part ? '可见范围内没有等待者' : '没有等待者') : `${waiting} 个在等待`
    }${part ? '；可能还有你无权看到的等待者' : ''}。`,
  unreadable: (waiting: number, part = false) =>
    `协调条目无法解读${waiting === 0 ? '' : `；${waiting} 个在等待`}${part ? '；可能还有你无权看到的等待者' : ''}。允许多少个进入未知。`,
  unreadableHolders: (limit: number, waiting: number, part = false) =>
    `上限是 ${limit}。持有者无法读取${waiting === 0 ? '' : `；${waiting} 个在等待`}${part ? '；可能还有你无权看到的等待者' : ''}。`,
  doubtful,
  overdueUntil: (n: number, until: string) =>
    `${n} 个持有者很可能已死。若不续期，其会话最迟在 ${until} 结束。`,
  free: (n: number) => `${n} 个名额空闲。`,
  over: (n: number) => `持有者比上限多 ${n} 个。`,
};

/** The lock's key is gone, and its name is under a delay. */
export const goneSentence = (rest: string | null) =>
  rest === null
    ? '键已不在。Consul 暂时拒绝任何人使用这个名字（锁延迟）。'
    : `键已不在。Consul 还会拒绝任何人使用这个名字 ${rest}（锁延迟）。`;

export const subject = {
  back: '看板',
  lock,
  semaphore,
  holding,
  meta: {
    layout: (name: string) => name,
    flags: (flags: string) => `标志 ${flags}`,
    index: (index: string) => `索引 ${index}`,
  },
  sections: {
    history: '历史',
    slots: '名额',
    heldBy: '持有情况',
    findings: '需要关注',
    holders: '持有者',
    holder: '持有者',
    waiters: '等待者',
    session: '会话',
    problems: '条目',
    details: '它的记录',
    raw: '存储的条目',
    leftovers: '遗留条目',
    holds: '持有',
    wants: '等待名额',
    facts: '事实',
  },
  alive: (n: number) => `${n} 个持有者存活`,
  unlisted: (n: number) =>
    `另有 ${n} 个已记录，未列出：它们在这里没有锁定任何条目，可见范围内也没有它们的会话。`,
  waitersPart: '可能还有你无权看到的等待者：你的令牌不能读取这里的全部条目。',
  showRest: (n: number) => `再显示 ${n} 个`,
  none: {
    holders: '没有会话持有名额。',
    holdersUnread: 'Signalbox 无法读取谁持有名额。',
    holder: '没有会话持有它。',
    leases: '没有客户端持有它。',
    waiters: '没有等待者。',
    waitersInView: '可见范围内没有等待者。',
    holds: '它在可见范围内没有持有任何内容。',
    wants: '它不等待可见范围内的名额。Consul 不记录它是否在等待普通锁。',
  },
  leftWaiting: (change: string | null) =>
    `上限变更${change === null ? '' : `（${change}）`}时它正在等待。Go 客户端那时已失败；它的条目可能保留到会话结束。`,
  waitersNote: '按到达顺序排列。名额按竞争授予，不按排队。',
  queueNote: '按队列顺序：队首接下来取得。',
  waitersHead: {
    order: '#',
    who: '等待者',
    node: '节点',
    since: '起始',
    state: '其会话',
    index: '到达时的索引',
  },
  showAll: (n: number) => `显示全部 ${n} 个`,
  evidence: '依据',
  facts: {
    session: '会话',
    name: '名称',
    node: '节点',
    ttl: 'TTL',
    behavior: '结束时',
    delay: '锁延迟',
    checks: '健康检查',
    since: '起始',
    ends: '结束',
    seen: '出现',
    value: '写入',
    created: '创建时的索引',
    alsoHolds: '还持有',
  },
  ttl: {
    none: '无：没有时限',
    value: (ttl: string, double: string) => `${ttl}；在最后一次续期后 ${ttl}到 ${double}之间结束`,
  },
  behaviors: { release: '释放它的键', delete: '删除它的键' },
  delay: {
    lock: (delay: string) => `${delay}：会话结束后，Consul 在这段时间内拒绝任何人获取该键`,
    none: '无：前一个还在工作时，下一个持有者就可能开始',
    semaphore: (delay: string) => `${delay}；它不保护信号量：下一个等待者会立刻开始`,
    session: (delay: string) => `${delay}，对它的锁有效；不保护信号量`,
  },
  sessionUnread: '它仍然存在：它锁住了一个键。当前凭据无权读取它。',
  sessionUnseen: 'Signalbox 看不到这个会话：它已结束，或当前凭据无权读取。',
  checksNone: '无',
  raw: {
    value: '值',
    empty: '空',
    none: '没有此条目。',
    base64: '不是文本；以 base64 显示',
    truncated: (shown: string, all: string) => `前 ${shown}，共 ${all}`,
    size: (size: string) => size,
    flags: '标志',
    createIndex: 'CreateIndex',
    modifyIndex: 'ModifyIndex',
    lockIndex: 'LockIndex',
    lockIndexHelp: '获取次数：即 fencing token',
    key: '键',
  },
  lockInfo: {
    of: (who: string | null) => (who === null ? '锁信息' : `${who} 的锁信息`),
    created: '，创建于 ',
    end: '。',
    text: '写下它的运行失去了锁，或没有解锁就结束了。它不阻塞任何运行：下一次运行会覆盖它。删除这个锁时也会删除它，前提是你的令牌有权。',
  },
  leftovers: '没有会话锁住这些竞争者条目。它们无害，客户端会跳过。',
  notInView: {
    lock: 'Signalbox 看不到这个锁。',
    semaphore: 'Signalbox 看不到这个信号量。',
    session: 'Signalbox 看不到这个会话。',
    nothingAsked: '地址没有指明要显示的内容。',
    asks: {
      lock: '锁的页面需要它的键：',
      semaphore: '信号量的页面需要它的前缀：',
      session: '会话的页面需要它的 ID：',
    },
    because: {
      lock: '它已被删除，它的会话已结束，它不在所观察的前缀之内，或当前凭据无权读取。',
      semaphore: '它已被删除，它的会话都已结束，它不在所观察的前缀之内，或当前凭据无权读取。',
      session: '它已结束（这在 Consul 里不留痕迹），或当前凭据无权读取。',
    },
    went: {
      lock: '它已被删除，或当前凭据不再有权读取。',
      semaphore: '它已被删除，或当前凭据不再有权读取。',
      session: '它已结束，或当前凭据不再有权读取。',
    },
    near: '可见范围内同名或名称相近的：',
    nearKinds: { lock: '锁', semaphore: '信号量', session: '会话' },
    until: (time: string, holder: string | null) =>
      `它在这里直到 ${time}${holder === null ? '' : `，当时由 ${holder} 持有`}。`,
    lastSeen: (time: string, holder: string | null) =>
      `最后一次在这里看到它是 ${time}${holder === null ? '' : `，当时由 ${holder} 持有`}。它何时消失未知。`,
    heldUntil: (holder: string, time: string) => `${holder} 持有它直到 ${time}。`,
    lastHeld: (holder: string, time: string) => `${holder} 最后一次可见的持有是 ${time}。`,
    gap: '',
    becauseUnread: 'Signalbox 尚未读取任何内容。',
    search: '在看板里搜索',
  },
  session: {
    sentence: (holds: number, wants: number) =>
      holds === 0 && wants === 0
        ? '在可见范围内没有持有，也不等待名额。Consul 不记录它是否在等待普通锁。'
        : `${holds === 0 ? '在可见范围内没有持有' : `持有 ${holds} 个锁或名额`}${wants === 0 ? '' : `，在等待 ${wants} 个名额`}。`,
  },
};
