/**
 * Follows one Consul resource by blocking queries, through every error, until aborted.
 *
 * Each turn is one read, and blocks or is timed.
 * - A blocking read waits for a change. After a change the query rests (`duty-cycle.ts`).
 * - A timed read does not block. It fetches the changes of the rest, and its duration is the cost of a read.
 * - A timed read without news lets the next one block.
 * - A change that a blocking read brought may skip the timed read. After too many of those, or after a long rest, the
 *   reads are timed until one brings no news.
 *
 * Protocol rules kept here:
 * - When the index falls, the query starts over: Consul collected tombstones, or was restored.
 * - After a wait that ended early without a change, the query reads without blocking. So do all queries that share
 *   `doubts`, at most once in 5 s (`index-reset.ts`).
 * - No wait follows an answer without an index. The index of an error is never used.
 * - A wait stays below a minute, because Consul runs a query to its end even after its client is gone.
 */

import { createBackoff } from '@/lib/domain/pace/backoff';
import type { Problem } from '@/lib/domain/problem';
import type { ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { type Account, createAccount, createDutyCycle } from '@/lib/providers/consul/client/duty-cycle';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { createDoubts, doubtedMs, type IndexResets } from './index-reset';

/** Consul may add a sixteenth. Jitter spreads the watches of one hub. */
const waitMs = { min: 45_000, max: 56_000 };
/** An empty prefix wakes with every write to any key. */
const emptyRestMs = { min: 100, max: 2_000 };
/** A query that returns this soon without a change did not block, because a proxy may cache, or remove the index. */
const blockedAtLeastMs = 500;
const notBlockedRestMs = 1_000;
/** A wait that ends this long before its time was woken; a smaller gap may be a clock correction. */
const earlyAtLeastMs = 1_000;
/** One rule ended two waits whose lengths differ by no more than this share. */
const alike = 0.1;
/**
 * An agent that cuts its answers (`http_config.write_timeout`) breaks longer waits without saying when, so waits are
 * halved after two that broke.
 */
const shareOfBroken = 0.5;
/**
 * At most `max` changes in a row skip the timed read, which saves one of two requests. No change skips it
 * - while reads cost more than on a quiet agent, or
 * - after a rest above `restMaxMs`: news may have waited in it, and the timed read marks the view as behind.
 */
const untimed = { max: 7, restMaxMs: 1_000 };
const forbiddenRestMs = 15_000;
/**
 * An agent that limits requests also counts the refused ones, and an answer that is too large costs both sides at each
 * try. Both get longer rests.
 */
const tooLarge: ReadonlySet<string> = new Set(['answer-too-large', 'world-too-large']);
const busyBackoff = { minMs: 2_000, maxMs: 15_000 };

/** The resource that is followed, and the receivers of its answers. */
export interface QueryOptions<T extends readonly unknown[]> {
  readonly read: (options: ReadOptions) => Promise<Reply<T>>;
  readonly empty: (value: T) => boolean;
  /**
   * `stale`: read without a leader, perhaps old. `restored`: any difference comes from a restored snapshot, not an
   * event.
   */
  readonly onValue: (reply: Reply<T>, how: { readonly stale: boolean; readonly restored: boolean }) => void;
  /** The index is unchanged. The value may still differ, because a change of rights moves no index. */
  readonly onSame: (reply: Reply<T>) => void;
  readonly onProblem: (problem: Problem) => void;
  /** A wait broke off. Only a failure of the next read is a problem. */
  readonly onBroken: () => void;
  /** The known index: the first read waits for a higher one. */
  readonly from?: string | null;
  /** A rest after a change, as a multiple of a read's cost. */
  readonly restFactor?: number;
  /** Shortest rest after a change, in milliseconds. */
  readonly restAtLeastMs?: () => number;
  /** Shares the rests of several queries. By default the query has an account of its own. */
  readonly account?: Account;
  /** Shares the doubts of several queries. By default the query is alone with its doubts. */
  readonly doubts?: IndexResets;
}

/** Resolves when `signal` aborts. Rejects for a bug only. */
export async function follow<T extends readonly unknown[]>(
  following: QueryOptions<T>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const {
    read,
    empty,
    onValue,
    onSame,
    onProblem,
    onBroken,
    restAtLeastMs = () => 0,
    from = null,
  } = following;
  const { doubts = createDoubts() } = following;
  const duty = createDutyCycle(following.restFactor);
  const share = (following.account ?? createAccount(clock)).join(duty);
  const backoff = createBackoff(clock);
  const busyRest = createBackoff({ random: clock.random, ...busyBackoff });
  const wokenWaits = createWokenWaits();
  const brokenWaits = createBrokenWaits();
  let index: string | null = from;
  /** The next read may block. */
  let quiet = from !== null;
  /** Answers in a row without a value. */
  let emptyReads = 0;
  /** Changes in a row without a timed read. */
  let untimedChanges = untimed.max;
  /** The first read, and the first after a failure, needs a leader with all confirmed writes. */
  let afterFailure = true;
  /** Consul may have yet to reach the known index again. */
  let doubted = false;
  /** The index comes from this very query. One given as `from` may cover more, and be higher. */
  let answered = false;
  /** Length of the wait that has just failed; `null`: the failed read did not block. */
  let failedWaitMs: number | null = null;
  let reading = new AbortController();
  let waitingSinceMs: number | null = null;
  const leaveDoubts = doubts.onDoubt((all) => {
    doubted = true;
    if (waitingSinceMs !== null && (all || clock.now() - waitingSinceMs < doubtedMs)) reading.abort();
  });
  const stop = () => reading.abort();
  signal.addEventListener('abort', stop, { once: true });

  const jitteredWaitMs = () => Math.round(waitMs.min + clock.random() * (waitMs.max - waitMs.min));
  const nextWait = () =>
    quiet && index !== null
      ? { index, waitMs: Math.min(doubts.waitMaxMs(), brokenWaits.maxMs(), jitteredWaitMs()) }
      : null;

  /** One read, which blocks if it may. */
  const nextReply = async () => {
    if (reading.signal.aborted) reading = new AbortController();
    const askedAtMs = clock.now();
    const wasDoubted = doubted;
    doubted = false;
    if (wasDoubted) quiet = false;
    const block = nextWait();
    // A newly elected server may lack writes that its predecessor confirmed.
    const consistency = afterFailure ? ({ consistency: 'consistent' } as const) : {};
    waitingSinceMs = block === null ? null : askedAtMs;
    const reply = await read({ signal: reading.signal, ...(block === null ? consistency : { block }) })
      .catch((error: unknown) => {
        failedWaitMs = block === null ? null : clock.now() - askedAtMs;
        throw error;
      })
      .finally(() => {
        waitingSinceMs = null;
      });
    afterFailure = false;
    if (block !== null) brokenWaits.answered();
    backoff.reset();
    busyRest.reset();
    const tookMs = clock.now() - askedAtMs;
    // A clock that was set back gives a negative time, beside which every later read would look costly.
    if (block === null && tookMs >= 0) {
      duty.measured(tookMs);
      untimedChanges = 0;
    }
    return { reply, tookMs, blockMs: block?.waitMs ?? null, wasDoubted };
  };

  /**
   * Learns from the length of a read, and warns the other queries. `blockMs`: the wait that it asked for; `null`: none.
   * True when the wait ended early, without a change.
   */
  const learnFromWait = ({
    tookMs,
    blockMs,
    moved,
  }: {
    tookMs: number;
    blockMs: number | null;
    moved: boolean;
  }) => {
    const wokenForNothing = blockMs !== null && !moved && tookMs < blockMs - earlyAtLeastMs;
    if (wokenForNothing) {
      doubted = true;
      wokenWaits.woken(tookMs);
      if (tookMs >= blockedAtLeastMs) doubts.raise(clock.now());
    } else if (moved) wokenWaits.forget();
    else if (blockMs === null) {
      // A restore would have brought news, so a rule of the agent ended the two waits.
      const cutMs = wokenWaits.cutMs();
      if (cutMs !== null) doubts.cutAfter(cutMs);
    }
    return wokenForNothing;
  };

  /** One read, then the rest that follows it. */
  const pollOnce = async () => {
    const { reply, tookMs, blockMs, wasDoubted } = await nextReply();
    const rows = reply.value.length;
    if (reply.index === null) {
      // Consul would answer a wait for more than 1 at once.
      index = null;
      quiet = false;
      onValue(reply, { stale: false, restored: false });
      await share.rest(signal, { rows, atLeastMs: notBlockedRestMs });
      return;
    }
    // Consul does not block on 0. On 1 it blocks until the first change.
    const next = /^[1-9]\d*$/.test(reply.index) ? reply.index : '1';
    const moved = next !== index;
    const indexFell = index !== null && BigInt(next) < BigInt(index);
    index = indexFell ? null : next;
    const maySkipTimedRead = moved && blockMs !== null && untimedChanges < untimed.max && !duty.costly();
    quiet = !moved;
    // A long wait was no spurious wake-up, so the next key shows at once.
    emptyReads = !empty(reply.value) ? 0 : tookMs > emptyRestMs.max ? 1 : emptyReads + 1;
    const restored = indexFell && answered && (wasDoubted || doubted);
    answered = true;
    if (moved) onValue(reply, { stale: false, restored });
    else onSame(reply);
    const wokenForNothing = learnFromWait({ tookMs, blockMs, moved });

    if (emptyReads > 1 && index !== null) {
      quiet = true;
      await clock.pause(Math.min(emptyRestMs.max, emptyRestMs.min * 2 ** Math.min(emptyReads, 10)), signal);
    } else if (moved) {
      // The account's rest may be longer than this query's own.
      const restedMs = await share.rest(signal, { rows, atLeastMs: restAtLeastMs() });
      quiet = maySkipTimedRead && restedMs <= untimed.restMaxMs;
      if (quiet) untimedChanges += 1;
    } else if (wokenForNothing && tookMs < blockedAtLeastMs) await clock.pause(notBlockedRestMs, signal);
  };

  /** Reports a failed read and rests, unless only a wait broke off. */
  const recover = async (error: unknown) => {
    const problem = error instanceof ConsulError ? error.problem : null;
    if (problem === null) throw error;
    quiet = false;
    afterFailure = true;
    const waitedMs = failedWaitMs;
    failedWaitMs = null;
    if (isBroken(problem) && waitedMs !== null && brokenWaits.broke(waitedMs)) {
      onBroken();
      return;
    }
    index = null;
    onProblem(problem);
    if (problem.code === 'no-leader') {
      // Any server answers a stale read from its own copy: something to show meanwhile.
      const reply = await read({ signal, consistency: 'stale' }).catch(() => null);
      if (reply !== null) onValue(reply, { stale: true, restored: false });
    }
    const isHeavy = problem.code === 'busy' || tooLarge.has(problem.why?.code ?? '');
    const restMs = isHeavy ? busyRest.next() : backoff.next();
    await clock.pause(problem.code === 'forbidden' ? forbiddenRestMs : restMs, signal);
  };

  try {
    while (!signal.aborted)
      await pollOnce().catch((error: unknown) => {
        signal.throwIfAborted();
        // A doubt ended the wait, so the next turn reads without one.
        const isEndedByDoubt = reading.signal.aborted && error === reading.signal.reason;
        return isEndedByDoubt ? undefined : recover(error);
      });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    leaveDoubts();
    share.leave();
  }
}

/** True when a connection broke before its answer, or when the agent did not take it. */
export const isBroken = ({ why }: Problem) =>
  why?.code === 'connection-broke' || why?.code === 'connection-not-taken';

/** Finds an agent that ends all waits after the same time (`max_query_time`), by two early wake-ups in a row. */
function createWokenWaits() {
  let lastMs: number | null = null;
  let beforeMs: number | null = null;
  return {
    woken: (ms: number) => {
      [beforeMs, lastMs] = [lastMs, ms];
    },
    forget: () => {
      [beforeMs, lastMs] = [null, null];
    },
    /** The shorter of two waits of about the same length; `null`: they differ, or were short. */
    cutMs: (): number | null => {
      if (lastMs === null || beforeMs === null) return null;
      const isAlike = Math.abs(lastMs - beforeMs) <= alike * lastMs;
      return isAlike && lastMs >= doubtedMs ? Math.min(beforeMs, lastMs) : null;
    },
  };
}

/** Learns how long a wait may be on an agent that breaks long ones. */
function createBrokenWaits() {
  /** Length of the last wait, if it broke. */
  let lastMs: number | null = null;
  let maxMs = Number.POSITIVE_INFINITY;
  return {
    maxMs: () => maxMs,
    answered: () => {
      lastMs = null;
    },
    /** A wait broke after `ms`. False when that was at once, and the wait before broke too: waiting is in vain. */
    broke: (ms: number): boolean => {
      if (lastMs !== null && ms < blockedAtLeastMs) return false;
      const bothMs = Math.min(ms, lastMs ?? 0);
      if (bothMs >= doubtedMs) maxMs = Math.min(maxMs, Math.round(bothMs * shareOfBroken));
      lastMs = ms;
      return true;
    },
  };
}
