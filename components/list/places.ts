/**
 * The start of each row of a long list, in pixels. Unmeasured rows count as the median of the first measured ones: a
 * wrong guess would lay out the list again at each new row.
 */

type KeyOf = (index: number) => string | number;

/** Heights of rows outside the list are kept up to this many, because removing a filter brings them back. */
const keptMin = 1_000;

export class Places {
  #rowPx: number;
  /** Nothing was measured yet, as the rows look now. */
  #guessing = true;
  /** The first row in the window when the rows changed their look; `null`: no row was seen before. */
  #from: number | null = null;
  /** Heights that differ, by the row's key: they move with the row. */
  #heights = new Map<string | number, number>();
  #count = 0;
  #keyOf: KeyOf = (index) => index;
  /** The start of each row; `null` while all have one height, or until needed. */
  #starts: Float64Array | null = null;

  /** `rowPx`: the guess before the first rows are measured. */
  constructor(rowPx: number) {
    this.#rowPx = rowPx;
  }

  set(count: number, keyOf: KeyOf): void {
    if (count === this.#count && keyOf === this.#keyOf) return;
    this.#count = count;
    this.#keyOf = keyOf;
    this.#starts = null;
  }

  measure(index: number, height: number): void {
    this.#guessing = false;
    const key = this.#keyOf(index);
    if (height === this.#rowPx) this.#heights.delete(key);
    else this.#heights.set(key, height);
    this.#starts = null;
  }

  /**
   * Takes heights in any order, while the window begins at `topPx`. `any`: a height changed; `above`: the rows above
   * the window grew so much. All places are looked up first, because each note makes the next look-up walk the whole
   * list.
   */
  measureAll(
    rows: readonly { readonly index: number; readonly height: number }[],
    topPx: number,
  ): { readonly any: boolean; readonly above: number } {
    // A row that is still drawn may already be past the end.
    const there = rows.filter(({ index }) => index < this.#count).sort((a, b) => a.index - b.index);
    const learnt = this.#learn(there, topPx);
    const top = topPx + learnt.above;
    const grown = there
      .map((row) => {
        const start = this.start(row.index);
        return { ...row, start, by: row.height - (this.start(row.index + 1) - start) };
      })
      .filter(({ by }) => by !== 0);
    let before = 0;
    let above = learnt.above;
    for (const { index, height, start, by } of grown) {
      if (start + before < top) above += by;
      before += by;
      this.measure(index, height);
    }
    return { any: learnt.any || grown.length > 0, above };
  }

  #learn(
    rows: readonly { readonly height: number }[],
    topPx: number,
  ): { readonly any: boolean; readonly above: number } {
    const heights = rows.map(({ height }) => height).sort((a, b) => a - b);
    const middle = heights[heights.length >> 1];
    if (!this.#guessing || middle === undefined) return { any: false, above: 0 };
    this.#guessing = false;
    const any = middle !== this.#rowPx;
    this.#rowPx = middle;
    // No person has seen the first guess: the browser's scroll from before a reload stays.
    const above = this.#from === null ? 0 : this.#from * middle - topPx;
    this.#from = null;
    return { any, above };
  }

  /** A table becomes cards, or the reverse: old measurements are void. */
  turn(topPx: number): void {
    if (this.#guessing) return;
    this.#from = this.at(topPx);
    this.#guessing = true;
    this.#heights.clear();
    this.#starts = null;
  }

  get known(): number {
    return this.#heights.size;
  }

  /** The start of a row; for the number of rows, the end of the last one. */
  start(index: number): number {
    const to = Math.min(index, this.#count);
    if (this.#heights.size === 0) return to * this.#rowPx;
    this.#starts ??= this.#sum();
    return this.#starts[to] ?? 0;
  }

  /** The row at a distance from the top: the first one above it, the last one below the end. */
  at(px: number): number {
    let low = 0;
    let high = Math.max(0, this.#count - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.start(middle) <= px) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #sum(): Float64Array {
    const starts = new Float64Array(this.#count + 1);
    // A page is open for weeks: without this, the heights of removed rows would pile up.
    const pruned = this.#heights.size > 2 * this.#count + keptMin ? new Map<string | number, number>() : null;
    let end = 0;
    for (let index = 0; index < this.#count; index += 1) {
      const key = this.#keyOf(index);
      const height = this.#heights.get(key);
      if (pruned !== null && height !== undefined) pruned.set(key, height);
      end += height ?? this.#rowPx;
      starts[index + 1] = end;
    }
    if (pruned !== null) this.#heights = pruned;
    return starts;
  }
}
