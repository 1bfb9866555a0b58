/** Whether what a watch reads is the whole: only where it is known that the token may read every key (`key-sight.ts`). */

/** So long an answer holds: Consul keeps rights as long. */
const holdsMs = 30_000;
/** So long the last answer holds where the question is not answered: rights move seldom, and one answer that is lost is no news. */
const keptMs = 120_000;

/** What is remembered from look to look. */
export interface WholeKnown {
  isWhole: boolean;
  /** Epoch milliseconds; `null`: not asked so far. */
  askedMs: number | null;
  /** When it was answered last. */
  answeredMs: number | null;
}

export const newWholeKnown = (): WholeKnown => ({ isWhole: false, askedMs: null, answeredMs: null });

export interface Whole {
  readonly isWhole: boolean;
  /** When to ask again, although Consul will say nothing; `null`: with the next look that is due. */
  readonly askAtMs: number | null;
}

/** `ask`: `null` where nothing can be asked now, so what was known does not hold for longer; it answers `null` for no answer. */
export async function wholeNow(
  known: WholeKnown,
  ask: (() => Promise<boolean | null>) | null,
  nowMs: number,
): Promise<Whole> {
  // A clock that was set back makes nothing known for longer.
  const within = (atMs: number | null, ms: number) => atMs !== null && Math.abs(nowMs - atMs) < ms;
  if (!within(known.askedMs, holdsMs)) {
    const answer = ask === null ? null : await ask();
    if (answer !== null) known.answeredMs = nowMs;
    known.isWhole = answer ?? (ask !== null && known.isWhole && within(known.answeredMs, keptMs));
    known.askedMs = ask === null ? null : nowMs;
  }
  const { isWhole, askedMs } = known;
  return { isWhole, askAtMs: isWhole || askedMs === null ? null : askedMs + holdsMs };
}
