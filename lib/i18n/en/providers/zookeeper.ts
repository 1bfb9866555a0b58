/** English: what ZooKeeper says in its own words. */
import type {
  ZooKeeperCondition,
  ZooKeeperDifference,
  ZooKeeperEvidence,
  ZooKeeperFailure,
  ZooKeeperLockLayout,
  ZooKeeperRefusal,
  ZooKeeperSemaphoreLayout,
  ZooKeeperSummary,
  ZooKeeperWarning,
  zookeeperOutages,
} from '@/lib/domain/codes/zookeeper';
import type { Sayings } from '@/lib/domain/message';

const believes = 'The old holder is not told: it works on and still takes itself for the holder.';
const lease = 'The old holder is not told: it works on, and its close() reports nothing.';

/** Every part is complete, or does not compile. */
export const zookeeper = {
  evidenceSources: { zookeeper: 'ZooKeeper' },
  evidence: {
    'zookeeper-lease-runs': (_: string | null, at: string | null = null) =>
      at === null ? 'Its lease runs.' : `Its lease runs until ${at}.`,
  } satisfies Record<ZooKeeperEvidence, unknown>,
  layouts: {
    'curator-mutex': { name: 'Curator mutex or leader selector', caution: null, notices: believes },
    'curator-latch': { name: 'Curator leader latch', caution: null, notices: believes },
    'curator-read-write': { name: 'Curator read-write lock', caution: null, notices: believes },
    'zookeeper-other': { name: 'ZooKeeper lock of an unknown client', caution: null, notices: believes },
    'curator-semaphore': { name: 'Curator semaphore', caution: null, notices: lease },
    'curator-semaphore-shared': {
      name: 'Curator semaphore with a shared count',
      caution: null,
      notices: lease,
    },
  } satisfies Record<ZooKeeperLockLayout | ZooKeeperSemaphoreLayout, unknown>,
  summaries: {} satisfies Sayings<ZooKeeperSummary>,
  conditions: {} satisfies Sayings<ZooKeeperCondition>,
  warnings: {} satisfies Sayings<ZooKeeperWarning>,
  why: {} satisfies Sayings<ZooKeeperRefusal & ZooKeeperFailure>,
  differences: {} satisfies Sayings<ZooKeeperDifference>,
  outages: {} satisfies Record<(typeof zookeeperOutages)[number], unknown>,
};
