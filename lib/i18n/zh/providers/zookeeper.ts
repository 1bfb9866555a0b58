/** Chinese (simplified): what ZooKeeper says in its own words. */
import type { zookeeper as english } from '@/lib/i18n/en/providers/zookeeper';

const believes = '旧持有者不会得到通知：它会继续工作，并仍然认为自己持有。';
const lease = '旧持有者不会得到通知：它会继续工作，其 close() 也不会报告任何错误。';

export const zookeeper: typeof english = {
  layouts: {
    'curator-mutex': { name: 'Curator 互斥锁或 leader 选举', caution: null, notices: believes },
    'curator-latch': { name: 'Curator leader 门闩', caution: null, notices: believes },
    'curator-read-write': { name: 'Curator 读写锁', caution: null, notices: believes },
    'zookeeper-other': { name: '未知客户端的 ZooKeeper 锁', caution: null, notices: believes },
    'curator-semaphore': { name: 'Curator 信号量', caution: null, notices: lease },
    'curator-semaphore-shared': { name: 'Curator 信号量（上限在共享计数中）', caution: null, notices: lease },
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
  outages: {
    'zookeeper-without-quorum': {
      short: '没有多数成员',
      title: '应答的 ZooKeeper 服务器找不到集群的多数成员。',
      means:
        '如果所有服务器都是如此，则既不能获取锁，也不能释放锁，会话也不会结束。Curator 客户端会暂停。选出领导者之后，会话继续有效，并重新计满超时时间。',
      next: '请检查多数服务器是否在运行，以及它们能否互相连通。',
    },
    'zookeeper-takes-no-more': {
      short: 'ZooKeeper 拒绝连接',
      title: 'ZooKeeper 立即关闭新连接，不作应答。',
      means:
        '同一地址的连接数达到上限（默认 60）的服务器会这样做，落后于 Signalbox 已见状态的服务器也会。仅凭这一点，持有者和等待者不受影响。',
      next: '请先确认两端都使用或都不使用 TLS，再统计本机到服务器端口的连接数。关闭一些连接，或提高 maxClientCnxns。',
    },
    'zookeeper-not-permitted': {
      short: 'ZooKeeper 拒绝读取',
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
