/**
 * Refusals cost whoever causes them nothing, so their rows are bounded: so many a minute for one asker and for all, and
 * one more row each minute that counts the others.
 */
import type { ProblemCode } from '@/lib/domain/problem';

export interface FloodGate {
  /** True: it may have a row of its own. Else it is counted. `asker`: who or from where. */
  take(asker: string, code: ProblemCode): boolean;
  /** Writes the count of what was left out since the last time, if there is any. */
  flush(): void;
  close(): void;
}

export interface FloodGateOptions {
  /** Called at most once a minute: how many were left out, by code, the most frequent first. */
  readonly onMore: (counts: readonly (readonly [ProblemCode, number])[]) => void;
  readonly perAsker?: number;
  readonly perMinute?: number;
  readonly windowMs?: number;
}

/** Askers that are told apart in one window; the others share what is left of the whole. */
const askersMax = 1_000;

export function createFloodGate({
  onMore,
  perAsker = 20,
  perMinute = 100,
  windowMs = 60_000,
}: FloodGateOptions): FloodGate {
  const askers = new Map<string, number>();
  const more = new Map<ProblemCode, number>();
  let rows = 0;
  const flush = () => {
    askers.clear();
    rows = 0;
    if (more.size === 0) return;
    const counts = [...more].sort(([, a], [, b]) => b - a);
    more.clear();
    onMore(counts);
  };
  const timer = setInterval(flush, windowMs);
  timer.unref();
  return {
    take: (asker, code) => {
      const name = askers.has(asker) || askers.size < askersMax ? asker : '';
      const mine = askers.get(name) ?? 0;
      if (rows < perMinute && mine < perAsker) {
        askers.set(name, mine + 1);
        rows += 1;
        return true;
      }
      more.set(code, (more.get(code) ?? 0) + 1);
      return false;
    },
    flush,
    close: () => {
      clearInterval(timer);
      flush();
    },
  };
}
