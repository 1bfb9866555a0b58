import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRowList } from './row-list';

test('after any changes it is what sorting everything gives, and the same list while nothing changes', () => {
  const name = fc.stringMatching(/^[ab🦊]{1,4}$/u);
  const step = fc.tuple(name, fc.option(fc.nat()), fc.boolean());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = createRowList<string>();
      const model = new Map<string, string>();
      for (const [key, value, asks] of steps) {
        if (value === null) {
          list.delete(key);
          model.delete(key);
        } else {
          list.set(key, `${key} ${value}`);
          model.set(key, `${key} ${value}`);
        }
        if (!asks) continue;
        const sorted = [...model.keys()].sort((a, b) => (a < b ? -1 : 1));
        expect(list.rows()).toEqual(sorted.map((one) => model.get(one)));
        expect(list.changed).toBe(false);
        expect(list.rows()).toBe(list.rows());
      }
    }),
  );
});
