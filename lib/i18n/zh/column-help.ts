/** Chinese: what the columns of the board mean, on a closer look. */
import type { columnHelp as english } from '@/lib/i18n/en/column-help';

export const columnHelp: typeof english = {
  slots: '记录的持有者数与上限。括号内是真正存在的持有者数，仅在两者不同时显示。',
  waiting: 'n/v：不可见。等待普通锁的会话在 Consul 里不留痕迹，因此无法计数。',
  since: '≥：Signalbox 开始看到它时它就已经在了，因此可能更早。Consul 不保存时间。',
  ends: '如果进程已死，Consul 要多久才会释放它，由会话的 TTL 推算。',
};
