/** Chinese: the full text of each finding. The clause is in `../findings.ts`. */
import { capabilities } from '@/lib/domain/capabilities';
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { LockLayout } from '@/lib/domain/layout';
import { formatCount } from '@/lib/i18n/format/format';

type Holds = FindingFacts['ghost-slots']['holds'];

const waitFor = (waiting: number | null, full: 0 | 1 = 0, holds: Holds = 'session') => {
  if (waiting === null) return '它的等待者不可见。';
  if (waiting === 0) return '';
  const who = `${waiting} 个${holds === 'session' ? '会话' : '客户端'}在等待。`;
  return full === 1 ? `名额已全部占用，${who}` : who;
};

const span = (ms: number) => (ms < 1000 ? `${ms} 毫秒` : `${Math.round(ms / 100) / 10} 秒`);

const whyNoDelay: Partial<Record<LockLayout, string>> = {
  'patroni-leader':
    'Patroni 这样设置，好让副本立即接管。无法续期的主库会自行降级。卡死的主库只有看门狗能停下。',
  'consul-template': 'consul-template 这样设置：两个实例同时渲染，写出的结果相同。',
};

export const reports: { readonly [C in FindingCode]: (facts: FindingFacts[C]) => string } = {
  'ghost-slots': ({ ghosts, holds }) =>
    holds === 'lease'
      ? `${ghosts} 个许可已过期，但仍有记录。下一个来请求的客户端会清除它们；在那之前，休眠的客户端不会因此被唤醒。`
      : holds === 'entry'
        ? `${ghosts} 个名额泄漏：其客户端已不存在。在人工移除条目之前，不会释放。`
        : `${ghosts} 个名额泄漏：其会话在这里什么都不持有。在客户端或人工清理之前，不会释放。`,
  'over-limit': ({ effective, limit, layout }) =>
    `真正持有名额的${capabilities[layout].holds === 'session' ? '会话' : '客户端'}有 ${effective} 个，而上限是 ${limit}。${
      layout === 'java-semaphore' ? '这种客户端只比较是否相等：超出上限后，任何请求都会放行。' : ''
    }`,
  'overdue-holder': ({ holders, label, waiting, full, holds }) =>
    `${holders === 1 ? `${label} ` : `${holders} 个持有者`}很可能已死：${
      holds === 'lease'
        ? '曾看到租约续期，此后停止。租约会自行到期。'
        : holds === 'entry'
          ? '没有任何服务器上有其客户端的连接。除非客户端回来，否则会话会在超时后结束。'
          : '续期停止已超过一个 TTL。Consul 会在最后一次续期之后两个 TTL 内结束会话。'
    }${waitFor(waiting, full, holds)}`,
  'suspect-holder': ({ holders, label, waiting, full, endless, holds }) =>
    `${holders === 1 ? `${label} ` : `${holders} 个持有者`}可能已死或失联${
      holds === 'session' ? '：节点或健康检查的状态为严重' : ''
    }。${endless === 1 ? `只有人工才能${holds === 'session' ? '结束会话' : '释放'}。` : ''}${waitFor(waiting, full, holds)}`,
  'endless-holder': ({ holders, verdict, label, node, onServer, waiting, holds }) =>
    `${
      holds !== 'session'
        ? `${holders > 1 ? `${holders} 个持有者` : `${label} `}没有会到期的租约。如果进程死亡，只有人工才能释放它所持有的。`
        : holders > 1
          ? `${holders} 个持有者的会话在进程死后仍会存在。`
          : verdict === 'immortal'
            ? `${label} 的会话没有 TTL，也没有健康检查。如果进程死亡，只有人工才能释放。`
            : onServer === 1
              ? `${label} 的会话没有 TTL，绑定在 Consul 服务器上。如果进程或机器死亡，只要该服务器还在，它就一直占用。`
              : `${label} 的会话没有 TTL。如果进程死亡，只要${node === null ? '会话所绑定的节点' : `节点 ${node} `}还活着，它就一直占用。`
    }${waitFor(waiting, 0, holds)}`,
  'unreadable-entry': ({ contenders }) =>
    `协调条目会让客户端出错${
      contenders === null
        ? '。可能还有你无权看到的竞争者。'
        : contenders === 0
          ? '。现在没有竞争者。'
          : `：有 ${contenders} 个竞争者。`
    }`,
  'wrong-flags': ({ flags, contenders }) =>
    `标志${flags === null ? '未知' : `是 ${flags}`}，不是信号量的标志：Go 客户端会拒绝这个键。${
      contenders === null
        ? '可能还有你无权看到的竞争者。'
        : contenders === 0
          ? ''
          : `有 ${contenders} 个竞争者。`
    }`,
  'limit-disagreement': ({ limit, asked, clients, waiting }) =>
    `上限是 ${limit}，但 ${clients} 个客户端${asked === null ? '是在另一个上限下到来的' : `要求的是另一个（${asked}）`}。${
      waiting === 0 ? '' : `其中 ${waiting} 个在等待；Go 客户端会立即失败并留下条目。`
    }`,
  herd: ({ crowd, limit }) =>
    `${crowd} 个会话等待${limit === null ? '名额' : ` ${limit} 个名额`}，没有队列。每次变化都会唤醒所有会话。每个会话都读取整个前缀（约 ${formatCount(crowd * crowd)} 个条目），只有一个能进入。`,
  flapping: ({ changes, windowMs, holdMs }) =>
    `最近 ${span(windowMs)}内易手 ${changes} 次。每个持有者平均持有 ${span(holdMs)}，与获取和释放的开销相当。`,
  deadlock: ({ clients, first, second, behind, owners }) =>
    `死锁：${
      clients === 2
        ? `${first} 和 ${second} 各自持有对方等待的东西`
        : `${clients} 个客户端（${first}、${second} 等）持有它们自己等待的一切`
    }。${clients === 2 ? '双方' : '它们'}都无法继续${behind === 0 ? '' : `，后面还有 ${behind} 个客户端在等待`}。${
      owners === 0 ? '' : `Signalbox 按所有者名称归并了 ${owners} 个客户端的会话。`
    }`,
  'dead-queue-head': ({ label, behind, free }) =>
    `${label} 排在队首，但它看来已不存在或已卡住。${free === 1 ? '它空闲，却没有人能取得。' : ''}${
      behind === 0 ? '现在来排队的客户端都会排在它后面。' : `${behind} 个客户端排在它后面。`
    }`,
  'sleeping-waiters': ({ waiting }) =>
    `没有客户端持有它，却有 ${waiting} 个客户端在旁边休眠：唤醒它们的消息丢失了，或从未发出。它们会休眠到各自的等待超时。`,
  'sleeping-readers': ({ waiting }) =>
    `写者放开了写锁但仍在读取，此时 Redisson 不发消息。当时等待写者的客户端中，有 ${waiting} 个仍在等待：想读取的在休眠，虽然现在就可以读取；想写入的则必须等待。`,
  'same-thread-removed': ({ label }) =>
    `${label} 持有这个锁期间，Signalbox 把它从另一个锁上移除了。如果两者同属一个 MultiLock，unlock() 可能在被移除的部分抛出异常，这个锁随后会一直锁着并不断续期。`,
  'no-lock-delay': ({ delayMs, layout }) =>
    `脑裂风险：锁延迟为 ${delayMs === 0 ? '0' : span(delayMs)}。会话结束时，旧进程可能还在工作，下一个持有者就已开始。${whyNoDelay[layout] ?? ''}`,
  'session-leak': () =>
    '这个会话什么都不持有，不等待名额，也没有 TTL。在客户端或人工结束它之前，它会一直存在。Consul 不记录它是否在等待普通锁。',
};
