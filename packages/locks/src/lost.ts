/** The reasons for the end of a lock or a permit before its release. */

import type { ConsulClient } from '@/lib/providers/consul/client/client';

/**
 * - `session-invalidated`: Consul ended the session (TTL, a failed check, a destroy).
 * - `force-released`: another client took the lock or the slot. The session lives, or Consul did not say within a second.
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

/** The longest question for the reason of a certain loss: the next holder may work already. */
const reasonMsMax = 1_000;

/**
 * Reads at every change while `holds` is true. Resolves with the reason of the loss, or with `null` when the signal
 * aborts; never rejects. An outage longer than the patience of `changes` is a loss. `sessions`: those that hold no more.
 * Authority: `monitorLock` in api/lock.go.
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
  } catch {
    return signal.aborted ? null : 'monitor-failed';
  }
  const ended = await anyEnded(client, sessions(), signal);
  if (signal.aborted) return null;
  return ended ? 'session-invalidated' : 'force-released';
}

/** True when the first of them is found to have ended; false without an answer in time. Never rejects. */
async function anyEnded(client: ConsulClient, ids: readonly string[], signal: AbortSignal): Promise<boolean> {
  const ended = ids.map(async (id) => {
    const { value } = await client.session(id, { consistency: 'consistent', signal, timeoutMs: reasonMsMax });
    if (value !== null) throw new Error(`The session ${id} lives.`);
    return true;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, reasonMsMax, false);
  });
  try {
    return await Promise.race([late, Promise.any(ended).catch(() => false)]);
  } finally {
    clearTimeout(timer);
  }
}
