/** Chinese (simplified): who can mend what a finding says, and how, where none of our actions does it alone. */
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';

export const owners: {
  readonly [C in FindingCode]: (facts: FindingFacts[C] & { readonly mended: 0 | 1 }) => string;
} = {
  'ghost-slots': ({ mended }) =>
    mended
      ? '在这里清理即可：没有客户端在用这些名额。'
      : '客户端的负责人。不能从这里清理：条目读不懂，或 Consul 拒绝写入它。',
  'over-limit': () => '客户端的负责人：由他们决定可以停掉哪个持有者。驱逐那一个，或提高上限。',
  'overdue-holder': () => '如果一直没有续期，Consul 会自行结束其会话；想现在就释放，请操作。',
  'suspect-holder': () => '节点的运维者：看看进程是否还在工作。如果已死，就操作。',
  'endless-holder': ({ holders, label, waiting }) =>
    (waiting ?? 0) === 0
      ? '客户端的负责人：给会话设置 TTL 并续期。'
      : `请${holders === 1 ? ` ${label} ` : '这些持有者'}的负责人确认进程是否还在运行。如果已死，就驱逐它。`,
  'unreadable-entry': ({ named }) =>
    named === 0
      ? '客户端的负责人：停掉客户端，在这里删除信号量，再重新启动。'
      : '客户端的负责人：停掉客户端，手动删除 .lock，再重新启动。其中可能写有持有者，因此 Signalbox 不删除它。',
  'wrong-flags': () =>
    '离开的 Go 持有者会写回正确的标志。如果已没有这样的持有者：由客户端的负责人在停机时删除信号量。',
  'limit-disagreement': () => '客户端的负责人：全部以同一个上限部署，或把上限调整为它们所要求的。',
  herd: () =>
    '客户端的负责人：减少竞争者，在前面加队列，或改用按顺序等待的客户端。提高上限只在业务允许的范围内有用。',
  flapping: () =>
    '客户端的负责人：查明持有者为何这么快就放弃（崩溃、选举失败），或让每次持有完成更大块的工作。',
  deadlock: () => '结束其中任何一个，其余就能继续。建议的那个持有最少、到得最晚。',
  'no-lock-delay': () => '客户端的负责人：使用带锁延迟的会话，或在业务中校验 fencing token。',
  'session-leak': () => '创建它的一方。',
};
