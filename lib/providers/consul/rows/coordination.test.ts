import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editCoordination, newCoordination, readCoordination } from './coordination';

const a = '0a0a0a0a-1111-2222-3333-444444444444';
const b = '0b0b0b0b-1111-2222-3333-444444444444';
const c = '0c0c0c0c-1111-2222-3333-444444444444';
const read = (text: string) => readCoordination(Buffer.from(text));
const edit = (text: string, change: Parameters<typeof editCoordination>[1]) => {
  const { coordination } = read(text);
  if (coordination === null) throw new Error('not readable');
  return editCoordination(coordination, change).toString();
};

describe('reading', () => {
  test("Go's map and the Java list are both understood", () => {
    expect(read(`{"Limit":2,"Holders":{"${a}":true}}`)).toMatchObject({
      coordination: { shape: 'map', limit: 2, holders: [a] },
      problems: [],
    });
    expect(read(`{"limit":3,"holders":["${a}","${b}"]}`)).toMatchObject({
      coordination: { shape: 'list', limit: 3, holders: [a, b] },
      problems: [],
    });
  });

  test.each([
    ['', 'empty-value'],
    ['nope', 'not-json'],
    ['{"Limit":2,"Holders":{},}', 'not-json'],
    ['[1]', 'not-an-object'],
    ['{"Holders":{}}', 'limit-missing'],
    ['{"Limit":2.0,"Holders":{}}', 'limit-not-integer'],
    ['{"Limit":"2","Holders":{}}', 'limit-not-integer'],
    ['{"Limit":1e1,"Holders":{}}', 'limit-not-integer'],
    ['{"Limit":null,"Holders":{}}', 'limit-missing'],
    ['{"Limit":"3","limit":3,"Holders":{}}', 'limit-not-integer'],
    ['{"Limit":2}', 'holders-missing'],
    ['{"Limit":2,"Holders":null}', 'holders-missing'],
    ['{"Limit":2,"Holders":"x"}', 'holders-wrong-type'],
    [`{"Limit":2,"Holders":{"${a}":2}}`, 'holders-wrong-type'],
    ['{"Limit":2,"limit":3,"Holders":{}}', 'duplicate-fields'],
  ])('%s is not writable: %s', (text, code) => {
    const reading = read(text);
    expect(reading.coordination).toBeNull();
    expect(reading.problems.map((p) => p.code)).toContain(code);
  });

  test('a value nested without end is refused, not a crash', () => {
    expect(read('['.repeat(200_000) + ']'.repeat(200_000)).coordination).toBeNull();
  });

  test('a holder named by half of a character is read as Go reads it, and can be put into an address', () => {
    for (const text of ['{"Limit":1,"Holders":{"\\ud800":true}}', '{"limit":1,"holders":["\\udfff"]}']) {
      const { coordination, holders, problems } = read(text);
      expect(holders).toEqual(['\ufffd']);
      expect(problems.map((p) => p.code)).toContain('holder-not-a-session');
      // An edit keeps the stored text, at any reading of it.
      if (coordination === null) throw new Error('not readable');
      expect(editCoordination(coordination, { holders: holders ?? [] }).toString()).toBe(text);
    }
  });

  test("a name that a map has twice is one holder, as clients count it; a list's counts twice", () => {
    expect(read(`{"Limit":1,"Holders":{"${a}":true,"${a}":true}}`)).toMatchObject({
      holders: [a],
      problems: [{ code: 'holder-repeated', detail: a }],
    });
    expect(read(`{"limit":1,"holders":["${a}","${a}"]}`)).toMatchObject({ holders: [a, a] });
  });

  test('a holder that is named after one that is named twice is a holder', () => {
    expect(read(`{"Limit":3,"Holders":{"${a}":true,"${a}":true,"${b}":true}}`).holders).toEqual([a, b]);
  });

  test('more names than there can be sessions in one entry are not taken for holders', () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => String(i));
    const { coordination, holders, problems } = read(JSON.stringify({ limit: 1, holders: names(13_444) }));
    expect({ coordination, holders }).toEqual({ coordination: null, holders: null });
    expect(problems).toEqual([{ code: 'holders-wrong-type', detail: 'more than 13443' }]);
    expect(read(JSON.stringify({ limit: 1, holders: names(13_443) })).holders).toHaveLength(13_443);
  });

  test('no bytes make it throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void readCoordination(Buffer.from(bytes))),
    );
    fc.assert(fc.property(fc.json(), (text) => void read(text)));
  });
});

describe('editing', () => {
  test('unknown fields, big numbers, letter case, order and white space stay as they were', () => {
    expect(
      edit(
        `{ "owner": 18446744073709551615, "LIMIT" : 2,\n "holders": {"${a}": true, "${b}":false}, "z":[1.0] }`,
        {
          limit: 5,
          holders: [b, c],
        },
      ),
    ).toBe(
      `{ "owner": 18446744073709551615, "LIMIT" : 5,\n "holders": {"${b}":false,"${c}":true}, "z":[1.0] }`,
    );
  });

  test('a list stays a list', () => {
    expect(edit(`{"limit":3,"holders":["${a}","${b}"]}`, { holders: [b] })).toBe(
      `{"limit":3,"holders":["${b}"]}`,
    );
  });

  test('an empty edit changes no byte', () => {
    const text = `{"Limit" : 2, "Holders":{ "${a}" : true }}`;
    expect(edit(text, {})).toBe(text);
  });

  test('a written entry is read back, for any holders and limit', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('map' as const, 'list' as const),
        fc.integer({ min: 1, max: 1e6 }),
        fc.uniqueArray(fc.uuid(), { maxLength: 8 }),
        fc.uniqueArray(fc.uuid(), { maxLength: 8 }),
        (shape, limit, before, after) => {
          const { coordination } = readCoordination(newCoordination(shape, limit, before));
          if (coordination === null) throw new Error('our own value was not read');
          const again = readCoordination(
            editCoordination(coordination, { limit: limit + 1, holders: after }),
          );
          expect(again.coordination).toMatchObject({ shape, limit: limit + 1, holders: after });
        },
      ),
    );
  });
});

test('a repeated last name among as many holders as an entry can carry is reported', () => {
  const many = Array.from({ length: 13_000 }, (_, i) => i.toString(36));
  const { holders, problems } = readCoordination(newCoordination('list', 1, [...many, 'a']));
  expect(holders).toHaveLength(13_001);
  expect(problems.map((p) => p.code)).toContain('duplicate-holders');
});
