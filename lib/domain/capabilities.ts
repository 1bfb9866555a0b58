/**
 * The facts that a backend shows of a lock or semaphore, and the actions that it allows. The table has a row for each
 * layout, because client libraries on one backend differ. A screen asks here instead of guessing from an absent fact.
 */
import type { Layout } from './layout';
import type { Lock, Semaphore } from './model';

export interface Capabilities {
  /**
   * - `queue`: listed in the order in which they get the lock.
   * - `race`: listed in the order of arrival, and any of them may get the lock.
   * - `counted`: the backend knows their number, and no name.
   * - `hidden`: they leave no trace.
   */
  readonly waiters: 'queue' | 'race' | 'counted' | 'hidden';
  /**
   * A holder holds by
   * - `session`: a session, which has a page and may hold more;
   * - `lease`: an entry of its own, for a time;
   * - `entry`: an entry of its own, as long as its connection to the backend lives.
   */
  readonly holds: 'session' | 'lease' | 'entry';
  /** An operator can read the lock or semaphore with `curl` (`by-hand`). */
  readonly byHand: boolean;
  /** A free lock or an idle semaphore can be deleted. */
  readonly deletes: boolean;
  /** A holder can be removed. False: the console only shows it. */
  readonly releases: boolean;
  /** A waiter can be removed from the queue. */
  readonly removesWaiters: boolean;
  /** A holder can be asked to release. */
  readonly asks: boolean;
  /** Waiters that sleep beside a free lock can be woken. */
  readonly wakes: boolean;
  /** Permits have no names, so an operator can give back those of dead clients by number only. */
  readonly returns: boolean;
}

const shownOnly = {
  byHand: false,
  deletes: false,
  releases: false,
  removesWaiters: false,
  asks: false,
  wakes: false,
  returns: false,
} as const;
const consul = { ...shownOnly, holds: 'session', byHand: true, deletes: true, releases: true } as const;
const consulLock: Capabilities = { ...consul, waiters: 'hidden' };
const consulSemaphore: Capabilities = { ...consul, waiters: 'race' };
const standIn: Capabilities = { ...shownOnly, waiters: 'queue', holds: 'lease', releases: true };
const redis: Capabilities = { ...shownOnly, waiters: 'counted', holds: 'lease' };
const redisson: Capabilities = { ...redis, releases: true, wakes: true };
const zooKeeper: Capabilities = { ...shownOnly, waiters: 'queue', holds: 'entry' };
const curator: Capabilities = { ...zooKeeper, releases: true, removesWaiters: true };

/** Kinds of backends that refuse a key for a while after its holder has ended. */
const withLockDelay: ReadonlySet<string> = new Set(['consul']);

/** True when the backend may refuse a key after its holder has ended. `kind`: a source's `provider`. */
export const hasLockDelay = (kind: string): boolean => withLockDelay.has(kind);

/** Kinds of backends whose holders have sessions, each with a page of its own. */
const withSessions: ReadonlySet<string> = new Set(['consul']);

/** True when the backend has sessions. `kind`: a source's `provider`. */
export const hasSessions = (kind: string): boolean => withSessions.has(kind);

/** A provider adds a row for each of its layouts. */
export const capabilities: Readonly<Record<Layout, Capabilities>> = {
  'go-lock': consulLock,
  'consul-lock': consulLock,
  terraform: consulLock,
  vault: consulLock,
  'patroni-leader': consulLock,
  'patroni-member': consulLock,
  'consul-template': consulLock,
  'consul-esm': consulLock,
  'java-lock': consulLock,
  plain: consulLock,
  'go-semaphore': consulSemaphore,
  'guide-list': consulSemaphore,
  'java-semaphore': consulSemaphore,
  unreadable: consulSemaphore,
  'stand-in-lock': standIn,
  'redisson-lock': redisson,
  'redisson-fenced': redisson,
  'redisson-fair': { ...redisson, waiters: 'queue', removesWaiters: true },
  'redisson-read-write': redisson,
  'redisson-faster-multi': redis,
  // Clients of Redlock poll, so none of them waits in Redis.
  redlock: { ...redis, waiters: 'hidden', releases: true },
  'redisson-semaphore': { ...redis, returns: true },
  'redisson-permits': { ...redis, releases: true },
  'redisson-latch': redis,
  'curator-mutex': { ...curator, asks: true },
  'curator-latch': curator,
  'curator-read-write': curator,
  'zookeeper-other': zooKeeper,
  'curator-semaphore': curator,
  'curator-semaphore-shared': curator,
  'stand-in-semaphore': standIn,
};

/** Layouts that store only the number of free permits, and no holders. */
const withoutHolders: ReadonlySet<Layout> = new Set<Layout>(['redisson-semaphore', 'redisson-latch']);

/** The number of free permits, where no holder has a name; `null`: unreadable. `undefined`: holders have names. */
export const freeOf = ({ layout, available = null }: Semaphore): number | null | undefined =>
  withoutHolders.has(layout) ? available : undefined;

/** False when the holders may be unknown. An empty list of holders then does not mean that the row is free. */
export const namesHolders = (row: Lock | Semaphore): boolean =>
  row.kind === 'semaphore' ? freeOf(row) === undefined : row.state !== 'unknown';

/** The number of known waiters; `null`: cannot tell, e.g. where any of them may hold. */
export function waitingOf(of: Lock | Semaphore): number | null {
  const { layout, waiters, waitingClients } = of;
  if (waitingClients !== undefined) return waitingClients;
  if (of.kind === 'lock' && of.state === 'unknown') return null;
  return capabilities[layout].waiters === 'counted' ? null : (waiters?.length ?? null);
}
