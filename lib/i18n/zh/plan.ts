/** Chinese: what a plan says, before the act and after it. */

import type {
  ConditionFacts,
  NoteFacts,
  PartFacts,
  StateFacts,
  SummaryFacts,
  TouchFacts,
  UndoFacts,
  WarningFacts,
} from '@/lib/domain/actions/plan';
import { shortId } from '@/lib/domain/model';
import type { Sayings } from '@/lib/domain/said';
import { formatDuration, unitsZh } from '@/lib/i18n/format/format';
import { layouts } from './layout';

const span = (ms: number) => formatDuration(ms, unitsZh);

const summaries: Sayings<SummaryFacts> = {
  'release-lock': ({ key, holder }) => `通过销毁 ${holder} 的会话来释放 ${key}。`,
  'hand-over-lock': ({ key, holder }) => `从 ${holder} 收回 ${key}，谁快归谁。会话继续存在。`,
  'evict-holder': ({ prefix, holder }) => `通过销毁会话，从 ${prefix} 驱逐 ${holder}。`,
  'take-slot': ({ prefix, holder }) => `收回 ${holder} 在 ${prefix} 的名额。它的会话继续存在。`,
  'prune-one': ({ prefix, ghosts }) =>
    `从 ${prefix} 清理 ${ghosts} 个幽灵：记录的会话在该前缀下没有锁住任何键。`,
  'prune-many': ({ semaphores, ghosts }) =>
    `从 ${semaphores} 个信号量清理 ${ghosts} 个幽灵：记录的会话在各自前缀下没有锁住任何键。`,
  'set-limit': ({ prefix, before, limit }) => `把 ${prefix} 的上限从 ${before} 改为 ${limit}。`,
  'destroy-session': ({ name, node }) =>
    `销毁${node === null ? '' : `节点 ${node} 上的`}会话 ${name}，以及它持有的一切。`,
  'delete-lock': ({ key }) => `删除键 ${key}。没有人持有它。`,
  'delete-semaphore': ({ prefix }) => `删除信号量 ${prefix}。没有人持有或等待它。`,
};

const conditions: Sayings<ConditionFacts> = {
  'index-is': ({ index }) => `索引仍为 ${index}`,
  'index-and-holder': ({ index, sessionId }) => `索引仍为 ${index}，由 ${sessionId} 持有`,
  'unchanged-since-reread': () => '此后重新读取以来，没有其他变化',
  'left-over-then': () => '它被遗留下来，索引与届时读到的一致',
  'same-ghosts': ({ index }) => `幽灵仍是同样的那些；期间到来的持有者会保留（读取时的索引为 ${index}）`,
  'same-limit': ({ limit, index }) => `上限仍为 ${limit}；期间来去的持有者会保留（读取时的索引为 ${index}）`,
};

const states: Sayings<StateFacts> = {
  stored: ({ text }) => text,
  'locks-keys': ({ keys }) => (keys === 0 ? '没有锁住视野内的键' : `锁住 ${keys} 个键`),
  'locks-key': ({ key }) => `锁住 ${key}`,
  'held-by': ({ sessionId }) => `由 ${sessionId} 持有`,
  'locked-by': ({ sessionId }) => `被 ${sessionId} 锁住`,
  'holds-slot': ({ prefix }) => `持有 ${prefix} 的一个名额`,
  'key-free': ({ key }) => `${key} 空闲`,
  'key-deleted': ({ key }) => `${key} 被删除`,
  'free-as-it-was': () => '空闲，值和标志不变',
  gone: () => '消失',
  'gone-with-all': () => '消失，连同它持有的一切',
};

const touched: Sayings<TouchFacts> = {
  'slot-to-waiters': ({ waiters, first }) =>
    waiters === null
      ? '立刻归等待它的人中最快的一个；你无权看到的等待者无法计数'
      : waiters === 0 || first === null
        ? '现在没有人等待它的名额'
        : `立刻归 ${waiters} 个等待者中最快的一个；${first} 最先到达`,
  'record-stays': ({ waiters }) =>
    `它的记录会作为幽灵留下：在清除之前，这个名额不会空出来${
      waiters === null ? '；你无权看到的等待者无法计数' : waiters === 0 ? '' : `（${waiters} 个等待者）`
    }`,
  'place-in-line': () => '它在等待者中的位置',
  'behavior-not-known': () => '看不到该会话：若其行为是 delete，则会被删除',
  'refused-for': ({ lockDelayMs }) => `拒绝任何人 ${span(lockDelayMs)}`,
  'free-at-once': () => '无锁延迟：可以立刻获取',
  'locks-nothing-under': ({ prefix }) => `${prefix}：其下没有任何键被这个会话锁住`,
};

const warnings: Sayings<WarningFacts> = {
  'not-conditional': () =>
    'Consul 销毁会话时没有任何条件。Signalbox 会在执行前比较一切，但不能排除最后几毫秒内的变化。',
  'lock-delay-protects': ({ lockDelayMs }) =>
    lockDelayMs === null
      ? '看不到该会话，因此它的锁延迟未知。客户端没有设置时 Consul 用 15\u00a0秒，最多不超过 60\u00a0秒。'
      : `之后 ${span(lockDelayMs)}内，Consul 拒绝任何人获取这个锁，好让旧持有者察觉。下一个持有者在此之后才开始。`,
  'no-lock-delay': ({ because }) =>
    ({
      semaphore: '信号量没有锁延迟：下一个等待者会立刻开始，被驱逐的进程那时可能还没有停下。',
      'hand-over': '移交不设锁延迟：旧进程可能还在工作，下一个持有者就已开始。',
      session: '这个会话没有锁延迟：下一个持有者可以立刻开始。',
    })[because],
  'split-brain': ({ node }) =>
    `脑裂：${node === null ? '没有任何迹象表明进程已停止' : `节点 ${node} 是健康的，所以进程可能仍在工作`}。如果下一个持有者开始时它还没有察觉，就会有两个同时工作。`,
  'command-left': ({ node }) =>
    `如果它是已经死掉或被暂停的 consul lock，就没有谁会结束它的命令：那个命令可能与下一个持有者同时运行，没有期限。请到${node === null ? '持有者所在的机器' : `节点 ${node} `}上查看。`,
  'session-lives-on': ({ ends }) =>
    `会话继续存在，它持有的其他一切也不变。${ends === 'never-by-time' ? '它没有 TTL，进程死了也不会结束。' : ''}`,
  'may-retake': ({ what }) =>
    what === 'lock'
      ? '没有什么会延迟下一次获取：任何人都可以立刻获取，原持有者也可以。'
      : '仍在运行的客户端可以用同一个会话再次占用名额。',
  'holds-more': ({ others }) => `这个会话还持有另外 ${others} 个键或名额，也会一并失去。`,
  'holder-notices': ({ layout, heirs }) =>
    ((heirs === 0 && layouts[layout].alone) || layouts[layout]).notices,
  'next-holder': ({ waiters, first }) =>
    waiters === null
      ? '等待锁的会话在 Consul 里不留痕迹：下一个是谁无法得知。'
      : waiters === 0 || first === null
        ? '现在没有人等待这个名额。'
        : `${waiters} 个会话在等待这个名额。${first} 最先到达，但 Consul 按竞争授予，不按排队。`,
  'next-holder-unseen': () =>
    '名额归等待它的人中最快的一个：Consul 按竞争授予，不按排队。你无权看到的等待者无法计数。',
  'waiters-fail': ({ waiters, limit }) =>
    `${
      waiters === null
        ? '你无权看到的等待者无法计数；所有等待者中的 Go 客户端（consul lock、api.Semaphore）会立即失败'
        : waiters === 0
          ? '现在没有人等待；届时在等待的 Go 客户端会立即失败'
          : waiters === 1
            ? '唯一的等待者如果是 Go 客户端（consul lock、api.Semaphore），会立即失败'
            : `${waiters} 个等待者中的 Go 客户端（consul lock、api.Semaphore）会立即失败`
    }，报错“semaphore limit conflict”，在以 ${limit} 重新部署之前无法回来。Consul 不知道${waiters === 1 ? '它是不是' : '哪些是'}这样的客户端。`,
  'restarts-fail': ({ limit }) => `以其他 n 启动的客户端同样会失败，直到它们要求 ${limit}。持有者不受影响。`,
  'limit-forgotten': () => '最后一个离开的 consul lock 会删除协调条目，新上限也随之消失。',
  'limit-one': () => 'consul lock -n=1 是普通锁，会拒绝这个条目，因此它的使用者不能把上限设为 1。',
  'limit-live': () => '这种布局的客户端每次都读取存储的上限：新上限立即生效，没有等待者失败。',
  'over-limit': ({ holders, limit }) =>
    `${holders} 个持有者会留下：调低上限不驱逐任何人，在持有者少于 ${limit} 之前不会放行。`,
  'clients-recreate': ({ what }) =>
    `客户端回来时会以自己的设置重新创建${what === 'lock' ? '这个键' : '这个信号量'}。`,
  'lock-info-goes': ({ who }) => `Terraform 遗留的${who === null ? '' : ` ${who} 的`}锁信息会一并删除。`,
  'lock-info-stays': ({ who }) =>
    `${who === null ? '' : `${who} 的`}锁信息会留下：此令牌不能删除它。Terraform 下次加锁时会覆盖它。`,
  'locks-stay': ({ entries }) =>
    `它下面的 ${entries} 个条目会留下：它们可能本身就是锁。之后它们列为空闲的锁，可以在那里删除。`,
  'leftovers-stay': ({ entries }) =>
    `${
      entries === null ? '竞争者遗留的条目可能还在，刚才无法读取' : `竞争者遗留的 ${entries} 个条目会留下`
    }。它们无害，信号量删除后这里不再显示；可以用 Consul 自己的工具删除。`,
  'layout-caution': ({ layout }) => layouts[layout].caution ?? layouts[layout].name,
  'left-out': ({ prefixes, names }) =>
    `所选信号量中有 ${prefixes} 个现在没有幽灵，或无法写入；它们保持原样：${names.split('\n').join('、')}${prefixes > names.split('\n').length ? '、…' : ''}。`,
  'hidden-stay': ({ holders, ids }) =>
    `${holders} 个记录的持有者只是看起来像幽灵：Consul 中有它们的会话，只是所用的令牌看不到。它们保持原样：${ids.split('\n').slice(0, 5).map(shortId).join('、')}${holders > 5 ? '、…' : ''}。`,
  'answer-lost': () => 'Consul 的应答在途中丢失。这里所说的是事后读到的。',
  'view-incomplete': () => '不能证明此令牌可以读取每个键，所以这个会话持有的可能比这里列出的多。',
  'not-read-back': () => '已经写入，但刚才没能读回状态。',
};

const undos: Sayings<UndoFacts> = {
  'set-limit-back': ({ limit }) => `把上限改回 ${limit}：立即生效。`,
  'set-limit-back-late': ({ limit }) =>
    `可以把上限改回 ${limit}，但届时已经失败的等待者不会自己回来，而以新上限到来的会接着失败。`,
  'not-needed': () => '不需要：移除的只是已没有客户端持有的内容。',
  'none-session': () => '无法撤回：已结束的会话不能恢复。它的进程必须创建新会话并重新等待。',
  'none-slot': () => '无法撤回：名额不能还给它。它的进程必须重新等待。',
  'none-hand-over': () => '无法撤回：谁获取了锁就归谁。',
  'none-delete': () => '无法撤回：客户端回来时会重新创建。',
};

const notes: Sayings<NoteFacts> = {
  'ends-session': ({ sessionId }) => `结束会话 ${sessionId}；Consul 事先不做任何检查。`,
  'ends-session-holding': ({ sessionId, key }) =>
    `结束持有 ${key} 的会话 ${sessionId}。Consul 事先不做任何检查。`,
  'then-off-record': () =>
    '然后把它从记录中去掉。若出现“index is stale”或“Did not write”：已有客户端这样做了，或有客户端来去。',
  'frees-slot': () => '只释放名额；返回 409 表示有变化，那时没有写入任何内容。',
  'in-two-steps': () => '分两步完成同样的事，因为 consul kv 没有事务：只有记录写入成功，条目才会删除。',
  unlocks: ({ key }) => `只在 ${key} 的索引和会话不变时解锁；返回 409 表示已变。`,
  'unlocks-by-session': ({ key }) => `只在该会话持有 ${key} 时解锁。与事务不同，它不看索引。`,
  'prunes-ghosts': ({ key, ghosts }) => `只在 ${key} 的索引不变时，从中去掉 ${ghosts}。`,
  'writes-limit': ({ key, limit }) => `只在 ${key} 的索引不变时写入上限 ${limit}：若已变，请重新读取。`,
  'deletes-while': ({ key, index }) => `只在 ${key} 的索引为 ${index} 时删除它。`,
  'deletes-entries': () => '只在各条目的索引不变时删除它们。',
  'no-session-command': () => 'consul 命令没有会话相关的功能：这一步要用 HTTP API。',
};

const parts: Sayings<PartFacts> = {
  pruned: ({ ghosts, named }) => `已清理 ${ghosts} 个幽灵：${named}`,
  'had-no-ghost': () => '已经没有幽灵',
};

export const plan = { summaries, conditions, states, touched, warnings, undos, notes, parts };

/** What changed behind an open dialog, each after the time at which it was seen. Short: it has one line. */
export const sinceShown = {
  seenAt: ['', ' 看到：'],
  gone: {
    lock: '这个键已经不在了。',
    semaphore: '这个信号量已经不在了。',
    session: '这个会话已经不在了，或无法看到。',
  },
  nobody: '已经没有人持有它。',
  holderUnknown: '已无法得知谁持有它。',
  taken: (label: string) => `现在由 ${label} 持有。`,
  retaken: '它被释放过，又被同一个会话取得。',
  overwritten: '它的条目被改写过，仍由同一个会话持有。',
  noSlot: (label: string | null) =>
    label === null ? '它在这里已经没有名额。' : `它在这里已经没有名额，${label} 已进来。`,
  aliveAgain: '它又存活了。',
  unfollowed: '已无法观察它的续期，它是否存活不得而知。',
  countedAnew: '它的静默从头计时，还没有看到续期。',
  healthUnread: '已无法读到它的节点和检查是否正常。',
  judged: (now: string, before: string) => `它现在的判定是“${now}”，不再是“${before}”。`,
  leaks: '它在这里已不再锁定任何键，名额泄漏了。',
  holdings: '它持有的东西与当时不同。',
  ghosts: (n: number, untold: number) => {
    if (n === 0) return untold === 0 ? '这里已经没有泄漏的名额。' : '已无法得知这里是否有名额泄漏。';
    return untold === 0
      ? `这里仍有 ${n} 个名额泄漏，其余的不再泄漏。`
      : `这里仍有 ${n} 个名额泄漏；另有 ${untold} 个无法得知。`;
  },
  otherGhosts: '这里泄漏的名额与当时不同。',
  unreadable: '已无法读到持有者的记录。',
  unrecorded: '持有者的记录已经不在了，或无法看到。',
  limit: (limit: number | null) => (limit === null ? '已无法读到它的上限。' : `上限现在是 ${limit}。`),
  used: '现在有会话持有或想要这里的名额。',
};
