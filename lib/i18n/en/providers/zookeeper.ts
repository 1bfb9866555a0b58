/** English: what ZooKeeper says in its own words. */
import type {
  ZooKeeperCondition,
  ZooKeeperDifference,
  ZooKeeperEvidence,
  ZooKeeperFailure,
  ZooKeeperLockLayout,
  ZooKeeperNote,
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
    'zookeeper-session': (session: string | null) =>
      `Session ${session} owns its node. ZooKeeper deletes the node when the session ends.`,
    'zookeeper-sessions-unread': () =>
      'Its address and time-out are unknown: Signalbox has no AdminServer page to read them from.',
    'zookeeper-session-unlisted': () => 'The AdminServer pages do not list its session yet.',
    'zookeeper-connected': (address: string | null) => `Its client is connected from ${address}.`,
    'zookeeper-no-connection': (_: string | null, at: string | null = null) =>
      `No server has a connection of its session${at === null ? '' : ` since ${at}`}. The session ends at its time-out.`,
    'zookeeper-timeout': (timeout: string | null) => `Its session has a time-out of ${timeout}.`,
    'zookeeper-likely-selector': () =>
      'Its node holds an id instead of an address: likely a leader selector.',
    'zookeeper-asked': () => 'It was asked to release the lock.',
    'zookeeper-listens': () => 'It watches its own node, so it can be asked to release the lock.',
    'zookeeper-reads-as-writer': () => 'It reads beside the writer, because it is the writer.',
    'zookeeper-may-read-already': () =>
      'The writer’s own session: with Curator before 5.5 it may read already.',
    'zookeeper-unknown-client': () =>
      'Signalbox does not know its client’s rule: it may hold the lock or wait for it.',
    'zookeeper-lease-pending': (lease: string | null) =>
      `It is next: its lease ${lease} counts once a holder leaves.`,
    'zookeeper-place-gone': () =>
      'Its lease was never granted, and its place in the queue was deleted. Its client waits with the lease, which counts for everyone behind it.',
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
  summaries: {
    'zookeeper-drop-waiter': ({ name, waiter }) => `Remove ${waiter} from the queue of ${name}.`,
    'zookeeper-drop-stuck': ({ prefix, waiter }) =>
      `Remove the stuck lease of ${waiter} from ${prefix}, so that the next in the queue gets in.`,
    'zookeeper-ask': ({ key, holder }) => `Ask ${holder} to release ${key}.`,
  } satisfies Sayings<ZooKeeperSummary>,
  conditions: {
    'zookeeper-same-node': ({ version }) => `this very node is still there, with data version ${version}`,
    'zookeeper-same-waiter': ({ version, behind }) =>
      `this very node is still there, with data version ${version}, and ${behind} is still before it`,
    'zookeeper-not-granted': ({ version, others }) =>
      `this very lease is still there, with data version ${version}, and so are ${others === 1 ? 'the other lease' : `all ${others} other leases`}: it was not granted`,
  } satisfies Sayings<ZooKeeperCondition>,
  warnings: {
    'zookeeper-requeues': () =>
      'Its client notices at its next wake-up and queues again at the tail. It fails instead if its retry policy allows no retry.',
    'zookeeper-lease-requeues': () =>
      'Its client notices at once, logs an error and queues again at the tail.',
    'zookeeper-latch-two-leaders': () =>
      'Two leaders at once: the removed leader’s hasLeadership() stays true until it reconnects. It then queues again at the tail.',
    'zookeeper-owns-more': ({ others }) =>
      `The same session owns ${others === 1 ? 'another node' : `${others} other nodes`} here. ${others === 1 ? 'It stays' : 'They stay'}.`,
    'zookeeper-session-stays': () =>
      'ZooKeeper cannot end another client’s session. To be sure that the old holder stops, stop or isolate its process.',
    'zookeeper-may-not-listen': () =>
      'Signalbox cannot see whether this client listens. If it does not, nothing happens.',
    'zookeeper-asks-only': () => 'This only asks. The holder decides when it releases, or whether it does.',
    'zookeeper-readers-stay': ({ readers }) =>
      `${readers === 1 ? 'One read lock' : `${readers} read locks`} of the same session ${readers === 1 ? 'stays' : 'stay'}. Waiting writers do not get in before ${readers === 1 ? 'it is' : 'they are'} released.`,
    'zookeeper-stuck-counts': () =>
      'A stuck lease is in the queue. The next client gets in only when that lease is removed or enough holders leave.',
  } satisfies Sayings<ZooKeeperWarning>,
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
  differences: {
    'zookeeper-data-changed': ({ path, before, now }) =>
      `the data of ${path} changed: version ${now} instead of ${before}`,
    'zookeeper-holds-now': ({ sessionId }) => `${sessionId} no longer waits: it holds`,
    'zookeeper-not-stuck': ({ sessionId }) => `the lease ${sessionId} is no longer known to be stuck`,
  } satisfies Sayings<ZooKeeperDifference>,
  notes: {
    'zookeeper-deletes': ({ path, version }) =>
      `Deletes ${path} only at data version ${version}. Add -server with the ensemble’s addresses and chroot.`,
    'zookeeper-sets': ({ path, version }) =>
      `Writes ${path} only at data version ${version}. Add -server with the ensemble’s addresses and chroot.`,
    'zookeeper-no-command': () =>
      'zkCli.sh cannot do this safely: it can neither check other nodes nor write four bytes.',
  } satisfies Sayings<ZooKeeperNote>,
  outages: {
    'zookeeper-without-quorum': {
      short: 'no quorum',
      title: 'ZooKeeper serves nobody: the server finds no majority of its ensemble.',
      means:
        'No lock can be taken or released, and no session ends. Curator’s clients suspend. Sessions go on, with a whole time-out, once there is a leader.',
      next: 'Check that a majority of the servers runs and that they reach each other.',
    },
    'zookeeper-takes-no-more': {
      short: 'connections refused',
      title: 'ZooKeeper closes new connections at once, without an answer.',
      means:
        'A server at its limit of connections from one address does that (60 by default). So does one that is behind what Signalbox has seen. Holders and waiters are not affected by that alone.',
      next: 'Check that both sides speak TLS, or neither. Then count the connections from this machine to the server’s port. Close some, or raise maxClientCnxns.',
    },
    'zookeeper-not-permitted': {
      short: 'permission denied',
      title: 'ZooKeeper does not let Signalbox read what it watches.',
      means: 'Holders and waiters are not affected. Only this view is blind.',
      next: 'Check the user and password that this source names, and the ACLs of the watched paths.',
    },
    'zookeeper-too-large': {
      short: 'too much to read',
      title: 'There is more below the watched paths than Signalbox reads.',
      means:
        'The bound keeps writers of nodes from filling this server’s memory. Holders and waiters are not affected. Only this view is blind.',
      next: 'Name fewer paths in prefixes of this source, or remove nodes that nobody uses. Signalbox looks again every minute.',
    },
  } satisfies Record<(typeof zookeeperOutages)[number], unknown>,
};
