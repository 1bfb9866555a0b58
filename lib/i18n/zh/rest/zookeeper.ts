/** Chinese (simplified): what ZooKeeper says in its own words, of what is read after the first sight. */
import type { zookeeper as english } from '@/lib/i18n/en/rest/zookeeper';

export const zookeeper: typeof english = {
  evidenceSources: { zookeeper: 'ZooKeeper' },
  evidence: {
    'zookeeper-session': (session) => `其节点属于会话 ${session}。会话结束时，ZooKeeper 会删除该节点。`,
    'zookeeper-sessions-unread': () => '其地址和超时未知：没有指定 AdminServer 页面，或没有页面应答。',
    'zookeeper-session-unlisted': () => '已读取的 AdminServer 页面均未列出它的会话。',
    'zookeeper-connected': (address) => `其客户端从 ${address} 连接。`,
    'zookeeper-no-connection': (_, at = null) =>
      `没有服务器持有其会话的连接。${at === null ? '' : `${at} 之后没有再收到它的消息。`}除非其客户端恢复连接，会话将在超时后结束。`,
    'zookeeper-timeout': (timeout) => `其会话的超时为 ${timeout}。`,
    'zookeeper-likely-selector': () => '其节点中是标识而不是地址：很可能是 leader 选举器。',
    'zookeeper-asked': () => '已请求它释放该锁。',
    'zookeeper-listens': () => '它在监视自己的节点，因此可以请求它释放该锁。',
    'zookeeper-reads-as-writer': () => '它与写入者同时读取，因为它就是写入者。',
    'zookeeper-may-read-already': () => '与写入者是同一会话：使用 5.5 之前的 Curator 时，它可能已经在读取。',
    'zookeeper-part-hidden': () => '这里有 Signalbox 无权读取的节点，因此这个节点可能持有，也可能在等待。',
    'zookeeper-unknown-client': () => 'Signalbox 不了解其客户端的规则：它可能持有该锁，也可能在等待。',
    'zookeeper-lease-pending': (lease) => `它是下一个：有持有者离开后，其租约 ${lease} 即生效。`,
    'zookeeper-place-gone': () =>
      '其租约从未获准，而它在队列中的位置已被删除。其客户端仍带着这个租约等待，而租约对后面的所有客户端都计数。',
  },
  summaries: {
    'zookeeper-drop-waiter': ({ name, waiter }) => `将 ${waiter} 移出 ${name} 的队列。`,
    'zookeeper-drop-stuck': ({ prefix, waiter }) =>
      `从 ${prefix} 移除 ${waiter} 卡住的租约，让队列中的下一个进入。`,
    'zookeeper-ask': ({ key, holder }) => `请求 ${holder} 释放 ${key}。`,
    'zookeeper-take-one': ({ key, holder }) => `收回 ${holder} 对 ${key} 的一次持有。其他持有不受影响。`,
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
    'zookeeper-other-readers-stay': ({ readers }) =>
      `另有 ${readers} 个读者继续持有该锁。在它们释放之前，等待的写入者无法进入。`,
    'zookeeper-writer-stays': () => '同一会话的写锁会保留。在它释放之前，等待者无法进入。',
    'zookeeper-stuck-counts': () =>
      '队列中有一个卡住的租约。只有移除该租约，或有足够多的持有者离开，下一个客户端才能进入。',
  },
  differences: {
    'zookeeper-data-changed': ({ path, before, now }) =>
      `${path} 的数据已更改：版本为 ${now}，而不是 ${before}`,
    'zookeeper-holds-now': ({ sessionId }) => `${sessionId} 不再等待：它已持有`,
    'zookeeper-not-stuck': ({ sessionId }) => `已无法确定租约 ${sessionId} 仍然卡住`,
    'zookeeper-first-now': ({ sessionId }) => `${sessionId} 现在排在队首，是下一个进入的`,
  },
  notes: {
    'zookeeper-deletes': ({ path, version }) =>
      `仅在数据版本为 ${version} 时删除 ${path}。请用 -server 指定集群地址和 chroot。`,
    'zookeeper-sets': ({ path, version }) =>
      `仅在数据版本为 ${version} 时写入 ${path}。请用 -server 指定集群地址和 chroot。`,
    'zookeeper-no-command': () => 'zkCli.sh 无法安全地完成此操作：它既不能检查其他节点，也不能写入四个字节。',
  },
};
