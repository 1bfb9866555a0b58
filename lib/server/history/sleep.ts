/**
 * Notices that this process did not run. A process that was stopped, suspended, or too busy for its timers saw nothing
 * meanwhile, although its view reports "live". Changes that it reads on waking happened at some time in between.
 */
import { catchingUp, type SourceState } from '@/lib/domain/source-state';

export interface Sleep {
  /** The source as it is now: catching up after a sleep, otherwise unchanged. */
  watched(source: SourceState): SourceState;
  /** True after a sleep and the time to catch up, until the next `watched`. */
  readonly isOver: boolean;
  close(): void;
}

const tickMs = 500;
/** Longer than a turn on a busy machine. */
const sleptMs = 3_000;
/** Time in which waiting answers of Consul arrive. */
const catchUpMs = 1_000;

/** `now`: epoch milliseconds. A jump of the clock counts as a sleep, because nothing was seen in that time. */
export function watchSleep(now: () => number): Sleep {
  let lastMs = now();
  let slept: { readonly fromMs: number; readonly untilMs: number } | null = null;
  const look = (): number => {
    const nowMs = now();
    if (nowMs - lastMs > sleptMs) slept = { fromMs: slept?.fromMs ?? lastMs, untilMs: nowMs + catchUpMs };
    lastMs = nowMs;
    return nowMs;
  };
  const timer = setInterval(look, tickMs);
  timer.unref();
  const since = (source: SourceState, atMs: number): SourceState => ({
    ...source,
    staleSinceMs: Math.min(atMs, source.staleSinceMs ?? atMs),
    ...(source.parts === undefined ? {} : { parts: source.parts.map((part) => since(part, atMs)) }),
  });
  return {
    watched(source) {
      const nowMs = look();
      if (slept !== null && nowMs < slept.untilMs) return since(catchingUp(source), slept.fromMs);
      slept = null;
      return source;
    },
    get isOver() {
      return slept !== null && now() >= slept.untilMs;
    },
    close: () => clearInterval(timer),
  };
}
