import type { Lock } from './model';

/**
 * Until when the backend refuses this lock; `null`: it does not, or that is unknown. A delay is over once the watch saw
 * its end or the clock passed it: a countdown by the clock alone would outlive the state beside it.
 */
export function refusedUntilMs(
  { state, delayedUntilMs }: Pick<Lock, 'state' | 'delayedUntilMs'>,
  nowMs: number,
): number | null {
  return state === 'delayed' && delayedUntilMs !== null && delayedUntilMs > nowMs ? delayedUntilMs : null;
}
