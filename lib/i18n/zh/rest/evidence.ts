/** Chinese (simplified): the evidence of verdicts, and problems of an entry. */
import type { EvidenceCode, SemaphoreProblemCode } from '@/lib/domain/model';
import type { RenewalBasis } from '@/lib/i18n/en/rest/evidence';
import { redis } from './redis';
import { standIn } from './stand-in';
import { zookeeper } from './zookeeper';

export const evidenceSources: Readonly<Record<string, string>> = {
  kv: 'KV 存储',
  session: '会话',
  catalog: '目录',
  agent: 'agent 日志',
  signalbox: 'Signalbox',
  ...redis.evidenceSources,
  ...standIn.evidenceSources,
  ...zookeeper.evidenceSources,
};

const or = (detail: string | null, text: (d: string) => string, without: string) =>
  detail === null ? without : text(detail);

const notObservedPlain = 'Signalbox 在此未观察续期。最后一次续期的时间未知。';
const notObserved: Readonly<Record<string, string>> = {
  unseen: '所观察的 agent 上尚未出现它的续期。它可能通过别的 agent 续期。',
  connecting: 'Signalbox 尚未观察续期：正在打开 agent 的日志。',
  forbidden: 'Signalbox 未观察续期：当前凭据无权跟踪 agent 的日志（agent:read）。',
  unreachable: 'Signalbox 未观察续期：目前无法跟踪 agent 的日志。',
  left: 'Signalbox 未观察续期：Consul 已不再列出该会话续期所经过的服务器。',
  'no-servers': 'Signalbox 未观察续期：所用的 agent 尚未列出要跟踪日志的服务器。',
  off: 'Signalbox 未观察续期：SIGNALBOX_RENEWAL_AGENTS 关闭了此功能。',
};

type EvidenceText = (detail: string | null, at?: string | null) => string;

export const evidence: Readonly<Record<EvidenceCode, EvidenceText>> = {
  'session-exists': (d) => or(d, (x) => `会话存在（${x}）。`, '会话存在。'),
  'session-not-listed': () => 'Consul 没有列出该会话：它已结束、刚刚建立，或当前凭据看不到它。',
  'session-not-visible': () => '该会话不可见：无权读取，或不在可见范围内。',
  'holds-entry': (d) => or(d, (x) => `会话锁住了 ${x}。`, '会话锁住了自己的条目。'),
  'recorded-as-holder': (d) => or(d, (x) => `${x} 将它记录为持有者。`, '.lock 将它记录为持有者。'),
  'no-entry-locked': () => '这个会话在该前缀下没有锁住任何键。',
  'name-of-no-session': () => '记录的名字不是会话的。Consul 中没有任何信息说明该持有者是否存在。',
  'may-need-no-entry': () =>
    '标志与 Go 客户端的不同。有自己规则的程序可能只在 .lock 中记录持有者。这不能证明名额泄漏。',
  'view-incomplete': (d) => or(d, (x) => `视图不完整：${x}。`, '视图不完整。Signalbox 无法判定。'),
  ttl: (d) => or(d, (x) => `会话的 TTL 为 ${x}。`, '会话有 TTL。'),
  'no-ttl': () => '会话没有 TTL：它永不过期。',
  'no-checks': () => '会话没有健康检查。进程或节点故障都不会结束它。',
  'node-checks-only': (d) =>
    or(
      d,
      (x) => `它只有节点 ${x} 的健康检查，没有一项覆盖进程。`,
      '它只有所在节点的健康检查，没有一项覆盖进程。',
    ),
  'server-node': (d) =>
    or(
      d,
      (x) => `节点 ${x} 是 Consul 服务器。它的健康状况不反映持有者的机器。`,
      '所在节点是 Consul 服务器。它的健康状况不反映持有者的机器。',
    ),
  'bound-to-server': (d) =>
    or(
      d,
      (x) => `会话绑定在服务器节点 ${x} 上。持有者死亡不会结束它。`,
      '会话绑定在服务器节点上。持有者死亡不会结束它。',
    ),
  'node-passing': (d) => or(d, (x) => `节点 ${x} 的健康检查通过。`, '所在节点的健康检查通过。'),
  'node-critical': (d) => or(d, (x) => `节点 ${x} 的状态为严重。`, '所在节点的状态为严重。'),
  'node-gone': (d) => or(d, (x) => `节点 ${x} 已离开目录。`, '所在节点已离开目录。'),
  'node-unknown': (d) => or(d, (x) => `节点 ${x} 的健康状况未知。`, '所在节点的健康状况未知。'),
  'check-critical': (d) => or(d, (x) => `健康检查 ${x} 的状态为严重。`, '有一项健康检查的状态为严重。'),
  'check-warning': (d) => or(d, (x) => `健康检查 ${x} 的状态为警告。`, '有一项健康检查的状态为警告。'),
  'check-unknown': (d) => or(d, (x) => `健康检查 ${x} 的状态未知。`, '有一项健康检查的状态未知。'),
  'checks-passing': (d) => or(d, (x) => `健康检查通过（${x}）。`, '健康检查通过。'),
  'renewals-not-observed': (d) => notObserved[d ?? ''] ?? notObservedPlain,
  'renewal-observed': (d, at) =>
    `${at === null || at === undefined ? '已看到' : `${at} 看到`}最后一次续期${d === null ? '' : `，在 agent ${d} 上`}。`,
  'renewal-overdue': (_, at = null) =>
    at === null
      ? '超过一个 TTL 没有续期，期间一直在观察它的 agent。'
      : `此后没有续期。最迟应在 ${at} 续期，期间一直在观察它的 agent。`,
  'renewals-elsewhere': (_, at = null) =>
    `它的续期在此停止，会话却仍然存在${at === null ? '' : `（${at} 发现）`}：它正通过未观察的 agent 续期。`,
  'timers-restarted': (_, at = null) =>
    `${at === null ? 'Consul 选出了新的 leader' : `Signalbox 在 ${at} 看到新的 leader`}：Consul 让每个会话重新计时。`,
  'limit-changed-while-waiting': (d) =>
    or(
      d,
      (x) => `等待期间上限变了（${x}）。Go 客户端已经放弃，只留下条目。`,
      '等待期间上限变了。Go 客户端已经放弃，只留下条目。',
    ),
  'evidence-withheld': () => '这个判定使用了 Signalbox 能读取的全部信息。其余部分你的令牌无权读取。',
  ...redis.evidence,
  ...standIn.evidence,
  ...zookeeper.evidence,
};

export const entryProblems: Readonly<Record<SemaphoreProblemCode, (detail: string | null) => string>> = {
  'empty-value': () => '.lock 是空的。下一个 Go 客户端会把它当作新的信号量。原先的持有者都已失去名额。',
  'not-json': () => '.lock 不是 JSON。Go 客户端一读就会失败。',
  'not-utf8': () => '.lock 中有不是 UTF-8 的字节。Go 客户端会忽略这一点；Signalbox 不写这样的条目。',
  'not-an-object': (d) =>
    d === 'null'
      ? '.lock 是 null。Go 客户端读到的上限是 0，拒绝进入。'
      : '.lock 是 JSON，但不是对象。客户端一读就会失败。',
  'limit-missing': () => '.lock 没有写上限。Go 客户端读到的是 0，拒绝进入。',
  'limit-not-integer': (d) =>
    or(
      d,
      (x) =>
        /^-?\d+$/.test(x)
          ? `.lock 中的上限是 ${x}，过大，无法精确读取。`
          : `.lock 中的上限是 ${x}，不是整数。Go 客户端一读就会失败。`,
      '.lock 中的上限不是整数。',
    ),
  'limit-below-one': (d) =>
    or(
      d,
      (x) => `.lock 中的上限是 ${x}：任何客户端都无法进入。`,
      '.lock 中的上限小于 1：任何客户端都无法进入。',
    ),
  'holders-missing': (d) =>
    `${d === 'null' ? '.lock 中的持有者是 null' : '.lock 没有写持有者'}。要求同一上限的 Go 客户端会因此崩溃。Go 持有者会失去名额。`,
  'holders-wrong-type': (d) =>
    d === 'list'
      ? '.lock 带着 Go 的标志，持有者却是列表。Go 客户端一读就会失败。'
      : '.lock 中的持有者既不是会话列表，也不是会话映射。',
  'holder-not-a-session': (d) =>
    or(d, (x) => `.lock 把 ${x} 写作持有者，但它不是会话 ID。`, '.lock 中有一个持有者不是会话 ID。'),
  'duplicate-holders': (d) =>
    or(d, (x) => `.lock 把 ${x} 写了两次：它占两个名额，却只会释放一个。`, '.lock 把同一个持有者写了两次。'),
  'holder-repeated': (d) =>
    or(
      d,
      (x) => `.lock 中键 ${x} 出现两次。客户端只算一次。`,
      '.lock 中同一个持有者的键出现两次。客户端只算一次。',
    ),
  'duplicate-fields': (d) =>
    or(
      d,
      (x) =>
        `.lock 中字段 ${x} 出现多次。Go ${x === 'holders' ? '会合并它们' : '取最后一个'}，其他客户端未必如此。`,
      '.lock 中有字段出现多次。',
    ),
  'wrong-flags': (d) =>
    or(
      d,
      (x) => `标志是 ${x}，不是信号量的标志：Go 客户端会拒绝这个键。`,
      '标志不是信号量的标志：Go 客户端会拒绝这个键。',
    ),
  'entry-missing': (d) =>
    or(
      d,
      (x) => `这里的 .lock 不是协调条目（标志 ${x}）。有竞争者，但没有上限说明允许多少个进入。`,
      '没有 .lock。有竞争者，但没有上限说明允许多少个进入。',
    ),
  'unknown-fields': (d) =>
    or(
      d,
      (x) => `.lock 含有已知客户端都不会写的字段（${x}）。Signalbox 会原样保留。`,
      '.lock 含有已知客户端都不会写的字段。',
    ),
};

const basis: Readonly<Record<RenewalBasis, string>> = {
  renewal: '即最后一次续期之后两个 TTL',
  gap: '即 Signalbox 重新跟踪其 agent 之后两个 TTL，因为此前可能漏看了续期',
  election: '即 Signalbox 看到新 leader 之后两个 TTL，新 leader 让每个会话重新计时',
};

const countedFrom: Readonly<Record<RenewalBasis, string>> = {
  renewal: '',
  gap: '（从 Signalbox 重新跟踪其 agent 时算起）',
  election: '（从 Signalbox 看到新 leader 时算起）',
};

export const renewals = {
  fact: '续期',
  seen: (age: string, agents: string) => `${age} 前续期，在 agent ${agents} 上看到。`,
  due: (rest: string, from: RenewalBasis) => `若不续期，${rest} 后逾期${countedFrom[from]}。`,
  dueNow: '现在应当续期。',
  last: (time: string, age: string, agents: string) =>
    `最后一次续期在 ${time}（${age} 前），在 agent ${agents} 上看到。`,
  overdue: (age: string) => `已逾期 ${age}。`,
  ends: (latest: string, rest: string, from: RenewalBasis) =>
    `若不续期，最迟在 ${latest}（${rest} 后）结束：${basis[from]}。`,
  endsNow: '时间已到。Consul 正在结束它，或它正通过未观察的 agent 续期。',
  agents: '观察续期的 agent',
  agentsNote: '客户端通过本机的 agent 或服务器续期。Signalbox 看不到经由未列出的 agent 的续期。',
  across: (datacenter: string, from: string | null) =>
    `Signalbox 通过${from === null ? '另一个数据中心' : `数据中心 ${from} `}的 agent 读取数据中心 ${datacenter}。`,
  acrossUnseen: (datacenter: string) =>
    `${datacenter} 的客户端通过那里的 agent 续期：请在 SIGNALBOX_SOURCES 中用 renewal-agents= 指明它们，否则 Signalbox 不会判定其持有者逾期。`,
  states: {
    observed: (since: string | null) => (since === null ? '正在观察' : `自 ${since} 起不间断观察`),
    connecting: () => '正在打开日志',
    forbidden: () => '未观察：当前凭据无权跟踪它的日志（agent:read）',
    unreachable: () => '未观察：Signalbox 目前无法跟踪它的日志',
    'no-servers': () => '未观察：它尚未列出要跟踪的服务器',
    off: () => '未观察：已关闭（SIGNALBOX_RENEWAL_AGENTS）',
  },
};
