/** Chinese: what a verdict means. */
import type { Verdict } from '@/lib/domain/model';

const kinds: Readonly<Record<Verdict | 'free' | 'delayed' | 'waiting', string>> = {
  alive: '会话存活，健康检查通过。如果进程已死，Consul 会在两个 TTL 之内，或在某项健康检查失败时结束该会话。',
  overdue: '曾看到续期，此后停止超过一个 TTL。很可能已死。',
  suspect: '会话存在，但所在节点或某项健康检查的状态为严重，或节点已离开。可能已死或失联。',
  'node-bound':
    '会话没有 TTL。只有所绑定节点的健康检查能结束它。如果进程已死，只要该节点还活着，就会一直占用。',
  immortal: '会话既没有 TTL，也没有健康检查。它不会自行释放，节点死了也不会。',
  ghost: '记录在 .lock 里，但它的会话在这里没有锁住任何键。在客户端或人工清理之前，名额会一直泄漏。',
  unknown: 'Signalbox 无法读取判定所需的事实。未知不等于已死。',
  free: '没有会话持有这个名额。',
  delayed: '空闲，但在锁延迟结束之前，Consul 拒绝任何人获取。',
  waiting: '等待名额的会话。',
};

export const meanings = {
  ...kinds,
  boundToServer:
    '会话没有 TTL，绑定在 Consul 服务器上。只有该服务器的健康检查能结束它；持有者的进程或机器死亡不会结束它。',
  aliveWithin: (within: string) =>
    `会话存活，健康检查通过。如果进程已死，Consul 会在 ${within}内结束该会话。`,
};
