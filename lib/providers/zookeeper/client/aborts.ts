/** One listener on a signal for many waiting requests. A tree has a hundred of them under way. */

interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly abort: () => void;
}

/** Calls `then` when the signal aborts. Returns a function that stops waiting. */
export function createAborts(): (signal: AbortSignal, then: () => void) => () => void {
  const all = new Map<AbortSignal, Waiting>();
  function waitingFor(signal: AbortSignal): Waiting {
    const known = all.get(signal);
    if (known !== undefined) return known;
    const callbacks = new Set<() => void>();
    const abort = () => {
      all.delete(signal);
      for (const one of callbacks) one();
    };
    const entry = { callbacks, abort };
    all.set(signal, entry);
    signal.addEventListener('abort', abort, { once: true });
    return entry;
  }
  return (signal, then) => {
    const { callbacks, abort } = waitingFor(signal);
    callbacks.add(then);
    return () => {
      callbacks.delete(then);
      if (callbacks.size > 0 || all.get(signal)?.callbacks !== callbacks) return;
      all.delete(signal);
      signal.removeEventListener('abort', abort);
    };
  };
}
