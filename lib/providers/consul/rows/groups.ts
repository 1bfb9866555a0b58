/**
 * Members by name. A single member is stored as itself and a few as a list. A set of one weighs 170 bytes, and nearly
 * every row has a name.
 */

/** Each member is in a group once. */
export interface Groups<T> {
  add(name: string, member: T): void;
  remove(name: string, member: T): void;
  has(name: string, member: T): boolean;
  /** The members in order of arrival. */
  of(name: string): Iterable<T>;
  names(): Iterable<string>;
  hasName(name: string): boolean;
}

/** Most members in a list. Longer lists take too long to search. */
const fewMax = 16;

/** Members must be neither lists nor sets. */
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
      // `concat` leaves no room to grow, which would take more than half of the list.
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
