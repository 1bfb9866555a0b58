/** Turns ZooKeeper's nodes into the model's locks and semaphores. Never throws, whatever the nodes contain. */
import type { ZooKeeperLockLayout } from '@/lib/domain/codes/zookeeper';
import type { Lock, Semaphore, Since, World } from '@/lib/domain/model';
import { withRows } from '@/lib/domain/sorted';
import { rowName, type SourceId } from '@/lib/domain/source';
import { lockName, semaphoreName } from '@/lib/domain/subject';
import { same } from '@/lib/domain/world/change';
import type { ZkFacts, ZkNode, ZkTree } from '@/lib/providers/zookeeper/client/node';
import { parentOf } from '@/lib/providers/zookeeper/client/path';
import { createConcealed } from './concealed';
import type { Entry } from './entry';
import { createEntryIndex, isOfSemaphore } from './entry-index';
import { leasesOf, locksOf, mayBecomeSemaphore, semaphoresIn } from './folders';
import { judgeLeases, type Leases, type Sighting, unseenLoss } from './leases';
import { idleLock, lockOf, queueOf } from './locks';
import { partOf, semaphoreOf } from './semaphores';
import { createMemory } from './session-memory';

export interface View {
  readonly tree: ZkTree;
  readonly facts: ZkFacts;
  readonly nowMs: number;
  /**
   * True when this view has every change since the last one. False for the first view, and for the first after an
   * outage.
   */
  readonly continuous: boolean;
  /** Paths of nodes that may not be read, and so are not in the tree. Absent: none. */
  readonly hidden?: ReadonlySet<string>;
  /** Paths of all nodes that came, went or changed since the last view. Absent: any may have. */
  readonly changed?: Iterable<string>;
}

export interface Recognised {
  readonly world: World;
  /** From this instant on the same tree gives another world. `null`: never. */
  readonly againMs: number | null;
}

export interface Recogniser {
  /** Rows that say the same as before are the same objects. */
  recognise(view: View): Recognised;
  /** The sighting of a semaphore's leases, for an action that reads them afresh. `null`: none. */
  sighting(prefix: string): Sighting | null;
  /** The number of a session's nodes in view. */
  ownedBy(session: string): number;
}

/** A name without nodes stays for this long after ZooKeeper deleted its empty container. */
const idleKeptMs = 10 * 60_000;
/** Most idle names, so that a client that invents names cannot fill the memory. */
const idleMax = 10_000;
/** A semaphore's first client makes its lease within this time, after its lock. */
const firstLeaseMs = 1_000;

interface Kept<R> {
  readonly row: R;
  /** By path of a holder's node. */
  readonly since: ReadonlyMap<string, Since>;
  readonly waiting: ReadonlySet<string>;
}
interface KeptLock extends Kept<Lock> {
  readonly layout: ZooKeeperLockLayout;
}
interface KeptSemaphore extends Kept<Semaphore> {
  readonly count: ZkNode | null | undefined;
  readonly sighting: Sighting;
  readonly againMs: number | null;
}

/** The old object when the new one says the same. */
const settled = <R>(before: R | undefined, now: R): R =>
  before !== undefined && same(before, now) ? before : now;

/** Whether nodes are hidden in this view, and whether any were in the last one. */
interface Doubt {
  readonly isPart: boolean;
  readonly wasPart: boolean;
}

/**
 * Since when each holder holds. The node's own time is the start of its wait. A new holder holds since then, and a
 * holder that was seen to wait holds since this view. Beside hidden nodes a holder looks like a waiter, so that one
 * found after them holds at least since this view.
 */
function sinceIn(previous: Kept<unknown> | undefined, { nowMs, continuous }: View, doubt: Doubt) {
  const since = new Map<string, Since>();
  const isWatched = continuous && !doubt.isPart && !doubt.wasPart;
  const sinceOf = ({ node }: Entry): Since => {
    const known = previous?.since.get(node.path);
    const basis = previous?.waiting.has(node.path) ? 'observed' : 'value';
    const one: Since = known ?? {
      atMs: isWatched && basis === 'value' ? node.stat.ctimeMs : nowMs,
      basis: isWatched ? basis : 'at-least',
    };
    // Beside hidden nodes it may still be waiting.
    if (known !== undefined || !doubt.isPart) since.set(node.path, one);
    return one;
  };
  return { since, sinceOf };
}

const paths = (entries: readonly Entry[]): ReadonlySet<string> =>
  new Set(entries.map(({ node }) => node.path));

const waitingOf = ({ stuck, pending }: Leases): ReadonlySet<string> =>
  paths(pending === null ? stuck : [...stuck, pending]);

/** `undefined`: none is configured. `null`: it is missing. */
export const countNodeOf = (prefix: string, tree: ZkTree, { counts }: ZkFacts): ZkNode | null | undefined => {
  const path = counts.get(prefix);
  return path === undefined ? undefined : (tree.get(path) ?? null);
};

/** One list for all views, because a different list counts as a change. */
const none: World['sessions'] = [];

const noSince = { since: new Map(), waiting: new Set<string>() } as const;

/** Names without nodes, each with the instant when its container was last seen. */
type Idle = Map<string, number>;

export function createRecogniser(source: SourceId): Recogniser {
  const index = createEntryIndex();
  const memory = createMemory();
  const locks = new Map<string, KeptLock>();
  const semaphores = new Map<string, KeptSemaphore>();
  const [idleLocks, idleSemaphores]: [Idle, Idle] = [new Map(), new Map()];
  /** Folders that may become a semaphore's, for another look. */
  let early = new Set<string>();
  const concealed = createConcealed();
  let lists: Pick<World, 'locks' | 'semaphores'> = { locks: [], semaphores: [] };

  const doubtOf = (...folders: readonly string[]): Doubt => ({
    isPart: folders.some(concealed.isPart),
    wasPart: folders.some(concealed.wasPart),
  });

  function lockIn(key: string, view: View): KeptLock | null {
    const before = locks.get(key);
    const doubt = doubtOf(key);
    const queue = queueOf(index.entriesIn(key), doubt.isPart);
    if (queue === null) {
      // A lock of an unknown client cannot be recognised without nodes.
      if (before === undefined || before.layout === 'zookeeper-other') return null;
      const { layout } = before;
      return {
        row: settled(before.row, idleLock({ source, key }, layout, doubt.isPart)),
        layout,
        ...noSince,
      };
    }
    const { since, sinceOf } = sinceIn(before, view, doubt);
    const row = settled(before?.row, lockOf({ source, key }, queue, view.facts, sinceOf));
    return { row, layout: queue.layout, since, waiting: paths(queue.waiters) };
  }

  function semaphoreIn(prefix: string, count: ZkNode | null | undefined, view: View): KeptSemaphore {
    const { facts, nowMs } = view;
    const before = semaphores.get(prefix);
    const doubt = doubtOf(leasesOf(prefix), locksOf(prefix));
    const known = before?.sighting ?? null;
    const leases = judgeLeases({
      leases: index.entriesIn(leasesOf(prefix)).filter(({ kind }) => kind === 'lease'),
      locks: index.entriesIn(locksOf(prefix)).filter(({ kind }) => kind === 'lock'),
      count,
      before: doubt.isPart || doubt.wasPart ? unseenLoss(known, nowMs) : known,
      nowMs,
    });
    const { since, sinceOf } = sinceIn(before, view, doubt);
    const whole = semaphoreOf({ source, prefix }, leases, count, facts, sinceOf);
    const row = settled(before?.row, doubt.isPart ? partOf(whole) : whole);
    // Beside hidden leases a longer wait says no more.
    const againMs = doubt.isPart ? null : leases.againMs;
    return { row, since, waiting: waitingOf(leases), count, sighting: leases.sighting, againMs };
  }

  /** Forgets names that were idle for too long. Returns when the next is due. */
  function forget(idle: Idle, { tree, nowMs }: View, drop: (name: string) => void): number | null {
    let againMs: number | null = null;
    let retained = 0;
    for (const [name, seenMs] of idle) {
      const isThere = tree.has(name) || concealed.has(name);
      if (isThere) idle.set(name, nowMs);
      if ((!isThere && nowMs - seenMs >= idleKeptMs) || retained >= idleMax) drop(name);
      else {
        retained += 1;
        if (!isThere) againMs = earlier(againMs, seenMs + idleKeptMs);
      }
    }
    return againMs;
  }

  function lookAtSemaphores(view: View, dirty: ReadonlySet<string>, rows: Map<string, Semaphore | null>) {
    const { tree, facts, nowMs } = view;
    let againMs: number | null = null;
    const isKnown = (prefix: string) => semaphores.has(prefix) || facts.counts.has(prefix);
    const prefixes = semaphoresIn(index, tree, isKnown);
    for (const prefix of new Set([...prefixes, ...semaphores.keys()])) {
      const before = semaphores.get(prefix);
      const count = countNodeOf(prefix, tree, facts);
      const folders = [leasesOf(prefix), locksOf(prefix)];
      const isDue = before === undefined || before.count !== count || (before.againMs ?? nowMs + 1) <= nowMs;
      if (isDue || folders.some((folder) => dirty.has(folder))) {
        const next = semaphoreIn(prefix, count, view);
        semaphores.set(prefix, next);
        if (next.row !== before?.row) rows.set(rowName(source, prefix), next.row);
        if (prefixes.has(prefix)) idleSemaphores.delete(prefix);
      }
      if (!prefixes.has(prefix) && !idleSemaphores.has(prefix)) idleSemaphores.set(prefix, nowMs);
      againMs = earlier(againMs, semaphores.get(prefix)?.againMs ?? null);
    }
    const forgotten = forget(idleSemaphores, view, (prefix) => {
      idleSemaphores.delete(prefix);
      semaphores.delete(prefix);
      rows.set(rowName(source, prefix), null);
    });
    return earlier(againMs, forgotten);
  }

  function lookAtLocks(view: View, dirty: ReadonlySet<string>, rows: Map<string, Lock | null>) {
    const { tree, nowMs } = view;
    let againMs: number | null = null;
    const drop = (key: string) => {
      idleLocks.delete(key);
      if (locks.delete(key)) rows.set(rowName(source, key), null);
    };
    const waiting = early;
    early = new Set();
    for (const key of new Set([...dirty, ...waiting])) {
      const madeMs = mayBecomeSemaphore(key, tree) ? tree.get(key)?.stat.ctimeMs : undefined;
      const before = locks.get(key);
      if (isOfSemaphore(key) && semaphores.has(parentOf(key))) {
        drop(key);
        continue;
      }
      if (madeMs !== undefined && before === undefined && Math.abs(nowMs - madeMs) < firstLeaseMs) {
        early.add(key);
        againMs = earlier(againMs, madeMs + firstLeaseMs);
        continue;
      }
      const next = lockIn(key, view);
      if (next === null) {
        drop(key);
        continue;
      }
      locks.set(key, next);
      if (next.row !== before?.row) rows.set(rowName(source, key), next.row);
      if (index.entriesIn(key).length > 0) idleLocks.delete(key);
      else idleLocks.set(key, nowMs);
    }
    return earlier(againMs, forget(idleLocks, view, drop));
  }

  /** Takes in hidden nodes. Adds the folders of known rows that turned part or whole to `dirty`. */
  function takeHidden(hidden: Iterable<string>, dirty: Set<string>): void {
    if (!concealed.update(hidden)) return;
    const folders = [...semaphores.keys()].flatMap((prefix) => [leasesOf(prefix), locksOf(prefix)]);
    for (const folder of [...locks.keys(), ...folders])
      if (concealed.isPart(folder) !== concealed.wasPart(folder)) dirty.add(folder);
  }

  function recognise(given: View): Recognised {
    const dirty = index.update(given.tree, given.changed);
    takeHidden(given.hidden ?? [], dirty);
    const view = { ...given, facts: memory.take(given.facts, index, dirty) };
    const semaphoreRows = new Map<string, Semaphore | null>();
    const lockRows = new Map<string, Lock | null>();
    const known = semaphores.size;
    const againMs = lookAtSemaphores(view, dirty, semaphoreRows);
    // A folder that looked like a lock may be part of a new semaphore.
    if (semaphores.size > known)
      for (const row of semaphoreRows.values())
        if (row !== null) dirty.add(locksOf(row.prefix)).add(leasesOf(row.prefix));
    const locksAgainMs = lookAtLocks(view, dirty, lockRows);
    lists = {
      locks: withRows(lists.locks, lockRows, lockName),
      semaphores: withRows(lists.semaphores, semaphoreRows, semaphoreName),
    };
    return { world: { ...lists, sessions: none }, againMs: earlier(againMs, locksAgainMs) };
  }

  return {
    recognise,
    sighting: (prefix) => semaphores.get(prefix)?.sighting ?? null,
    ownedBy: (session) => index.owned.get(session) ?? 0,
  };
}

const earlier = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);
