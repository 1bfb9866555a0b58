/**
 * Work that can pause. Every writer of keys adds work, and work that cannot pause blocks every request. So work
 * that may grow with a world is a generator: each `yield` reports the rows or names done since the last one.
 * `finish` runs it to its end at once, where no request waits; `inSlices` runs it in slices.
 * Its data is half done during a pause: only one run at a time may touch that data, and no run may be dropped
 * halfway.
 */
export type Steps<T> = Generator<number, T, void>;

/** Rows or names between two pauses. A smaller change never pauses, so it shows without delay. */
const sliceUnits = 500;

export function finish<T>(steps: Steps<T>): T {
  let at = steps.next();
  while (at.done !== true) at = steps.next();
  return at.value;
}

/** The result at once where one slice is enough, else a promise of it. `pause` lets other work run. */
export function inSlices<T>(steps: Steps<T>, pause: () => Promise<unknown>): T | Promise<T> {
  const slice = () => {
    let at = steps.next();
    for (let units = 0; at.done !== true; at = steps.next()) {
      units += at.value;
      if (units >= sliceUnits) break;
    }
    return at;
  };
  const first = slice();
  if (first.done === true) return first.value;
  return (async () => {
    for (;;) {
      await pause();
      const at = slice();
      if (at.done === true) return at.value;
    }
  })();
}
