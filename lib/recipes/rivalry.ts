/**
 * How long to leave a key alone after somebody else was faster. Every process that waits for a key watches that key, so
 * a release wakes them all and one of them wins. With rests that grow by each race that is lost and shrink by each that
 * is won, a few are awake for a release, however many wait, and who rests costs nothing.
 *
 * What a loss adds besides weighs most with those who rest least, so that who wins does not keep on winning. And rests
 * get shorter the longer one waits, until nobody rests any more: after `restMaxMs`, or after as many turns as a crowd takes
 * to be through. By the time alone a crowd would never rest on a slow machine, where all who are awake make it slower yet.
 */

const lostGrows = 2.5;
const lostAddsMs = 10;
const wonShrinks = 0.6;
/** A wait that is longer than so many holders is long, however slow they are. */
const turnsMax = 200;
/** Where a holder takes more than this of the longest rest, who rests would look many times for each of them. */
const turnOfRestMax = 1 / 4;
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

  /** A race for the free key is over. */
  raced(won: boolean): void {
    this.#windowMs = won
      ? this.#windowMs * wonShrinks
      : Math.min(this.restMaxMs, this.#windowMs * lostGrows + lostAddsMs);
  }

  /**
   * Milliseconds to rest before the next look; 0 for one that has no rivals, or has waited for long. `hasMs`: how long this
   * wait may last in all. At least half of it is for looking, or one that has lost often would rest all of it away.
   * `turnMs`: from one holder to the next, as far as it was seen; 0 where it was not.
   */
  restMs(waitedMs: number, hasMs = Number.POSITIVE_INFINITY, turnMs = 0): number {
    const maxMs = Math.min(this.restMaxMs, hasMs / 2);
    const crowdMs = turnMs <= this.restMaxMs * turnOfRestMax ? turnMs * turnsMax : 0;
    const longMs = Math.min(Math.max(this.restMaxMs, crowdMs), hasMs / 2);
    const patience = Math.max(0, 1 - waitedMs / Math.max(1, longMs));
    const ms = this.random() * Math.min(this.#windowMs, maxMs) * patience;
    return ms >= restMsMin ? ms : 0;
  }
}
