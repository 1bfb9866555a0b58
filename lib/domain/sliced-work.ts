/**
 * Work that can pause, because it grows with a world and would block every request. Each `yield` reports the rows or
 * names done since the last one. `finish` runs it at once, where no request waits; `inSlices` runs it in slices. Its
 * data is half done during a pause: only one run at a time may touch it, and no run may be dropped halfway.
 */
export type Steps<T> = Generator<number, T, void>;

/** A smaller change never pauses, so it shows without delay. */
const sliceUnits = 500;

export function finish<T>(steps: Steps<T>): T {
  let at = steps.next();
  while (at.done !== true) at = steps.next();
  return at.value;
}

/** Runs at once where one slice is enough. `pause` lets other work run. */
export function runInSlices<T>(steps: Steps<T>, pause: () => Promise<unknown>): T | Promise<T> {
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
