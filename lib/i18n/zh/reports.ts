/** Chinese: what each finding says, in full. In one clause: `findings.ts`; who can mend it: `owners.ts`. */
import type { FindingCode, FindingFacts } from '@/lib/domain/findings/finding';
import type { LockLayout } from '@/lib/domain/layout';
import { formatCount } from '@/lib/i18n/format/format';

const waitFor = (waiting: number | null, full: 0 | 1 = 0) => {
  if (waiting === null) return '谁在等待它不可见。';
  if (waiting === 0) return '';
  return full === 1 ? `名额已全部占用，${waiting} 个会话在等待。` : `${waiting} 个会话在等待。`;
};

const span = (ms: number) => (ms < 1000 ? `${ms} 毫秒` : `${Math.round(ms / 100) / 10} 秒`);

const whyNoDelay: Partial<Record<LockLayout, string>> = {
  'patroni-leader':
    '这是 Patroni 自己要求的，好让副本立即接管。无法续期的主库会自行降级；卡死的主库只有看门狗能停下。',
  'consul-template': '这是 consul-template 自己要求的：两个实例同时渲染，写出的结果相同。',
};

export const reports: { readonly [C in FindingCode]: (facts: FindingFacts[C]) => string } = {
  'ghost-slots': ({ ghosts }) =>
    `${ghosts} 个名额泄漏：记录的会话在这里什么都不持有。只有等会清理的客户端到来，或由人工清理，才会释放。`,
  'over-limit': ({ effective, limit, layout }) =>
    `真正持有名额的会话有 ${effective} 个，而上限是 ${limit}。${
      layout === 'java-semaphore' ? '这种布局的客户端只比较是否相等：一旦超出上限，谁来都会放行。' : ''
    }`,
  'overdue-holder': ({ holders, label, waiting, full }) =>
    `${holders === 1 ? `${label} ` : `${holders} 个持有者`}很可能已死：曾看到续期，但已停止超过一个 TTL。Consul 会在最后一次续期之后两个 TTL 内结束会话。${waitFor(waiting, full)}`,
  'suspect-holder': ({ holders, label, waiting, full, endless }) =>
    `${holders === 1 ? `${label} ` : `${holders} 个持有者`}可能已死或失联：节点或健康检查为 critical。${
      endless === 1 ? '只有人工才能结束会话。' : ''
    }${waitFor(waiting, full)}`,
  'endless-holder': ({ holders, verdict, label, node, waiting }) =>
    `${
      holders > 1
        ? `${holders} 个持有者所用的会话在进程死亡时不会结束。`
        : verdict === 'immortal'
          ? `${label} 所用的会话既没有 TTL，也没有健康检查。一旦进程死亡，只有人工才能释放。`
          : `${label} 所用的会话没有 TTL。一旦进程死亡，只要${node === null ? '所在节点' : `节点 ${node} `}还活着，它就一直占用。`
    }${waitFor(waiting)}`,
  'unreadable-entry': ({ contenders }) =>
    `协调条目会让客户端出错${
      contenders === null
        ? '。可能还有你无权看到的竞争者。'
        : contenders === 0
          ? '。现在那里没有人。'
          : `：那里有 ${contenders} 个竞争者。`
    }`,
  'wrong-flags': ({ flags, contenders }) =>
    `标志${flags === null ? '未知' : `是 ${flags}`}，不是信号量的标志：Go 客户端会拒绝这个键。${
      contenders === null
        ? '可能还有你无权看到的竞争者。'
        : contenders === 0
          ? ''
          : `那里有 ${contenders} 个竞争者。`
    }`,
  'limit-disagreement': ({ limit, asked, clients, waiting }) =>
    `上限是 ${limit}，但 ${clients} 个客户端${asked === null ? '是在另一个上限下到来的' : `要求的是另一个（${asked}）`}。${
      waiting === 0 ? '' : `其中 ${waiting} 个在等待；Go 客户端会立即放弃并留下条目。`
    }`,
  herd: ({ crowd, limit }) =>
    `${crowd} 个会话等待${limit === null ? '名额' : ` ${limit} 个名额`}，且不排队：每次变化都会唤醒所有会话，每个都要读整个前缀（约 ${formatCount(crowd * crowd)} 个条目），而只有一个能进入。`,
  flapping: ({ changes, windowMs, holdMs }) =>
    `最近 ${span(windowMs)}内易手 ${changes} 次：平均每个持有者只持有 ${span(holdMs)}。获取和归还的开销，与这段时间内能做的事差不多。`,
  deadlock: ({ clients, first, second, behind, owners }) =>
    `死锁：${
      clients === 2
        ? `${first} 和 ${second} 各自持有对方等待的东西`
        : `${clients} 个客户端（${first}、${second} 等）持有它们自己所等待的一切`
    }。它们都无法继续${behind === 0 ? '' : `，后面还有 ${behind} 个客户端在等待`}。${
      owners === 0 ? '' : `${owners} 个客户端各有多个会话，因条目中写着同一个所有者而视为一个。`
    }`,
  'no-lock-delay': ({ delayMs, layout }) =>
    `脑裂风险：锁延迟为 ${delayMs === 0 ? '0' : span(delayMs)}。会话结束时，旧进程可能还在工作，下一个持有者就已开始。${whyNoDelay[layout] ?? ''}`,
  'session-leak': () =>
    '这个会话什么都不持有，不等待名额，也没有 TTL：它会一直在，直到有人结束它。它是否在等待普通锁不可见。',
};
