/**
 * What a backend shows of a lock or semaphore, and what can be done to it. A row belongs to a layout, because
 * client libraries on one backend differ. A screen asks here instead of guessing from an absent fact.
 */
import type { Layout } from './layout';

export interface Capabilities {
  /**
   * - `queue`: listed in the order in which they get it.
   * - `race`: listed in the order of arrival, and any of them may get it.
   * - `hidden`: they leave no trace.
   */
  readonly waiters: 'queue' | 'race' | 'hidden';
  /** What makes a holder hold. `session`: it has a page, and may hold more. `lease`: its own entry, for a time. */
  readonly holds: 'session' | 'lease';
  /** A person can read it with `curl` (`by-hand`). */
  readonly byHand: boolean;
  /** A free lock or an idle semaphore can be deleted. */
  readonly deletes: boolean;
}

const consulLock: Capabilities = { waiters: 'hidden', holds: 'session', byHand: true, deletes: true };
const consulSemaphore: Capabilities = { waiters: 'race', holds: 'session', byHand: true, deletes: true };
const standIn: Capabilities = { waiters: 'queue', holds: 'lease', byHand: false, deletes: false };

/** Kinds of backends that refuse a key for a while after its holder has ended. */
const withLockDelay: ReadonlySet<string> = new Set(['consul']);

/** `kind`: a source's `provider`. */
export const hasLockDelay = (kind: string): boolean => withLockDelay.has(kind);

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
  'stand-in-semaphore': standIn,
};
