/** Chinese (simplified): what each verdict and each lamp means. */
import type { Verdict } from '@/lib/domain/model';

const kinds: Readonly<Record<Verdict | 'free' | 'delayed' | 'waiting', string>> = {
  alive: '会话存活，健康检查通过。如果进程已死，Consul 会在两个 TTL 之内，或在某项健康检查失败时结束该会话。',
  overdue: '曾观察到续期，但已停止超过一个 TTL，很可能已死。',
  suspect: '会话还在，但所在节点或某项健康检查为 critical，或节点已离开。可能已死，或已失联。',
  'node-bound': '会话没有 TTL，只有会话所绑定节点的健康检查能结束它。进程死了而该节点还活着时，会一直占用。',
  immortal: '会话既没有 TTL，也没有健康检查。它不会自行释放，节点死了也不会。',
  ghost: '记录在 .lock 里，但这里没有任何键被它的会话锁住。名额会一直泄漏，直到有人清理。',
  unknown: '判定所需的信息读不到。这不等于已死。',
  free: '没有人持有这个名额。',
  delayed: '空闲，但在锁延迟结束之前，Consul 拒绝任何人获取。',
  waiting: '想要名额但还没有得到的会话。',
};

export const meanings = {
  ...kinds,
  aliveWithin: (within: string) =>
    `会话存活，健康检查通过。如果进程已死，Consul 会在 ${within}内结束该会话。`,
};
