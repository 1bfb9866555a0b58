/**
 * The turns in which rights are asked again: one sight at a time, however many there are. Together they may take a twentieth of
 * Consul's time, so the next one begins after thirty times what a turn costs in quiet (`watch/duty-cycle.ts`): on a busy machine
 * most of what it seems to cost is waiting for a processor. Where that leaves time to spare, each sight has its turn
 * every two seconds.
 *
 * Who is next depends on who brought the sights. Of those whose turn is due, the network that has had the least time comes first, and
 * of its sights the one that has waited longest. One that brings many waits for itself, and holds up no other for more than one turn.
 */
import type { Clock } from '@/lib/providers/consul/client/clock';
import { createDutyCycle, type DutyCycle } from '@/lib/providers/consul/client/duty-cycle';

export interface Turns {
  /** Gives it turns from now on, the first when it is due. Returns what ends that. */
  join(turn: Turn): () => void;
}

export interface Turn {
  /** The network of whoever brought it, as it is now. */
  readonly from: () => string;
  /** Asks. Resolves with how long it took until the answers began, in milliseconds; `null`: nothing was asked, or not answered. Never rejects. */
  readonly take: () => Promise<number | null>;
}

const everyMs = 2_000;
/** One turn in so many times its cost. To send the rest of an answer costs Consul half as much again, so they take a twentieth. */
const costFactor = 30;
/** A turn without an answer that took so long has met an agent that stands still: no sight waits for another meanwhile. */
const stalledMs = 500;
const restMinMs = 10;
const restStalledMs = 100;

interface Waiting extends Turn {
  readonly cost: DutyCycle;
  dueMs: number;
  isUnderWay: boolean;
}

export function createTurns(clock: Pick<Clock, 'now' | 'pause'>): Turns {
  const all = new Set<Waiting>();
  /** What the turns of each network have cost, in milliseconds. */
  const spent = new Map<string, number>();
  /** What whoever had the last turn had spent before it. A network that waited for nothing has saved nothing up. */
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
    // The clock has whole milliseconds.
    if (costMs !== null) one.cost.measured(Math.max(1, costMs));
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
      const taken = take(one);
      if (!isStalled) await taken;
      const owedMs = beganMs + costFactor * one.cost.quietMs() - clock.now();
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
