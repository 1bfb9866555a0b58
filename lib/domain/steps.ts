/**
 * Work that can pause. Anyone who may write keys decides how much there is to judge, and work that cannot pause keeps every
 * request of every person waiting. So what may grow with a world is a generator: each `yield` says how much was done since the
 * one before, in rows or names. It runs to its end at once where nobody else waits (`finish`), or in slices (`inSlices`).
 * What it works on is half done while it pauses: only one run at a time may touch that, and none may be dropped halfway.
 */
export type Steps<T> = Generator<number, T, void>;

/** Rows or names between two pauses. A change of fewer never pauses, so that it is seen as soon as before. */
const sliceUnits = 500;

/** Runs to the end, without a pause. */
export function finish<T>(steps: Steps<T>): T {
  let at = steps.next();
  while (at.done !== true) at = steps.next();
  return at.value;
}

/** The result at once where it takes one slice, and else a promise of it. `pause` lets everybody else run. */
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
