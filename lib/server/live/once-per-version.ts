/** Computes a result from a hub's snapshot once for each version and name. */

interface Made<T> {
  readonly version: number;
  readonly by: Map<string, T>;
}

/** Clients choose addresses freely. */
const keptMax = 8;

/** `base`: the hub that numbers the versions. `name`: distinguishes results of one version. */
export function oncePerVersion<T>(): (
  of: { readonly base: object; readonly version: number; readonly name: string },
  make: () => T,
) => T {
  const known = new WeakMap<object, Made<T>>();
  return ({ base, version, name }, make) => {
    const before = known.get(base);
    const { by } = before?.version === version ? before : { by: new Map<string, T>() };
    if (before?.by !== by) known.set(base, { version, by });
    const found = by.get(name);
    if (found !== undefined) return found;
    const value = make();
    for (const oldest of by.keys()) if (by.size >= keptMax) by.delete(oldest);
    by.set(name, value);
    return value;
  };
}
