/** What is made of the snapshots of a hub: once for all who ask the same within one version. */

interface Made<T> {
  readonly version: number;
  readonly by: Map<string, T>;
}

/** Of each hub: addresses are whatever people write into them. */
const keptMax = 8;

/** `base`: the hub that numbers the versions. `name`: by which what is made of one version differs. */
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
    const made = make();
    for (const oldest of by.keys()) if (by.size >= keptMax) by.delete(oldest);
    by.set(name, made);
    return made;
  };
}
