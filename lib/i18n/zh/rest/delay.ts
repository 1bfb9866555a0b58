/** Chinese: why no client can take a lock that no session holds. Times and spans arrive formatted. */
import type { ProbeAnswer } from '@/lib/domain/seam/probe';
import { delay as shown } from '@/lib/i18n/zh/subject';

export const delay = {
  ...shown,
  title: '为什么没有客户端能获取它？',
  titleFree: '现在能获取吗？',
  ended: (who: string, node: string, seen: string) =>
    `持有者的会话结束了：${node} 上的 ${who}。Signalbox 于 ${seen} 看到。`,
  refused: (length: string) =>
    `此后 ${length}内（该会话的锁延迟），Consul 拒绝任何人获取这个键。旧进程可能仍在工作；延迟让它有时间察觉。`,
  over: (at: string, rest: string) => `最迟在 ${at} 结束，还有 ${rest}。`,
  overNow: (length: string, at: string) =>
    `此后 ${length}内（该会话的锁延迟），Consul 拒绝任何人获取这个键。最迟已于 ${at} 结束。`,
  retry: '等待中的 Go 客户端每 5\u00a0秒重试一次。下一个持有者最多可能再晚 5\u00a0秒。',
  likely: '那一刻有多个会话出现或消失。这个键可能在会话结束前刚被释放或删除。那样就没有锁延迟。',
  possible: (at: string) =>
    `持有者很可能在那之前刚刚释放。如果没有，Consul 最迟到 ${at} 都会拒绝任何人获取这个键。`,
  gone: '键已不在。锁延迟属于它的名字，仍在继续：重新创建这个键的客户端同样会被拒绝。',
  afterEnd: (length: string) => `此后 ${length}内，Consul 拒绝任何人获取这个锁（锁延迟）。`,
  gap: '',
  derived: 'Signalbox 根据观察推算。Consul 不公布它自己的值。',
  unseenUntil: (since: string, until: string) =>
    `${since} 之前开始的锁延迟无法得知。它最迟在 ${until} 结束：Consul 最多允许 60\u00a0秒。`,
  across: (datacenter: string, from: string | null) =>
    `Signalbox 通过${from === null ? '另一个数据中心' : `数据中心 ${from} `}的 agent 读取数据中心 ${datacenter}，因此看到会话结束的时间稍晚。锁延迟只在它自己的数据中心有效。`,
  noneSince: (since: string) =>
    `没有已知的锁延迟。Signalbox 自 ${since} 起不间断观察，没有看到会话结束而锁延迟至今未过的情况。`,
  notInView: '锁延迟属于名字，即使没有这个键。Signalbox 不知道这个名字是否处于锁延迟。',
  blind: 'Signalbox 不知道是否处于锁延迟。它目前看不到会话的结束，或无权读取会话列表。',
  facts: {
    session: '结束的会话',
    seen: '看到结束',
    length: '其锁延迟',
    over: '结束于',
    rest: '还剩',
  },
  probe: {
    button: '现在询问 Consul',
    explain:
      '以一个不可能存在的会话，向 Consul 的 leader 请求这个键；Consul 会拒绝并说明理由。不改动任何键、锁和会话。没有锁延迟时，会在 Raft 日志里留下一条记录。需要 key:write。按一次，问一次。',
    asking: '正在询问…',
    again: '刚刚问过。',
    answers: {
      delayed: (at: string) => `${at}：目前因锁延迟被拒绝。`,
      'not-delayed': (at: string) => `${at}：目前没有锁延迟。`,
      'cannot-tell': (at: string) => `${at}：Consul 的应答没有说明。`,
    } satisfies Record<ProbeAnswer, (at: string) => string>,
    failed: (why: string) => `没有应答：${why}`,
    notAllowed: {
      own: '你的令牌无权写这个键（key:write）。Consul 不会说明。',
      server: '本服务器的令牌无权写这个键（key:write）。Consul 不会说明。',
    },
  },
};
