/** Why a lock or a permit ended before its owner released it. */

/**
 * - `session-invalidated`: Consul ended the session (TTL, a failed check, a destroy).
 * - `force-released`: the session lives, but somebody took the lock or the slot from it.
 * - `monitor-failed`: Consul could not be asked for so long that holding cannot be claimed any more.
 * - `lease-expired`: the permit was for a time, and the time is over.
 */
export type LostReason = 'session-invalidated' | 'force-released' | 'monitor-failed' | 'lease-expired';

/** The `reason` of every `lost` signal. Work under the lock must stop: someone else may have it already. */
export class LostError extends Error {
  override readonly name = 'LostError';
  constructor(readonly reason: LostReason) {
    super(`lost: ${reason}`);
  }
}

/** Why `lost` aborted; `null` while it has not. */
export function lostReason(lost: AbortSignal): LostReason | null {
  return lost.reason instanceof LostError ? lost.reason.reason : null;
}
