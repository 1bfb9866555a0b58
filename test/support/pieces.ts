/** How long this thread works without a turn for others, in its own time on the processor: a busy machine makes it no longer. Linux. */
import { readFileSync } from 'node:fs';

const workedMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;

/** Watches from now on. `end` stops that and gives the longest piece in milliseconds. */
export function watchPieces(): { readonly end: () => number } {
  let longestMs = 0;
  let lastMs = workedMs();
  const note = () => {
    const nowMs = workedMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  const timer = setInterval(note, 2);
  return {
    end: () => {
      clearInterval(timer);
      note();
      return longestMs;
    },
  };
}
