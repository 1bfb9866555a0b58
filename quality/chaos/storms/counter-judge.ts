/**
 * Judges plain semaphores (RSemaphore) after a storm. Redis stores no names with them, so that all there is to judge is what is
 * free: it must add up from what everybody was told.
 */
import { type Span, touches } from './history';
import { type Failover, repeatMs } from './redis-judge';

/** One change of what is free, as whoever made it has it. */
export interface Change extends Span {
  readonly place: string;
  /** Below 0: they were taken. */
  readonly permits: number;
  /** `unsure`: it was done, or it was not, or twice where the library repeats a call. */
  readonly told: 'done' | 'unsure';
}

/**
 * The least and the most that may be free at the end. What a replica had when its master was gone counts from there on: whatever
 * had been told before is in that, or is lost.
 */
export function freeOf(
  place: string,
  {
    first,
    changes,
    failovers,
  }: {
    /** What was free at the beginning. */
    readonly first: number;
    readonly changes: readonly Change[];
    readonly failovers: readonly Failover[];
  },
): readonly [least: number, most: number] {
  const last = failovers.filter(({ places }) => places.has(place)).at(-1);
  let [least, most] =
    last === undefined ? [first, first] : [last.free.get(place) ?? 0, last.free.get(place) ?? 0];
  for (const change of changes) {
    if (change.place !== place || (last !== undefined && change.toMs < last.fromMs)) continue;
    const { permits, told, fromMs, toMs } = change;
    const isSure =
      told === 'done' && toMs - fromMs < repeatMs && (last === undefined || !touches(change, last));
    if (isSure || permits < 0) least += isSure ? permits : 2 * permits;
    if (isSure || permits > 0) most += isSure ? permits : 2 * permits;
  }
  return [least, most];
}
