/**
 * The rest of a watch after a wake-up. A tight loop of reads under constant writes slows the lock holders' own writes
 * several times over. A rest of several times the read's cost bounds one watch to a fifth of the agent's time.
 */
import type { Clock } from '@/lib/providers/consul/client/clock';

/** Long enough to collect the several writes of one lock change. */
const restMinMs = 30;
/** A rest and its read should hardly outlast the time in which a view counts as live (`freshness.ts`). */
const restMaxMs = 4_000;
const restFactor = 4;
/**
 * Rests grow on a loaded agent, whose reads cost more than `loadedAt` times their quiet cost twice in a row. A single
 * costly read may be a garbage collection.
 */
const restFactorLoaded = 10;
const loadedAt = 2;
/** A doubled cost below this is noise. */
const costNoiseMs = 10;
/**
 * A read this slow, in milliseconds and against its quiet cost, met a pause. It counts at quiet cost, unless the read
 * before was as slow.
 */
const pauseAtMs = 500;
const pauseAt = 8;
/**
 * The share by which the quiet cost follows a growing prefix. One read counts for at most `quietBelieves` times the
 * quiet cost.
 */
const quietRise = 0.05;
const quietBelieves = 4;

export interface DutyCycle {
  /** Records the cost of a read that did not block. */
  readonly measured: (costMs: number) => void;
  readonly restMs: () => number;
  readonly costMs: () => number;
  readonly quietMs: () => number;
  /** The rest owed by a read of quiet cost when the agent is loaded. */
  readonly owedAtMostMs: () => number;
  /** The last read cost more than `loadedAt` times the quiet cost. */
  readonly costly: () => boolean;
}

/** The quiet cost falls at once and rises slowly, because a loaded agent would soon count as quiet. */
function quietAfter(quietMs: number | null, costMs: number): number {
  if (quietMs === null || costMs < quietMs) return costMs;
  const believedMs = quietMs === 0 ? costMs : Math.min(costMs, quietBelieves * quietMs);
  return quietMs + (believedMs - quietMs) * quietRise;
}

/** The duty cycle of one watched resource. `factor`: the rest as a multiple of the read's cost. */
export function createDutyCycle(factor = restFactor): DutyCycle {
  let lastMs = 0;
  let quietMs: number | null = null;
  let paused = false;
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
 * Rests of resources that share one budget. Each adds its debt, and reads again once its own and the earlier debt are
 * paid. The longest wait comes first.
 */
export interface Account {
  /** Another resource shares the account until it leaves. */
  join(of: Pick<DutyCycle, 'restMs' | 'costMs' | 'owedAtMostMs'>): Share;
}

export interface Share {
  /**
   * Rests as long as this resource and all together must, and at least `atLeastMs`. `rows`: the number read. Resolves
   * with the rest in milliseconds. Rejects when the signal aborts.
   */
  rest(signal: AbortSignal, read: { readonly rows: number; readonly atLeastMs?: number }): Promise<number>;
  leave(): void;
}

/** Most debt of an account. */
const owedMaxMs = 3_000;
/**
 * The longest rest, unless one turn of all sharers on a loaded agent owes more at quiet cost. It keeps a change visible
 * within a second under 500 writes a second. On a busy machine Consul's own work is the quiet cost, and its share stays
 * below a tenth.
 */
const restLongMs = 400;
/** The cost of a request without rows, in rows. */
const rowsOfRequest = 100;

export function createAccount(clock: Pick<Clock, 'now' | 'pause'>): Account {
  /** Rows, and requests counted as rows, by resource. */
  const sharing = new Map<object, number>();
  /** The quiet cost of one row, learned from all sharers, because under constant writes each reads seldom. */
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
          // The clock has whole milliseconds, so a cost of zero is less than one.
          quietMs = quietAfter(quietMs, Math.max(1, of.costMs()) / weight);
          let weights = 0;
          for (const one of sharing.values()) weights += one;
          const turnMs = weights * quietMs * restFactorLoaded;
          const mostMs = Math.max(restLongMs, turnMs, of.owedAtMostMs());
          // A read made while others rested took its time out of their rests.
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
