/**
 * Limits the rows of refusals, which cost their senders nothing: for one asker, for all strangers and for all named
 * people. One more row counts the rest. A stranger with many addresses must not leave people without rows.
 */
import type { ProblemCode } from '@/lib/domain/problem';

export interface FloodGate {
  /** True: the refusal gets its own row. Otherwise it is counted. */
  take(asker: RefusedCaller, code: ProblemCode): boolean;
  /** Writes the count of refusals without a row, if any. */
  flush(): void;
  close(): void;
}

/** A person's name, or a stranger's address. */
export interface RefusedCaller {
  readonly known: boolean;
  readonly name: string;
}

export interface FloodGateOptions {
  /** At most once a minute, with the counts by code, the most frequent first. */
  readonly onMore: (counts: readonly (readonly [ProblemCode, number])[]) => void;
  readonly perAsker?: number;
  readonly perMinute?: number;
  readonly windowMs?: number;
}

/** Askers counted separately in one window; all others share one counter. */
const askersMax = 1_000;

function createRoom(perAsker: number, perMinute: number) {
  const askers = new Map<string, number>();
  let rows = 0;
  return {
    take: (asker: string): boolean => {
      const name = askers.has(asker) || askers.size < askersMax ? asker : '';
      const own = askers.get(name) ?? 0;
      if (rows >= perMinute || own >= perAsker) return false;
      askers.set(name, own + 1);
      rows += 1;
      return true;
    },
    empty: () => {
      askers.clear();
      rows = 0;
    },
  };
}

export function createRefusalThrottle({
  onMore,
  perAsker = 20,
  perMinute = 100,
  windowMs = 60_000,
}: FloodGateOptions): FloodGate {
  const known = createRoom(perAsker, perMinute);
  const strangers = createRoom(perAsker, perMinute);
  const more = new Map<ProblemCode, number>();
  const flush = () => {
    known.empty();
    strangers.empty();
    if (more.size === 0) return;
    const counts = [...more].sort(([, a], [, b]) => b - a);
    more.clear();
    onMore(counts);
  };
  const timer = setInterval(flush, windowMs);
  timer.unref();
  return {
    take: (asker, code) => {
      if ((asker.known ? known : strangers).take(asker.name)) return true;
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
