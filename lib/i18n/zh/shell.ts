/** Chinese, part two: the frame around every page, freshness, and the errors of a page. */
import { formatCount } from '@/lib/i18n/format/format';

export const shell = {
  brand: 'Signalbox',
  skip: '跳到正文',
  nav: {
    label: '页面',
    board: '看板',
    sessions: '会话',
    findings: '问题',
    graph: '等待图',
    audit: '审计',
    shares: '共享',
  },
  signedOut: '你在这里已退出登录。',
  /** The button that shares what is shown; `all` while that is the whole board. */
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
  needsHuman: (n: number) => (n === 0 ? '所见之处无需人工处理' : `${n} 项需人工处理`),
  needsUnknown: '是否需人工处理尚不可知',
  theme: { toDark: '切换到深色主题', toLight: '切换到浅色主题' },
  legend: {
    open: '帮助：指示灯的含义和按键（?）',
  },
  ownSight:
    'Signalbox 自己的令牌无权读取这里的全部内容，因此这里只按你的令牌能读到的内容判定：读不到的可能被当作不存在。运行 Signalbox 的人可以放宽它的令牌（docs/operations.md）。',
  slowRights: (every: string) =>
    `Signalbox 正在跟踪很多不同的权限，因此检查你的权限的间隔为 ${every}。已收回的权限在此之前可能仍会显示。`,
  demo: '这是演示环境：Signalbox 启动的进程正在这里竞争，与这个 Consul 的其他使用者并存。',
  freshness: {
    live: (time: string) => `实时 · ${time}`,
    liveHelp: 'Consul 最后一次应答的时间。',
    tab: '已过时',
    catchingUp: '正在追上',
    stale: (time: string) => `数据过时，自 ${time}`,
    staleUnknown: '数据过时',
    connecting: '正在连接',
    label: '所示数据的新鲜度',
    asOf: ['截至 ', '：'],
  },
  banner: {
    label: '关于这些数据',
    unread: '还没能读取 Consul。',
    unreadText: 'Signalbox 会继续尝试，本页会自动填充。',
    cutOffText: '一旦恢复，本页会自动填充。',
    sinceText: '此后发生了什么尚不可知。一旦可以，本页会自动更新。',
  },
  copy: { label: (what: string) => `复制${/^[\x20-\x7e]/.test(what) ? ' ' : ''}${what}`, done: '已复制' },
  error: {
    title: '本页出错。',
    text: 'Signalbox 自身出了问题。Consul 里的锁不受影响，也没有写入任何内容。',
    retry: '重试',
    reference: (digest: string) => `日志编号：${digest}`,
  },
  loading: '正在读取锁和会话…',
  tooLarge: (rows: number) =>
    `共 ${formatCount(rows)} 行，本页无法全部显示。看板上的搜索和筛选由服务器应答；每个锁、信号量和会话都有自己的页面。`,
};

export const legend = {
  ...shell.legend,
  title: '指示灯和按键',
  intro: '形状表示判定，颜色只是重复它。判定是 Signalbox 根据 Consul 提供的事实得出的结论。',
  red: '红色三角标出现在就需要人工处理的对象。',
  notVisible: 'n/v：不可见。等待普通锁的会话在 Consul 里不留痕迹，因此无法计数。',
  clock: (ahead: boolean, by: string) =>
    `这台机器的时钟比 Signalbox 的${ahead ? '快' : '慢'} ${by}。这里的时间以 Signalbox 的时钟为准。`,
  keysTitle: '按键',
  close: '关闭',
};

export const announce = {
  changes: (n: number) => `${n} 个锁或信号量有变化。`,
  needs: (n: number, before: number) =>
    `现在有 ${n} 项需人工处理${n > before ? `，比之前多 ${n - before} 项` : ''}。`,
  found: (what: string, where: string) => `新问题：${what}，${where}。`,
  mended: (what: string, where: string) => `已消失：${what}，${where}。`,
  fresh: '数据已恢复实时。',
  lost: '与 Signalbox 的连接已断开。',
  notFresh: '数据不再是实时的。',
};

export const trouble = {
  title: '本页目前无法显示。',
  text: '这不说明锁的任何状况：它们在 Consul 中照旧。',
};

export const notFound = {
  title: '没有这个页面。',
  text: '这个地址可能来自别的版本。看板里有全部的锁和信号量。',
  toBoard: '前往看板',
};
