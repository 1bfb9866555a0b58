import type { FindingCode } from '@/lib/domain/findings/finding';
import type { columnHelp as english } from '@/lib/i18n/en/board';
import { formatCount } from '@/lib/i18n/format/format';
import { findings as findingWords } from './findings';

export const unnamed = '未命名';

export const board = {
  title: '看板',
  counts: (locks: number, semaphores: number, sessions: number) =>
    `${formatCount(locks)} 个锁，${formatCount(semaphores)} 个信号量，${formatCount(sessions)} 个会话。`,
  quiet: '可见范围内没有需要关注的项目。',
  quietWaiting: (n: number) => `可见范围内没有需要关注的项目。${formatCount(n)} 个等待者。`,
  needs: (findings: readonly { code: FindingCode; n: number }[]) =>
    findings.map(({ code, n }) => `${findingWords[code].clause(n)}。`).join(''),
  needsMore: (n: number) => `另有 ${formatCount(n)} 个问题。`,
  show: {
    label: '显示',
    all: '全部',
    human: '需要关注',
    locks: '锁',
    semaphores: '信号量',
    waiting: '有等待者',
  },
  filters: {
    verdict: '判定',
    layout: '客户端类型',
    node: '节点',
    prefix: '前缀',
    any: '不限',
    sort: '排序',
    group: '按前缀分组',
    clear: '清除筛选',
    more: '筛选',
  },
  sorts: {
    needs: '需要关注的优先',
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
    ends: '释放时限',
    hour: '最近一小时',
    why: '需要关注',
  },
  notVisible: '不可见',
  notVisibleNote: '不可见：普通锁的等待者没有记录。',
  notVisibleLong: '等待者不可见',
  waitingPart: '只列出可见范围内有等待者的信号量。可能还有你无权看到的等待者。',
  moreMayWait: '可能还有你无权看到的等待者',
  waitingLong: (n: number) => (n === 0 ? '没有等待者' : `${formatCount(n)} 个会话在等待`),
  slots: (recorded: number | null, limit: number | null, effective: number | null) =>
    `${recorded ?? '?'}/${limit ?? '?'}${effective !== null && effective !== recorded ? ` (${effective})` : ''}`,
  slotsLong: (recorded: number | null, limit: number | null, effective: number | null) =>
    recorded === null || limit === null
      ? 'Signalbox 无法读取名额。'
      : `${limit} 个名额已占用 ${recorded} 个${effective !== null && effective !== recorded ? `，实际持有 ${effective} 个` : ''}`,
  lockStates: { held: '已持有', free: '空闲', delayed: '延迟中', unknown: '未知' },
  delayRest: (rest: string) => `还剩 ${rest}`,
  more: (n: number) => `+ ${n}`,
  ghosts: (n: number, besides: boolean) => `${besides ? '+ ' : ''}${n} 个幽灵`,
  unnamed: '没有存储',
  unnamedSession: unnamed,
  nobody: '无持有者',
  gone: '已消失',
  changesWaiting: (n: number) => `${n} 项变化待更新`,
  changesHelp: '指针或焦点停在行上时，各行保持不动。点此立即应用新的顺序。',
  group: (n: number) => formatCount(n),
  noGroup: '无路径',
  table: '锁和信号量',
  first: (here: number, all: number) =>
    `${formatCount(all)} 个中的前 ${formatCount(here)} 个。其余由实时视图补全。`,
  firstOfLarge: (here: number, all: number) =>
    `${formatCount(all)} 个中的前 ${formatCount(here)} 个。用搜索或筛选在服务器上查找其他。`,
  showMore: '显示更多',
  unprinted: (rows: number) => `另有 ${formatCount(rows)} 行未打印。可筛选后再打印。`,
  shown: (shown: number, all: number) =>
    shown === all
      ? `显示 ${formatCount(all)} 个`
      : `显示 ${formatCount(shown)} 个，共 ${formatCount(all)} 个`,
  empty: {
    none: '可见范围内没有锁或信号量。',
    noneText: '获取一个锁，它会立刻出现在这里。例如：',
    noneCommand: "consul lock -n=3 semaphore/demo 'sleep 60'",
    filtered: '没有匹配项。',
    filteredText:
      '搜索范围：键、会话 ID（全部或部分）、会话名称、节点、标签和存储的值。容许拼写错误，也可以粘贴整行日志。',
  },
};

export const columnHelp: typeof english = {
  slots: '已记录的持有者数，然后是上限。括号内是实际持有者数，仅在不同时显示。',
  waiting: '不可见：普通锁的等待者没有记录。',
  since: '≥：Signalbox 开始观察时它已存在。起始时间没有记录。',
  ends: '如果进程已死，服务器释放它的最长时间，由 TTL 或租约推算。',
};
