/** Chinese (simplified): who somebody is, signing in and out, and what a token may do. */
import type { Messages } from '@/lib/i18n/en/messages';
import { shell } from './shell';

export const who: Messages['identity']['who'] = {
  label: (name) => `你是谁：${name}`,
  anonymous: '匿名',
  signIn: '登录',
  token: (id) => `用 Consul 令牌 ${id} 登录。`,
  proxy: '由 Signalbox 前面的代理说明。',
  nobody: {
    on: '未登录：你看到的是 Signalbox 自己的令牌能读到的内容。',
    off: '这里的 Consul 不要求令牌，所以没有人知道你是谁。',
    unknown: '目前无法得知 Consul 是否要求令牌。',
  },
  ends: (idle, latest) => `如果在此之前任何页面都没有操作，登录于 ${idle} 结束；最迟于 ${latest} 结束。`,
  endsOnly: (when) => `登录最迟于 ${when} 结束。`,
  signInOther: '换一个身份登录',
  signOut: '退出登录',
  signingOut: '正在退出…',
  notSignedOut: '不能确定你是否已退出登录，请重试。',
};

export const identity: Messages['identity'] = {
  login: {
    title: '登录',
    to: (datacenter) => (datacenter === null ? 'Consul，位于' : `Consul，数据中心 ${datacenter}，位于`),
    toUnnamed: '使用此处所观察的 Consul 的令牌。登录之后才显示是哪一个 Consul。',
    token: 'Consul 令牌',
    tokenHelp: '令牌的 Secret ID，即 CONSUL_HTTP_TOKEN 的内容。',
    button: '登录',
    checking: '正在询问 Consul…',
    empty: '请先粘贴令牌。',
    usedTitle: '令牌的用途',
    used: 'Signalbox 用它读写 Consul：它能读的，你就能看；它能写的，你就能做。别人不会用到它。',
    keptTitle: '保存在哪里',
    kept: '封存在任何脚本都读不到的 Cookie 中，直到你退出或登录到期。本页、它的地址和存储里都没有令牌，日志里也没有。',
    withoutTitle: '没有令牌时',
    without: {
      see: '你可以查看 Signalbox 自己的令牌能读到的内容。要操作，请登录。',
      nothing: '什么也不显示。',
      unknown: '目前无法得知 Consul 是否要求令牌。在此之前，没有令牌就什么也不显示。',
    },
    goOn: '不登录，继续',
    off: {
      title: '这里无需登录。',
      text: '这里的 Consul 没有开启访问控制，不要求令牌。大家能看什么、能做什么，取决于 Signalbox 的启动方式。',
      goOn: '前往页面',
    },
    already: (name) => `你已登录为 ${name}。`,
    proxy: (name) => `Signalbox 前面的代理说你是 ${name}。`,
    stay: (name) => `以 ${name} 的身份继续`,
    other: '要换一个身份，请用另一个令牌登录。',
    refused: {
      'signed-out': 'Consul 不认识这个令牌。请检查它是否完整、是否属于这个集群、是否已被删除。',
      unavailable: '令牌无法核对，因此一切照旧。它仍在输入框中，请重试。',
      'no-leader': 'Consul 目前没有 leader，令牌无法核对。它仍在输入框中，请重试。',
      busy: '它仍在输入框中。',
    },
  },
  who,
  out: {
    title: shell.signedOut,
    cleared: '本页显示的内容已被移除。登录后即可恢复原状。',
    other: (name) => `这个浏览器现在以 ${name} 的身份登录。`,
    goOnAs: (name) => `以 ${name} 的身份继续`,
    goOnWithout: '不登录，继续',
    draft: '有一个操作已打开，但没有发出。用同一个令牌在这里登录后，你输入的内容会恢复；别人看不到它。',
    sent: '刚刚发出了一个操作，它的结果在这里无从得知：重复之前请先再看一看它的对象。',
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
    },
    and: '和',
    unknown: 'Consul 没有说明你的令牌是否可以这样做。操作时由它决定。',
  },
};
