/** Chinese: what each finding is called, and how it is said in one clause. In full: `reports.ts`; who can mend it: `owners.ts`. */
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { Need } from '@/lib/domain/findings/need';

interface Words {
  readonly short: string;
  readonly clause: (n: number) => string;
  readonly own?: string;
}

export const findings: Readonly<Record<FindingCode, Words>> = {
  'ghost-slots': {
    short: '幽灵名额',
    clause: (n) => `${n} 个信号量泄漏名额`,
  },
  'over-limit': {
    short: '超出上限',
    clause: (n) => `${n} 个信号量的持有者超出上限`,
  },
  'overdue-holder': {
    short: '持有者逾期',
    clause: (n) => `${n} 个持有者很可能已死`,
  },
  'suspect-holder': {
    short: '持有者可疑',
    clause: (n) => `${n} 个持有者可能已死或失联`,
  },
  'endless-holder': {
    short: '不会自行释放',
    clause: (n) => `${n} 个信号量的持有者不会自行释放`,
  },
  'unreadable-entry': {
    short: '读不懂',
    clause: (n) => `${n} 个信号量读不懂`,
  },
  'wrong-flags': {
    short: '标志错误',
    clause: (n) => `${n} 个键的标志错误`,
    own: '它的标志不对。',
  },
  'limit-disagreement': {
    short: '上限不一致',
    clause: (n) => `${n} 个信号量的客户端对上限看法不一`,
    own: '客户端对上限意见不一。',
  },
  herd: {
    short: '惊群',
    clause: (n) => `${n} 个信号量有惊群`,
    own: '每次变化都会唤醒所有等待者。',
  },
  flapping: {
    short: '频繁易手',
    clause: (n) => `${n} 个对象易手过于频繁`,
    own: '它易手过于频繁。',
  },
  deadlock: {
    short: '死锁',
    clause: (n) => `存在 ${n} 处死锁`,
    own: '它处于死锁中。',
  },
  'no-lock-delay': {
    short: '无锁延迟',
    clause: (n) => `${n} 个锁没有锁延迟`,
  },
  'session-leak': {
    short: '会话泄漏',
    clause: (n) => `${n} 个会话泄漏`,
  },
};

export const owners: {
  readonly [C in FindingCode]: (facts: FindingFacts[C] & { readonly mended: 0 | 1 }) => string;
} = {
  'ghost-slots': ({ mended }) =>
    mended
      ? '在这里清理即可：没有客户端在用这些名额。'
      : '客户端的负责人。不能从这里清理：条目读不懂，或 Consul 拒绝写入它。',
  'over-limit': () => '客户端的负责人：由他们决定可以停掉哪个持有者。驱逐那一个，或提高上限。',
  'overdue-holder': () => '如果一直没有续期，Consul 会自行结束其会话；想现在就释放，请操作。',
  'suspect-holder': () => '节点的运维者：看看进程是否还在工作。如果已死，就操作。',
  'endless-holder': ({ holders, label, waiting }) =>
    (waiting ?? 0) === 0
      ? '客户端的负责人：给会话设置 TTL 并续期。'
      : `请${holders === 1 ? ` ${label} ` : '这些持有者'}的负责人确认进程是否还在运行。如果已死，就驱逐它。`,
  'unreadable-entry': ({ named }) =>
    named === 0
      ? '客户端的负责人：停掉客户端，在这里删除信号量，再重新启动。'
      : '客户端的负责人：停掉客户端，手动删除 .lock，再重新启动。其中可能写有持有者，因此 Signalbox 不删除它。',
  'wrong-flags': () =>
    '离开的 Go 持有者会写回正确的标志。如果已没有这样的持有者：由客户端的负责人在停机时删除信号量。',
  'limit-disagreement': () => '客户端的负责人：全部以同一个上限部署，或把上限调整为它们所要求的。',
  herd: () =>
    '客户端的负责人：减少竞争者，在前面加队列，或改用按顺序等待的客户端。提高上限只在业务允许的范围内有用。',
  flapping: () =>
    '客户端的负责人：查明持有者为何这么快就放弃（崩溃、选举失败），或让每次持有完成更大块的工作。',
  deadlock: () => '结束其中任何一个，其余就能继续。建议的那个持有最少、到得最晚。',
  'no-lock-delay': () => '客户端的负责人：使用带锁延迟的会话，或在业务中校验 fencing token。',
  'session-leak': () => '创建它的一方。',
};

export const findingsPage = {
  title: '问题',
  sentence: (need: Need, findings: number, notices: number) => {
    const below = [
      ...(findings === 0 ? [] : [`${findings} 个问题说明原因`]),
      ...(notices === 0 ? [] : [`${notices} 条提示`]),
    ];
    const list = below.length === 0 ? '' : `下面有 ${below.join('，')}。`;
    if (need.all === 0)
      return `${findings === 0 ? '所见之处无需人工处理。' : '所见之处没有锁或信号量需人工处理。'}${list}`;
    const when =
      need.now === 0 ? '但不急' : need.now === need.all ? '现在就要处理' : `其中 ${need.now} 个现在就要处理`;
    return `${need.all} 个锁或信号量需人工处理，${when}。${list}`;
  },
  severities: {
    urgent: { title: '现在需人工处理', chip: '紧急' },
    warning: { title: '需要查看', chip: '警告' },
    notice: { title: '供参考', chip: '提示' },
  },
  all: '全部',
  show: '显示',
  kind: '种类',
  any: '不限',
  search: '键、前缀或会话',
  why: (n: number) => (n === 0 ? '依据' : `依据（${n}）`),
  wants: '在等待',
  more: (shown: number, all: number) => `共 ${all} 条，列出 ${shown} 条。`,
  inGraph: '在等待图中查看',
  instead: '或改为结束另一个',
  calm: (to: 'urgent' | 'warning' | 'notice') =>
    ['如不再恶化，将于 ', ` 降为“${{ urgent: '紧急', warning: '警告', notice: '提示' }[to]}”。`] as const,
  gone: '已消失，看到的时间：',
  cleared: '已解除',
  showAll: (n: number) => `显示全部 ${n} 个`,
  prune: {
    select: (name: string) => `选择 ${name}`,
    all: (n: number) => `全选 ${n} 个`,
    button: (n: number) => (n === 0 ? '清理所选' : `清理 ${n} 个信号量…`),
    none: '请先选择要清理的信号量。',
    note: (elsewhere: number) =>
      `一个计划涵盖全部${elsewhere === 0 ? '' : `（其中 ${elsewhere} 个在其他分组）`}，各有各的结果。`,
  },
  empty: {
    none: '没有发现问题。',
    noneText:
      '视野内的锁、信号量和会话都没有触发规则。视野之外的不作判断：例如普通锁的等待者，以及无权读取的键。',
    filtered: '没有匹配的问题。',
    filteredText: '去掉一个筛选条件，查看其余问题。',
  },
};
