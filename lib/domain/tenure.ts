import type { Lock } from './model';

/**
 * Compares two views in which one session has the lock, and finds out if it kept its hold in between. Every acquisition
 * raises the lock index. A recreated key was acquired again, whatever its index. A plain write keeps the session, and
 * resets the index to 0.
 */
export function tenureOf(
  before: Pick<Lock, 'createIndex' | 'lockIndex'>,
  now: Pick<Lock, 'createIndex' | 'lockIndex'>,
): 'kept' | 'retaken' | 'overwritten' {
  if (now.createIndex !== before.createIndex) return 'retaken';
  // A backend without such an index shows a new hold by a new holder.
  if (now.lockIndex === before.lockIndex || now.lockIndex === undefined || before.lockIndex === undefined)
    return 'kept';
  return BigInt(now.lockIndex) > BigInt(before.lockIndex) ? 'retaken' : 'overwritten';
}
