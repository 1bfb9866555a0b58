/**
 * Refusals cost whoever causes them nothing, so their rows are bounded: so many a minute for one asker, for all strangers
 * and for all who are known by name, and one more row each minute that counts the others. Apart, since a stranger who asks from many
 * addresses would else leave no row for what a person was refused.
 */
import type { ProblemCode } from '@/lib/domain/problem';

export interface FloodGate {
  /** True: it may have a row of its own. Else it is counted. */
  take(asker: Asker, code: ProblemCode): boolean;
  /** Writes the count of what was left out since the last time, if there is any. */
  flush(): void;
  close(): void;
}

/** Who was refused: by name, or from where. */
export interface Asker {
  readonly known: boolean;
  readonly name: string;
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

/** Counts the rows of one window. */
function createRoom(perAsker: number, perMinute: number) {
  const askers = new Map<string, number>();
  let rows = 0;
  return {
    take: (asker: string): boolean => {
      const name = askers.has(asker) || askers.size < askersMax ? asker : '';
      const mine = askers.get(name) ?? 0;
      if (rows >= perMinute || mine >= perAsker) return false;
      askers.set(name, mine + 1);
      rows += 1;
      return true;
    },
    empty: () => {
      askers.clear();
      rows = 0;
    },
  };
}

export function createFloodGate({
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
