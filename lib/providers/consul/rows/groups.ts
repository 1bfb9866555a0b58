/**
 * What belongs together under a name. Mostly that is one thing, at times thousands: one stands for itself, a few are a list,
 * since a set of one weighs 170 bytes and one of ten 360, and there are names for nearly every row.
 */

/** Strings or objects by name; each is in a group once. */
export interface Groups<T> {
  add(name: string, member: T): void;
  remove(name: string, member: T): void;
  has(name: string, member: T): boolean;
  /** In the order in which they came. None for a name that has no group. */
  of(name: string): Iterable<T>;
  /** Every name with something under it. */
  names(): Iterable<string>;
  hasName(name: string): boolean;
}

/** From here on a list takes longer to look through than anybody should wait. */
const fewMax = 16;

/** No groups yet. A member is neither a list nor a set. */
export function createGroups<T extends string | object>(): Groups<T> {
  const groups = new Map<string, T | readonly T[] | Set<T>>();
  const of = (name: string): readonly T[] | Set<T> => {
    const group = groups.get(name);
    if (group === undefined) return [];
    return group instanceof Set || Array.isArray(group) ? group : [group as T];
  };
  const holds = (group: readonly T[] | Set<T>, member: T) =>
    group instanceof Set ? group.has(member) : group.includes(member);
  return {
    add: (name, member) => {
      const group = of(name);
      if (holds(group, member)) return;
      if (group instanceof Set) group.add(member);
      else if (group.length === 0) groups.set(name, member);
      // Without room to grow, which would be more than half of it.
      else groups.set(name, group.length < fewMax ? group.concat([member]) : new Set([...group, member]));
    },
    remove: (name, member) => {
      const group = of(name);
      if (group instanceof Set) {
        group.delete(member);
        if (group.size === 0) groups.delete(name);
        return;
      }
      const others = group.filter((one) => one !== member);
      const [first] = others;
      if (first === undefined) groups.delete(name);
      else if (others.length < group.length) groups.set(name, others.length === 1 ? first : others);
    },
    has: (name, member) => holds(of(name), member),
    of,
    names: () => groups.keys(),
    hasName: (name) => groups.has(name),
  };
}
