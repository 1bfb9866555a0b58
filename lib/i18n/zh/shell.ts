/** Chinese: the frame of every page, freshness, and page errors. */
import { formatCount } from '@/lib/i18n/format/format';

export const shell = {
  brand: 'Signalbox',
  skip: '跳到正文',
  skipToList: '跳到第一行',
  nav: {
    label: '页面',
    board: '看板',
    sessions: '会话',
    findings: '问题',
    graph: '等待图',
    history: '历史',
    audit: '审计',
    shares: '共享',
  },
  signedOut: '你在这里已退出登录。',
  /** `all`: the whole board. */
  share: {
    button: '共享',
    open: (name: string) => `与读者共享 ${name}`,
    all: '共享整个看板',
  },
  search: {
    label: '搜索键、会话、节点、持有者',
    placeholder: '搜索键、会话、节点、持有者…',
    hint: '/',
  },
  datacenterShort: 'dc ?',
  datacenterUnknown: '数据中心未知',
  needsHuman: (n: number) => (n === 0 ? '可见范围内没有需要关注的项目' : `${n} 项需要关注`),
  needsUrgent: (n: number) => `${n} 项紧急`,
  needsUnknown: '是否有需要关注的项目未知',
  theme: { toDark: '切换到深色主题', toLight: '切换到浅色主题' },
  legend: {
    open: '帮助：指示灯和按键（?）',
  },
  ownSight:
    'Signalbox 自己的令牌不能读取这里的全部内容。它按你的令牌可读的内容判定，可能把其余部分当作不存在。管理员可以放宽它的令牌（docs/operations.md）。',
  slowRights: (every: string) =>
    `Signalbox 正在跟踪很多不同的权限，检查你的权限的间隔为 ${every}。已收回的权限在此之前可能仍会显示。`,
  demo: '演示：这些进程由 Signalbox 运行。这个 Consul 的其他使用者也会出现。',
  sources: {
    label: '来源',
    any: '不限',
    asOf: ' · 截至 ',
  },
  freshness: {
    live: (time: string) => `实时 · ${time}`,
    liveHelp: '服务器最后一次应答的时间。',
    tab: '已过时',
    catchingUp: '正在追上',
    stale: (time: string) => `数据过时，自 ${time}`,
    staleUnknown: '数据过时',
    connecting: '正在连接',
    label: '数据的新鲜度',
    asOf: ['截至 ', '：'],
    asOfOne: (source: string) => `${source} 截至 `,
    unreadOne: (source: string) => `${source} 未读取`,
    notLive: (n: number) => `${n} 个来源不是实时`,
    next: '、',
  },
  banner: {
    label: '关于这些数据',
    unread: 'Signalbox 尚未读取任何内容。',
    unreadText: 'Signalbox 会继续尝试。本页会自动填充。',
    cutOffText: '恢复后，本页会自动填充。',
    sinceText: '此后的变化未知。一旦可以，本页会自动更新。',
  },
  copy: { label: (what: string) => `复制${/^[\x20-\x7e]/.test(what) ? ' ' : ''}${what}`, done: '已复制' },
  error: {
    title: '本页出错。',
    text: '这是 Signalbox 的错误。锁不受影响，也没有写入任何内容。',
    retry: '重试',
    reference: (digest: string) => `日志编号：${digest}`,
  },
  loading: '正在读取锁和会话…',
  tooLarge: (rows: number) =>
    `共 ${formatCount(rows)} 行，本页无法全部显示。看板上的搜索和筛选由服务器应答。每个锁、信号量和会话都有自己的页面。`,
};

export const legend = {
  ...shell.legend,
  title: '指示灯和按键',
  intro: '形状表示判定，颜色与之重复。判定是 Signalbox 根据服务器的事实得出的结论。',
  urgent: '红色实心三角表示紧急。',
  warning: '琥珀色空心三角表示警告。',
  notVisible: '不可见：普通锁的等待者没有记录。',
  clock: (ahead: boolean, by: string) =>
    `这台机器的时钟比 Signalbox 的${ahead ? '快' : '慢'} ${by}。这里的时间以 Signalbox 的时钟为准。`,
  keysTitle: '按键',
  close: '关闭',
};

export const announce = {
  changes: (n: number) => `${n} 个锁或信号量有变化。`,
  needs: (n: number, before: number) => `${n} 项需要关注${n > before ? `，比之前多 ${n - before} 项` : ''}。`,
  found: (severity: string, what: string, where: string) => `新问题（${severity}）：${what}，${where}。`,
  mended: (_severity: string, what: string, where: string) => `已解除：${what}，${where}。`,
  fresh: '数据已恢复实时。',
  lost: '与 Signalbox 的连接已断开。',
  notFresh: '数据已过时。',
};

export const trouble = {
  title: 'Signalbox 目前无法显示本页。',
  text: '这不说明锁的任何状况：它们在服务器上没有变化。',
};

export const notFound = {
  title: '找不到页面。',
  text: '这个地址可能来自别的版本。看板列出所有锁和信号量。',
  toBoard: '前往看板',
};
