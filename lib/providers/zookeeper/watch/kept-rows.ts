/** Rows keep their identity while they say the same, and a list does while its rows are the same. */

/** Plain data alone, as the model's rows are. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, i) => isSame(value, other[i]))
    );
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) &&
        isSame((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]),
    )
  );
}

/** Both sorted by a name that is theirs alone. */
export function keepRows<R>(
  before: readonly R[],
  after: readonly R[],
  nameOf: (row: R) => string,
): readonly R[] {
  let at = 0;
  const kept = after.map((row) => {
    const name = nameOf(row);
    let was = before[at];
    while (was !== undefined && nameOf(was) < name) was = before[++at];
    return was !== undefined && nameOf(was) === name && isSame(was, row) ? was : row;
  });
  return kept.length === before.length && kept.every((row, i) => row === before[i]) ? before : kept;
}
