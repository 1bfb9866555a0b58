/** Chinese (simplified): what the frame says at times: the help, what is read aloud, and what stands in place of a page. */
import { shell } from './shell';

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
