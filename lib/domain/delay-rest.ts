import type { Lock } from './model';

/**
 * The instant until which the backend refuses this lock; `null`: none, or unknown. A delay is over when the watch saw
 * its end or the clock passed it. A countdown by the clock alone would outlive the state beside it.
 */
export function refusedUntilMs(
  { state, delayedUntilMs }: Pick<Lock, 'state' | 'delayedUntilMs'>,
  nowMs: number,
): number | null {
  return state === 'delayed' && delayedUntilMs !== null && delayedUntilMs > nowMs ? delayedUntilMs : null;
}
