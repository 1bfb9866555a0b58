/**
 * What a row says because of something beside its own entry, and what it says without that: some readers may read the entry alone.
 * It is kept beside the rows and sent to nobody.
 */
import { same } from '@/lib/domain/change';
import type { Lock, Semaphore } from '@/lib/domain/model';

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

/** Why the flags of a coordination entry are called wrong: its contenders have others. */
export interface FlagsBasis {
  /** The entries of contenders of which each shows that they are wrong. */
  readonly by: readonly string[];
  /** For flags that are wrong on their own: the entries by which they would be right. `null`: for those that are not. */
  readonly unless: readonly string[] | null;
}

const ofLocks = new WeakMap<Lock, LockBasis>();
const ofFlags = new WeakMap<Semaphore, FlagsBasis>();

export const lockBasis = (lock: Lock): LockBasis | null => ofLocks.get(lock) ?? null;
export const flagsBasis = (semaphore: Semaphore): FlagsBasis | null => ofFlags.get(semaphore) ?? null;

export function restLock(lock: Lock, basis: LockBasis | null): Lock {
  if (basis !== null) ofLocks.set(lock, basis);
  return lock;
}

export function restFlags(semaphore: Semaphore, basis: FlagsBasis | null): Semaphore {
  if (basis !== null) ofFlags.set(semaphore, basis);
  return semaphore;
}

/** Whether both rest on the same. */
export const sameBasis = (a: Lock | Semaphore, b: Lock | Semaphore): boolean =>
  a.kind === 'lock'
    ? b.kind === 'lock' && same(lockBasis(a), lockBasis(b))
    : b.kind === 'semaphore' && same(flagsBasis(a), flagsBasis(b));

/** Whether a reader of these keys can see that the flags are wrong. */
export const showsWrongFlags = ({ by, unless }: FlagsBasis, reads: (key: string) => boolean): boolean =>
  by.some(reads) || (unless !== null && !unless.some(reads));
