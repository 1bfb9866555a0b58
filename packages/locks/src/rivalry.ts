/**
 * How long to leave a key alone after a rival was faster. A release wakes every process that watches the key, and one
 * of them wins. Rests grow by each lost race and shrink by each win, so few are awake for a release, at any number.
 *
 * A loss weighs most with those who rest least, so that a winner does not keep winning. Rests get shorter the longer
 * one waits, until none is left: after `restMaxMs`, or after as many turns as a crowd takes. By time alone a crowd
 * would never rest on a slow machine.
 */

const lostGrows = 2.5;
const lostAddsMs = 5;
const wonShrinks = 0.5;
/**
 * Rests this long are a crowd's. A winner there was one of several by chance, and does not rest less for it: only a key
 * that lies free shows that too many rest.
 */
const crowdMs = 400;
/** A wait for more holders is long, however slow they are. */
const turnsMax = 200;
/**
 * A rest is at least this part of its maximum. From 0 on, a crowd would need longer maxima, and the longest rests wait
 * longest.
 */
const restsAtLeast = 0.5;
/** Shorter rests are none: a key takes some milliseconds to change hands. */
const restMsMin = 2;

/** One waiter's, kept from one wait to the next. */
export class Rivalry {
  #windowMs = 0;

  /** `random` gives 0 (included) to 1 (excluded). */
  constructor(
    private readonly restMaxMs: number,
    private readonly random: () => number,
  ) {}

  /** A race for the free key is over. `lay free`: won by a newcomer that found it free. */
  raced(outcome: 'won' | 'lay free' | 'lost'): void {
    if (outcome === 'lost')
      this.#windowMs = Math.min(this.restMaxMs, this.#windowMs * lostGrows + lostAddsMs);
    else if (outcome === 'lay free' || this.#windowMs < crowdMs) this.#windowMs *= wonShrinks;
  }

  /**
   * Milliseconds to rest before the next look; 0 without rivals, or after a long wait. `hasMs`: how long this wait may
   * last; at least half of it is for looking. `turnMs`: from one holder to the next; 0: not seen.
   */
  restMs(waitedMs: number, hasMs = Number.POSITIVE_INFINITY, turnMs = 0): number {
    const maxMs = Math.min(this.restMaxMs, hasMs / 2);
    // Where a holder takes longer than any rest, rests keep none apart. Not sooner: a crowd that does not rest makes
    // its own machine that slow.
    const throughMs = turnMs <= this.restMaxMs ? turnMs * turnsMax : 0;
    const longMs = Math.min(Math.max(this.restMaxMs, throughMs), hasMs / 2);
    const patience = Math.max(0, 1 - waitedMs / Math.max(1, longMs));
    const part = restsAtLeast + (1 - restsAtLeast) * this.random();
    const ms = part * Math.min(this.#windowMs, maxMs) * patience;
    return ms >= restMsMin ? ms : 0;
  }
}
