/**
 * Records the parts of a row that come from outside its own entry, and the row without them, for readers who may read
 * only the entry. It never leaves the server.
 */

import type { Lock, Semaphore } from '@/lib/domain/model';
import { same } from '@/lib/domain/world/change';

export type LockKind = Pick<Lock, 'layout' | 'details'>;

export interface LockBasis {
  /** The other key that the kind rests on, or `null`. */
  readonly record: string | null;
  /** The kind without the name of its session. */
  readonly unnamed: LockKind;
  /** The kind without the record; `null`: there is no record. */
  readonly unrecorded: LockKind | null;
  /** The kind without both. */
  readonly bare: LockKind;
}

export type SemaphoreKind = Pick<Semaphore, 'layout' | 'problems'>;

/** For a semaphore whose own entry is no proof. Odd flags are right when all contenders have them. */
export interface SemaphoreBasis {
  readonly contenders: readonly { readonly key: string; readonly flags: string }[];
  /** The kind for a reader of these keys. */
  as(reads: (key: string) => boolean): SemaphoreKind;
}

const ofLocks = new WeakMap<Lock, LockBasis>();
const ofSemaphores = new WeakMap<Semaphore, SemaphoreBasis>();

export const lockBasis = (lock: Lock): LockBasis | null => ofLocks.get(lock) ?? null;
export const semaphoreBasis = (semaphore: Semaphore): SemaphoreBasis | null =>
  ofSemaphores.get(semaphore) ?? null;

export function restLock(lock: Lock, basis: LockBasis | null): Lock {
  if (basis !== null) ofLocks.set(lock, basis);
  return lock;
}

export function restSemaphore(semaphore: Semaphore, basis: SemaphoreBasis | null): Semaphore {
  if (basis !== null) ofSemaphores.set(semaphore, basis);
  return semaphore;
}

export const sameBasis = (a: Lock | Semaphore, b: Lock | Semaphore): boolean =>
  a.kind === 'lock'
    ? b.kind === 'lock' && same(lockBasis(a), lockBasis(b))
    : b.kind === 'semaphore' && same(semaphoreBasis(a)?.contenders, semaphoreBasis(b)?.contenders);
