/** Chinese (simplified): what is said when this page has lost Signalbox, and around whatever is said of an outage. */
import type { OutageText } from '@/lib/i18n/en/outage';

export const lost: OutageText = {
  short: '连接已断开',
  title: '本页与 Signalbox 的连接已断开。',
  means: '从这里无法得知 Consul 的任何情况。Consul 里的锁不受影响。',
  next: '连接会自动恢复。如果没有恢复，请检查 Signalbox 服务器是否在运行，以及这台机器能否访问它。',
};

export const around = {
  gap: '',
  shown: (age: string | null) =>
    `现在看到的是最后已知的状态${age === null ? '' : `，已过去 ${age}`}：搜索和查看可用，操作已关闭。`,
  nothingShown: '还什么都没有读到；本页会自动填充。',
  restored: (at: string) => `Consul 在 ${at} 被恢复到较早的状态。有些程序可能还在使用这里已不属于它的锁。`,
  origin: (origin: string) => `Signalbox 读取的是 ${origin}。`,
  more: '这意味着什么，该怎么办',
};
