/** Many that wait for one signal behind one listener of it: a read of a tree has a hundred requests out. */

interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly abort: () => void;
}

/** Calls back when the signal aborts. Returns its end. */
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
