/** Chinese: the state of a lock or a semaphore in a sentence. */
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

const lock = {
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

const semaphore = {
  slots: (recorded: number, limit: number, effective: number | null, waiting: number, part = false) =>
    `${limit} 个名额${effective !== null && effective !== recorded ? `已占用 ${recorded} 个，实际持有 ${effective} 个` : `已持有 ${recorded} 个`}，${
      waiting === 0 ? (part ? '可见范围内没有等待者' : '没有等待者') : `${waiting} 个在等待`
    }${part ? '；可能还有你无权看到的等待者' : ''}。`,
  unreadable: (waiting: number, part = false) =>
    `协调条目无法解读${waiting === 0 ? '' : `；${waiting} 个在等待`}${part ? '；可能还有你无权看到的等待者' : ''}。允许多少个进入未知。`,
  holdersHidden: (limit: number | null) =>
    `${limit === null ? '' : `上限是 ${limit}。`}这里有无权读取的条目，因此谁持有名额、谁在等待未知。`,
  unreadableHolders: (limit: number, waiting: number, part = false) =>
    `上限是 ${limit}。持有者无法读取${waiting === 0 ? '' : `；${waiting} 个在等待`}${part ? '；可能还有你无权看到的等待者' : ''}。`,
  doubtful,
  boundToServer: (n: number) => `${n} 个持有者的会话绑定在 Consul 服务器上，持有者死亡不会结束它。`,
  overdueUntil: (n: number, until: string) =>
    `${n} 个持有者很可能已死。若不续期，其会话最迟在 ${until} 结束。`,
  free: (n: number) => `${n} 个名额空闲。`,
  over: (n: number) => `持有者比上限多 ${n} 个。`,
};

/** The lock's key is gone, and its name is under a delay. */
const goneSentence = (rest: string | null) =>
  rest === null
    ? '键已不在。Consul 暂时拒绝任何人使用这个名字（锁延迟）。'
    : `键已不在。Consul 还会拒绝任何人使用这个名字 ${rest}（锁延迟）。`;

export const subject = { lock, semaphore, holding };

export const delay = { goneSentence };
