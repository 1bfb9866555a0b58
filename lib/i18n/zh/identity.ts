/** Chinese (simplified): the person, signing in and out, and a token's rights. */
import type { Messages } from '@/lib/i18n/en/page';
import { formatCount } from '@/lib/i18n/format/format';
import { shell } from './shell';

export const who: Messages['identity']['who'] = {
  label: (name) => `你是谁：${name}`,
  anonymous: '匿名',
  signIn: '登录',
  token: (id) => `用 Consul 令牌 ${id} 登录。`,
  proxy: '由 Signalbox 前面的代理确认。',
  nobody: {
    on: '未登录：你看到的是 Signalbox 自己的令牌能读到的内容。',
    off: '这里的 Consul 不要求令牌。你是匿名的。',
    unknown: 'Signalbox 目前无法得知 Consul 是否要求令牌。',
  },
  ends: (idle, latest) => `若所有页面都没有操作，登录于 ${idle} 结束；最迟于 ${latest} 结束。`,
  endsOnly: (when) => `登录最迟于 ${when} 结束。`,
  signInOther: '以其他用户登录',
  signOut: '退出登录',
  signingOut: '正在退出…',
  notSignedOut: '你可能仍处于登录状态。请重试。',
};

export const identity: Messages['identity'] = {
  login: {
    title: '登录',
    to: (datacenter) => (datacenter === null ? 'Consul，位于' : `Consul，数据中心 ${datacenter}，位于`),
    toUnnamed: '请使用此处所观察的 Consul 的令牌。登录后显示它的名称。',
    token: 'Consul 令牌',
    tokenHelp: '令牌的 Secret ID，即 CONSUL_HTTP_TOKEN 的内容。',
    button: '登录',
    checking: '正在询问 Consul…',
    empty: '请先粘贴令牌。',
    usedTitle: 'Signalbox 如何使用令牌',
    used: 'Signalbox 用它读写 Consul。你能看到它可读的内容，能做它可写的操作。其他用户不会用到它。',
    keptTitle: 'Signalbox 把它保存在哪里',
    kept: '封存在任何脚本都读不到的 Cookie 中，直到你退出或登录到期。它不在本页、本页的地址、存储或任何日志里。',
    withoutTitle: '没有令牌时',
    without: {
      see: '你能看到 Signalbox 自己的令牌可读的内容。登录后才能操作。',
      nothing: '你看不到任何内容。',
      unknown: 'Signalbox 目前无法得知 Consul 是否要求令牌。在此之前，没有令牌就不显示任何内容。',
    },
    goOn: '不登录，继续',
    off: {
      title: '无需登录。',
      text: '这里的 Consul 不要求令牌：访问控制已关闭。所有人能看什么、能做什么，取决于 Signalbox 的启动设置。',
      goOn: '前往页面',
    },
    already: (name) => `你已登录为 ${name}。`,
    proxy: (name) => `Signalbox 前面的代理确认你是 ${name}。`,
    stay: (name) => `以 ${name} 的身份继续`,
    other: '要切换用户，请用另一个令牌登录。',
    refused: {
      'signed-out': 'Consul 不认识这个令牌。请检查它是否完整、属于这个集群且仍然存在。',
      unavailable: 'Signalbox 无法核对令牌。没有任何变化。令牌仍在输入框中，请重试。',
      'no-leader': 'Consul 目前没有 leader。Signalbox 无法核对令牌。令牌仍在输入框中，请重试。',
      busy: '令牌仍在输入框中。',
    },
  },
  who,
  out: {
    title: shell.signedOut,
    cleared: 'Signalbox 已清空本页。登录即可恢复。',
    other: (name) => `这个浏览器现在以 ${name} 的身份登录。`,
    goOnAs: (name) => `以 ${name} 的身份继续`,
    goOnWithout: '不登录，继续',
    draft: '有一个打开的操作尚未发出。用同一个令牌在这里登录后，你的输入会恢复。其他用户看不到它。',
    sent: '刚刚发出了一个操作。它的结果在这里未知。重复之前请检查它的对象。',
  },
  rights: {
    asking: '正在询问 Consul 你的令牌是否可以这样做。',
    no: (rules) => `你的令牌不能这样做。${rules && `Consul 要求：${rules}。`}`,
    needs: {
      'write-entry': ({ key }) => `对 ${key} 的 key:write 权限`,
      'write-folder': ({ prefix }) => `对 ${prefix}/ 之下的 key:write 权限`,
      'write-semaphores': ({ count }) => `对 ${count} 个信号量的 .lock 的 key:write 权限`,
      'end-session': ({ node }) =>
        node === null ? '对会话所在节点的 session:write 权限' : `对节点 ${node} 的 session:write 权限`,
      'redis-command': ({ command }) => command,
    },
    and: '和',
    redis: (commands) => `Signalbox 在 Redis 中的用户不能在这里执行 ${commands}。`,
    unknown: 'Consul 尚未说明你的令牌是否可以这样做。操作时由它决定。',
  },
};

/** Shown where access control may hide everything, or everything of a kind, from the viewer. */
export const sight: Messages['sight'] = {
  left: 'Signalbox 只显示此令牌可读的内容。它无法区分隐藏与不存在。',
  nothing: '可见范围内没有内容。是否有需要关注的项目未知。',
  counts: (locks, semaphores, held) =>
    `${formatCount(locks)} 个锁，${formatCount(semaphores)} 个信号量，可见范围内没有会话${
      held ? '：此令牌无权读取持有者的会话' : ''
    }。`,
  sessionsAlone: (n) => `${formatCount(n)} 个会话，可见范围内没有锁或信号量。`,
  noLock: '它可读的锁一旦被客户端获取，就会出现在这里。',
  noSession: '可见范围内没有会话。',
  noneOfThem: '可见范围内没有会话：此令牌无权读取这里持有者的会话。',
  needed: '每个锁和每个名额都需要会话。它可读的会话一创建，就会出现在这里。',
  noKey: (sessions) =>
    `可见范围内有 ${formatCount(sessions)} 个会话。它们持有什么未知：可见范围内没有锁或信号量。Signalbox 只显示此令牌可读的键。`,
  withheld: 'Signalbox 已判定持有者，但此令牌无权读取它们的会话。',
  unjudged: 'Signalbox 无法判定持有者：此令牌无权读取它们的会话。',
};
