/** Chinese: what is held by a lease or an entry of its own, without a session, and who waits where they are only counted. */
import type { Verdict } from '@/lib/domain/model';

const held: Readonly<Record<Verdict, (who: string) => string>> = {
  alive: (who) => `由 ${who} 持有。`,
  overdue: (who) => `由 ${who} 持有，它很可能已死。`,
  suspect: (who) => `由 ${who} 持有，它可能已死或失联。`,
  'node-bound': (who) => `由 ${who} 持有。`,
  immortal: (who) => `由 ${who} 持有，只有人工才能释放它。`,
  ghost: (who) => `记录为 ${who} 持有，但它已不存在。`,
  unknown: (who) => `由 ${who} 持有，是否存活未知。`,
};

const bases = {
  configured: (limit: number) => `上限 ${limit} 是在这里配置的。`,
  inferred: (limit: number) => `上限 ${limit} 是推断的：还有客户端在等待。`,
  'at-least': (limit: number) => `上限至少是 ${limit}：它没有存储。`,
} as const;

export const holding = {
  held,
  who: (label: string, more: number, mode: 'read' | 'write' | null) =>
    `${label}${more === 0 ? '' : ` 等 ${more + 1} 个`}${mode === null ? '' : mode === 'read' ? '（读）' : '（写）'}`,
  again: (times: number) => `它获取了 ${times} 次，须释放同样多次。`,
  leasesEnd: (at: string) => `若不续期，最后一个租约在 ${at} 到期。`,
  unknown: '是否有客户端持有这个锁未知。',
  ends: {
    entry: (within: string) => `客户端死亡后 ${within}内，会话超时时结束。`,
    over: '已到期',
    sweep: '租约已到期。在下一个客户端或人工清除之前，记录会一直保留。',
    entryGhost: '不会自行结束。只有人工才能移除条目。',
  },
  waiting: {
    none: '没有计到等待的客户端。轮询的客户端不留痕迹。',
    unknown: '有多少客户端在等待未知。',
    counted: (n: number) => `${n} 个客户端在等待：只有数量，没有名字。`,
    hidden: '等待者不留痕迹。可能有等待者。',
    queue: (n: number) => (n === 0 ? '没有等待者。' : `${n} 个客户端在等待。`),
    short: (n: number) => `${n} 个在等待`,
  },
  slots: (recorded: number, limit: number, effective: number | null) =>
    `${limit} 个名额${effective !== null && effective !== recorded ? `已占用 ${recorded} 个，实际持有 ${effective} 个` : `已持有 ${recorded} 个`}。`,
  taken: (recorded: number) => `已持有 ${recorded} 个名额。`,
  bases,
  noLimit: '上限没有存储。',
  expired: (n: number) => `${n} 个许可已过期，尚未清除。`,
  free: {
    unknown: '有多少许可空闲无法读取。',
    some: (n: number, limit: number | null) =>
      n < 0
        ? `没有空闲的许可：还须先归还 ${-n} 个。`
        : `${limit === null ? '' : `${limit} 个许可中`}${n === 0 ? '没有空闲的' : `有 ${n} 个空闲`}${limit === null ? '许可' : ''}。`,
    holders: '其余由谁持有没有存储。',
    short: (n: number | null, limit: number | null) => `空闲 ${n ?? '?'}${limit === null ? '' : `/${limit}`}`,
  },
  latch: {
    count: (n: number | null) =>
      n === null
        ? '计数无法读取。'
        : n === 0
          ? '计数为 0：没有客户端被挡住。'
          : `计数为 ${n}：到 0 时客户端才会继续。`,
    short: (n: number | null) => `计数 ${n ?? '?'}`,
  },
};
