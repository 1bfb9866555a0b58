/** Wakes one waiting caller. A nudge without a waiting caller is kept for the next. */
export interface Nudge {
  give(): void;
  /** Resolves at the next one, or after `ms`. */
  given(ms: number): Promise<void>;
}

export function createNudge(): Nudge {
  let pending = false;
  let wake: (() => void) | null = null;
  return {
    give: () => {
      if (wake === null) pending = true;
      else wake();
    },
    given: (ms) =>
      new Promise((resolve) => {
        if (pending) {
          pending = false;
          resolve();
          return;
        }
        const timer = setTimeout(() => wake?.(), ms);
        wake = () => {
          wake = null;
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
