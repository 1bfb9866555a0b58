/** Chinese: the page in place of everything when Signalbox itself is broken. */
import type { broken as english } from '@/lib/i18n/en/broken';

export const broken: typeof english = {
  title: 'Signalbox 未能绘制此页面。',
  retry: '重新加载',
  text: '这是 Signalbox 自身的错误。锁不受影响，也没有写入任何内容。',
  next: '请重新加载页面。若仍然失败，请直接查看服务器（Consul 可用 consul kv get 或其自带界面），并把本页地址和时间告知 Signalbox 管理员。',
  reference: (digest: string) => `日志编号：${digest}`,
};
