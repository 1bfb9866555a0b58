/**
 * Where each row of a long list begins, in pixels from its top. Rows that were never measured count as high as the middle one of
 * the first that were: with a wrong guess the list would be laid out again, and its bar jump, with each row that comes.
 */

type KeyOf = (index: number) => string | number;

/** Heights of rows that are not in the list are kept up to here: a filter that is taken away brings them back. */
const keptMin = 1_000;

export class Places {
  /** A row that was not measured. */
  #rowPx: number;
  /** Nothing was measured yet, as the rows look now. */
  #guessing = true;
  /** The row that was the first in the window when they began to look otherwise; `null`: nothing was seen before. */
  #from: number | null = null;
  /** Heights that differ, by the row's key: they stay with the row when it moves. */
  #heights = new Map<string | number, number>();
  #count = 0;
  #keyOf: KeyOf = (index) => index;
  /** Where each row begins; `null` while all are of one height, or until somebody asks. */
  #starts: Float64Array | null = null;

  /** `rowPx`: what to think of a row before the first ones are measured. */
  constructor(rowPx: number) {
    this.#rowPx = rowPx;
  }

  /** How many rows there are, and which. */
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
   * Several rows that were measured at a time, in any order, while the window begins at `topPx` of the list. Tells whether any
   * of them is higher or lower than was thought, and by how much those that begin above the window are. All places are looked up
   * before the first height is noted: each height that is noted makes the next look a walk over the whole list.
   */
  measureAll(
    rows: readonly { readonly index: number; readonly height: number }[],
    topPx: number,
  ): { readonly any: boolean; readonly above: number } {
    // A row that is still drawn may be past the end already.
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
    // Nobody has seen anything by the first guess: where a browser had scrolled to before a reload is where it still is.
    const above = this.#from === null ? 0 : this.#from * middle - topPx;
    this.#from = null;
    return { any, above };
  }

  /** From now on rows look otherwise (a table becomes cards), while the window begins at `topPx` of the list: what was measured says nothing any more. */
  turn(topPx: number): void {
    if (this.#guessing) return;
    this.#from = this.at(topPx);
    this.#guessing = true;
    this.#heights.clear();
    this.#starts = null;
  }

  /** How many heights are kept. */
  get known(): number {
    return this.#heights.size;
  }

  /** Where a row begins; of the number of rows, where the last one ends. */
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
    // A page is open for weeks, and rows come and go: those of rows that are gone would never end.
    const kept = this.#heights.size > 2 * this.#count + keptMin ? new Map<string | number, number>() : null;
    let end = 0;
    for (let index = 0; index < this.#count; index += 1) {
      const key = this.#keyOf(index);
      const height = this.#heights.get(key);
      if (kept !== null && height !== undefined) kept.set(key, height);
      end += height ?? this.#rowPx;
      starts[index + 1] = end;
    }
    if (kept !== null) this.#heights = kept;
    return starts;
  }
}
