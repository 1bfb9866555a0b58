import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { rowOf, sessionRowOf } from '@/lib/providers/consul/fixture/rows';
import { absentFrom, uncoversRow, uncoversSession } from './uncovered-entries';

const row = (key: string, modifyIndex: string) => rowOf(key, { modifyIndex });
const to = (index: string | null) => () => index;

test('a new row was hidden exactly if the earlier answer covers its write', () => {
  const before = [row('a', '5'), row('c', '9')];
  expect(uncoversRow(before, [...before, row('d', '9')], to('9'))).toBe(true);
  expect(uncoversRow(before, [...before, row('d', '10')], to('9'))).toBe(false);
  const [a, c] = before as [ReturnType<typeof row>, ReturnType<typeof row>];
  expect(uncoversRow(before, [a, row('b', '7'), c], to('9'))).toBe(true);
  // Indexes are numbers, not texts.
  expect(uncoversRow(before, [a, row('b', '10'), c], to('9'))).toBe(false);
  expect(uncoversRow(before, [row('0', '3'), a], to('9'))).toBe(true);
  expect(uncoversRow(before, [a, row('b', '7'), c], to(null))).toBe(false);
});

test('a row that was there, changed or unchanged, was not hidden', () => {
  const before = [row('a', '5'), row('c', '9')];
  expect(uncoversRow(before, [row('a', '5'), row('c', '9')], to('9'))).toBe(false);
  expect(uncoversRow(before, [row('c', '12')], to('9'))).toBe(false);
  expect(uncoversRow(before, [], to('9'))).toBe(false);
});

test('a new session was hidden exactly if the earlier list covers its creation', () => {
  const session = (id: string, createIndex: string) => sessionRowOf(id, { createIndex });
  const before = [session('a', '5')];
  expect(uncoversSession(before, '9', [...before, session('b', '9')])).toBe(true);
  expect(uncoversSession(before, '9', [session('a', '5'), session('b', '10')])).toBe(false);
  expect(uncoversSession(before, null, [session('b', '3')])).toBe(false);
});

test('rows that were read in parts are judged by the part that lacks them, and others by the names', () => {
  const parts = [
    { part: { prefix: 'a/', exact: false }, absentTo: to('20') },
    { part: { prefix: 'b', exact: true }, absentTo: to(null) },
    { part: { prefix: 'c/', exact: false }, absentTo: to('7') },
  ];
  const absentTo = absentFrom(parts, '15');
  expect(['a/x', 'b', 'b/x', 'c/x', 'd'].map(absentTo)).toEqual(['20', null, '15', '7', '15']);
  expect(absentFrom(parts, null)('d')).toBeNull();
});

test('however rows come, change and go, none that was created later was hidden', () => {
  // A write to a key, or its end; a read may follow.
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c/d', 'c/e', 'f'),
    gone: fc.boolean(),
    read: fc.boolean(),
  });
  const hidden = fc.constantFrom('a', 'b0', 'g');
  fc.assert(
    fc.property(fc.array(step, { minLength: 1 }), hidden, (steps, hiddenKey) => {
      const rows = new Map<string, KvRow>([[hiddenKey, row(hiddenKey, '1')]]);
      const list = (all: boolean) =>
        [...rows.values()]
          .filter(({ key }) => all || key !== hiddenKey)
          .sort((x, y) => (x.key < y.key ? -1 : 1));
      let before = list(false);
      let index = '1';
      for (const [n, { key, gone, read }] of steps.entries()) {
        const written = String(n + 2);
        if (key !== hiddenKey && gone) rows.delete(key);
        else if (key !== hiddenKey) rows.set(key, row(key, written));
        if (!read) continue;
        expect(uncoversRow(before, list(false), to(index))).toBe(false);
        expect(uncoversRow(before, list(true), to(index))).toBe(true);
        [before, index] = [list(false), written];
      }
    }),
  );
});
