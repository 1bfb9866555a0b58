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
const lostAddsMs = 5;
const wonShrinks = 0.5;
/**
 * Rests so long are those of a crowd. Who was awake for a release there and won was one of several by chance, and shall not
 * be awake more often for it: only a key that lies free says that too many rest.
 */
const crowdMs = 400;
/** A wait that is longer than so many holders is long, however slow they are. */
const turnsMax = 200;
/**
 * A rest is at least this part of what it may be. Drawn from nothing on, rests of a crowd would have to be longer at their most
 * for as few to be awake, and who rests longest waits longest.
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

  /** A race for the free key is over. `lay free`: it was won by who came and found it so, and not by who waited for it. */
  raced(outcome: 'won' | 'lay free' | 'lost'): void {
    if (outcome === 'lost')
      this.#windowMs = Math.min(this.restMaxMs, this.#windowMs * lostGrows + lostAddsMs);
    else if (outcome === 'lay free' || this.#windowMs < crowdMs) this.#windowMs *= wonShrinks;
  }

  /**
   * Milliseconds to rest before the next look; 0 for one that has no rivals, or has waited for long. `hasMs`: how long this
   * wait may last in all. At least half of it is for looking, or one that has lost often would rest all of it away.
   * `turnMs`: from one holder to the next, as far as it was seen; 0 where it was not.
   */
  restMs(waitedMs: number, hasMs = Number.POSITIVE_INFINITY, turnMs = 0): number {
    const maxMs = Math.min(this.restMaxMs, hasMs / 2);
    // Where one holder takes longer than any rest, rests keep nobody apart. Not sooner: a crowd that does not rest makes its
    // machine so slow that a holder takes half a second for that alone, and would not rest for it.
    const throughMs = turnMs <= this.restMaxMs ? turnMs * turnsMax : 0;
    const longMs = Math.min(Math.max(this.restMaxMs, throughMs), hasMs / 2);
    const patience = Math.max(0, 1 - waitedMs / Math.max(1, longMs));
    const part = restsAtLeast + (1 - restsAtLeast) * this.random();
    const ms = part * Math.min(this.#windowMs, maxMs) * patience;
    return ms >= restMsMin ? ms : 0;
  }
}
