/** Chinese: the tools of every page: search, frozen pages, palette, saved views and keys. */
import { formatCount } from '@/lib/i18n/format/format';

export const desk = {
  search: {
    opens: (name: string) => `按 Enter 打开 ${name}`,
    matched: {
      holder: '持有者',
      waiter: '等待者',
      session: '会话',
      node: '节点',
      value: '值',
      detail: '详情',
      holds: '持有',
      wants: '等待名额',
      like: '相似',
      mentioned: '提及',
    },
    sort: '最匹配优先',
    unseen: '不可见：',
    noRow: (n: number) => `没有匹配的锁或信号量。有 ${formatCount(n)} 个会话匹配：`,
    allSessions: (n: number) => `会话列表中的全部 ${formatCount(n)} 个`,
  },
  palette: {
    open: '命令：前往任何地方（Ctrl K）',
    hint: 'Ctrl K',
  },
  freeze: {
    button: '冻结',
    past: '更早…',
    pastHelp: '看板在更早时刻的样子（t）',
    help: '冻结本页的当前状态（f）',
    resume: '恢复',
    label: '已冻结的页面',
    frozenAt: ['冻结于 ', '。'],
    changed: (n: number) =>
      n === 0 ? '此后没有变化。' : `此后有 ${formatCount(n)} 个锁、信号量或会话变化。`,
    fromLink: [
      '这个链接冻结于 ',
      '。服务器和本页都没有保存那一刻。本页显示 ',
      ' 打开链接时读到的状态，并保持冻结。',
    ],
  },
  views: {
    button: '视图',
  },
  group: {
    needs: (n: number) => `${n} 项需要关注`,
    rows: (n: number) => `${n} 行`,
  },
};

export const palette = {
  ...desk.palette,
  label: '命令',
  placeholder: '前往锁、会话或页面，计划操作，或运行命令…',
  plan: (title: string) => `${title}…`,
  nothing: '没有匹配项。',
  groups: {
    subjects: '锁和信号量',
    sessions: '会话',
    pages: '页面',
    views: '视图',
    actions: '操作：先打开计划',
    commands: '命令',
  },
  board: '看板',
  needs: '看板：需要关注的',
  waiting: '看板：有等待者的',
  locks: '看板：仅锁',
  semaphores: '看板：仅信号量',
  grouped: '看板：按前缀分组',
  sessions: '会话',
  toDark: '深色主题',
  toLight: '浅色主题',
  language: (name: string) => `语言 (Language)：${name}`,
  freeze: '冻结本页',
  resume: '恢复：重新显示实时数据',
  copyLink: '复制当前视图的链接',
  searchBoard: (text: string) => `在看板里搜索“${text}”`,
  help: '帮助：指示灯和按键',
};

export const views = {
  ...desk.views,
  label: '已保存的视图',
  none: '这个浏览器里没有已保存的视图。',
  note: '只保存在这个浏览器里。视图就是一个链接：筛选、搜索、排序和分组。',
  name: '视图名称',
  save: '保存当前视图',
  remove: (name: string) => `移除视图 ${name}`,
  copy: '复制当前视图的链接',
  full: '浏览器拒绝保存视图。',
};

export const keys = {
  toggle: '单字母按键',
  toggleHelp: '如果干扰语音输入或屏幕阅读器，可以关闭。Ctrl K 和列表按键仍然有效。',
  everywhere: '任何位置',
  lists: '在看板和会话列表中',
  list: [
    ['/', '搜索'],
    ['Enter', '在搜索框中：打开最明确的匹配项'],
    ['Esc', '在搜索框中：清空'],
    ['Ctrl K', '命令：前往任何地方，执行任何操作'],
    ['f', '冻结本页，或恢复'],
    ['t', '在看板上：更早的时刻'],
    [', 和 .', '在过去的时刻：前后移动 10 秒；按住 Shift 为 1 分钟；Esc：回到实时'],
    ['?', '本帮助'],
  ],
  rows: [
    ['↓ 或 j', '下一行；从搜索框或页面进入列表'],
    ['↑ 或 k', '上一行'],
    ['Page Down、Page Up', '下一屏、上一屏'],
    ['Home、End', '第一行、最后一行'],
    ['Enter', '打开该行；在分组标题上则展开或收起'],
    ['← →', '在分组标题上：收起、展开'],
    ['m', '该行的菜单：复制和交接'],
  ],
};
