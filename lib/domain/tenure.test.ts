import { expect, test } from 'vitest';
import { tenureOf } from './tenure';

test.each([
  ['nothing moved', ['7', '4'], ['7', '4'], 'kept'],
  ['a rise is an acquisition', ['7', '9'], ['7', '10'], 'retaken'],
  ['a plain write lets the index fall', ['7', '1'], ['7', '0'], 'overwritten'],
  [
    'one beyond what a number can tell apart',
    ['7', '9007199254740992'],
    ['7', '9007199254740993'],
    'retaken',
  ],
  ['a key made anew counts from the beginning', ['7', '4'], ['9', '1'], 'retaken'],
  ['a key made anew at the same count', ['7', '1'], ['9', '1'], 'retaken'],
] as const)(
  'a new acquisition by the same session differs from a plain write: %s',
  (_, before, now, tenure) => {
    const of = ([createIndex, lockIndex]: readonly [string, string]) => ({ createIndex, lockIndex });
    expect(tenureOf(of(before), of(now))).toBe(tenure);
  },
);
