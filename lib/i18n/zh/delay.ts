/** Chinese: why nobody can take a lock that nobody holds. Times and spans arrive formatted. */
import type { ProbeAnswer } from '@/lib/domain/seam/probe';
import { goneSentence } from './subject';

export const delay = {
  title: '为什么没有人能获取它？',
  titleFree: '现在能获取吗？',
  ended: (who: string, node: string, seen: string) =>
    `持有者的会话结束了：${node} 上的 ${who}。Signalbox 于 ${seen} 看到。`,
  refused: (length: string) =>
    `此后 ${length}内，也就是该会话的锁延迟期间，Consul 拒绝任何人获取这个键。这让可能仍在工作的旧进程有时间察觉。`,
  over: (at: string, rest: string) => `最迟在 ${at} 结束，还有 ${rest}。`,
  overNow: (length: string, at: string) =>
    `此后 ${length}内，也就是该会话的锁延迟期间，Consul 拒绝任何人获取这个键。最迟已于 ${at} 结束。`,
  retry: '等待中的 Go 客户端每 5\u00a0秒重试一次，因此下一个持有者最多可能再晚 5\u00a0秒。',
  likely: '那一刻有多个会话出现或消失，所以这个键可能在会话结束前就已被释放或删除。那样就没有锁延迟。',
  possible: (at: string) =>
    `很可能在那之前就已被释放。如果没有，Consul 最迟到 ${at} 都会拒绝任何人获取这个键。`,
  gone: '键本身已经不在了。锁延迟属于它的名字，仍在继续：谁重新创建这个键，同样会被拒绝。',
  goneSentence,
  afterEnd: (length: string) => `此后 ${length}内，Consul 拒绝任何人获取这个锁（锁延迟）。`,
  gap: '',
  derived: 'Consul 不透露它自己的值：这是根据 Signalbox 看到的推算的。',
  unseenUntil: (since: string, until: string) =>
    `${since} 之前开始的锁延迟无法得知；它最迟在 ${until} 结束，因为 Consul 最多允许 60\u00a0秒。`,
  noneSince: (since: string) =>
    `没有已知正在进行的锁延迟：自 ${since} Signalbox 开始不间断地观察以来，没有看到会话结束而锁延迟至今未过的情况。`,
  notInView: '锁延迟属于名字，即使没有这个键。这个名字是否处于锁延迟，这里无法得知。',
  blind: '无法得知是否处于锁延迟：目前看不到会话的结束，或者无权读取会话列表。',
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
      '以一个不可能存在的会话，向 Consul 的 leader 请求这个键。请求必定被拒绝，而拒绝的理由就是答案。它不改动任何键、锁和会话；没有锁延迟时，会在 Raft 日志里留下一条记录。需要 key:write。按一次，问一次。',
    asking: '正在询问…',
    again: '刚刚问过。',
    answers: {
      delayed: (at: string) => `${at}：此刻因锁延迟而被拒绝。`,
      'not-delayed': (at: string) => `${at}：此刻没有锁延迟。`,
      'cannot-tell': (at: string) => `${at}：从 Consul 的应答看不出来。`,
    } satisfies Record<ProbeAnswer, (at: string) => string>,
    failed: (why: string) => `没有答案：${why}`,
    notAllowed: {
      own: '你的令牌无权写这个键（key:write），所以 Consul 不会回答。',
      server: '本服务器的令牌无权写这个键（key:write），所以 Consul 不会回答。',
    },
  },
};
