/**
 * How long a watch rests after a wake-up. A prefix under constant writes would otherwise be read whole in a tight
 * loop, which was measured to make the lock holders' own writes up to 4.7 times slower. Resting for a multiple of
 * what a read costs bounds the share of the agent's time that one watch takes to a fifth.
 */
import type { Clock } from './clock';

/** Short enough not to be seen, long enough to take the several writes of one lock change together. */
const restMinMs = 30;
/**
 * What is shown counts as live while a watch rests, so that no rest, with the read after it, may be longer than the missing
 * of a heartbeat: an agent in such distress is read more often than its share, but nobody is told an old state for a live one.
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
/** How fast the quiet cost follows a prefix that grows: a thousandth would never forget, a half would at once. */
const quietRise = 0.05;

export interface DutyCycle {
  /** Tells what a read that did not block has cost. */
  readonly measured: (costMs: number) => void;
  /** How long to rest after a read, in milliseconds. */
  readonly restMs: () => number;
  /** The part of it that is owed for the cost; the rest is for several writes to be taken together. */
  readonly owedMs: () => number;
  /** What the last read cost. */
  readonly costMs: () => number;
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
      // The quiet cost falls at once and rises slowly: a loaded agent must not pass for the normal state soon.
      quietMs = quietMs === null || costMs < quietMs ? costMs : quietMs + (costMs - quietMs) * quietRise;
      costlyReads = costMs > costNoiseMs && costMs > loadedAt * quietMs ? costlyReads + 1 : 0;
    },
    restMs: () => Math.max(restMinMs, owedMs()),
    owedMs,
    costMs: () => lastMs,
  };
}

/**
 * The rests of resources that share one budget: each adds what it owes to one account, and reads again when all that was
 * owed before, and by itself, is over. So together they take the share of one, and who has waited longest is next.
 */
export interface Account {
  /** Rests as this resource must, and as all of them must. Rejects when the signal aborts. */
  readonly rest: (of: Pick<DutyCycle, 'restMs' | 'owedMs' | 'costMs'>, signal: AbortSignal) => Promise<void>;
}

/**
 * Most that an account may be owed. On a machine that is short of processors most of what a small read seems to cost is
 * waiting for its turn, and that many times over: the sum would blind the watch for longer than one large read would.
 */
const owedMaxMs = 3_000;

export function createAccount(clock: Pick<Clock, 'now' | 'pause'>): Account {
  let paidAtMs = 0;
  return {
    rest: ({ restMs, owedMs, costMs }, signal) => {
      const nowMs = clock.now();
      // A read that was made while others rested took its time out of theirs, so it is added as well.
      paidAtMs = Math.min(nowMs + owedMaxMs, Math.max(nowMs, paidAtMs + costMs()) + owedMs());
      return clock.pause(Math.max(restMs(), paidAtMs - nowMs), signal);
    },
  };
}
