/** A pause that a push ends; a push while nobody rests ends the next one. */
export interface Rest {
  wake(): void;
  /** Resolves after `ms`, at a push, or when the signal aborts. Leaves nothing behind at the signal. */
  rest(ms: number, signal: AbortSignal): Promise<void>;
}

export function createRest(): Rest {
  let wake: () => void = () => {};
  let awake = false;
  return {
    wake: () => {
      awake = true;
      wake();
    },
    rest: async (ms, signal) => {
      if (!awake && !signal.aborted)
        // `AbortSignal.any` would keep a reference at the watch's own signal for each rest.
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          signal.addEventListener('abort', done, { once: true });
          wake = done;
        });
      awake = false;
      wake = () => {};
    },
  };
}
