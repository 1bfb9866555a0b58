/**
 * Actions that end the same session take turns. Consul answers `true` to everybody who ends a session, whether it was there
 * or not, so of two at once each would report the end as its own. In turn, the second one reads that it is gone.
 */

/** Of each session, when everybody who came so far has ended. */
const ends = new Map<string, Promise<unknown>>();

/** Does `work` when nobody else of this process is about to end the session. Throws the signal's reason when it waits too long. */
export async function inSessionTurn<T>(
  sessionId: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const before = ends.get(sessionId);
  const over = new AbortController();
  const mine = new Promise((resolve) => over.signal.addEventListener('abort', resolve));
  const all = Promise.all([before, mine]);
  ends.set(sessionId, all);
  try {
    if (before !== undefined) await Promise.race([before, abortOf(signal, over.signal)]);
    return await work();
  } finally {
    over.abort();
    if (ends.get(sessionId) === all) ends.delete(sessionId);
  }
}

/** Rejects when the signal aborts; listens until `over`. */
const abortOf = (signal: AbortSignal, over: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const left = () => reject(signal.reason);
    if (signal.aborted) left();
    signal.addEventListener('abort', left, { once: true, signal: over });
  });
