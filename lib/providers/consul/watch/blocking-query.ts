/**
 * Follows one resource of Consul by blocking queries, through every error, until aborted.
 *
 * One turn: read. After a change: rest (`duty-cycle.ts`), then read again *without* blocking; that takes in what
 * came meanwhile, and as it does not wait, its time is what a read costs. When it brings nothing new the resource
 * is quiet, and the next read blocks.
 *
 * That second read is spared a change now and then: after its rest the resource is waited for at once, since what came
 * meanwhile is answered at once. Where more than some come without one being timed, or what it costs makes rests long, reads
 * are timed until one brings nothing.
 *
 * Rules of the protocol kept here: an index that falls starts anew (it does when Consul collects tombstones, and
 * after a restore); who is woken for nothing reads without blocking, and all who share its doubts do (`index-reset.ts`); an answer without an index is taken, for it may be new, and nothing is waited for; the index of an
 * error is never used; a wait stays below a minute, since Consul keeps a query running to its end even when its client
 * is gone.
 */

import type { Problem } from '@/lib/domain/problem';
import { createBackoff } from '@/lib/providers/consul/client/backoff';
import type { ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { type Account, createAccount, createDutyCycle } from '@/lib/providers/consul/client/duty-cycle';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { createDoubts, type Doubts, doubtedMs } from './index-reset';

/** With the sixteenth that Consul may add, a wait stays at a minute. The jitter spreads the watches of one hub. */
const waitMs = { min: 45_000, max: 56_000 };
/** An empty prefix wakes with every write to any key, so it rests longer the more often that was for nothing. */
const emptyRestMs = { min: 100, max: 2_000 };
/**
 * A blocking query that comes back so soon without a change did not block: a proxy in between, for example. Another one
 * takes the index away. What cannot be waited for is read about once a second, so that it still is what is there.
 */
const blockedAtLeastMs = 500;
const notBlockedRestMs = 1_000;
/** A wait that ends without a change so long before its time was woken. Less may be a clock that is being put right. */
const earlyAtLeastMs = 1_000;
/** Two waits that were ended within a tenth of the same time were ended by one rule. */
const alike = 0.1;
/**
 * An agent that cuts its answers (`http_config.write_timeout`) breaks the connection at the end of a longer wait. It does not
 * say after how long, so half of what broke twice is tried.
 */
const shareOfBroken = 0.5;
const broke = ({ why }: Problem) => why?.code === 'connection-broke' || why?.code === 'connection-not-taken';
/**
 * So many answers are followed by no read that is timed: a question for a change instead of two, and under constant writes
 * what a read costs is known soon all the same. Not while reads cost more than in quiet, or the rests of a loaded time would stay
 * for as many changes after it. Nor after a rest so long that news may have waited in it: while a read is under way that does
 * not block, what is shown does not count as live for long.
 */
const untimed = { max: 7, restMaxMs: 1_000 };
/** What a credential may not read, it will not be able to read in a moment either. */
const forbiddenRestMs = 15_000;
/**
 * An agent that limits requests is asked far less often: each refused request counts against the limit, too. Nor is one
 * again at once whose answer is too large to be read or kept, which costs both of us as much each time.
 */
const tooLarge: ReadonlySet<string> = new Set(['answer-too-large', 'world-too-large']);
const busyBackoff = { minMs: 2_000, maxMs: 15_000 };

export interface Following<T extends readonly unknown[]> {
  readonly read: (options: ReadOptions) => Promise<Reply<T>>;
  /** True for a value that says "nothing there". */
  readonly empty: (value: T) => boolean;
  /**
   * A value, perhaps the same as before where it has no index. `stale`: it was read without a leader (`?stale`), and may be old.
   * `restored`: where anything differs it is of a snapshot that was restored, and did not come to be.
   */
  readonly onValue: (reply: Reply<T>, how: { readonly stale: boolean; readonly restored: boolean }) => void;
  /**
   * It was read again, and its index has not moved: nobody has written. What a token may see of it may differ all the same, for
   * rights move no index.
   */
  readonly onSame: (reply: Reply<T>) => void;
  readonly onProblem: (problem: Problem) => void;
  /** A wait broke off. It is read again at once, and only the failure of that is a problem. */
  readonly onBroken: () => void;
  /** The resource is known as of this index already: begins by waiting for more. */
  readonly from?: string | null;
  /** Rests so many times what a read costs, instead of the usual. */
  readonly restFactor?: number;
  /** Rests at least so long after a change, in milliseconds, however little it costs. Asked after each. */
  readonly restAtLeastMs?: () => number;
  /** Shared with others: its own unless given. */
  readonly account?: Account;
  /** As above. */
  readonly doubts?: Doubts;
}

/** Resolves when `signal` aborts; never rejects. */
export async function follow<T extends readonly unknown[]>(
  following: Following<T>,
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
  /** Changes that were waited for since a read was timed. */
  let untimedChanges = untimed.max;
  /** Nothing was read since the beginning, or since the last failure. */
  let anew = true;
  /** The index may be one that Consul has yet to reach again. */
  let doubted = false;
  /** The index is of an answer to this very query: one that was given may be of more than it reads, and higher. */
  let answered = false;
  /** After how long it was woken for nothing, now and the time before. */
  let wokenAfterMs: number | null = null;
  let wokenBeforeMs: number | null = null;
  /** After how long the wait that is under way broke, and the one before. */
  let brokeAfterMs: number | null = null;
  let brokeBeforeMs: number | null = null;
  let waitMaxMs = Number.POSITIVE_INFINITY;
  /** Ends the read that is under way, and is made anew then. */
  let reading = new AbortController();
  let waitingSinceMs: number | null = null;
  const leaveDoubts = doubts.heed((all) => {
    doubted = true;
    if (waitingSinceMs !== null && (all || clock.now() - waitingSinceMs < doubtedMs)) reading.abort();
  });
  const stop = () => reading.abort();
  signal.addEventListener('abort', stop, { once: true });

  const turn = async () => {
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
    // A server that was just elected may still lack what the one before it has confirmed, and would not say so.
    const sure = anew ? ({ consistency: 'consistent' } as const) : {};
    waitingSinceMs = block === null ? null : askedAtMs;
    const reply = await read({ signal: reading.signal, ...(block === null ? sure : { block }) })
      .catch((error: unknown) => {
        brokeAfterMs = block === null ? null : clock.now() - askedAtMs;
        throw error;
      })
      .finally(() => {
        waitingSinceMs = null;
      });
    anew = false;
    if (block !== null) brokeBeforeMs = null;
    const tookMs = clock.now() - askedAtMs;
    backoff.reset();
    busyRest.reset();
    // Less than none is a clock that was set back meanwhile: as a quiet cost it would make every later read a costly one.
    if (block === null && tookMs >= 0) {
      duty.measured(tookMs);
      untimedChanges = 0;
    }

    if (reply.index === null) {
      // Nothing says whether it has changed, nor what to wait for: Consul answers a wait for more than 1 at once.
      index = null;
      quiet = false;
      onValue(reply, { stale: false, restored: false });
      await share.rest(signal, { rows: reply.value.length, atLeastMs: notBlockedRestMs });
      return;
    }
    // Consul does not block on 0; on 1 it does until there is a first change.
    const next = /^[1-9]\d*$/.test(reply.index) ? reply.index : '1';
    const moved = next !== index;
    const fell = index !== null && BigInt(next) < BigInt(index);
    index = fell ? null : next;
    const sparable = moved && block !== null && untimedChanges < untimed.max && !duty.costly();
    quiet = !moved;
    // A wait that lasted was no spurious wake-up, so the next key to appear is seen at once.
    emptyReads = !empty(reply.value) ? 0 : tookMs > emptyRestMs.max ? 1 : emptyReads + 1;
    const restored = fell && answered && (suspect || doubted);
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
      // The rest that was taken, which may be that of all who share: the one that it owes by itself may be shorter.
      const restedMs = await share.rest(signal, { rows: reply.value.length, atLeastMs: restAtLeastMs() });
      quiet = sparable && restedMs <= untimed.restMaxMs;
      if (quiet) untimedChanges += 1;
    } else if (woken && tookMs < blockedAtLeastMs) await clock.pause(notBlockedRestMs, signal);
  };

  const recover = async (error: unknown) => {
    const problem = error instanceof ConsulError ? error.problem : null;
    if (problem === null) throw error;
    quiet = false;
    anew = true;
    const afterMs = brokeAfterMs;
    brokeAfterMs = null;
    // One that has just begun, after one that broke as well: nothing is waited for here.
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
      // Any server answers a stale read from its own copy, so there is something to show meanwhile.
      const reply = await read({ signal, consistency: 'stale' }).catch(() => null);
      if (reply !== null) onValue(reply, { stale: true, restored: false });
    }
    const isHeavy = problem.code === 'busy' || tooLarge.has(problem.why?.code ?? '');
    const restMs = isHeavy ? busyRest.next() : backoff.next();
    await clock.pause(problem.code === 'forbidden' ? forbiddenRestMs : restMs, signal);
  };

  try {
    while (!signal.aborted)
      await turn().catch((error: unknown) => {
        signal.throwIfAborted();
        // Ended for a doubt: it is read anew.
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
