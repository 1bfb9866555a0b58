import type { Lock } from './model';

/**
 * Whether a session that has the lock in both views kept its hold. Every acquisition raises the lock index, a recreated
 * key was acquired again whatever its index, and a plain write keeps the session and resets the index to 0.
 */
export function tenureOf(
  before: Pick<Lock, 'createIndex' | 'lockIndex'>,
  now: Pick<Lock, 'createIndex' | 'lockIndex'>,
): 'kept' | 'retaken' | 'overwritten' {
  if (now.createIndex !== before.createIndex) return 'retaken';
  // A backend without such an index tells a new hold by a new holder.
  if (now.lockIndex === before.lockIndex || now.lockIndex === undefined || before.lockIndex === undefined)
    return 'kept';
  return BigInt(now.lockIndex) > BigInt(before.lockIndex) ? 'retaken' : 'overwritten';
}
