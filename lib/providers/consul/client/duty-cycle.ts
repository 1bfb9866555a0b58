/**
 * How long a watch rests after a wake-up. A prefix under constant writes would otherwise be read whole in a tight
 * loop, which was measured to make the lock holders' own writes up to 4.7 times slower. Resting for a multiple of
 * what a read costs bounds the share of the agent's time that one watch takes to a fifth.
 */
import type { Clock } from '@/lib/providers/consul/client/clock';

/** Short enough not to be seen, long enough to take the several writes of one lock change together. */
const restMinMs = 30;
/**
 * No rest, with the read after it, should be much longer than what is shown may count as live (`freshness.ts`): an agent in such
 * distress is read more often than its share, but its state is not called catching up for long.
 */
const restMaxMs = 4_000;
const restFactor = 4;
/**
 * While reads cost more than `loadedAt` times their quiet cost, the agent is loaded: rest more. Two in a row say so: one
 * alone has met a collection of garbage here or there, and to rest ten times its cost hid the next change for 100 ms.
 */
const restFactorLoaded = 10;
const loadedAt = 2;
/** Below this a doubled cost is noise, not load. */
const costNoiseMs = 10;
/**
 * One read that took so long, and so many times its quiet cost, has met a pause: an election, an agent or a network that
 * stood still. Consul was not at work for us meanwhile, so nothing is owed for it, until the next read takes as long.
 */
const pauseAtMs = 500;
const pauseAt = 8;
/**
 * How fast the quiet cost follows a prefix that grows: a thousandth would never forget, a half would at once. And how much
 * of one read it believes, in times of itself: a single one that met a pause says nothing about all that come after.
 */
const quietRise = 0.05;
const quietBelieves = 4;

export interface DutyCycle {
  /** Tells what a read that did not block has cost. */
  readonly measured: (costMs: number) => void;
  /** How long to rest after a read, in milliseconds. */
  readonly restMs: () => number;
  /** What the last read cost. */
  readonly costMs: () => number;
  /** What a read costs in quiet. */
  readonly quietMs: () => number;
  /** What a read owes that costs what it does in quiet, of an agent that is loaded. */
  readonly owedAtMostMs: () => number;
  /** Whether the last read cost more than it does in quiet: the next one may be cheap again. */
  readonly costly: () => boolean;
}

/** The quiet cost falls at once and rises slowly: a loaded agent must not pass for the normal state soon. */
function quietAfter(quietMs: number | null, costMs: number): number {
  if (quietMs === null || costMs < quietMs) return costMs;
  const believedMs = quietMs === 0 ? costMs : Math.min(costMs, quietBelieves * quietMs);
  return quietMs + (believedMs - quietMs) * quietRise;
}

/** One for each watched resource. `factor`: rests so many times what a read costs. */
export function createDutyCycle(factor = restFactor): DutyCycle {
  let lastMs = 0;
  let quietMs: number | null = null;
  let paused = false;
  /** So many of the last reads, without one between them that did not, cost more than they do in quiet. */
  let costlyReads = 0;
  const owedMs = () =>
    Math.min(restMaxMs, lastMs * factor * (costlyReads >= 2 ? restFactorLoaded / restFactor : 1));
  return {
    measured: (costMs) => {
      const slow = costMs > Math.max(pauseAtMs, pauseAt * (quietMs ?? 0));
      const doubted = slow && !paused;
      paused = slow;
      if (doubted) {
        lastMs = quietMs ?? 0;
        return;
      }
      lastMs = costMs;
      quietMs = quietAfter(quietMs, costMs);
      costlyReads = costMs > costNoiseMs && costMs > loadedAt * quietMs ? costlyReads + 1 : 0;
    },
    restMs: () => Math.max(restMinMs, owedMs()),
    costMs: () => lastMs,
    quietMs: () => quietMs ?? 0,
    owedAtMostMs: () => (((quietMs ?? 0) * factor) / restFactor) * restFactorLoaded,
    costly: () => costlyReads > 0,
  };
}

/**
 * The rests of resources that share one budget: each adds what it owes to one account, and reads again when all that was
 * owed before, and by itself, is over. So together they take the share of one, and who has waited longest is next.
 */
export interface Account {
  /** Another resource shares it, until it leaves. */
  join(of: Pick<DutyCycle, 'restMs' | 'costMs' | 'owedAtMostMs'>): Share;
}

export interface Share {
  /**
   * Rests as this resource must, and as all of them must; `atLeastMs` in any case. `rows`: how many were read. Resolves with
   * how long it was to rest, in milliseconds; rejects when the signal aborts.
   */
  rest(signal: AbortSignal, read: { readonly rows: number; readonly atLeastMs?: number }): Promise<number>;
  leave(): void;
}

/** Most that an account may be owed, whatever reads cost in quiet. */
const owedMaxMs = 3_000;
/**
 * No rest is longer than this, or than what one turn of all that share the account owes to a loaded agent at the costs of
 * quiet, if that is more. On a machine that is short of processors most of what a small read seems to cost is waiting for
 * its turn, and that many times over: what it took Consul is what it takes in quiet, of which a tenth is not passed either
 * way. Less than the second in which a change is to be seen while 500 are written in each.
 */
const restLongMs = 400;
/** What a request costs besides its rows, in rows. */
const rowsOfRequest = 100;

export function createAccount(clock: Pick<Clock, 'now' | 'pause'>): Account {
  /** Rows, and requests counted as rows, by resource. */
  const sharing = new Map<object, number>();
  /** What one of these costs in quiet: learned from all of them, for under constant writes each is read but seldom. */
  let quietMs: number | null = null;
  let paidAtMs = 0;
  return {
    join: (of) => {
      sharing.set(of, rowsOfRequest);
      return {
        leave: () => void sharing.delete(of),
        rest: async (signal, { rows, atLeastMs = 0 }) => {
          const nowMs = clock.now();
          const weight = rows + rowsOfRequest;
          if (sharing.has(of)) sharing.set(of, weight);
          // The clock has whole milliseconds: what seems to cost none costs less than one.
          quietMs = quietAfter(quietMs, Math.max(1, of.costMs()) / weight);
          let weights = 0;
          for (const one of sharing.values()) weights += one;
          const turnMs = weights * quietMs * restFactorLoaded;
          const mostMs = Math.max(restLongMs, turnMs, of.owedAtMostMs());
          // A read that was made while others rested took its time out of theirs, so it is added as well.
          paidAtMs = Math.min(
            nowMs + Math.min(owedMaxMs, mostMs),
            Math.max(nowMs, paidAtMs + of.costMs()) + of.restMs(),
          );
          const restMs = Math.max(atLeastMs, Math.min(mostMs, Math.max(of.restMs(), paidAtMs - nowMs)));
          await clock.pause(restMs, signal);
          return restMs;
        },
      };
    },
  };
}
