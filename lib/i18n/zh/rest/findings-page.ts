/** Chinese: the page of findings. */
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { Need } from '@/lib/domain/findings/need';

export const findingsPage = {
  title: '问题',
  sentence: (need: Need, findings: number, notices: number) => {
    const below = [
      ...(findings === 0 ? [] : [`${findings} 个问题`]),
      ...(notices === 0 ? [] : [`${notices} 条提示`]),
    ];
    const list = below.length === 0 ? '' : `下面有 ${below.join('，')}。`;
    if (need.all === 0)
      return `${findings === 0 ? '可见范围内没有需要关注的项目。' : '可见范围内没有需要关注的锁或信号量。'}${list}`;
    const when = need.now === 0 ? '无紧急' : need.now === need.all ? '全部紧急' : `其中 ${need.now} 个紧急`;
    return `${need.all} 个需要关注，${when}。${list}`;
  },
  severities: {
    urgent: { title: '紧急', chip: '紧急' },
    warning: { title: '警告', chip: '警告' },
    notice: { title: '提示', chip: '提示' },
  },
  parts: {
    attention: '需要关注',
    notices: '提示：仅供参考，无需关注',
  },
  advice: '建议',
  all: '全部',
  show: '显示',
  kind: '种类',
  any: '不限',
  search: '键、前缀或会话',
  why: (n: number) => (n === 0 ? '依据' : `依据（${n}）`),
  wants: '在等待',
  more: (shown: number, all: number) => `列出 ${shown} 条，共 ${all} 条。`,
  inGraph: '在等待图中查看',
  instead: '或改为结束另一个',
  calm: (to: 'urgent' | 'warning' | 'notice') =>
    ['若不恶化，将于 ', ` 降为“${{ urgent: '紧急', warning: '警告', notice: '提示' }[to]}”。`] as const,
  gone: '已解除',
  cleared: '已解除',
  showAll: (n: number) => `显示全部 ${n} 个`,
  prune: {
    select: (name: string) => `选择 ${name}`,
    all: (n: number) => `全选 ${n} 个`,
    button: (n: number) => (n === 0 ? '清理所选' : `清理 ${n} 个信号量…`),
    none: '请先选择要清理的信号量。',
    note: (elsewhere: number) =>
      `一个计划涵盖全部${elsewhere === 0 ? '' : `（其中 ${elsewhere} 个在其他分组）`}，结果各自独立。`,
  },
  empty: {
    none: '没有问题。',
    noneText:
      '可见范围内没有锁、信号量或会话匹配任何规则。Signalbox 无法判断可见范围之外的内容：普通锁的等待者，以及它无权读取的键。',
    filtered: '没有匹配的问题。',
    filteredText: '移除一个筛选条件，查看其余问题。',
  },
};

export const owners: {
  readonly [C in FindingCode]: (facts: FindingFacts[C] & { readonly mended: 0 | 1 }) => string;
} = {
  'ghost-slots': ({ mended, holds }) =>
    mended
      ? holds === 'lease'
        ? '在这里清除即可，与下一个来请求的客户端所做的相同。超出租约的客户端可能仍在工作。'
        : '在这里清理即可。尚未察觉丢失名额的进程可能仍在工作。'
      : '须由客户端负责人修复。Signalbox 不能清理：条目无法解读，或服务器拒绝写入它。',
  'over-limit': () => '请客户端负责人确认哪个持有者可以停止。驱逐那一个，或提高上限。',
  'overdue-holder': () => '若不续期，期限一到服务器就会释放它。要现在释放，请操作。',
  'suspect-holder': () => '请持有者的负责人确认进程是否仍在运行。如果已死，请操作。',
  'endless-holder': ({ holders, label, waiting, holds }) =>
    (waiting ?? 0) === 0
      ? holds === 'lease'
        ? '客户端修复：获取时带上租约。'
        : '客户端修复：给会话设置 TTL 并续期。'
      : `请${holders === 1 ? ` ${label} ` : '这些持有者'}的负责人确认进程是否仍在运行。如果已死，请驱逐。`,
  'unreadable-entry': ({ named }) =>
    named === 0
      ? '客户端修复：停掉客户端，在这里删除信号量，再重新启动。'
      : '客户端修复：停掉客户端，手动删除 .lock，再重新启动。其中可能写有持有者，因此 Signalbox 不删除它。',
  'wrong-flags': () => '离开的 Go 持有者会写回正确的标志。如果已没有这样的持有者：停掉客户端并删除信号量。',
  'limit-disagreement': () => '客户端修复：所有客户端以同一个上限部署，或把上限调整为它们的值。',
  herd: () =>
    '客户端修复：减少竞争者，使用队列，或改用按顺序等待的客户端。提高上限只在业务允许的范围内有用。',
  flapping: () => '客户端修复：查明持有者为何这么快放弃（崩溃、选举失败），或延长每次持有的工作。',
  deadlock: () => '结束其中任何一个，其余即可继续。建议的那个持有最少、到得最晚。',
  'dead-queue-head': ({ mended, free, behind }) =>
    mended
      ? free === 1 && behind > 0
        ? '在这里移除这个条目，以及它后面同样的条目：队列中的下一个客户端随后进入。'
        : '在这里移除这个条目，以免它挡住后来者。'
      : '须由客户端负责人修复。Signalbox 在这里不能移除它。',
  'sleeping-waiters': ({ mended }) =>
    mended
      ? '在这里唤醒即可：存储的内容不会改变。'
      : '它们会在各自的等待超时后醒来。可重启其中一个，或继续等待。',
  'sleeping-readers': ({ mended }) =>
    mended ? '在这里唤醒即可：存储的内容不会改变。' : '读者会在它们读到的租约到期时醒来。',
  'same-thread-removed': () => '请询问客户端负责人 unlock() 是否已失败。若是，请把这个锁也释放。',
  'no-lock-delay': () => '客户端修复：设置锁延迟，或校验 fencing token。',
  'session-leak': () => '请询问它的创建者。',
};
