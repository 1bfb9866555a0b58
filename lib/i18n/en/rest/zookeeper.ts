/** English: what ZooKeeper says in its own words, of what is read after the first sight. */
import type {
  ZooKeeperCondition,
  ZooKeeperDifference,
  ZooKeeperEvidence,
  ZooKeeperNote,
  ZooKeeperSummary,
  ZooKeeperWarning,
} from '@/lib/domain/codes/zookeeper';
import type { Sayings } from '@/lib/domain/message';

/** Every part is complete, or does not compile. */
export const zookeeper = {
  evidenceSources: { zookeeper: 'ZooKeeper' },
  evidence: {
    'zookeeper-session': (session: string | null) =>
      `Session ${session} owns its node. ZooKeeper deletes the node when the session ends.`,
    'zookeeper-sessions-unread': () =>
      'Its address and time-out are unknown: no AdminServer page is named, or none answers.',
    'zookeeper-session-unlisted': () => 'No AdminServer page that was read lists its session.',
    'zookeeper-connected': (address: string | null) => `Its client is connected from ${address}.`,
    'zookeeper-no-connection': (_: string | null, at: string | null = null) =>
      `No server has a connection of its session.${at === null ? '' : ` Nothing was heard of it after ${at}.`} The session ends at its time-out unless its client comes back.`,
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
    'zookeeper-part-hidden': () => 'Some nodes here may not be read, so this one may hold or wait.',
    'zookeeper-lease-pending': (lease: string | null) =>
      `It is next: its lease ${lease} counts once a holder leaves.`,
    'zookeeper-place-gone': () =>
      'Its lease was never granted, and its place in the queue was deleted. Its client waits with the lease, which counts for everyone behind it.',
  } satisfies Record<ZooKeeperEvidence, unknown>,
  summaries: {
    'zookeeper-drop-waiter': ({ name, waiter }) => `Remove ${waiter} from the queue of ${name}.`,
    'zookeeper-drop-stuck': ({ prefix, waiter }) =>
      `Remove the stuck lease of ${waiter} from ${prefix}, so that the next in the queue gets in.`,
    'zookeeper-ask': ({ key, holder }) => `Ask ${holder} to release ${key}.`,
    'zookeeper-take-one': ({ key, holder }) => `Take one hold of ${holder} on ${key}. Other holds stay.`,
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
    'zookeeper-other-readers-stay': ({ readers }) =>
      `${readers === 1 ? 'One other reader keeps' : `${readers} other readers keep`} the lock. Waiting writers do not get in before ${readers === 1 ? 'it leaves' : 'they leave'}.`,
    'zookeeper-writer-stays': () =>
      'The same session keeps its write lock. No waiter gets in before it is released.',
    'zookeeper-stuck-counts': () =>
      'A stuck lease is in the queue. The next client gets in only when that lease is removed or enough holders leave.',
  } satisfies Sayings<ZooKeeperWarning>,
  differences: {
    'zookeeper-data-changed': ({ path, before, now }) =>
      `the data of ${path} changed: version ${now} instead of ${before}`,
    'zookeeper-holds-now': ({ sessionId }) => `${sessionId} no longer waits: it holds`,
    'zookeeper-not-stuck': ({ sessionId }) => `the lease ${sessionId} is no longer known to be stuck`,
    'zookeeper-first-now': ({ sessionId }) => `${sessionId} is first in the queue now and gets in next`,
  } satisfies Sayings<ZooKeeperDifference>,
  notes: {
    'zookeeper-deletes': ({ path, version }) =>
      `Deletes ${path} only at data version ${version}. Add -server with the ensemble’s addresses and chroot.`,
    'zookeeper-sets': ({ path, version }) =>
      `Writes ${path} only at data version ${version}. Add -server with the ensemble’s addresses and chroot.`,
    'zookeeper-no-command': () =>
      'zkCli.sh cannot do this safely: it can neither check other nodes nor write four bytes.',
  } satisfies Sayings<ZooKeeperNote>,
};
