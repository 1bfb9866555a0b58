/** Keeps one reading up to date: what is followed goes in, and so does whatever becomes of the connection. */

import type { Problem } from '@/lib/domain/problem';
import type { ConsulClient, ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import type { Account } from '@/lib/providers/consul/client/duty-cycle';
import type { Row } from '@/lib/providers/consul/client/wire';
import { follow } from './blocking-query';
import type { Doubts } from './index-reset';
import { knownNow, type Reading, type Readings, take } from './readings';
import type { Memory } from './view-publisher';

/** What all feeds of one period share. */
export interface Feeding {
  readonly client: ConsulClient;
  readonly clock: Clock;
  readonly readings: Readings;
  readonly memory: Pick<Memory, 'afterGap' | 'unshownSinceMs'>;
  readonly doubts: Doubts;
  /** Consul seems to be put back to an earlier state, by this entry. */
  readonly putBack: (row: Row) => void;
  /** Consul has said that nobody leads, or that it has lost who did. */
  readonly leaderless: () => void;
  /** Consul has answered. */
  readonly contact: () => void;
  /** A reading has changed, or how far it can be trusted. */
  readonly changed: () => void;
}

export interface Fed<T> {
  readonly read: (options: ReadOptions) => Promise<Reply<T>>;
  /** Whether two replies of one index say the same. They do not where the rights of the token have changed in between. */
  readonly same: (before: T, after: T) => boolean;
  /** Without it there is no view, and its failure is a gap, unless brief. What is not is unknown after a while (`knownNow`). */
  readonly vital: (problem: Problem) => boolean;
  /** Looks at a reply before it is taken; `null` drops it, for the reading is not in use any more. */
  readonly onReply?: (reply: Reply<T>) => Reply<T> | null;
  readonly onTaken?: () => void;
  /** What differs is of a snapshot that was restored. `index`: of what was there before. */
  readonly onRestored?: (before: T, index: string, after: T) => void;
  /** The reading that has the problem from now on; `null`: none has. By default the one that is fed. */
  readonly onProblem?: (problem: Problem) => Reading<T> | null;
  /** The reading is of this index already. */
  readonly from?: string | null;
  readonly restFactor?: number;
  readonly restAtLeastMs?: () => number;
  /** What it may miss while it rests does not make what is shown old: it tells of little, and seldom. */
  readonly longRests?: boolean;
  readonly account?: Account;
}

/**
 * A connection that was lost, and what it carried read again so soon, is no gap: until it broke it would have brought
 * every change, and an instant that is off by this much is as good as any that a busy agent gives.
 */
const briefMs = 1_000;
const broke = ({ why }: Problem) => why?.code === 'connection-broke' || why?.code === 'connection-not-taken';

export const refused = (problem: Problem) => problem.code === 'forbidden' || problem.code === 'signed-out';

/** A call that its server had passed on when the leader went says so by breaking off, and the next may find another one already. */
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
    // Slow news is no less old once it was read. And a rest comes now, in which there may be more.
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
        // What blocks waits for news. What does not is asked for because there may be some.
        if (options.block === undefined) coming();
        else one.comingSinceMs = null;
        try {
          return await read({ ...options, onHead: coming });
        } catch (error) {
          // Of one that is ended for a doubt, and read anew, there may still be news.
          if (options.signal?.aborted !== true) one.comingSinceMs = null;
          throw error;
        }
      },
      empty: (value) => value.length === 0,
      onValue: (reply, { stale, restored }) => {
        contact();
        if (restored && one.value !== null && !same(one.value, reply.value)) {
          // What is there now was not seen to come, nor what is gone to end. And who rests has not been woken.
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
        // Somebody else has read it meanwhile, and newer.
        const isOld = one.index !== reply.index;
        if (isOld || (isSame && one.filtered === reply.filtered)) {
          one.comingSinceMs = null;
          return;
        }
        // What comes into view or leaves it has not come to be or ended.
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
        // What is not vital keeps nothing from being shown, once it is unknown; nor before, unless it is of before an outage.
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
