/** Makes a thing once in each world, for rows that look at it at different times. */
export function once<S extends object, T>(make: (stage: S) => Promise<T>): (stage: S) => Promise<T> {
  const made = new WeakMap<S, Promise<T>>();
  return (stage) => {
    const known = made.get(stage) ?? make(stage);
    made.set(stage, known);
    return known;
  };
}
