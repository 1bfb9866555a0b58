import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowOf } from '@/lib/providers/consul/fixture/rows';
import { changedRows } from './changed-rows';
import { createLockers } from './keys-by-session';

test('the sessions outside of a list are those that lock a key and are not in it, however rows and lists change', () => {
  const sessions = ['a', 'b', 'c', 'd'];
  const held = fc.dictionary(fc.constantFrom('k1', 'k2', 'k3', 'k4'), fc.constantFrom(null, ...sessions));
  const step = fc.tuple(held, fc.subarray(sessions), fc.boolean());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const lockers = createLockers();
      let before: ReturnType<typeof rowOf>[] = [];
      let listed: ReadonlySet<string> = new Set();
      for (const [now, list, isNewList] of steps) {
        const rows = Object.keys(now)
          .sort()
          .map((key) => rowOf(key, { session: now[key] ?? null }));
        for (const one of changedRows(before, rows)) lockers.change(one);
        before = rows;
        if (isNewList) listed = new Set(list);
        const locking = new Set(Object.values(now).filter((id) => id !== null));
        expect(new Set(lockers.outside(listed))).toEqual(
          new Set([...locking].filter((id) => !listed.has(id))),
        );
      }
    }),
  );
});
