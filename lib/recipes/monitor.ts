/** Watching that something is still ours. */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { LostReason } from './lost';

/**
 * Reads whenever `changes` change, for as long as `holds` says so, and resolves with why it does not any more.
 * Consul being out of reach for longer than their patience is a loss, too: whoever cannot ask cannot know.
 * Resolves with `null` when the signal aborts; never rejects. Authority: `monitorLock` in api/lock.go.
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
