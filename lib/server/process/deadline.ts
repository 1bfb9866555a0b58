/**
 * Aborts with the first of `signals`, or after `ms` with a `TimeoutError`. Never `AbortSignal.any([signal,
 * AbortSignal.timeout(ms)])`: Node 20 holds the sources of a combined signal weakly. A garbage collection can drop the
 * timeout, and the wait never ends. A timer holds what it aborts.
 */
export function within(ms: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const time = new AbortController();
  const onTimeout = () => time.abort(new DOMException(`Not within ${ms} ms.`, 'TimeoutError'));
  setTimeout(onTimeout, ms).unref();
  return AbortSignal.any([...signals, time.signal]);
}
