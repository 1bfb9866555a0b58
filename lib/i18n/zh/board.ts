/** Chinese, part three: the board. */
import type { FindingCode } from '@/lib/domain/findings/finding';
import type { columnHelp as english } from '@/lib/i18n/en/board';
import { formatCount } from '@/lib/i18n/format/format';
import { findings as findingWords } from './findings';

export const board = {
  title: '看板',
  counts: (locks: number, semaphores: number, sessions: number) =>
    `${formatCount(locks)} 个锁，${formatCount(semaphores)} 个信号量，${formatCount(sessions)} 个会话。`,
  quiet: '所见之处无需人工处理。',
  quietWaiting: (n: number) => `所见之处无需人工处理。${formatCount(n)} 个会话在等待名额。`,
  needs: (findings: readonly { code: FindingCode; n: number }[]) =>
    `${findings.map(({ code, n }) => findingWords[code].clause(n)).join('；')}。`,
  needsMore: (n: number) => `另有 ${formatCount(n)} 个问题。`,
  show: {
    label: '显示',
    all: '全部',
    human: '需人工处理',
    locks: '锁',
    semaphores: '信号量',
    waiting: '有等待者',
  },
  filters: {
    verdict: '判定',
    layout: '布局',
    node: '节点',
    prefix: '前缀',
    any: '不限',
    sort: '排序',
    group: '按前缀分组',
    clear: '清除筛选',
  },
  sorts: {
    needs: '需人工处理优先',
    name: '名称',
    waiting: '等待者最多',
    since: '持有最久',
    recent: '最近换持有者',
  },
  columns: {
    name: '名称',
    slots: '名额',
    waiting: '等待',
    holder: '持有者',
    since: '起始',
    ends: '若已死则释放',
  },
  notVisible: 'n/v',
  notVisibleNote: 'n/v：不可见。谁在等待普通锁，在 Consul 里不留痕迹。',
  notVisibleLong: '等待者在 Consul 里不可见',
  waitingPart: '只列出视野内有人等待的信号量：可能还有你无权看到的等待者。',
  moreMayWait: '可能还有你看不到的等待者',
  waitingLong: (n: number) => (n === 0 ? '无人等待' : `${formatCount(n)} 个会话在等待`),
  slots: (recorded: number | null, limit: number | null, effective: number | null) =>
    `${recorded ?? '?'}/${limit ?? '?'}${effective !== null && effective !== recorded ? ` (${effective})` : ''}`,
  slotsLong: (recorded: number | null, limit: number | null, effective: number | null) =>
    recorded === null || limit === null
      ? '名额读不出来。'
      : `${limit} 个名额中记录占用 ${recorded} 个${effective !== null && effective !== recorded ? `，真正持有 ${effective} 个` : ''}`,
  lockStates: { held: '已持有', free: '空闲', delayed: '延迟中', unknown: '未知' },
  delayRest: (rest: string) => `还剩 ${rest}`,
  more: (n: number) => `+ ${n}`,
  ghosts: (n: number, besides: boolean) => `${besides ? '+ ' : ''}${n} 个幽灵`,
  nobody: '无人',
  needsHuman: '需人工处理',
  gone: '已消失',
  changesWaiting: (n: number) => `${n} 项变化待更新`,
  changesHelp: '指针或焦点停在行上时，各行保持原位。点此立即按新顺序排列。',
  group: (n: number) => formatCount(n),
  noGroup: '无路径',
  table: '锁和信号量',
  first: (here: number, all: number) =>
    `此处为 ${formatCount(all)} 个中的前 ${formatCount(here)} 个；其余随实时视图到达。`,
  firstOfLarge: (here: number, all: number) =>
    `此处为 ${formatCount(all)} 个中的前 ${formatCount(here)} 个。搜索或筛选即可找到其他，由服务器应答。`,
  showMore: '显示更多',
  shown: (shown: number, all: number) =>
    shown === all
      ? `显示 ${formatCount(all)} 个`
      : `显示 ${formatCount(shown)} 个，共 ${formatCount(all)} 个`,
  empty: {
    none: '视野内没有锁，也没有信号量。',
    noneText: '获取一个锁，它会立刻出现在这里，例如：',
    noneCommand: "consul lock -n=3 semaphore/demo 'sleep 60'",
    filtered: '没有匹配项。',
    filteredText:
      '搜索范围：键、会话 ID（全部或部分）、会话名称、节点、标签和存储的值，并容许拼写错误。可以粘贴整行日志。',
  },
};

/** A session without a name. */
export const unnamed = '未命名';

export const columnHelp: typeof english = {
  slots: '记录的持有者数与上限。括号内是真正存在的持有者数，仅在两者不同时显示。',
  waiting: 'n/v：不可见。等待普通锁的会话在 Consul 里不留痕迹，因此无法计数。',
  since: '≥：Signalbox 开始看到它时它就已经在了，因此可能更早。Consul 不保存时间。',
  ends: '如果进程已死，Consul 要多久才会释放它，由会话的 TTL 推算。',
};
