import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGroups } from './groups';

const name = fc.constantFrom('a', 'b', 'c');
const step = fc.record({ add: fc.boolean(), name, member: fc.integer({ min: 1, max: 24 }).map(String) });

describe('groups', () => {
  it('hold the members that were added and not removed, in any order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const groups = createGroups<string>();
        const plain = new Map<string, Set<string>>();
        for (const one of steps) {
          const members = plain.get(one.name) ?? new Set();
          plain.set(one.name, members);
          if (one.add) {
            groups.add(one.name, one.member);
            members.add(one.member);
          } else {
            groups.remove(one.name, one.member);
            members.delete(one.member);
          }
          expect([...groups.of(one.name)]).toEqual([...members]);
          expect(groups.has(one.name, '2')).toBe(members.has('2'));
          expect(groups.hasName(one.name)).toBe(members.size > 0);
        }
        const names = [...plain].filter(([, members]) => members.size > 0).map(([of]) => of);
        expect([...groups.names()].sort()).toEqual(names.sort());
      }),
    );
  });

  it('forget a name when the last one under it is taken away', () => {
    const groups = createGroups<object>();
    const [one, other] = [{}, {}];
    for (const member of [one, other]) groups.add('a', member);
    for (const member of [one, other]) groups.remove('a', member);
    expect([...groups.names()]).toEqual([]);
  });
});
