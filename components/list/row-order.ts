/**
 * Rows and slots stay where a person looks or points. Rows keep their order while the pointer or the focus is on their
 * list; changes are counted and applied later. Slots keep their place while their holder stays.
 */

export function placesIn(ids: readonly string[]): ReadonlyMap<string, number> {
  return new Map(ids.map((id, place) => [id, place]));
}

/**
 * The number of rows that would appear, vanish or move. A row that jumps over a thousand others is one change: the
 * moved rows are those outside a longest run that keeps its order.
 */
export function countChanges(shown: ReadonlyMap<string, number>, wanted: readonly string[]): number {
  const places: number[] = [];
  let added = 0;
  for (const id of wanted) {
    const index = shown.get(id);
    if (index === undefined) added += 1;
    else places.push(index);
  }
  const removed = shown.size - places.length;
  return added + removed + (places.length - longestRise(places));
}

/** A longest rise in n log n: `tails[k]` is the least end of a rise of k + 1. */
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

/**
 * Items of `before` keep their places, and new ones take the free ones. The backend may write holders in any order,
 * which is no change of hands.
 */
export function keepPlaces(before: readonly string[], now: readonly string[]): string[] {
  const places: (string | undefined)[] = now.map(() => undefined);
  const unplaced: string[] = [];
  for (const id of now) {
    const place = before.indexOf(id);
    // A session that is recorded twice takes two places.
    if (place !== -1 && place < now.length && places[place] === undefined) places[place] = id;
    else unplaced.push(id);
  }
  return places.flatMap((id) => {
    const taken = id ?? unplaced.shift();
    return taken === undefined ? [] : [taken];
  });
}
