/** Whether what a watch reads is the whole: only where it is known that the token may read every key (`key-sight.ts`). */

/** So long an answer holds: Consul keeps rights as long. */
const holdsMs = 30_000;

/** What is remembered from look to look. */
export interface WholeKnown {
  isWhole: boolean;
  /** Epoch milliseconds; `null`: not asked so far. */
  askedMs: number | null;
}

export const newWholeKnown = (): WholeKnown => ({ isWhole: false, askedMs: null });

export interface Whole {
  readonly isWhole: boolean;
  /** When to ask again, although Consul will say nothing; `null`: with the next look that is due. */
  readonly askAtMs: number | null;
}

/** `ask`: `null` where nothing can be asked now; what was known does not hold for longer then either. */
export async function wholeNow(
  known: WholeKnown,
  ask: (() => Promise<boolean>) | null,
  nowMs: number,
): Promise<Whole> {
  // A clock that was set back makes nothing known for longer.
  const holds = known.askedMs !== null && Math.abs(nowMs - known.askedMs) < holdsMs;
  if (!holds) {
    known.isWhole = ask !== null && (await ask());
    known.askedMs = ask === null ? null : nowMs;
  }
  const { isWhole, askedMs } = known;
  return { isWhole, askAtMs: isWhole || askedMs === null ? null : askedMs + holdsMs };
}
