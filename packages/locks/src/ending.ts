/** The first end of several. */

/**
 * Runs `work` with a signal that aborts as soon as one of these does, with its reason. Leaves no listener behind, as
 * `AbortSignal.any` does: a signal that lives longer than what waits with it (a session that is used again, a caller's)
 * remembers each that was ever made of it, in Node 20.
 */
export async function withEnding<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const ends = signals.map((signal) => ({ signal, pass: () => own.abort(signal.reason) }));
  for (const { signal, pass } of ends) {
    if (signal.aborted) pass();
    else signal.addEventListener('abort', pass, { once: true });
  }
  try {
    return await work(own.signal);
  } finally {
    for (const { signal, pass } of ends) signal.removeEventListener('abort', pass);
  }
}
