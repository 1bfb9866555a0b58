import type { Lock } from './model';

/**
 * Until when the backend still refuses this lock; `null`: not, or not known. A delay is over once the watch has seen its end or
 * the clock has passed it, whichever is first: a countdown that went by the clock alone would outlive what is shown beside it.
 */
export function refusedUntilMs(
  { state, delayedUntilMs }: Pick<Lock, 'state' | 'delayedUntilMs'>,
  nowMs: number,
): number | null {
  return state === 'delayed' && delayedUntilMs !== null && delayedUntilMs > nowMs ? delayedUntilMs : null;
}
