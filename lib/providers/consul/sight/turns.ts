/**
 * Schedules repeated questions about rights, one sight at a time, every two seconds where time is left. All together
 * may take a twentieth of Consul's time, so the next turn begins after thirty times the quiet cost of a turn
 * (`client/duty-cycle.ts`). The rest after a sight's first turn is bounded.
 *
 * Among due turns the network with the least time so far comes first, and within it the sight that has waited longest.
 * A network with many sights delays itself, and others by one turn at most.
 */
import type { Clock } from '@/lib/providers/consul/client/clock';
import { createDutyCycle, type DutyCycle } from '@/lib/providers/consul/client/duty-cycle';

export interface ReviewTurns {
  /** Adds a sight, whose first turn comes when it is due. Returns the function that removes it. */
  join(turn: ReviewTurn): () => void;
}

export interface ReviewTurn {
  /** The present network of the client that brought it. */
  readonly from: () => string;
  /** Resolves with what the turn cost, in milliseconds (`call-cost.ts`); `null`: no question or no answer. Never rejects. */
  readonly take: () => Promise<number | null>;
}

const everyMs = 2_000;
/** Thirty, because the rest of an answer costs Consul half as much again. */
const costFactor = 30;
/** An unanswered turn this slow met an agent that stands still. The sights then no longer wait for each other. */
const stalledMs = 500;
const restMinMs = 10;
const restStalledMs = 100;

interface Waiting extends ReviewTurn {
  readonly cost: DutyCycle;
  dueMs: number;
  isUnderWay: boolean;
  /** No cost is known yet. The first one tells more of the rush in which people come than of the sight. */
  isNew: boolean;
}

export function createTurns(clock: Pick<Clock, 'now' | 'pause'>): ReviewTurns {
  const all = new Set<Waiting>();
  /** Cost of each network's turns, in milliseconds. */
  const spent = new Map<string, number>();
  /** The time that the last turn's network had spent before it. An idle network saves nothing below this. */
  let floorMs = 0;
  let isStalled = false;
  let working: AbortController | null = null;

  const spentBy = (one: Waiting) => Math.max(floorMs, spent.get(one.from()) ?? 0);
  const isBefore = (a: Waiting, b: Waiting) => spentBy(a) - spentBy(b) || a.dueMs - b.dueMs;
  const next = (): Waiting | null => {
    const nowMs = clock.now();
    let first: Waiting | null = null;
    for (const one of all)
      if (!one.isUnderWay && one.dueMs <= nowMs && (first === null || isBefore(one, first) < 0)) first = one;
    return first;
  };
  const untilDueMs = () => {
    const nowMs = clock.now();
    let ms = everyMs;
    for (const { isUnderWay, dueMs } of all) if (!isUnderWay) ms = Math.min(ms, dueMs - nowMs);
    return Math.max(1, ms);
  };

  const take = async (one: Waiting) => {
    const beganMs = clock.now();
    one.isUnderWay = true;
    one.dueMs = beganMs + everyMs;
    floorMs = spentBy(one);
    const costMs = await one.take();
    one.isUnderWay = false;
    isStalled = costMs === null && clock.now() - beganMs >= stalledMs;
    if (costMs !== null) {
      // No turn is free.
      one.cost.measured(Math.max(1, costMs));
      one.isNew = false;
    }
    spent.set(one.from(), spentBy(one) + one.cost.quietMs());
  };
  const forget = () => {
    const from = new Set([...all].map((one) => one.from()));
    for (const one of spent.keys()) if (!from.has(one)) spent.delete(one);
  };

  const work = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const one = next();
      if (one === null) {
        await clock.pause(untilDueMs(), signal).catch(() => {});
        continue;
      }
      const beganMs = clock.now();
      // So many first turns take no longer than one round of all.
      const restMaxMs = one.isNew ? everyMs / all.size : Number.POSITIVE_INFINITY;
      const taken = take(one);
      if (!isStalled) await taken;
      const owedMs = beganMs + Math.min(costFactor * one.cost.quietMs(), restMaxMs) - clock.now();
      const restMs = Math.max(restMinMs, owedMs);
      await clock.pause(isStalled ? restStalledMs : restMs, signal).catch(() => {});
    }
  };

  return {
    join: (turn) => {
      const one = {
        ...turn,
        cost: createDutyCycle(),
        dueMs: clock.now() + everyMs,
        isUnderWay: false,
        isNew: true,
      };
      all.add(one);
      if (working === null) {
        working = new AbortController();
        void work(working.signal);
      }
      return () => {
        all.delete(one);
        forget();
        if (all.size > 0) return;
        working?.abort();
        working = null;
      };
    },
  };
}
