/** The reasons for the end of a lock or a permit before its release. */

import type { ConsulClient } from '@/lib/providers/consul/client/client';

/**
 * - `session-invalidated`: Consul ended the session (TTL, a failed check, a destroy).
 * - `force-released`: the session lives, but another client took the lock or the slot from it.
 * - `monitor-failed`: Consul was unreachable for too long, so the hold is uncertain.
 * - `lease-expired`: the time of the permit is over.
 */
export type LostReason = 'session-invalidated' | 'force-released' | 'monitor-failed' | 'lease-expired';

/** The `reason` of every `lost` signal. Work under the lock must stop: another client may have it already. */
export class LostError extends Error {
  override readonly name = 'LostError';
  constructor(readonly reason: LostReason) {
    super(`lost: ${reason}`);
  }
}

/** `null`: not aborted. */
export function lostReason(lost: AbortSignal): LostReason | null {
  return lost.reason instanceof LostError ? lost.reason.reason : null;
}

/**
 * Reads at every change while `holds` is true. Resolves with the reason of the loss, or with `null` when the signal
 * aborts; never rejects. An outage longer than the patience of `changes` is a loss. Authority: `monitorLock` in
 * api/lock.go.
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
