/** Where each row of a long list begins, in pixels from its top. Rows that were never measured count as `rowPx` high. */

type KeyOf = (index: number) => string | number;

export class Places {
  readonly #rowPx: number;
  /** Heights that differ, by the row's key: they stay with the row when it moves. */
  readonly #heights = new Map<string | number, number>();
  #count = 0;
  #keyOf: KeyOf = (index) => index;
  /** Where each row begins; `null` while all are of one height, or until somebody asks. */
  #starts: Float64Array | null = null;

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
    const key = this.#keyOf(index);
    if (height === this.#rowPx) this.#heights.delete(key);
    else this.#heights.set(key, height);
    this.#starts = null;
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
    let end = 0;
    for (let index = 0; index < this.#count; index += 1) {
      end += this.#heights.get(this.#keyOf(index)) ?? this.#rowPx;
      starts[index + 1] = end;
    }
    return starts;
  }
}
