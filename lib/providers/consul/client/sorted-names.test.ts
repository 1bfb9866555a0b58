import fc from 'fast-check';
import { expect, test } from 'vitest';
import { covers, namesOutside, type Stretch, straysIn } from './sorted-names';

const bodyOf = (names: readonly string[], indent?: number) =>
  Buffer.from(JSON.stringify(names, null, indent));
const inByteOrder = (names: Iterable<string>) =>
  [...new Set(names)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
const walked = (names: readonly string[], known: readonly Stretch[]) =>
  names.filter((name) => !known.some((one) => covers(one, name)));

/** Long enough that stretches are longer than what is walked. */
const part = fc.tuple(
  fc.constantFrom('a', 'a/', 'ab', 'b', 'ü', '😀', ',', ' , ', ',,'),
  fc.integer({ min: 1, max: 120 }),
  fc.constantFrom('', '-', ',', ' ', '/é'),
);
const worlds = fc
  .array(part, { minLength: 1, maxLength: 8 })
  .map((parts) =>
    inByteOrder(
      parts.flatMap(([prefix, count, more]) =>
        Array.from({ length: count }, (_, n) => `${prefix}${more}${n}`),
      ),
    ),
  );
const stretches = fc.uniqueArray(
  fc.record({
    prefix: fc.constantFrom('a', 'a/', 'a1', 'ab', 'b-', 'b', 'ü', '😀1', ',', 'z', 'b7'),
    exact: fc.boolean(),
  }),
  { maxLength: 6, selector: ({ prefix, exact }) => `${exact} ${prefix}` },
);

test('the names outside of all stretches are those that walking the list finds', () => {
  fc.assert(
    fc.property(worlds, stretches, fc.constantFrom(undefined, 4), (names, known, indent) => {
      const found = namesOutside(bodyOf(names, indent), known);
      // `null` leaves it to reading the whole.
      if (found !== null) expect(found).toEqual(walked(names, known));
      expect(straysIn(names, known).names).toEqual(walked(names, known));
    }),
    { numRuns: 500 },
  );
});

test('a long list is not read as a whole, and its only name at a new place is found', () => {
  const names = inByteOrder([
    ...Array.from({ length: 20_000 }, (_, n) => `jobs/${n}`),
    'jobz',
    ...Array.from({ length: 20_000 }, (_, n) => `locks/${n}/.lock`),
  ]);
  const known = [
    ...'123456789'.split('').map((digit) => ({ prefix: `jobs/${digit}`, exact: false })),
    { prefix: 'jobs/0', exact: true },
    { prefix: 'locks/', exact: false },
  ];
  expect(namesOutside(bodyOf(names), known)).toEqual(['jobz']);
});

test('a name that is escaped leaves the list to be read as a whole', () => {
  const names = ['a"b', 'b\\', 'c\n', 'd'];
  expect(namesOutside(bodyOf(names), [{ prefix: 'a', exact: false }])).toBeNull();
  expect(straysIn(names, [{ prefix: 'a', exact: false }])).toEqual({ any: true, names: ['b\\', 'c\n', 'd'] });
});

test('a broken list is left to be refused', () => {
  const body = bodyOf(['a1', 'a2']);
  for (let length = 1; length < body.length - 1; length += 1)
    expect(namesOutside(body.subarray(0, length), [{ prefix: 'a', exact: false }])).toBeNull();
  expect(namesOutside(Buffer.from('{"error":"x"}'), [])).toBeNull();
  expect(straysIn(undefined, [])).toEqual({ any: false, names: [] });
  expect(() => straysIn({ error: 'x' }, [])).toThrow();
});
