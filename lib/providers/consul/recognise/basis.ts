/**
 * What a row says because of something beside its own entry, and what it says without that: some readers may read the entry alone.
 * It is kept beside the rows and sent to nobody.
 */

import type { Lock, Semaphore } from '@/lib/domain/model';
import { same } from '@/lib/domain/world/change';

/** What a lock is called, and the facts that come with the name. */
export type LockKind = Pick<Lock, 'layout' | 'details'>;

export interface LockBasis {
  /** The other key that the kind rests on; `null`: none. */
  readonly record: string | null;
  /** Without the name of its session. */
  readonly unnamed: LockKind;
  /** Without the record. */
  readonly unrecorded: LockKind;
  /** Without both. */
  readonly bare: LockKind;
}

/** What a semaphore is called, and what is wrong with it. */
export type SemaphoreKind = Pick<Semaphore, 'layout' | 'problems'>;

/** Of a semaphore whose entry alone does not tell: flags that no client asks for are right where all contenders have them. */
export interface SemaphoreBasis {
  readonly contenders: readonly { readonly key: string; readonly flags: string }[];
  /** For whoever reads these keys. */
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

/** Whether both rest on the same. */
export const sameBasis = (a: Lock | Semaphore, b: Lock | Semaphore): boolean =>
  a.kind === 'lock'
    ? b.kind === 'lock' && same(lockBasis(a), lockBasis(b))
    : b.kind === 'semaphore' && same(semaphoreBasis(a)?.contenders, semaphoreBasis(b)?.contenders);
