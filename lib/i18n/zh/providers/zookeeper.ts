/** Chinese (simplified): what ZooKeeper says in its own words. */
import type { zookeeper as english } from '@/lib/i18n/en/providers/zookeeper';

const believes = '旧持有者不会得到通知：它会继续工作，并仍然认为自己持有。';
const lease = '旧持有者不会得到通知：它会继续工作，其 close() 也不会报告任何错误。';

export const zookeeper: typeof english = {
  evidenceSources: { zookeeper: 'ZooKeeper' },
  evidence: {
    'zookeeper-session': (session) => `其节点属于会话 ${session}。会话结束时，ZooKeeper 会删除该节点。`,
    'zookeeper-sessions-unread': () => '其地址和超时未知：Signalbox 没有可读取它们的 AdminServer 页面。',
    'zookeeper-session-unlisted': () => 'AdminServer 页面尚未列出它的会话。',
    'zookeeper-connected': (address) => `其客户端从 ${address} 连接。`,
    'zookeeper-no-connection': (_, at = null) =>
      `${at === null ? '' : `自 ${at} 起，`}没有服务器持有其会话的连接。会话将在超时后结束。`,
    'zookeeper-timeout': (timeout) => `其会话的超时为 ${timeout}。`,
    'zookeeper-likely-selector': () => '其节点中是标识而不是地址：很可能是 leader 选举器。',
    'zookeeper-asked': () => '已请求它释放该锁。',
    'zookeeper-listens': () => '它在监视自己的节点，因此可以请求它释放该锁。',
    'zookeeper-reads-as-writer': () => '它与写入者同时读取，因为它就是写入者。',
    'zookeeper-may-read-already': () => '与写入者是同一会话：使用 5.5 之前的 Curator 时，它可能已经在读取。',
    'zookeeper-unknown-client': () => 'Signalbox 不了解其客户端的规则：它可能持有该锁，也可能在等待。',
    'zookeeper-lease-pending': (lease) => `它是下一个：有持有者离开后，其租约 ${lease} 即生效。`,
    'zookeeper-place-gone': () =>
      '其租约从未获准，而它在队列中的位置已被删除。其客户端仍带着这个租约等待，而租约对后面的所有客户端都计数。',
  },
  layouts: {
    'curator-mutex': { name: 'Curator 互斥锁或 leader 选举', caution: null, notices: believes },
    'curator-latch': { name: 'Curator leader 门闩', caution: null, notices: believes },
    'curator-read-write': { name: 'Curator 读写锁', caution: null, notices: believes },
    'zookeeper-other': { name: '未知客户端的 ZooKeeper 锁', caution: null, notices: believes },
    'curator-semaphore': { name: 'Curator 信号量', caution: null, notices: lease },
    'curator-semaphore-shared': { name: 'Curator 信号量（上限在共享计数中）', caution: null, notices: lease },
  },
  summaries: {
    'zookeeper-drop-waiter': ({ name, waiter }) => `将 ${waiter} 移出 ${name} 的队列。`,
    'zookeeper-drop-stuck': ({ prefix, waiter }) =>
      `从 ${prefix} 移除 ${waiter} 卡住的租约，让队列中的下一个进入。`,
    'zookeeper-ask': ({ key, holder }) => `请求 ${holder} 释放 ${key}。`,
  },
  conditions: {
    'zookeeper-same-node': ({ version }) => `同一个节点仍然存在，数据版本为 ${version}`,
    'zookeeper-same-waiter': ({ version, behind }) =>
      `同一个节点仍然存在，数据版本为 ${version}，且 ${behind} 仍在它之前`,
    'zookeeper-not-granted': ({ version, others }) =>
      `同一个租约仍然存在，数据版本为 ${version}，其他 ${others} 个租约也都在：它未获准`,
  },
  warnings: {
    'zookeeper-requeues': () =>
      '其客户端在下一次被唤醒时发现，并重新排到队尾。如果其重试策略不允许重试，则会失败。',
    'zookeeper-lease-requeues': () => '其客户端会立即发现，记录一条错误，并重新排到队尾。',
    'zookeeper-latch-two-leaders': () =>
      '会同时有两个 leader：被移除者的 hasLeadership() 在重新连接之前一直为 true，之后它会重新排到队尾。',
    'zookeeper-owns-more': ({ others }) => `同一会话在这里还拥有 ${others} 个其他节点，它们会保留。`,
    'zookeeper-session-stays': () =>
      'ZooKeeper 无法结束其他客户端的会话。要确保旧持有者停止，请停止或隔离其进程。',
    'zookeeper-may-not-listen': () => 'Signalbox 看不到该客户端是否在监听。如果没有，则什么也不会发生。',
    'zookeeper-asks-only': () => '这只是请求。何时释放、是否释放由持有者决定。',
    'zookeeper-readers-stay': ({ readers }) =>
      `同一会话的 ${readers} 个读锁会保留。在它们释放之前，等待的写入者无法进入。`,
    'zookeeper-stuck-counts': () =>
      '队列中有一个卡住的租约。只有移除该租约，或有足够多的持有者离开，下一个客户端才能进入。',
  },
  why: {
    'zookeeper-right-missing': ({ right, path }) =>
      `ZooKeeper 拒绝：Signalbox 的凭据需要 ${path} 上的 ${right} 权限。没有写入任何内容。`,
    'zookeeper-cannot-ask': () => '无法请求该持有者：其节点中有数据，而会监听的客户端会让它为空。',
    'zookeeper-not-listening': () => '无法请求该持有者：其客户端没有监视自己的节点。',
    'zookeeper-asked-before': () => '已经请求过该持有者，它仍持有该锁。',
    'zookeeper-count-form': ({ path, bytes }) =>
      `${path} 不是共享计数：其中是 ${bytes} 个字节而不是 4 个。没有写入任何内容。`,
    'zookeeper-count-gone': ({ path }) => `共享计数 ${path} 不存在。没有写入任何内容。`,
    'zookeeper-next-in': () => '它排在队首，即将进入。请稍后再试。',
    'zookeeper-no-quorum': () => '这个 ZooKeeper 服务器不提供服务：它找不到集群的多数成员。',
    'zookeeper-not-taken': () => 'ZooKeeper 立即关闭新连接，不作应答。',
    'zookeeper-not-known': () => 'ZooKeeper 不接受 Signalbox 的凭据。',
    'zookeeper-too-much': ({ nodes, bytes }) =>
      `监视路径下的内容超出 Signalbox 的读取上限：最多 ${nodes} 个节点、${Math.round(bytes / 1048576)} MiB。`,
  },
  differences: {
    'zookeeper-data-changed': ({ path, before, now }) =>
      `${path} 的数据已更改：版本为 ${now}，而不是 ${before}`,
    'zookeeper-holds-now': ({ sessionId }) => `${sessionId} 不再等待：它已持有`,
    'zookeeper-not-stuck': ({ sessionId }) => `已无法确定租约 ${sessionId} 仍然卡住`,
  },
  notes: {
    'zookeeper-deletes': ({ path, version }) =>
      `仅在数据版本为 ${version} 时删除 ${path}。请用 -server 指定集群地址和 chroot。`,
    'zookeeper-sets': ({ path, version }) =>
      `仅在数据版本为 ${version} 时写入 ${path}。请用 -server 指定集群地址和 chroot。`,
    'zookeeper-no-command': () => 'zkCli.sh 无法安全地完成此操作：它既不能检查其他节点，也不能写入四个字节。',
  },
  outages: {
    'zookeeper-without-quorum': {
      short: '没有多数成员',
      title: 'ZooKeeper 不提供服务：该服务器找不到集群的多数成员。',
      means:
        '现在既不能获取锁，也不能释放锁，会话也不会结束。Curator 客户端会暂停。选出领导者之后，会话继续有效，并重新计满超时时间。',
      next: '请检查多数服务器是否在运行，以及它们能否互相连通。',
    },
    'zookeeper-takes-no-more': {
      short: '连接被拒绝',
      title: 'ZooKeeper 立即关闭新连接，不作应答。',
      means:
        '同一地址的连接数达到上限（默认 60）的服务器会这样做，落后于 Signalbox 已见状态的服务器也会。仅凭这一点，持有者和等待者不受影响。',
      next: '请先确认两端都使用或都不使用 TLS，再统计本机到服务器端口的连接数。关闭一些连接，或提高 maxClientCnxns。',
    },
    'zookeeper-not-permitted': {
      short: '权限不足',
      title: 'ZooKeeper 不允许 Signalbox 读取所监视的内容。',
      means: '持有者和等待者不受影响，只是这里看不到。',
      next: '请检查此数据源指定的用户和密码，以及所监视路径的 ACL。',
    },
    'zookeeper-too-large': {
      short: '内容过多',
      title: '监视路径下的内容超出 Signalbox 的读取上限。',
      means: '该上限防止写入节点的程序占满本服务器的内存。持有者和等待者不受影响，只是这里看不到。',
      next: '请在此数据源的 prefixes 中减少路径，或删除无人使用的节点。Signalbox 每分钟重试一次。',
    },
  },
};
