/** The end of an acquire: a signal, a time, or both. */

/** The time of an `acquire` is over. Everything that it created is removed. */
export class AcquireTimeoutError extends Error {
  override readonly name = 'AcquireTimeoutError';
  constructor(what: string, timeoutMs: number) {
    super(`${what} was not to be had within ${timeoutMs} ms.`);
  }
}

/**
 * Runs `work` with a signal that aborts with the caller's signal, or after `timeoutMs` with an `AcquireTimeoutError`.
 * Leaves neither timer nor listener behind.
 * @internal
 */
export async function withDeadline<T>(
  { what, signal, timeoutMs }: { what: string; signal?: AbortSignal; timeoutMs?: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  if (timeoutMs !== undefined && !(timeoutMs >= 0)) throw new RangeError('timeoutMs must be 0 or more.');
  const own = new AbortController();
  const pass = () => own.abort(signal?.reason);
  signal?.addEventListener('abort', pass, { once: true });
  // A longer delay would overflow Node's timer and fire at once.
  const timer =
    timeoutMs === undefined || timeoutMs > 2 ** 31 - 1
      ? undefined
      : setTimeout(() => own.abort(new AcquireTimeoutError(what, timeoutMs)), timeoutMs);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', pass);
  }
}
