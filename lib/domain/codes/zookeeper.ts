/**
 * What ZooKeeper's provider says beyond the words that every backend shares: codes with their facts. Each has its sentences in
 * `lib/i18n/{en,zh}/{providers,rest}/zookeeper.ts`; without them the languages do not compile.
 */
import type { Nothing } from './nothing';

export type ZooKeeperLockLayout =
  | 'curator-mutex'
  | 'curator-latch'
  | 'curator-read-write'
  | 'zookeeper-other';
export type ZooKeeperSemaphoreLayout = 'curator-semaphore' | 'curator-semaphore-shared';

export type ZooKeeperEvidence =
  /** Its session, in `detail`, owns its node. */
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
  /** It was asked to let go. */
  | 'zookeeper-asked'
  /** It can be asked to let go. */
  | 'zookeeper-listens'
  /** A reader whose session also writes, and that got in by that. */
  | 'zookeeper-reads-as-writer'
  /** As above, but its number shows that only with Curator before 5.5. */
  | 'zookeeper-may-read-already'
  /** It may hold or wait: Signalbox does not know the rule of its client. */
  | 'zookeeper-unknown-client'
  /** It may hold or wait: nodes beside it may not be read. */
  | 'zookeeper-part-hidden'
  /** `detail`: the lease that it has made, and that counts once others let go. */
  | 'zookeeper-lease-pending'
  /** Its lease was never granted, and its place in the queue is gone. */
  | 'zookeeper-place-gone';

export type ZooKeeperSummary = {
  'zookeeper-drop-waiter': { readonly name: string; readonly waiter: string };
  'zookeeper-drop-stuck': { readonly prefix: string; readonly waiter: string };
  'zookeeper-ask': { readonly key: string; readonly holder: string };
};

export type ZooKeeperCondition = {
  /** The same node, never written since. */
  'zookeeper-same-node': { readonly version: number };
  /** As above, and the node that keeps it waiting is there, too. */
  'zookeeper-same-waiter': { readonly version: number; readonly behind: string };
  /** As above, for a lease that was not granted: it cannot have been, while so many others are there. */
  'zookeeper-not-granted': { readonly version: number; readonly others: number };
};

export type ZooKeeperWarning = {
  /** The waiter's client notices late, and then queues again at the tail. */
  'zookeeper-requeues': Nothing;
  /** As above, for a lease: the client notices at once. */
  'zookeeper-lease-requeues': Nothing;
  'zookeeper-latch-two-leaders': Nothing;
  /** Nodes of the same session in view, which stay. */
  'zookeeper-owns-more': { readonly others: number };
  /** The session itself cannot be ended. */
  'zookeeper-session-stays': Nothing;
  'zookeeper-may-not-listen': Nothing;
  'zookeeper-asks-only': Nothing;
  /** Readers that go on beside a removed writer, by its own session. */
  'zookeeper-readers-stay': { readonly readers: number };
  /** The next ones get in only once all leases fit under the limit. */
  'zookeeper-stuck-counts': Nothing;
};

export type ZooKeeperRefusal = {
  /** `right`: ZooKeeper's word, on this very path. */
  'zookeeper-right-missing': { readonly right: 'DELETE' | 'WRITE'; readonly path: string };
  /** Its client wrote data into the node, which asking would overwrite. */
  'zookeeper-cannot-ask': Nothing;
  'zookeeper-not-listening': Nothing;
  'zookeeper-asked-before': Nothing;
  /** A shared count is four bytes. */
  'zookeeper-count-form': { readonly path: string; readonly bytes: number };
  'zookeeper-count-gone': { readonly path: string };
  /** It is the first, and about to make its lease. */
  'zookeeper-next-in': Nothing;
};

export type ZooKeeperNote = {
  'zookeeper-deletes': { readonly path: string; readonly version: number };
  'zookeeper-sets': { readonly path: string; readonly version: number };
  'zookeeper-no-command': Nothing;
};

export type ZooKeeperFailure = {
  /** The server is up and serves nobody: it finds no majority of its ensemble. */
  'zookeeper-no-quorum': Nothing;
  /** It closes new connections without a word, and has a quorum as far as it says. */
  'zookeeper-not-taken': Nothing;
  /** It does not take our password, or wants another proof of who we are. */
  'zookeeper-not-known': Nothing;
  /** All below the roots is more than Signalbox reads. `nodes`, `bytes`: the most. */
  'zookeeper-too-much': { readonly nodes: number; readonly bytes: number };
};

export type ZooKeeperDifference = {
  'zookeeper-data-changed': { readonly path: string; readonly before: number; readonly now: number };
  /** It waited, and was granted since. */
  'zookeeper-holds-now': { readonly sessionId: string };
  /** Its lease is no longer known to be stuck. */
  'zookeeper-not-stuck': { readonly sessionId: string };
};

export const zookeeperOutages = [
  'zookeeper-without-quorum',
  'zookeeper-takes-no-more',
  'zookeeper-not-permitted',
  'zookeeper-too-large',
] as const;
