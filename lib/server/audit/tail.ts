/**
 * The end of the chain as this process last saw it. A chain whose tail was cut off still fits, so only the memory of who saw
 * the rows shows the cut. What was noticed stays noticed until the process ends, also when new rows have grown over it.
 */
import { genesis } from './chain';

interface End {
  readonly seq: number;
  readonly digest: string;
}

export interface Tail {
  /** The last row that this process has seen. */
  last(): End;
  /** A row is in the store: it was written, or the whole chain was read up to it. */
  know(row: End): void;
  /** The end of the chain, or the row with the number of `before`, as it is now. `before`: the last row that was known then. */
  compare(now: End, before?: End): void;
  /** The first row that was cut off; `null`: none that this process knows of. */
  cutAt(): number | null;
  /** Another store took the place of the one before: nothing is known of it. */
  beOf(store: number): void;
}

export function createTail(onCut: (seq: number) => void): Tail {
  const none: End = { seq: 0, digest: genesis };
  let known = none;
  let cut: number | null = null;
  let of = 0;
  return {
    last: () => known,
    know: ({ seq, digest }) => {
      if (seq >= known.seq) known = { seq, digest };
    },
    compare: ({ seq, digest }, before = known) => {
      if (seq > before.seq || (seq === before.seq && digest === before.digest)) return;
      const first = seq < before.seq ? seq + 1 : seq;
      cut = Math.min(cut ?? first, first);
      // Said once for one cut: rows that were written since are known by themselves.
      if (known === before) known = { seq, digest };
      onCut(first);
    },
    cutAt: () => cut,
    beOf: (store) => {
      if (store === of) return;
      of = store;
      known = none;
      cut = null;
    },
  };
}
