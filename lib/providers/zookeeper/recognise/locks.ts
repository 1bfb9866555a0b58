/** Finds the holders and waiters of a lock in the nodes below it. Pure, and it never throws. */
import type { ZooKeeperLockLayout } from '@/lib/domain/codes/zookeeper';
import type { Evidence, Holder, Lock, Since, Waiter } from '@/lib/domain/model';
import type { LockRef } from '@/lib/domain/subject';
import { fact } from '@/lib/domain/verdict';
import type { ZkFacts } from '@/lib/providers/zookeeper/client/node';
import { byTurn, type Entry, type EntryKind } from './entry';
import { looksLikeSelector, partyOf, sinceMade } from './party';

const kindsOf: readonly (readonly [ZooKeeperLockLayout, readonly EntryKind[]])[] = [
  ['curator-read-write', ['read', 'write']],
  ['curator-latch', ['latch']],
  ['curator-mutex', ['lock']],
  ['zookeeper-other', ['other', 'lease']],
];

export interface Queue {
  readonly layout: ZooKeeperLockLayout;
  readonly holders: readonly Entry[];
  readonly waiters: readonly Entry[];
  /** True when a node could not be read, so that the holder is unknown. */
  readonly part: boolean;
}

/**
 * The lowest number of all holds to write, and readers before the first writer hold to read
 * (`InterProcessReadWriteLock`). A writer that also reads gets the read lock at once, with the number of its write.
 */
function readWrite(entries: readonly Entry[]): Pick<Queue, 'holders' | 'waiters'> {
  const [first] = entries;
  const write = entries.findIndex(({ kind }) => kind === 'write');
  const holds =
    first?.kind === 'write'
      ? (entry: Entry) => entry.sequence === first.sequence && (entry === first || entry.kind === 'read')
      : (_: Entry, i: number) => write === -1 || i < write;
  return { holders: entries.filter(holds), waiters: entries.filter((entry, i) => !holds(entry, i)) };
}

/**
 * Uses the first recipe of the table with nodes here, and drops nodes of another. `null`: there are none. `part`: there
 * are more.
 */
export function queueOf(all: readonly Entry[], part: boolean): Queue | null {
  for (const [layout, kinds] of kindsOf) {
    const entries = all.filter(({ kind }) => kinds.includes(kind)).sort(byTurn);
    if (entries.length === 0) continue;
    // With unknown rules or hidden nodes, some of these hold and the rest wait.
    if (layout === 'zookeeper-other' || part) return { layout, part, holders: [], waiters: entries };
    if (layout === 'curator-read-write') return { layout, part, ...readWrite(entries) };
    return { layout, part, holders: entries.slice(0, 1), waiters: entries.slice(1) };
  }
  return null;
}

/**
 * Before Curator 5.5 (CURATOR-621) a writer's read has its own number, like a waiting read of another thread of its
 * client.
 */
function placeOf({ layout, holders, part }: Queue, entry: Entry): readonly Evidence[] {
  if (part) return [fact('zookeeper-part-hidden')];
  if (layout === 'zookeeper-other') return [fact('zookeeper-unknown-client')];
  const [first] = holders;
  const ofWriter =
    first?.kind === 'write' &&
    entry.kind === 'read' &&
    entry.node.stat.ephemeralOwner === first.node.stat.ephemeralOwner;
  return ofWriter ? [fact('zookeeper-may-read-already')] : [];
}

/**
 * Curator leaves the data of a mutex's node empty when its client can be asked to let go (`LockInternals.attemptLock`).
 */
export const mayListen = ({ layout }: Pick<Queue, 'layout'>, { node }: Entry): boolean =>
  layout === 'curator-mutex' && node.data.length === 0;

/** True when the client watches its own node, as one does that can be asked. `null`: unknown. */
export const watchesItself = ({ node }: Entry, { watchers }: ZkFacts): boolean | null =>
  watchers === null ? null : (watchers.get(node.path)?.has(node.stat.ephemeralOwner) ?? false);

function holderOf(queue: Queue, entry: Entry, facts: ZkFacts, since: Since | null): Holder {
  const [first] = queue.holders;
  const evidence = [
    ...(queue.layout === 'curator-mutex' && looksLikeSelector(entry)
      ? [fact('zookeeper-likely-selector')]
      : []),
    ...(first?.kind === 'write' && entry.kind === 'read' ? [fact('zookeeper-reads-as-writer')] : []),
    ...(mayListen(queue, entry) && watchesItself(entry, facts) === true ? [fact('zookeeper-listens')] : []),
  ];
  return partyOf(entry, facts, { since, evidence });
}

const waiterOf = (queue: Queue, entry: Entry, facts: ZkFacts): Waiter => {
  const party = partyOf(entry, facts, { since: sinceMade(entry), evidence: placeOf(queue, entry) });
  const known = queue.layout !== 'zookeeper-other' && !queue.part;
  return { ...party, ...(known ? {} : { verdict: 'unknown' }), entryKey: entry.node.path };
};

const nothing = {
  delayedUntilMs: null,
  delay: null,
  exists: true,
  turnover: null,
  value: null,
  details: [],
  leftBehind: null,
} as const;

/** `sinceOf`: since when a holder holds. Its node may have waited before. */
export function lockOf(
  { source, key }: LockRef,
  queue: Queue,
  facts: ZkFacts,
  sinceOf: (entry: Entry) => Since | null,
): Lock {
  const { layout, part } = queue;
  const [holder = null, ...readers] = queue.holders.map((entry) =>
    holderOf(queue, entry, facts, sinceOf(entry)),
  );
  return {
    kind: 'lock',
    source,
    key,
    layout,
    state: holder !== null ? 'held' : layout === 'zookeeper-other' || part ? 'unknown' : 'free',
    holder,
    ...(readers.length > 0 ? { readers } : {}),
    waiters: queue.waiters.map((entry) => waiterOf(queue, entry, facts)),
    ...nothing,
  };
}

/**
 * A lock that was seen here, without nodes in view now. ZooKeeper deletes its empty container after about a minute.
 * `part`: some nodes may be hidden.
 */
export const idleLock = ({ source, key }: LockRef, layout: ZooKeeperLockLayout, part: boolean): Lock => ({
  kind: 'lock',
  source,
  key,
  layout,
  state: part ? 'unknown' : 'free',
  holder: null,
  waiters: [],
  ...nothing,
});
