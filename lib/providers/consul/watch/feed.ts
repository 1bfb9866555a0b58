/** Keeps one reading up to date, with the answers and with the state of the connection. */

import type { Problem } from '@/lib/domain/problem';
import type { ConsulClient, ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import type { Account } from '@/lib/providers/consul/client/duty-cycle';
import type { Row } from '@/lib/providers/consul/client/wire';
import { follow } from './blocking-query';
import type { Doubts } from './index-reset';
import { knownNow, type Reading, type Readings, take } from './readings';
import type { Memory } from './view-publisher';

/** Shared by all feeds of one period. */
export interface Feeding {
  readonly client: ConsulClient;
  readonly clock: Clock;
  readonly readings: Readings;
  readonly memory: Pick<Memory, 'afterGap' | 'unshownSinceMs'>;
  readonly doubts: Doubts;
  /** This entry suggests that Consul was put back to an earlier state. */
  readonly putBack: (row: Row) => void;
  /** Consul reports no leader, or has lost the connection to it. */
  readonly leaderless: () => void;
  /** Consul has answered. */
  readonly contact: () => void;
  /** A reading, or how far to trust it, has changed. */
  readonly changed: () => void;
}

export interface Fed<T> {
  readonly read: (options: ReadOptions) => Promise<Reply<T>>;
  /** Compares two replies of one index. They differ where the token's rights changed in between. */
  readonly same: (before: T, after: T) => boolean;
  /**
   * A vital reading is required for a view, and its failure is a gap unless brief. Others turn unknown after 2.5 s
   * (`knownNow`).
   */
  readonly vital: (problem: Problem) => boolean;
  /** Sees a reply before it is taken; `null` drops it, as the reading is no longer in use. */
  readonly onReply?: (reply: Reply<T>) => Reply<T> | null;
  readonly onTaken?: () => void;
  /** The difference comes from a restored snapshot. `index`: of the value before. */
  readonly onRestored?: (before: T, index: string, after: T) => void;
  /** The reading that carries the problem from now on, by default this one; `null`: none. */
  readonly onProblem?: (problem: Problem) => Reading<T> | null;
  /** The index that the reading has already. */
  readonly from?: string | null;
  readonly restFactor?: number;
  readonly restAtLeastMs?: () => number;
  /** News missed during a rest does not age the view, because it is small and rare. */
  readonly longRests?: boolean;
  readonly account?: Account;
}

/**
 * A lost connection whose reading is read again this soon is no gap. It brought every change until it broke, and a busy
 * agent's instants are as inexact.
 */
const briefMs = 1_000;
const broke = ({ why }: Problem) => why?.code === 'connection-broke' || why?.code === 'connection-not-taken';

export const refused = (problem: Problem) => problem.code === 'forbidden' || problem.code === 'signed-out';

/**
 * A server that had forwarded the call breaks it off when the leader goes. The next call may already find a new leader.
 */
const lacksLeader = ({ code, why }: Problem) => code === 'no-leader' || why?.code === 'leader-lost';

/** Resolves when the signal aborts; rejects for a bug only. */
export function feed<T extends readonly unknown[]>(
  { clock, readings, memory, doubts, contact, leaderless, changed }: Feeding,
  one: Reading<T>,
  {
    read,
    vital,
    same,
    onReply,
    onTaken,
    onRestored,
    onProblem = () => one,
    longRests = false,
    ...pace
  }: Fed<T>,
  signal: AbortSignal,
): Promise<void> {
  let askedTick = 0;
  const taken = (said: Reply<T>, stale: boolean) => {
    const since = one.comingSinceMs ?? clock.now();
    one.comingSinceMs = null;
    const reply = onReply === undefined ? said : onReply(said);
    if (reply === null) return;
    const anew = one.index !== null && reply.index !== null && BigInt(reply.index) < BigInt(one.index);
    const { brokeAtMs } = one;
    if (brokeAtMs !== null && (anew || stale || clock.now() - brokeAtMs > briefMs)) memory.afterGap = true;
    one.brokeAtMs = null;
    one.failingSinceMs = null;
    take(readings, one, reply, { askedTick, stale });
    // Slow news stays old after it is read. A rest follows, in which there may be more.
    memory.unshownSinceMs ??= since;
    if (!longRests) one.comingSinceMs = clock.now();
    onTaken?.();
    changed();
  };
  return follow<T>(
    {
      ...pace,
      doubts,
      read: async (options) => {
        readings.tick += 1;
        askedTick = readings.tick;
        const coming = () => {
          one.comingSinceMs ??= clock.now();
        };
        // A blocking read waits for news. A non-blocking one is made because there may be news.
        if (options.block === undefined) coming();
        else one.comingSinceMs = null;
        try {
          return await read({ ...options, onHead: coming });
        } catch (error) {
          // A read that a doubt ended, to be repeated, may still have news.
          if (options.signal?.aborted !== true) one.comingSinceMs = null;
          throw error;
        }
      },
      empty: (value) => value.length === 0,
      onValue: (reply, { stale, restored }) => {
        contact();
        if (restored && one.value !== null && !same(one.value, reply.value)) {
          // Signalbox saw no entry appear or end here. Queries at rest were not woken by the restore.
          memory.afterGap = true;
          doubts.raise(clock.now());
          if (one.index !== null) onRestored?.(one.value, one.index, reply.value);
        }
        taken(reply, stale);
      },
      onSame: (reply) => {
        contact();
        one.brokeAtMs = null;
        const isSame = one.value !== null && same(one.value, reply.value);
        // Another read has brought a newer answer meanwhile.
        const isOld = one.index !== reply.index;
        if (isOld || (isSame && one.filtered === reply.filtered)) {
          one.comingSinceMs = null;
          return;
        }
        // Entering or leaving the token's view is not a creation or an end.
        if (!isSame) memory.afterGap = true;
        taken(reply, false);
      },
      onBroken: () => {
        one.brokeAtMs ??= clock.now();
      },
      onProblem: (problem) => {
        if (lacksLeader(problem)) leaderless();
        const at = onProblem(problem);
        if (at === null) return;
        at.problem = problem;
        at.failingSinceMs ??= clock.now();
        if (refused(problem)) at.value = null;
        // A reading that is not vital blocks no view once it is unknown. Before that it blocks only if its value
        // predates an outage.
        at.current = !vital(problem) && (at.current || knownNow(at, clock.now()) === null);
        if (broke(problem)) at.brokeAtMs ??= clock.now();
        else if (!at.current) memory.afterGap = true;
        changed();
      },
    },
    clock,
    signal,
  );
}
