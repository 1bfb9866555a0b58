/** From what ZooKeeper stores to the model's locks and semaphores. It never throws, whatever the nodes hold. */
import type { ZooKeeperLockLayout } from '@/lib/domain/codes/zookeeper';
import type { Lock, Semaphore, Since, World } from '@/lib/domain/model';
import { rowName, type SourceId } from '@/lib/domain/source';
import type { ZkFacts, ZkNode, ZkTree } from '@/lib/providers/zookeeper/client/node';
import { parentOf } from '@/lib/providers/zookeeper/client/path';
import type { Entry } from './entry';
import { foldersOf, mayBecomeSemaphore, type SemaphoreEntries } from './folders';
import { judgeLeases, type Leases, type Sighting } from './leases';
import { idleLock, lockOf, queueOf, watchesItself } from './locks';
import { sessionStamp } from './party';
import { semaphoreOf } from './semaphores';
import { createMemory } from './session-memory';

export interface View {
  readonly tree: ZkTree;
  readonly facts: ZkFacts;
  readonly nowMs: number;
  /** Every change since the last view is in this one: false for the first view, and for the first after an outage. */
  readonly continuous: boolean;
}

export interface Recognised {
  readonly world: World;
  /** From this instant on the same tree is another world. `null`: never. */
  readonly againMs: number | null;
}

export interface Recogniser {
  /** Rows that say the same as before are the same objects. */
  recognise(view: View): Recognised;
  /** What was seen of a semaphore's leases, for an action that reads it afresh. `null`: nothing. */
  sighting(prefix: string): Sighting | null;
  /** How many nodes of a session were in view. */
  ownedBy(session: string): number;
}

/** A name without nodes stays for this long after its container is gone, which ZooKeeper deletes when it is empty. */
const idleKeptMs = 10 * 60_000;
/** Whoever makes names up must not fill the memory. */
const idleMax = 10_000;
/** A semaphore's first client has made its lease by then. */
const firstLeaseMs = 1_000;

interface Kept<R> {
  readonly row: R;
  /** What it was made from: the same things make the same row. */
  readonly from: readonly unknown[];
  /** By path of a holder's node. */
  readonly since: ReadonlyMap<string, Since>;
  readonly waiting: ReadonlySet<string>;
  readonly usedMs: number;
}
interface KeptLock extends Kept<Lock> {
  readonly layout: ZooKeeperLockLayout;
}
interface KeptSemaphore extends Kept<Semaphore> {
  readonly sighting: Sighting;
  readonly againMs: number | null;
}

const isSame = (a: readonly unknown[], b: readonly unknown[]) =>
  a.length === b.length && a.every((one, i) => one === b[i]);

const stamps = (entries: readonly Entry[], facts: ZkFacts): readonly unknown[] =>
  entries.flatMap((entry) => [entry.node, sessionStamp(facts, entry), watchesItself(entry, facts)]);

/** The old object where the new one says the same. */
const settled = <R>(before: R | undefined, now: R): R =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;

/**
 * Since when a holder holds. Its node tells when it began to wait. One that was not there before holds since then, and one
 * that was seen to wait since the view that shows it as holder.
 */
function sinceIn(kept: Kept<unknown> | undefined, { nowMs, continuous }: View) {
  const since = new Map<string, Since>();
  const sinceOf = ({ node }: Entry): Since => {
    const basis = kept?.waiting.has(node.path) ? 'observed' : 'value';
    const one: Since = kept?.since.get(node.path) ?? {
      atMs: continuous && basis === 'value' ? node.stat.ctimeMs : nowMs,
      basis: continuous ? basis : 'at-least',
    };
    since.set(node.path, one);
    return one;
  };
  return { since, sinceOf };
}

const paths = (entries: readonly Entry[]): ReadonlySet<string> =>
  new Set(entries.map(({ node }) => node.path));

/** `undefined`: none is configured. `null`: it is not there. */
export const countNodeOf = (prefix: string, tree: ZkTree, { counts }: ZkFacts): ZkNode | null | undefined => {
  const path = counts.get(prefix);
  return path === undefined ? undefined : (tree.get(path) ?? null);
};

export function createRecogniser(source: SourceId): Recogniser {
  let locks = new Map<string, KeptLock>();
  let semaphores = new Map<string, KeptSemaphore>();
  let owned: ReadonlyMap<string, number> = new Map();
  const memory = createMemory();
  let lists: Pick<World, 'locks' | 'semaphores'> = { locks: [], semaphores: [] };

  function lockIn(key: string, entries: readonly Entry[], view: View): KeptLock | null {
    const { facts, nowMs } = view;
    const before = locks.get(key);
    const from = stamps(entries, facts);
    if (before !== undefined && isSame(before.from, from)) return { ...before, usedMs: nowMs };
    const queue = queueOf(entries);
    if (queue === null) return null;
    const { since, sinceOf } = sinceIn(before, view);
    const row = settled(before?.row, lockOf({ source, key }, queue, facts, sinceOf));
    return {
      row,
      layout: queue.layout,
      from,
      since,
      waiting: paths(queue.waiters),
      usedMs: nowMs,
    };
  }

  function semaphoreIn(
    prefix: string,
    { leases: leaseEntries, locks: lockEntries }: SemaphoreEntries,
    view: View,
  ): KeptSemaphore {
    const { tree, facts, nowMs } = view;
    const before = semaphores.get(prefix);
    const count = countNodeOf(prefix, tree, facts);
    const from = [...stamps(leaseEntries, facts), null, ...stamps(lockEntries, facts), count];
    const isDue = before?.againMs !== null && (before?.againMs ?? 0) <= nowMs;
    if (before !== undefined && !isDue && isSame(before.from, from)) return { ...before, usedMs: nowMs };
    const leases = judgeLeases({
      leases: leaseEntries,
      locks: lockEntries,
      count,
      before: before?.sighting ?? null,
      nowMs,
    });
    const { since, sinceOf } = sinceIn(before, view);
    const row = settled(before?.row, semaphoreOf({ source, prefix }, leases, count, facts, sinceOf));
    const { sighting, againMs } = leases;
    return { row, from, since, waiting: waitingOf(leases), sighting, againMs, usedMs: nowMs };
  }

  /** A name that was in use stays while its container does, and for a while after. */
  const isIdle = (name: string, usedMs: number, { tree, nowMs }: View) =>
    tree.has(name) || nowMs - usedMs < idleKeptMs;

  function idleLocks(now: Map<string, KeptLock>, used: ReadonlyMap<string, unknown>, view: View): void {
    for (const [key, before] of locks) {
      const isPart = used.has(key) || used.has(parentOf(key));
      if (now.has(key) || isPart || now.size >= idleMax || !isIdle(key, before.usedMs, view)) continue;
      const { layout } = before;
      // Without nodes nothing says that a lock of some other client is one.
      if (layout === 'zookeeper-other') continue;
      const row = settled(before.row, idleLock({ source, key }, layout));
      const usedMs = view.tree.has(key) ? view.nowMs : before.usedMs;
      now.set(key, { row, layout, from: [], since: new Map(), waiting: new Set(), usedMs });
    }
  }

  function recognise(given: View): Recognised {
    const { tree, nowMs } = given;
    const facts = memory.facts(given.facts, owned);
    const view = { ...given, facts };
    const folders = foldersOf(tree, (prefix) => semaphores.has(prefix) || facts.counts.has(prefix));
    const nextOwned = new Map<string, number>();
    const count = ({ node }: Entry) =>
      nextOwned.set(node.stat.ephemeralOwner, (nextOwned.get(node.stat.ephemeralOwner) ?? 0) + 1);
    const nextSemaphores = new Map<string, KeptSemaphore>();
    let againMs: number | null = null;
    const again = (ms: number | null) => {
      if (ms !== null && (againMs === null || ms < againMs)) againMs = ms;
    };
    for (const [prefix, entries] of folders.semaphores) {
      const kept = semaphoreIn(prefix, entries, view);
      nextSemaphores.set(prefix, kept);
      again(kept.againMs);
      entries.leases.forEach(count);
    }
    for (const [prefix, before] of semaphores) {
      if (nextSemaphores.has(prefix) || nextSemaphores.size >= idleMax) continue;
      if (!isIdle(prefix, before.usedMs, view)) continue;
      const kept = semaphoreIn(prefix, { leases: [], locks: [] }, view);
      nextSemaphores.set(prefix, { ...kept, usedMs: tree.has(prefix) ? nowMs : before.usedMs });
    }
    const nextLocks = new Map<string, KeptLock>();
    for (const [key, entries] of folders.locks) {
      entries.forEach(count);
      const madeMs = mayBecomeSemaphore(key, tree) ? tree.get(key)?.stat.ctimeMs : undefined;
      if (madeMs !== undefined && Math.abs(nowMs - madeMs) < firstLeaseMs) {
        again(madeMs + firstLeaseMs);
        continue;
      }
      const kept = lockIn(key, entries, view);
      if (kept !== null) nextLocks.set(key, kept);
    }
    idleLocks(nextLocks, nextSemaphores, view);
    for (const kept of [...nextLocks.values(), ...nextSemaphores.values()])
      if (kept.usedMs < nowMs) again(kept.usedMs + idleKeptMs);
    locks = nextLocks;
    semaphores = nextSemaphores;
    owned = nextOwned;
    lists = {
      locks: listed(lists.locks, locks, ({ key }) => rowName(source, key)),
      semaphores: listed(lists.semaphores, semaphores, ({ prefix }) => rowName(source, prefix)),
    };
    return { world: { ...lists, sessions: [] }, againMs };
  }

  return {
    recognise,
    sighting: (prefix) => semaphores.get(prefix)?.sighting ?? null,
    ownedBy: (session) => owned.get(session) ?? 0,
  };
}

const waitingOf = ({ stuck, pending }: Leases): ReadonlySet<string> =>
  paths(pending === null ? stuck : [...stuck, pending]);

/** Sorted by name; the old list where no row of it changed. */
function listed<R>(
  before: readonly R[],
  kept: ReadonlyMap<string, Kept<R>>,
  nameOf: (row: R) => string,
): readonly R[] {
  const rows = [...kept.values()].map(({ row }) => row);
  rows.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return rows.length === before.length && rows.every((row, i) => row === before[i]) ? before : rows;
}
