/** How often a free key went to somebody else lately, by which a waiter tells whether it is one of a herd. */

/** A lost race or two is noticed, one alone is soon forgotten. */
const weight = 0.25;

export class Rivalry {
  #lost = 0;

  /** The share of the last races that were lost: 0 to 1. */
  get lost(): number {
    return this.#lost;
  }

  /** A race for the free key is over. */
  raced(won: boolean): void {
    this.#lost += ((won ? 0 : 1) - this.#lost) * weight;
  }
}
