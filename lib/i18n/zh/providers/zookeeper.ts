/** Chinese (simplified): what ZooKeeper says in its own words. */
import type { zookeeper as english } from '@/lib/i18n/en/providers/zookeeper';

const believes = '旧持有者不会得到通知：它会继续工作，并仍然认为自己持有。';
const lease = '旧持有者不会得到通知：它会继续工作，其 close() 也不会报告任何错误。';

export const zookeeper: typeof english = {
  evidenceSources: { zookeeper: 'ZooKeeper' },
  evidence: {
    'zookeeper-lease-runs': (_, at = null) => (at === null ? '租约有效。' : `租约有效至 ${at}。`),
  },
  layouts: {
    'curator-mutex': { name: 'Curator 互斥锁或 leader 选举', caution: null, notices: believes },
    'curator-latch': { name: 'Curator leader 门闩', caution: null, notices: believes },
    'curator-read-write': { name: 'Curator 读写锁', caution: null, notices: believes },
    'zookeeper-other': { name: '未知客户端的 ZooKeeper 锁', caution: null, notices: believes },
    'curator-semaphore': { name: 'Curator 信号量', caution: null, notices: lease },
    'curator-semaphore-shared': { name: 'Curator 信号量（上限在共享计数中）', caution: null, notices: lease },
  },
  summaries: {},
  conditions: {},
  warnings: {},
  why: {},
  differences: {},
  outages: {},
};
