/** Finds out if a watch reads everything, which needs a token that may read every key (`key-sight.ts`). */

/** An answer counts for this time. Consul caches rights as long. */
const holdsMs = 30_000;
/** While questions go unanswered, the last answer counts for this time, because rights change seldom. */
const keptMs = 120_000;

/** Kept between looks. */
export interface WholeKnown {
  isWhole: boolean;
  askedMs: number | null;
  answeredMs: number | null;
}

export const newWholeKnown = (): WholeKnown => ({ isWhole: false, askedMs: null, answeredMs: null });

export interface Whole {
  readonly isWhole: boolean;
  /** The instant to ask again, although Consul will not wake the watch; `null`: at the next look. */
  readonly askAtMs: number | null;
}

/**
 * The answer now, from `known` or by `ask`, which resolves to `null` when no answer comes. Without `ask` a question is
 * impossible, which ends the known answer.
 */
export async function wholeNow(
  known: WholeKnown,
  ask: (() => Promise<boolean | null>) | null,
  nowMs: number,
): Promise<Whole> {
  // A clock that was set back prolongs no answer.
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
