/**
 * The sentences that only ZooKeeper's provider needs, as codes with facts. Each has its words in
 * `lib/i18n/{en,zh}/{providers,rest}/zookeeper.ts`. Without them the languages do not compile.
 */
import type { Nothing } from './nothing';

export type ZooKeeperLockLayout =
  | 'curator-mutex'
  | 'curator-latch'
  | 'curator-read-write'
  | 'zookeeper-other';
export type ZooKeeperSemaphoreLayout = 'curator-semaphore' | 'curator-semaphore-shared';

export type ZooKeeperEvidence =
  /** The session in `detail` owns the party's node. */
  | 'zookeeper-session'
  /** No administrative page is configured, or none answers. */
  | 'zookeeper-sessions-unread'
  /** Pages answered, and none of them lists its session. */
  | 'zookeeper-session-unlisted'
  /** `detail`: the client's address. */
  | 'zookeeper-connected'
  /** No server has a connection of its session. `atMs`: nothing was heard of it later. */
  | 'zookeeper-no-connection'
  /** `detail`: the session's time-out. */
  | 'zookeeper-timeout'
  | 'zookeeper-likely-selector'
  /** The holder was asked to release. */
  | 'zookeeper-asked'
  /** The holder listens, and can be asked to release. */
  | 'zookeeper-listens'
  /** A reader whose session also writes, and that got in by that. */
  | 'zookeeper-reads-as-writer'
  /** As above, but its number shows that only with Curator before 5.5. */
  | 'zookeeper-may-read-already'
  /** The party may hold or wait. Signalbox does not know the rule of its client. */
  | 'zookeeper-unknown-client'
  /** The party may hold or wait, because nodes beside it may not be read. */
  | 'zookeeper-part-hidden'
  /** `detail`: the lease that it has made, which counts once others release. */
  | 'zookeeper-lease-pending'
  /** The lease was never granted, and its place in the queue is gone. */
  | 'zookeeper-place-gone';

export type ZooKeeperSummary = {
  'zookeeper-drop-waiter': { readonly name: string; readonly waiter: string };
  'zookeeper-drop-stuck': { readonly prefix: string; readonly waiter: string };
  'zookeeper-ask': { readonly key: string; readonly holder: string };
  /** One of several holds of a read-write lock. */
  'zookeeper-take-one': { readonly key: string; readonly holder: string };
};

export type ZooKeeperCondition = {
  /** The same node, never written since. */
  'zookeeper-same-node': { readonly version: number };
  /** As above, and the node that keeps it waiting is also there. */
  'zookeeper-same-waiter': { readonly version: number; readonly behind: string };
  /** As above, for a lease that was not granted. So many others are there that it cannot have been. */
  'zookeeper-not-granted': { readonly version: number; readonly others: number };
};

export type ZooKeeperWarning = {
  /** The waiter's client notices late, and then queues again at the tail. */
  'zookeeper-requeues': Nothing;
  /** As above, for a lease. The client notices at once. */
  'zookeeper-lease-requeues': Nothing;
  'zookeeper-latch-two-leaders': Nothing;
  /** Nodes of the same session in view, which stay. */
  'zookeeper-owns-more': { readonly others: number };
  /** The session itself cannot be ended. */
  'zookeeper-session-stays': Nothing;
  'zookeeper-may-not-listen': Nothing;
  'zookeeper-asks-only': Nothing;
  /** Readers that continue beside a writer removed with its session. */
  'zookeeper-readers-stay': { readonly readers: number };
  /** Readers that hold beside a removed reader. */
  'zookeeper-other-readers-stay': { readonly readers: number };
  /** The write hold beside the removed read of the same writer. */
  'zookeeper-writer-stays': Nothing;
  /** The next ones get in only once all leases fit under the limit. */
  'zookeeper-stuck-counts': Nothing;
};

export type ZooKeeperRefusal = {
  /** `right`: ZooKeeper's word, on this very path. */
  'zookeeper-right-missing': { readonly right: 'DELETE' | 'WRITE'; readonly path: string };
  /** The client wrote data into the node, which the request would overwrite. */
  'zookeeper-cannot-ask': Nothing;
  'zookeeper-not-listening': Nothing;
  'zookeeper-asked-before': Nothing;
  /** A shared count is four bytes. */
  'zookeeper-count-form': { readonly path: string; readonly bytes: number };
  'zookeeper-count-gone': { readonly path: string };
  /** The waiter is first in the queue, and about to make its lease. */
  'zookeeper-next-in': Nothing;
};

export type ZooKeeperNote = {
  'zookeeper-deletes': { readonly path: string; readonly version: number };
  'zookeeper-sets': { readonly path: string; readonly version: number };
  'zookeeper-no-command': Nothing;
};

export type ZooKeeperFailure = {
  /** The server is up and serves no client, because its ensemble has no majority. */
  'zookeeper-no-quorum': Nothing;
  /** The server closes new connections without a word, and reports a quorum. */
  'zookeeper-not-taken': Nothing;
  /** The server does not take our password, or wants another proof of identity. */
  'zookeeper-not-known': Nothing;
  /** All below the roots is more than Signalbox reads. `nodes`, `bytes`: the most. */
  'zookeeper-too-much': { readonly nodes: number; readonly bytes: number };
};

export type ZooKeeperDifference = {
  'zookeeper-data-changed': { readonly path: string; readonly before: number; readonly now: number };
  /** The waiter was granted since. */
  'zookeeper-holds-now': { readonly sessionId: string };
  /** The lease is no longer known to be stuck. */
  'zookeeper-not-stuck': { readonly sessionId: string };
  /** The waiter was behind another one, and is the next to get in. */
  'zookeeper-first-now': { readonly sessionId: string };
};

export const zookeeperOutages = [
  'zookeeper-without-quorum',
  'zookeeper-takes-no-more',
  'zookeeper-not-permitted',
  'zookeeper-too-large',
] as const;
