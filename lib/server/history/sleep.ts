/**
 * Whether this process has run. One that was stopped, suspended, or too busy to run its timers saw nothing meanwhile, although its
 * view says "live": what it reads when it wakes happened at some time in between.
 */
import { catchingUp, type SourceState } from '@/lib/domain/source-state';

export interface Sleep {
  /** The source as it was watched now: catching up from a sleep, or as it says itself. */
  watched(source: SourceState): SourceState;
  /** It has woken, and was not asked since it has caught up. */
  readonly isOver: boolean;
  close(): void;
}

const tickMs = 500;
/** Longer than a process on a busy machine waits for its turn. */
const sleptMs = 3_000;
/** Answers of Consul that waited for it come in by then. */
const catchUpMs = 1_000;

/** `now`: epoch milliseconds, which jump where the clock is set: nothing was seen in a time that did not pass. */
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
