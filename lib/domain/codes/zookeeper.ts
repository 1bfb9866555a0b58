/**
 * What ZooKeeper's provider says beyond the words that every backend shares: codes with their facts. Each has its sentences in
 * `lib/i18n/{en,zh}/providers/zookeeper.ts`; without them the languages do not compile.
 */
type None = Readonly<Record<never, never>>;

export type ZooKeeperLockLayout =
  | 'curator-mutex'
  | 'curator-latch'
  | 'curator-read-write'
  | 'zookeeper-other';
export type ZooKeeperSemaphoreLayout = 'curator-semaphore' | 'curator-semaphore-shared';

export type ZooKeeperEvidence = 'zookeeper-lease-runs';

export type ZooKeeperSummary = None;

export type ZooKeeperCondition = None;

export type ZooKeeperWarning = None;

export type ZooKeeperRefusal = None;

export type ZooKeeperFailure = None;

export type ZooKeeperDifference = None;

export const zookeeperOutages = [] as const;
