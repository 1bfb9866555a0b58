/**
 * Chinese: the sentences of Consul that are read after the first sight. Its evidence, which embeds show too, is in
 * `evidence.ts`.
 */
import type {
  ConsulCondition,
  ConsulDifference,
  ConsulNote,
  ConsulState,
  ConsulSummary,
  ConsulTouch,
  ConsulUndo,
  ConsulWarning,
} from '@/lib/domain/codes/consul';
import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import { formatDuration, unitsZh } from '@/lib/i18n/format/format';

const span = (ms: number) => formatDuration(ms, unitsZh);

/** Every part is complete, or does not compile. */
export const consul = {
  summaries: {
    'release-lock': ({ key, holder }) => `通过销毁 ${holder} 的会话来释放 ${key}。`,
    'hand-over-lock': ({ key, holder }) => `从 ${holder} 收回 ${key}，由最快的客户端取得。会话保留。`,
    'evict-holder': ({ prefix, holder }) => `通过销毁会话，从 ${prefix} 驱逐 ${holder}。`,
    'take-slot': ({ prefix, holder }) => `收回 ${holder} 在 ${prefix} 的名额。它的会话保留。`,
    'prune-one': ({ prefix, ghosts }) =>
      `从 ${prefix} 清理 ${ghosts} 个幽灵：记录的会话在该前缀下没有锁住任何键。`,
    'prune-many': ({ semaphores, ghosts }) =>
      `从 ${semaphores} 个信号量清理 ${ghosts} 个幽灵：记录的会话在各自前缀下没有锁住任何键。`,
    'destroy-session': ({ name, node }) =>
      `销毁${node === null ? '' : `节点 ${node} 上的`}会话 ${name}，并释放它持有的一切。`,
    'delete-lock': ({ key }) => `删除键 ${key}。没有会话持有它。`,
    'delete-semaphore': ({ prefix }) => `删除信号量 ${prefix}。没有会话持有或等待它。`,
  } satisfies Sayings<ConsulSummary>,
  conditions: {
    'index-is': ({ index }) => `索引仍为 ${index}`,
    'index-and-holder': ({ index, sessionId }) => `索引仍为 ${index} 且由 ${sessionId} 持有`,
    'unchanged-since-reread': () => '重新读取以来没有变化',
    'left-over-then': () => '仍属遗留，且索引与重新读取时相同',
    'same-ghosts': ({ index }) => `幽灵不变；新的持有者会保留（读取时索引为 ${index}）`,
    'same-limit': ({ limit, index }) => `上限仍为 ${limit}；持有者可以来去（读取时索引为 ${index}）`,
  } satisfies Sayings<ConsulCondition>,
  states: {
    'locks-keys': ({ keys }) => (keys === 0 ? '没有锁住可见范围内的键' : `锁住 ${keys} 个键`),
    'locks-key': ({ key }) => `锁住 ${key}`,
    'locked-by': ({ sessionId }) => `被 ${sessionId} 锁住`,
    'key-deleted': ({ key }) => `${key} 被删除`,
    'free-as-it-was': () => '空闲，值和标志不变',
    'gone-with-all': () => '消失，连同它持有的一切',
  } satisfies Sayings<ConsulState>,
  touched: {
    'slot-to-waiters': ({ waiters, first }) =>
      waiters === null
        ? '等待者中任何一个都会立刻取得；你无权看到的等待者无法计数'
        : waiters === 0 || first === null
          ? '现在没有会话等待它的名额'
          : waiters === 1
            ? `立刻归 1 个等待者：${first}`
            : `立刻归 ${waiters} 个等待者中最快的一个；${first} 最先到达`,
    'record-stays': ({ waiters }) =>
      `它的记录会作为幽灵留下：清理之前，这个名额不空闲${
        waiters === null ? '；你无权看到的等待者无法计数' : waiters === 0 ? '' : `（${waiters} 个等待者）`
      }`,
    'place-in-line': () => '它在等待者中的位置',
    'behavior-not-known': () => 'Signalbox 看不到该会话：若其行为是 delete，Consul 会删除键',
    'refused-for': ({ lockDelayMs }) => `拒绝任何人 ${span(lockDelayMs)}`,
    'free-at-once': () => '无锁延迟：任何客户端都可以立刻获取',
    'locks-nothing-under': ({ prefix }) => `${prefix}：这个会话在其下没有锁住任何键`,
  } satisfies Sayings<ConsulTouch>,
  warnings: {
    'not-conditional': () =>
      'Consul 销毁会话时没有任何条件。Signalbox 在执行前一刻比较一切。最后几毫秒内仍可能有变化。',
    'lock-delay-protects': ({ lockDelayMs }) =>
      lockDelayMs === null
        ? 'Signalbox 看不到该会话，不知道它的锁延迟。客户端没有设置时 Consul 用 15\u00a0秒，最多 60\u00a0秒。'
        : `之后 ${span(lockDelayMs)}内，Consul 拒绝任何人获取这个锁。旧持有者可以在下一个开始之前察觉。`,
    'no-lock-delay': ({ because }) =>
      ({
        semaphore: '信号量没有锁延迟。下一个等待者会立刻开始，被驱逐的进程可能还没有停下。',
        'hand-over': '移交不设锁延迟。旧进程可能还在工作，下一个持有者就已开始。',
        session: '这个会话没有锁延迟，或不到 1\u00a0秒：旧持有者还没有察觉，下一个就可能开始。',
      })[because],
    'split-brain': ({ node }) =>
      `脑裂：${node === null ? '没有任何迹象表明进程已停止' : `节点 ${node} 是健康的；进程可能仍在工作`}。如果它没有在下一个持有者开始之前察觉，两者会同时工作。`,
    'command-left': ({ node }) =>
      `consul lock 如果已死或被停住，没有谁会结束它的命令。那个命令可能与下一个持有者一直同时运行，没有时限。请检查${node === null ? '持有者所在的机器' : `节点 ${node}`}。`,
    'session-lives-on': ({ ends }) =>
      `会话保留，它持有的其他一切不变。${ends === 'never-by-time' ? '它没有 TTL，进程死后仍会存在。' : ''}`,
    'may-retake': ({ what }) =>
      what === 'lock'
        ? '没有什么会延迟下一次获取：任何客户端都可以立刻获取，原持有者也可以。'
        : '仍在运行的客户端可以用同一个会话再次占用名额。',
    'holds-more': ({ others }) => `这个会话还持有另外 ${others} 个键或名额，会一并失去。`,
    'next-holder': ({ waiters, first }) =>
      waiters === null
        ? '锁的等待者没有记录。下一个持有者未知。'
        : waiters === 0 || first === null
          ? '现在没有会话等待这个名额。'
          : `${waiters} 个会话在等待这个名额。${first} 最先到达，但名额按竞争授予，不按排队。`,
    'next-holder-unseen': () =>
      '任何等待者都可能取得名额：名额按竞争授予，不按排队。你无权看到的等待者无法计数。',
    'waiters-fail': ({ waiters, limit }) =>
      `${
        waiters === null
          ? '你无权看到的等待者无法计数；所有等待的 Go 客户端（consul lock、api.Semaphore）都会立即失败'
          : waiters === 0
            ? '现在没有会话在等待；届时在等待的 Go 客户端会立即失败'
            : waiters === 1
              ? '唯一的等待者如果是 Go 客户端（consul lock、api.Semaphore），会立即失败'
              : `${waiters} 个等待者中的 Go 客户端（consul lock、api.Semaphore）会立即失败`
      }，报错“semaphore limit conflict”，在以 ${limit} 重新部署之前无法恢复。Consul 不记录${waiters === 1 ? '它是哪种客户端' : '它们是哪种客户端'}。`,
    'restarts-fail': ({ limit }) =>
      `以其他 n 启动的客户端同样会失败，直到它们要求 ${limit}。持有者不受影响。`,
    'limit-forgotten': () => '最后一个离开的 consul lock 会删除协调条目，新上限随之消失。',
    'limit-one': () => 'consul lock -n=1 是普通锁，会拒绝这个条目。它的使用者不能把上限设为 1。',
    'clients-recreate': ({ what }) =>
      `客户端恢复后会以自己的设置重新创建${what === 'lock' ? '这个键' : '这个信号量'}。`,
    'lock-info-goes': ({ who }) => `这也会删除 Terraform 遗留的${who === null ? '' : ` ${who} 的`}锁信息。`,
    'lock-info-stays': ({ who }) =>
      `${who === null ? '' : `${who} 的`}锁信息会留下：此令牌不能删除它。Terraform 下次加锁时会覆盖它。`,
    'locks-stay': ({ entries }) =>
      `它下面的 ${entries} 个条目会留下：它们可能本身就是锁。之后 Signalbox 把它们列为空闲的锁，你可以在那里删除。`,
    'leftovers-stay': ({ entries }) =>
      `${
        entries === null
          ? '竞争者遗留的条目可能留下；Signalbox 刚才无法读取'
          : `竞争者遗留的 ${entries} 个条目会留下`
      }。它们无害，信号量删除后 Signalbox 不再显示。可以用 Consul 自己的工具删除。`,
    'hidden-stay': ({ holders, ids }) =>
      `${holders} 个记录的持有者只是看起来像幽灵。Consul 中有它们的会话，但对此令牌隐藏。它们保持原样：${ids.split('\n').slice(0, 5).map(shortId).join('、')}${holders > 5 ? '、…' : ''}。`,
    'view-incomplete': () => '此令牌可能看不到所有键。这个会话持有的可能比这里列出的多。',
  } satisfies Sayings<ConsulWarning>,
  undos: {
    'set-limit-back-late': ({ limit }) =>
      `把上限改回 ${limit}。已失败的等待者不会自行恢复。以新上限到来的客户端会接着失败。`,
    'none-session': () => '无法撤销。进程必须创建新会话并重新等待。',
    'none-delete': () => '无法撤销：恢复的客户端会重新创建。',
  } satisfies Sayings<ConsulUndo>,
  notes: {
    'ends-session': ({ sessionId }) => `结束会话 ${sessionId}。Consul 事先不做任何检查。`,
    'ends-session-holding': ({ sessionId, key }) =>
      `结束持有 ${key} 的会话 ${sessionId}。Consul 事先不做任何检查。`,
    'then-off-record': () =>
      '然后把它从记录中移除。“index is stale”或“Did not write”：已有客户端这样做了，或有客户端来去。',
    'frees-slot': () => '只释放名额。409：有变化，没有写入任何内容。',
    'in-two-steps': () => '分两步完成同样的事：consul kv 没有事务。只有记录写入成功，才会删除条目。',
    unlocks: ({ key }) => `只在 ${key} 的索引和会话不变时解锁。409：已变。`,
    'unlocks-by-session': ({ key }) => `只在该会话持有 ${key} 时解锁。与事务不同，它不检查索引。`,
    'prunes-ghosts': ({ key, ghosts }) => `只在 ${key} 的索引不变时，从中移除 ${ghosts}。`,
    'writes-limit': ({ key, limit }) => `只在 ${key} 的索引不变时写入上限 ${limit}。若已变，请重新读取。`,
    'deletes-while': ({ key, index }) => `只在 ${key} 的索引为 ${index} 时删除它。`,
    'deletes-entries': () => '只在各条目的索引不变时删除它们。',
    'no-session-command': () => 'consul 命令不能结束会话。请使用 HTTP API。',
  } satisfies Sayings<ConsulNote>,
  differences: {
    'entry-came': ({ key, index }) => `${key} 原来不存在，现在索引为 ${index}`,
    'index-changed': ({ key, before, now }) => `${key} 的索引原为 ${before ?? '无'}，现为 ${now}`,
    'session-gone': ({ sessionId }) => `会话 ${shortId(sessionId)} 原来存在，现在没有了`,
    'holdings-changed': ({ sessionId, before, now, keys }) =>
      `会话 ${shortId(sessionId)} 原来持有 ${before} 个键，${
        now === 0
          ? '现在一个也不持有'
          : `现在持有 ${now} 个：${keys.split('\n').join('、')}${now > keys.split('\n').length ? '…' : ''}`
      }`,
  } satisfies Sayings<ConsulDifference>,
};
