/** The end of somebody's patience, together with the signals that end it sooner. */

/**
 * Aborts with the first of `signals`, or after so many milliseconds with a `TimeoutError`, as `AbortSignal.timeout` does.
 *
 * Never `AbortSignal.any([signal, AbortSignal.timeout(ms)])`: Node 20 holds what a combined signal is made of weakly, so
 * that a collection of garbage takes the time with it, and whoever waits waits for ever. A timer holds what it aborts.
 */
export function within(ms: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const time = new AbortController();
  const over = () => time.abort(new DOMException(`Not within ${ms} ms.`, 'TimeoutError'));
  setTimeout(over, ms).unref();
  return AbortSignal.any([...signals, time.signal]);
}
