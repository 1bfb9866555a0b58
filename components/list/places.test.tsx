import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Places } from './places';

test('each row begins where those before it end, and is found there, whatever was measured and moved', () => {
  const measured = fc.array(fc.tuple(fc.nat(19), fc.integer({ min: 1, max: 200 })), { maxLength: 30 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), measured, fc.boolean(), (count, heights, turned) => {
      const keyOf = (index: number) => `row ${index}`;
      const places = new Places(36);
      places.set(count, keyOf);
      const known = new Map<string, number>();
      for (const [index, height] of heights) {
        if (index >= count) continue;
        places.measure(index, height);
        known.set(keyOf(index), height);
      }
      // What was known of the places before must not be taken for those after.
      places.start(count);
      const keyNow = turned ? (index: number) => keyOf(count - 1 - index) : keyOf;
      places.set(count, keyNow);
      let end = 0;
      for (let index = 0; index < count; index += 1) {
        expect(places.start(index)).toBe(end);
        expect(places.at(end)).toBe(index);
        end += known.get(keyNow(index)) ?? 36;
        expect(places.at(end - 1)).toBe(index);
      }
      expect(places.start(count)).toBe(end);
      expect(places.at(-500)).toBe(0);
      expect(places.at(end + 500)).toBe(count - 1);
    }),
  );
});
