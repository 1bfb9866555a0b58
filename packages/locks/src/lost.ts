/** Why a lock or a permit ended before its owner released it. */

import type { ConsulClient } from '@/lib/providers/consul/client/client';

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

/**
 * Reads whenever `changes` change, for as long as `holds` says so, and resolves with why it does not any more.
 * Consul being out of reach for longer than their patience is a loss, too: whoever cannot ask cannot know.
 * Resolves with `null` when the signal aborts; never rejects. Authority: `monitorLock` in api/lock.go.
 * @internal
 */
export async function monitor<T>(
  {
    client,
    changes,
    holds,
    sessions,
  }: {
    client: ConsulClient;
    changes: { readonly next: (signal: AbortSignal) => Promise<T> };
    holds: (state: T) => boolean;
    sessions: () => readonly string[];
  },
  signal: AbortSignal,
): Promise<LostReason | null> {
  try {
    while (holds(await changes.next(signal))) {
      // Still ours: wait for the next change.
    }
    const rows = await Promise.all(
      sessions().map((id) => client.session(id, { consistency: 'consistent', signal })),
    );
    return rows.some((row) => row.value === null) ? 'session-invalidated' : 'force-released';
  } catch {
    return signal.aborted ? null : 'monitor-failed';
  }
}
