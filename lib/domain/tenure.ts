import type { Lock } from './model';

/**
 * What became of the hold of one session that has the lock in both views. Every acquisition raises the lock index, and a key that
 * was deleted and made anew was acquired anew, whatever its index. A plain write keeps the session and puts the index back to 0.
 */
export function tenureOf(
  before: Pick<Lock, 'createIndex' | 'lockIndex'>,
  now: Pick<Lock, 'createIndex' | 'lockIndex'>,
): 'kept' | 'retaken' | 'overwritten' {
  if (now.createIndex !== before.createIndex) return 'retaken';
  if (now.lockIndex === before.lockIndex) return 'kept';
  return BigInt(now.lockIndex) > BigInt(before.lockIndex) ? 'retaken' : 'overwritten';
}
