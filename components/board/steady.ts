/**
 * Rows do not move under a pointer or a focus. While either is on the table, the order in which the rows stood
 * when it came is kept; what changed meanwhile is counted, and applied when it leaves or when the person asks.
 */

/**
 * How many rows would appear, vanish or move if `wanted` replaced `shown`. A row that jumps over a thousand others
 * is one change, not a thousand: the moved rows are those outside a longest run that keeps its order.
 */
export function countChanges(shown: readonly string[], wanted: readonly string[]): number {
  if (shown === wanted) return 0;
  const place = new Map(shown.map((id, index) => [id, index]));
  const places: number[] = [];
  let added = 0;
  for (const id of wanted) {
    const index = place.get(id);
    if (index === undefined) added += 1;
    else places.push(index);
  }
  const removed = shown.length - places.length;
  return added + removed + (places.length - longestRise(places));
}

/** Length of a longest increasing subsequence, in n log n: `tails[k]` is the least end of a rise of k + 1. */
function longestRise(values: readonly number[]): number {
  const tails: number[] = [];
  for (const value of values) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tails[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    tails[low] = value;
  }
  return tails.length;
}
