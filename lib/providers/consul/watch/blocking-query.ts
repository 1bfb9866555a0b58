/**
 * Follows one Consul resource by blocking queries, through every error, until aborted.
 *
 * One turn reads. After a change it rests (`duty-cycle.ts`), then reads again *without* blocking: that read takes in
 * what came meanwhile, and its time is what a read costs. When it brings nothing new, the next read blocks. Some
 * changes skip that second read; after too many, or when rests get long, reads are timed until one brings nothing.
 *
 * Protocol rules kept here:
 * - An index that falls starts over: Consul collected tombstones, or was restored.
 * - A query woken for nothing reads without blocking, and so do all that share its doubts (`index-reset.ts`).
 * - An answer without an index is taken, and no wait follows. The index of an error is never used.
 * - A wait stays below a minute: Consul runs a query to its end even after its client is gone.
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
/** A query that returns this soon without a change did not block: a proxy may cache, or remove the index. */
const blockedAtLeastMs = 500;
const notBlockedRestMs = 1_000;
/** A wait that ends this long before its time was woken; a smaller gap may be a clock correction. */
const earlyAtLeastMs = 1_000;
/** Waits whose lengths differ by no more than this share were ended by one rule. */
const alike = 0.1;
/**
 * An agent that cuts its answers (`http_config.write_timeout`) breaks longer waits without saying when, so a wait that
 * broke twice is halved.
 */
const shareOfBroken = 0.5;
const broke = ({ why }: Problem) => why?.code === 'connection-broke' || why?.code === 'connection-not-taken';
/**
 * At most `max` changes in a row skip the timed read: one request per change instead of two. None skips it while reads
 * cost more than in quiet, or after a rest above `restMaxMs`, where news may have waited and the non-blocking read
 * marks the view as not live.
 */
const untimed = { max: 7, restMaxMs: 1_000 };
const forbiddenRestMs = 15_000;
/**
 * An agent that limits requests counts refused ones, and a too large answer costs both sides at each try: both are
 * asked far less often.
 */
const tooLarge: ReadonlySet<string> = new Set(['answer-too-large', 'world-too-large']);
const busyBackoff = { minMs: 2_000, maxMs: 15_000 };

export interface QueryOptions<T extends readonly unknown[]> {
  readonly read: (options: ReadOptions) => Promise<Reply<T>>;
  readonly empty: (value: T) => boolean;
  /**
   * `stale`: read without a leader, perhaps old. `restored`: any difference comes from a restored snapshot, not an
   * event.
   */
  readonly onValue: (reply: Reply<T>, how: { readonly stale: boolean; readonly restored: boolean }) => void;
  /** Nothing was written. The token's view may still differ: rights move no index. */
  readonly onSame: (reply: Reply<T>) => void;
  readonly onProblem: (problem: Problem) => void;
  /** A wait broke off. Only a failure of the next read is a problem. */
  readonly onBroken: () => void;
  /** The known index: the first read waits for more. */
  readonly from?: string | null;
  readonly restFactor?: number;
  /** Shortest rest after a change, in milliseconds. */
  readonly restAtLeastMs?: () => number;
  /** Its own unless given. */
  readonly account?: Account;
  /** Its own unless given. */
  readonly doubts?: IndexResets;
}

/** Resolves when `signal` aborts; never rejects. */
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
  let index: string | null = from;
  let quiet = from !== null;
  let emptyReads = 0;
  let untimedChanges = untimed.max;
  let startsOver = true;
  /** The index may be one that Consul has yet to reach again. */
  let doubted = false;
  /** The index comes from this very query. One given as `from` may cover more, and be higher. */
  let answered = false;
  /** Lengths of the last two waits that were woken for nothing. */
  let wokenAfterMs: number | null = null;
  let wokenBeforeMs: number | null = null;
  /** Lengths until they broke, of the wait under way and the one before. */
  let brokeAfterMs: number | null = null;
  let brokeBeforeMs: number | null = null;
  let waitMaxMs = Number.POSITIVE_INFINITY;
  let reading = new AbortController();
  let waitingSinceMs: number | null = null;
  const leaveDoubts = doubts.onDoubt((all) => {
    doubted = true;
    if (waitingSinceMs !== null && (all || clock.now() - waitingSinceMs < doubtedMs)) reading.abort();
  });
  const stop = () => reading.abort();
  signal.addEventListener('abort', stop, { once: true });

  const pollOnce = async () => {
    if (reading.signal.aborted) reading = new AbortController();
    const askedAtMs = clock.now();
    const suspect = doubted;
    doubted = false;
    if (suspect) quiet = false;
    const block =
      quiet && index !== null
        ? {
            index,
            waitMs: Math.min(
              doubts.waitMaxMs(),
              waitMaxMs,
              Math.round(waitMs.min + clock.random() * (waitMs.max - waitMs.min)),
            ),
          }
        : null;
    // A newly elected server may lack writes that its predecessor confirmed.
    const sure = startsOver ? ({ consistency: 'consistent' } as const) : {};
    waitingSinceMs = block === null ? null : askedAtMs;
    const reply = await read({ signal: reading.signal, ...(block === null ? sure : { block }) })
      .catch((error: unknown) => {
        brokeAfterMs = block === null ? null : clock.now() - askedAtMs;
        throw error;
      })
      .finally(() => {
        waitingSinceMs = null;
      });
    startsOver = false;
    if (block !== null) brokeBeforeMs = null;
    const tookMs = clock.now() - askedAtMs;
    backoff.reset();
    busyRest.reset();
    // A clock that was set back gives a negative time, beside which every later read would look costly.
    if (block === null && tookMs >= 0) {
      duty.measured(tookMs);
      untimedChanges = 0;
    }

    if (reply.index === null) {
      // Consul would answer a wait for more than 1 at once.
      index = null;
      quiet = false;
      onValue(reply, { stale: false, restored: false });
      await share.rest(signal, { rows: reply.value.length, atLeastMs: notBlockedRestMs });
      return;
    }
    // Consul does not block on 0. On 1 it blocks until the first change.
    const next = /^[1-9]\d*$/.test(reply.index) ? reply.index : '1';
    const moved = next !== index;
    const indexFell = index !== null && BigInt(next) < BigInt(index);
    index = indexFell ? null : next;
    const sparable = moved && block !== null && untimedChanges < untimed.max && !duty.costly();
    quiet = !moved;
    // A long wait was no spurious wake-up, so the next key shows at once.
    emptyReads = !empty(reply.value) ? 0 : tookMs > emptyRestMs.max ? 1 : emptyReads + 1;
    const restored = indexFell && answered && (suspect || doubted);
    answered = true;
    if (moved) onValue(reply, { stale: false, restored });
    else onSame(reply);
    const woken = block !== null && !moved && tookMs < block.waitMs - earlyAtLeastMs;
    if (woken) {
      doubted = true;
      [wokenBeforeMs, wokenAfterMs] = [wokenAfterMs, tookMs];
      if (tookMs >= blockedAtLeastMs) doubts.raise(clock.now());
    } else if (moved) [wokenBeforeMs, wokenAfterMs] = [null, null];
    else if (block === null && wokenBeforeMs !== null && wokenAfterMs !== null) {
      const isCut = Math.abs(wokenAfterMs - wokenBeforeMs) <= alike * wokenAfterMs;
      if (isCut && wokenAfterMs >= doubtedMs) doubts.cutAfter(Math.min(wokenBeforeMs, wokenAfterMs));
    }

    if (emptyReads > 1 && index !== null) {
      quiet = true;
      await clock.pause(Math.min(emptyRestMs.max, emptyRestMs.min * 2 ** Math.min(emptyReads, 10)), signal);
    } else if (moved) {
      // The account's rest may be longer than this query's own.
      const restedMs = await share.rest(signal, { rows: reply.value.length, atLeastMs: restAtLeastMs() });
      quiet = sparable && restedMs <= untimed.restMaxMs;
      if (quiet) untimedChanges += 1;
    } else if (woken && tookMs < blockedAtLeastMs) await clock.pause(notBlockedRestMs, signal);
  };

  const recover = async (error: unknown) => {
    const problem = error instanceof ConsulError ? error.problem : null;
    if (problem === null) throw error;
    quiet = false;
    startsOver = true;
    const afterMs = brokeAfterMs;
    brokeAfterMs = null;
    const isInVain = afterMs === null || (brokeBeforeMs !== null && afterMs < blockedAtLeastMs);
    if (broke(problem) && !isInVain) {
      const bothMs = Math.min(afterMs, brokeBeforeMs ?? 0);
      if (bothMs >= doubtedMs) waitMaxMs = Math.min(waitMaxMs, Math.round(bothMs * shareOfBroken));
      brokeBeforeMs = afterMs;
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
        return reading.signal.aborted && error === reading.signal.reason ? undefined : recover(error);
      });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    leaveDoubts();
    share.leave();
  }
}
