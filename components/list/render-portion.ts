/**
 * The number of rows of a list to render at a time, in a frame or two. On some machines, styling a screen of rows
 * delays the next key. On most machines a portion is all of them.
 */

/** Making and painting the rows come on top. */
const budgetMs = 12;
const rowsMin = 6;
const rowsMax = 60;
/** Rows before anything is known of the machine. */
const rowsFirst = 10;

export class Portion {
  #rowMs = budgetMs / rowsFirst;

  get size(): number {
    return Math.min(rowsMax, Math.max(rowsMin, Math.floor(budgetMs / this.#rowMs)));
  }

  /**
   * Notes the time for styles and layout of new rows. A few rows do not count: the rest of the page would
   * dominate.
   */
  took(rows: number, ms: number): void {
    if (rows >= rowsMin) this.#rowMs = (this.#rowMs + ms / rows) / 2;
  }
}

interface PortionRequest {
  /** The indexes of all rows to draw, in order. */
  readonly indexes: readonly number[];
  /** Rows below come first, then those above, upwards. */
  readonly from: number;
  /** Has the focus, or is about to get it: always drawn. */
  readonly pinned: number;
  readonly isThere: (index: number) => boolean;
}

/** The present rows, and the first `size` of the others; in order. */
export function portionOf(
  { indexes, from, pinned, isThere }: PortionRequest,
  size: number,
): readonly number[] {
  const fresh = indexes.filter((index) => index !== pinned && !isThere(index));
  if (fresh.length <= size) return indexes;
  const below = fresh.filter((index) => index >= from);
  const above = fresh.filter((index) => index < from).reverse();
  const late = new Set([...below, ...above].slice(size));
  return indexes.filter((index) => !late.has(index));
}
