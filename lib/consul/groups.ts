/**
 * What belongs together under a name. Mostly that is one thing, at times thousands: one stands for itself, since a set of
 * one weighs 170 bytes, and there are names for nearly every row.
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

/** No groups yet. A member is never a `Set`. */
export function createGroups<T extends string | object>(): Groups<T> {
  const groups = new Map<string, T | Set<T>>();
  return {
    add: (name, member) => {
      const group = groups.get(name);
      if (group === undefined) groups.set(name, member);
      else if (group instanceof Set) group.add(member);
      else if (group !== member) groups.set(name, new Set([group, member]));
    },
    remove: (name, member) => {
      const group = groups.get(name);
      if (group === member) groups.delete(name);
      if (!(group instanceof Set)) return;
      group.delete(member);
      if (group.size > 1) return;
      for (const last of group) groups.set(name, last);
    },
    has: (name, member) => {
      const group = groups.get(name);
      return group instanceof Set ? group.has(member) : group !== undefined && group === member;
    },
    of: (name) => {
      const group = groups.get(name);
      return group === undefined ? [] : group instanceof Set ? group : [group];
    },
    names: () => groups.keys(),
    hasName: (name) => groups.has(name),
  };
}
