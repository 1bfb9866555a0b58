/**
 * The time to leave a key alone after a rival was faster. A release wakes every process that watches the key, and one
 * of them wins. Rests grow by each lost race and shrink by each win, so few waiters are awake for a release, at any
 * number.
 *
 * A loss weighs most with those who rest least, so that a winner does not keep winning. Rests get shorter with the
 * wait, and end after `restMaxMs`, or after as many turns as a crowd takes. By time alone a crowd would never rest on a
 * slow machine.
 */

const lostGrows = 2.5;
const lostAddsMs = 5;
const wonShrinks = 0.5;
/**
 * Rests this long mark a crowd, whose winner was one of several by chance, and does not rest less for it. Only a key
 * that lies free shows that too many rest.
 */
const crowdMs = 400;
/** A wait for more holders than this is long, at any speed. */
const turnsMax = 200;
/**
 * The least part of a rest's maximum. From 0 on, a crowd would need longer maxima, and the longest rests wait longest.
 */
const restsAtLeast = 0.5;
/** Shorter rests are dropped, because a key takes some milliseconds to change hands. */
const restMsMin = 2;

/** The rivalry of one waiter, kept from one wait to the next. */
export class Rivalry {
  #windowMs = 0;

  /** `random` gives 0 (included) to 1 (excluded). */
  constructor(
    private readonly restMaxMs: number,
    private readonly random: () => number,
  ) {}

  /** Takes in the end of a race for the free key. `lay free`: a newcomer found it free and won. */
  raced(outcome: 'won' | 'lay free' | 'lost'): void {
    if (outcome === 'lost')
      this.#windowMs = Math.min(this.restMaxMs, this.#windowMs * lostGrows + lostAddsMs);
    else if (outcome === 'lay free' || this.#windowMs < crowdMs) this.#windowMs *= wonShrinks;
  }

  /**
   * Milliseconds to rest before the next look; 0 without rivals, or after a long wait. `hasMs`: the time left for this
   * wait, at least half of which is for looking. `turnMs`: the time from one holder to the next; 0: unknown.
   */
  restMs(waitedMs: number, hasMs = Number.POSITIVE_INFINITY, turnMs = 0): number {
    const maxMs = Math.min(this.restMaxMs, hasMs / 2);
    // When a turn takes longer than any rest, rests keep no waiters apart. The limit is no lower, because a crowd that
    // does not rest slows its own machine that much.
    const throughMs = turnMs <= this.restMaxMs ? turnMs * turnsMax : 0;
    const longMs = Math.min(Math.max(this.restMaxMs, throughMs), hasMs / 2);
    const patience = Math.max(0, 1 - waitedMs / Math.max(1, longMs));
    const part = restsAtLeast + (1 - restsAtLeast) * this.random();
    const ms = part * Math.min(this.#windowMs, maxMs) * patience;
    return ms >= restMsMin ? ms : 0;
  }
}
