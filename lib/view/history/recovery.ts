/** After an action: who was removed, and who came next. Pure. */
import type { DeedMark, History, Hold } from '@/lib/domain/history/episode';

export interface Recovery {
  /** Of the hold that was ended; it is what a browser dismisses. */
  readonly id: string;
  readonly removed: string;
  readonly deed: DeedMark;
  /** `null`: nobody holds since. */
  readonly next: string | null;
  /** Until then, in milliseconds; `null`: it was not seen to begin. */
  readonly afterMs: number | null;
}

/** An older action is no news. */
const newsMs = 60 * 60 * 1_000;

const endedBefore = (a: Hold, b: Hold) => (a.to?.atMs ?? 0) - (b.to?.atMs ?? 0);

/** Of one subject. `null`: no action ended a hold within the last hour. */
export function recoveryOf({ episodes }: Pick<History, 'episodes'>, nowMs: number): Recovery | null {
  const last = episodes
    .filter(({ to, deed }) => to !== null && deed !== null && nowMs - deed.atMs <= newsMs)
    .sort(endedBefore)
    .at(-1);
  if (last?.to == null || last.deed === null) return null;
  const endMs = last.to.atMs;
  // Its end may be seen a moment after the next one's beginning.
  const freeMs = Math.min(endMs, last.deed.atMs);
  const next = episodes
    .filter(({ id, from }) => id !== last.id && from.atMs >= freeMs)
    .sort((a, b) => a.from.atMs - b.from.atMs)[0];
  return {
    id: last.id,
    removed: last.who.label,
    deed: last.deed,
    next: next?.who.label ?? null,
    afterMs:
      next === undefined || next.from.basis === 'at-least' || next.from.atMs < endMs
        ? null
        : next.from.atMs - endMs,
  };
}
