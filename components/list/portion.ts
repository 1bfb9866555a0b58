/**
 * How many rows of a list are drawn at a time. To style and lay out a whole screen of them keeps some machines from the next
 * key for longer than a person should feel, so they come in portions: as many as the machine at hand does in a part of a frame
 * or two. On most that is all of them.
 */

/** For styles and layout of one portion; what it takes to make and to paint them comes on top. */
const budgetMs = 12;
const rowsMin = 6;
const rowsMax = 60;
/** Before anything is known of the machine. */
const rowsFirst = 10;

export class Portion {
  #rowMs = budgetMs / rowsFirst;

  /** How many new rows to draw at a time. */
  get size(): number {
    return Math.min(rowsMax, Math.max(rowsMin, Math.floor(budgetMs / this.#rowMs)));
  }

  /** Styles and layout of so many new rows took so long. Of a few the rest of the page would be counted as theirs. */
  took(rows: number, ms: number): void {
    if (rows >= rowsMin) this.#rowMs = (this.#rowMs + ms / rows) / 2;
  }
}

interface Wanted {
  /** Of all rows that are to be drawn, in order. */
  readonly indexes: readonly number[];
  /** Where the window begins: what is below comes first, and from there upwards. */
  readonly from: number;
  /** Has the focus, or is about to get it: always drawn. */
  readonly pinned: number;
  readonly isThere: (index: number) => boolean;
}

/** Those that are there, and of the others the first `size`; in order. */
export function portionOf({ indexes, from, pinned, isThere }: Wanted, size: number): readonly number[] {
  const fresh = indexes.filter((index) => index !== pinned && !isThere(index));
  if (fresh.length <= size) return indexes;
  const below = fresh.filter((index) => index >= from);
  const above = fresh.filter((index) => index < from).reverse();
  const late = new Set([...below, ...above].slice(size));
  return indexes.filter((index) => !late.has(index));
}
