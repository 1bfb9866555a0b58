/** Keeps one reading up to date, with the answers and with the state of the connection. */

import type { Problem } from '@/lib/domain/problem';
import type { ConsulClient, ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import type { Account } from '@/lib/providers/consul/client/duty-cycle';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { follow, isBroken } from './blocking-query';
import type { IndexResets } from './index-reset';
import { knownNow, type Reading, type Readings, take } from './readings';
import type { PublisherState } from './view-publisher';

export interface Feeding {
  readonly client: ConsulClient;
  readonly clock: Clock;
  readonly readings: Readings;
  readonly memory: Pick<PublisherState, 'afterGap' | 'gapTick' | 'unshownSinceMs'>;
  readonly doubts: IndexResets;
  readonly putBack: (row: KvRow) => void;
  /** Consul reports no leader, or has lost it. */
  readonly leaderless: () => void;
  readonly contact: () => void;
  readonly changed: () => void;
}

export interface Fed<T> {
  readonly read: (options: ReadOptions) => Promise<Reply<T>>;
  /** Two replies of one index differ where the token's rights changed in between. */
  readonly same: (before: T, after: T) => boolean;
  /**
   * A vital reading is required for a view, and its failure is a gap unless brief. Others turn unknown after 2.5 s
   * (`knownNow`).
   */
  readonly vital: (problem: Problem) => boolean;
  /** `null` drops the reply, as the reading is no longer in use. */
  readonly onReply?: (reply: Reply<T>) => Reply<T> | null;
  readonly onTaken?: () => void;
  /** True when the new value has an entry that existed before, hidden. `index`: of the value before. */
  readonly uncovers?: (before: T, index: string | null, after: T) => boolean;
  /** Called for a restored snapshot. `index`: of the value before. */
  readonly onRestored?: (before: T, index: string, after: T) => void;
  /** The reading that carries the problem from now on, by default this one; `null`: none. */
  readonly onProblem?: (problem: Problem) => Reading<T> | null;
  readonly from?: string | null;
  readonly restFactor?: number;
  readonly restAtLeastMs?: () => number;
  /** News missed during a rest does not age the view, because it is small and rare. */
  readonly longRests?: boolean;
  readonly account?: Account;
}

/** A connection lost and read again this soon is no gap, because it brought every change until it broke. */
const briefMs = 1_000;

export const refused = (problem: Problem) => problem.code === 'forbidden' || problem.code === 'signed-out';

/** A server breaks off a forwarded call when the leader goes. */
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
    uncovers,
    onRestored,
    onProblem = () => one,
    longRests = false,
    ...pace
  }: Fed<T>,
  signal: AbortSignal,
): Promise<void> {
  let askedTick = 0;
  const noteGap = () => {
    readings.tick += 1;
    memory.gapTick = readings.tick;
    memory.afterGap = true;
  };
  const onAnswer = (answer: Reply<T>, stale: boolean) => {
    const since = one.comingSinceMs ?? clock.now();
    one.comingSinceMs = null;
    const reply = onReply === undefined ? answer : onReply(answer);
    if (reply === null) return;
    const indexWentBack =
      one.index !== null && reply.index !== null && BigInt(reply.index) < BigInt(one.index);
    const { brokeAtMs, value: before, index } = one;
    if (brokeAtMs !== null && (indexWentBack || stale || clock.now() - brokeAtMs > briefMs)) noteGap();
    one.brokeAtMs = null;
    one.failingSinceMs = null;
    const isTaken = take(readings, one, reply, { askedTick, stale });
    // Entering the token's view is not a creation.
    if (isTaken && before !== null && uncovers?.(before, index, reply.value) === true) noteGap();
    // Slow news stays old after it is read, because more may come during the rest.
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
        // A non-blocking read is made because there may be news.
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
          // Resting queries were not woken by the restore, so no change was seen to happen.
          noteGap();
          doubts.raise(clock.now());
          if (one.index !== null) onRestored?.(one.value, one.index, reply.value);
        }
        onAnswer(reply, stale);
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
        if (!isSame) noteGap();
        onAnswer(reply, false);
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
        // A reading that is not vital blocks a view only until it is unknown, and only if its value predates an outage.
        at.current = !vital(problem) && (at.current || knownNow(at, clock.now()) === null);
        if (isBroken(problem)) at.brokeAtMs ??= clock.now();
        else if (!at.current) noteGap();
        changed();
      },
    },
    clock,
    signal,
  );
}
