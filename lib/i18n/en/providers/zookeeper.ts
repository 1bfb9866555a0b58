/** English: what ZooKeeper says in its own words. */
import type {
  ZooKeeperFailure,
  ZooKeeperLockLayout,
  ZooKeeperRefusal,
  ZooKeeperSemaphoreLayout,
  zookeeperOutages,
} from '@/lib/domain/codes/zookeeper';
import type { Sayings } from '@/lib/domain/message';

const believes = 'The old holder is not told: it works on and still takes itself for the holder.';
const lease = 'The old holder is not told: it works on, and its close() reports nothing.';

/** Every part is complete, or does not compile. */
export const zookeeper = {
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
  why: {
    'zookeeper-right-missing': ({ right, path }) =>
      `ZooKeeper refuses: Signalbox’s credential needs ${right} on ${path}. Nothing was written.`,
    'zookeeper-cannot-ask': () =>
      'This holder cannot be asked: its node holds data, which a client that listens leaves empty.',
    'zookeeper-not-listening': () => 'This holder cannot be asked: its client does not watch its node.',
    'zookeeper-asked-before': () => 'This holder was already asked and still holds the lock.',
    'zookeeper-count-form': ({ path, bytes }) =>
      `${path} is no shared count: it holds ${bytes} bytes instead of 4. Nothing was written.`,
    'zookeeper-count-gone': ({ path }) => `The shared count ${path} does not exist. Nothing was written.`,
    'zookeeper-next-in': () => 'It is first in the queue and about to get in. Try again in a moment.',
    'zookeeper-no-quorum': () => 'This ZooKeeper server serves nobody: it finds no majority of its ensemble.',
    'zookeeper-not-taken': () => 'ZooKeeper closes new connections at once, without an answer.',
    'zookeeper-not-known': () => 'ZooKeeper does not accept the credential of Signalbox.',
    'zookeeper-too-much': ({ nodes, bytes }) =>
      `There is more below the watched paths than Signalbox reads: ${nodes} nodes and ${Math.round(bytes / 1048576)} MiB are the most.`,
  } satisfies Sayings<ZooKeeperRefusal & ZooKeeperFailure>,
  outages: {
    'zookeeper-without-quorum': {
      short: 'no quorum',
      title: 'The ZooKeeper server that answered finds no majority of its ensemble.',
      means:
        'If that is so of all servers, no lock can be taken or released, and no session ends. Curator’s clients suspend. Sessions go on, with a whole time-out, once there is a leader.',
      next: 'Check that a majority of the servers runs and that they reach each other.',
    },
    'zookeeper-takes-no-more': {
      short: 'ZooKeeper refuses connections',
      title: 'ZooKeeper closes new connections at once, without an answer.',
      means:
        'A server at its limit of connections from one address does that (60 by default). So does one that is behind what Signalbox has seen. Holders and waiters are not affected by that alone.',
      next: 'Check that both sides speak TLS, or neither. Then count the connections from this machine to the server’s port. Close some, or raise maxClientCnxns.',
    },
    'zookeeper-not-permitted': {
      short: 'ZooKeeper denies reading',
      title: 'ZooKeeper does not let Signalbox read what it watches.',
      means: 'Holders and waiters are not affected. Only this view is blind.',
      next: 'Check the user and password that this source names, and the ACLs of the watched paths.',
    },
    'zookeeper-too-large': {
      short: 'too many nodes to read',
      title: 'There is more below the watched paths than Signalbox reads.',
      means:
        'The bound keeps writers of nodes from filling this server’s memory. Holders and waiters are not affected. Only this view is blind.',
      next: 'Name fewer paths in prefixes of this source, or remove nodes that nobody uses. Signalbox looks again every minute.',
    },
  } satisfies Record<(typeof zookeeperOutages)[number], unknown>,
};
