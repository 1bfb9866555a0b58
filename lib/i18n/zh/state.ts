/** Chinese (simplified): the state of a lock and of a semaphore, in one sentence each. */
import type { Verdict } from '@/lib/domain/model';

const holderClause: Readonly<Record<Verdict, (label: string) => string>> = {
  alive: (label) => `由 ${label} 持有，会话存活`,
  overdue: (label) => `由 ${label} 持有，它很可能已死`,
  suspect: (label) => `由 ${label} 持有，它可能已死或失联`,
  'node-bound': (label) => `由 ${label} 持有，只有会话所绑定节点的健康检查能结束它`,
  immortal: (label) => `由 ${label} 持有，只有人工才能结束它`,
  ghost: (label) => `记录为 ${label} 持有，但它在这里没有锁住任何键`,
  unknown: (label) => `由 ${label} 持有，无法判断它是否存活`,
};

const doubtful: Readonly<Record<Verdict, ((n: number) => string) | null>> = {
  alive: null,
  overdue: (n) => `${n} 个持有者很可能已死。`,
  suspect: (n) => `${n} 个持有者可能已死或失联。`,
  'node-bound': (n) => `${n} 个持有者只会随会话所绑定的节点结束。`,
  immortal: (n) => `${n} 个持有者永远不会自行释放。`,
  ghost: (n) => `${n} 个名额泄漏：记录的会话在这里没有锁住任何键。`,
  unknown: (n) => `${n} 个持有者无法判定。`,
};

export const lock = {
  held: (verdict: Verdict, label: string, bound: string | null) =>
    `${holderClause[verdict](label)}${bound === null ? '' : `。${bound}`}。`,
  boundToServer: (label: string) => `由 ${label} 持有。会话绑定在 Consul 服务器上，持有者死亡不会结束它。`,
  bound: {
    bounded: (within: string) => `如果进程已死，Consul 会在 ${within}内释放它`,
    observed: (latest: string) => `如果一直没有续期，Consul 最迟在 ${latest} 结束其会话`,
  },
  free: '空闲。没有人持有这个锁。',
  delayed: (rest: string | null) =>
    rest === null
      ? '空闲，但 Consul 暂时拒绝任何人获取（锁延迟）。'
      : `空闲，但 Consul 还会拒绝获取 ${rest}（锁延迟）。`,
  unknown: '无法得知是否有人持有这个锁。',
  waiters: '等待普通锁的会话在 Consul 里不留痕迹，因此不可见。这不等于没有。',
};

export const semaphore = {
  slots: (recorded: number, limit: number, effective: number | null, waiting: number, part = false) =>
    `${limit} 个名额中${effective !== null && effective !== recorded ? `记录占用 ${recorded} 个，真正持有 ${effective} 个` : `已占用 ${recorded} 个`}，${
      waiting === 0 ? (part ? '视野内无人等待' : '无人等待') : `${waiting} 个在等待`
    }${part ? '；可能还有你无权看到的等待者' : ''}。`,
  unreadable: (waiting: number, part = false) =>
    `协调条目读不懂${waiting === 0 ? '' : `；${waiting} 个在等待`}${part ? '；可能还有你无权看到的等待者' : ''}。无法得知允许多少个进入。`,
  unreadableHolders: (limit: number, waiting: number, part = false) =>
    `上限是 ${limit}。谁持有名额读不出来${waiting === 0 ? '' : `；${waiting} 个在等待`}${part ? '；可能还有你无权看到的等待者' : ''}。`,
  doubtful,
  overdueUntil: (n: number, until: string) =>
    `${n} 个持有者很可能已死：如果一直没有续期，Consul 最迟在 ${until} 结束其会话。`,
  free: (n: number) => `${n} 个名额空闲。`,
  over: (n: number) => `持有者比上限多 ${n} 个。`,
};

/** Of a lock whose key is gone while its name is in delay. */
export const goneSentence = (rest: string | null) =>
  rest === null
    ? '键已不在，Consul 暂时拒绝任何人使用这个名字（锁延迟）。'
    : `键已不在，Consul 还会拒绝任何人使用这个名字 ${rest}（锁延迟）。`;
