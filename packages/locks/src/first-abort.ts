/**
 * Runs `work` with a signal that aborts with the first of these, for its reason. Leaves no listener behind, unlike
 * `AbortSignal.any`: in Node 20 a lasting signal keeps each one made from it.
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
