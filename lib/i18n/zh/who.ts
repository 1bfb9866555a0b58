/** Chinese (simplified): who somebody is. */
import type { Messages } from '@/lib/i18n/en/messages';
import { whoButton } from './who-button';

export const who: Messages['identity']['who'] = {
  ...whoButton,
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
