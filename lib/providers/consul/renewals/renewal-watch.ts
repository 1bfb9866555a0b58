/**
 * Follows every agent of the settings for renewals. Each client renews twice or more in a TTL, and hardly a renewal
 * changes a verdict. Those that do ask for a new view; the others move two instants, reported together at most once a
 * second.
 */

import type { RenewalWatch } from '@/lib/domain/source-state';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { type ConsulSettings, origin } from '@/lib/providers/consul/client/settings';
import { followMonitor } from './monitor';
import type { Renewals } from './renewals';

export interface RenewalWatchOptions {
  readonly agents: readonly ConsulSettings[];
  readonly clock: Clock;
  readonly renewals: Renewals;
  /** Called when a verdict may have changed, so a new view is due. */
  readonly onVerdicts: () => void;
  /** Renewals have moved since the last call. */
  readonly onMoved: () => void;
  readonly onWatch: (watch: RenewalWatch) => void;
  /** The number of sessions; more of them are reported less often. */
  readonly size: () => number;
}

const batchMs = { min: 1_000, max: 15_000 };

/** One message a second up to a thousand sessions, then a millisecond more for each. */
function batchPauseMs(sessions: number): number {
  return Math.min(batchMs.max, Math.max(batchMs.min, sessions));
}

/** Runs until aborted; rejects for a bug only. */
export async function watchRenewals(options: RenewalWatchOptions, signal: AbortSignal): Promise<void> {
  const { agents, clock, renewals, onVerdicts, onMoved, onWatch, size } = options;
  if (agents.length === 0) return;
  let verdicts = false;
  let moved = false;
  const batches = async () => {
    let movedAtMs = clock.now();
    while (!signal.aborted) {
      await clock.pause(batchMs.min, signal);
      if (verdicts) {
        verdicts = false;
        onVerdicts();
      }
      // A clock that was set back holds nothing back.
      if (moved && Math.abs(clock.now() - movedAtMs) >= batchPauseMs(size()) - batchMs.min / 2) {
        moved = false;
        movedAtMs = clock.now();
        onMoved();
      }
    }
  };
  const follow = (settings: ConsulSettings) => {
    const agent = origin(settings);
    let leader: string | null | undefined;
    return followMonitor(
      {
        settings,
        clock,
        onWatch: (watch) => {
          renewals.watched(watch);
          verdicts = true;
          onWatch(watch);
        },
        onRenewal: (sessionId, atMs) => {
          if (renewals.saw(agent, sessionId, atMs)) verdicts = true;
          moved = true;
        },
        onProof: (untilMs) => renewals.proved(agent, untilMs),
        onLeader: (now, atMs) => {
          // Compared with this agent's earlier answer: two agents learn of an election at different times.
          if (leader !== undefined && now !== leader && now !== null) {
            renewals.restarted(atMs);
            verdicts = true;
            moved = true;
          }
          leader = now;
        },
      },
      signal,
    );
  };
  const ended = await Promise.allSettled([
    ...agents.map(follow),
    batches().catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
  ]);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}
