/**
 * Judges plain semaphores (RSemaphore) after a storm. Redis stores no names with them, so only the free permits can be
 * judged. They must add up from the answers that all clients got.
 */
import { type Span, touches } from './history';
import { type Failover, repeatMs } from './redis-judge';

/** One change of the free permits, as its client has it. */
export interface Change extends Span {
  readonly place: string;
  /** Negative when permits were taken. */
  readonly permits: number;
  /** `unsure`: the change may have been done once, not at all, or twice when the library repeats a call. */
  readonly told: 'done' | 'unsure';
}

/**
 * The least and the most permits that may be free at the end. The count starts again from the replica at each failover,
 * because it contains all earlier changes, or has lost them.
 */
export function freeOf(
  place: string,
  {
    first,
    changes,
    failovers,
  }: {
    /** The free permits at the beginning. */
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
