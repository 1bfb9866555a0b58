import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reply } from '@/lib/providers/consul/client/client';
import { readBody, readList } from '@/lib/providers/consul/client/large-body';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { rowOf } from '@/lib/providers/consul/fixture/rows';
import { isCut, keepRows, newReadings, newRoot, prefixesOf, saysSame, take } from './readings';

const reply = (change: Partial<Reply<readonly KvRow[]>>): Reply<readonly KvRow[]> => ({
  value: [],
  index: '7',
  lastContactMs: 0,
  knownLeader: true,
  filtered: false,
  ...change,
});

test('that Consul left something out is kept with the root, and forgotten when it leaves out nothing', () => {
  const [root] = newReadings(['a/']).roots;
  if (root === undefined) throw new Error('no root');
  take({ tick: 1 }, root, reply({ filtered: true }), { askedTick: 1, stale: false });
  expect(root.filtered).toBe(true);
  take({ tick: 2 }, root, reply({ index: '8' }), { askedTick: 2, stale: false });
  expect(root.filtered).toBe(false);
});

test('an answer that is older than what is there changes nothing', () => {
  const [root] = newReadings(['a/']).roots;
  if (root === undefined) throw new Error('no root');
  take({ tick: 5 }, root, reply({ index: '9', filtered: true }), { askedTick: 5, stale: false });
  take({ tick: 6 }, root, reply({ index: '8' }), { askedTick: 4, stale: false });
  expect(root).toMatchObject({ index: '9', filtered: true });
});

test('an answer with a lower index is older also when it was asked for later, unless the other had come in by then', () => {
  const [root] = newReadings(['a/']).roots;
  if (root === undefined) throw new Error('no root');
  // A query blocking since tick 1 brings 9 while one of tick 2 is under way.
  const readings = { tick: 2 };
  take(readings, root, reply({ index: '9' }), { askedTick: 1, stale: false });
  take(readings, root, reply({ index: '8' }), { askedTick: 2, stale: false });
  expect(root.index).toBe('9');
  take(readings, root, reply({ index: '3' }), { askedTick: readings.tick, stale: false });
  expect(root.index, 'the index has started anew').toBe('3');
});

const row = (key: string, modifyIndex = '1', session: string | null = null): KvRow =>
  rowOf(key, { value: Buffer.from(modifyIndex), session, modifyIndex });

test('rows that have not changed stay the same objects, and a list in which none has stays the same list', () => {
  const before = [row('a'), row('b'), row('d')];
  expect(keepRows(before, [row('a'), row('b'), row('d')]).rows).toBe(before);
  const { rows } = keepRows(before, [row('a'), row('b', '2'), row('c'), row('d')]);
  expect(rows.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd']);
  expect(rows[0]).toBe(before[0]);
  expect(rows[1]).not.toBe(before[1]);
  expect(rows[3]).toBe(before[2]);
  expect(keepRows(before, [row('a'), row('d')]).rows).toEqual([before[0], before[2]]);
});

test('of any two reads all that says the same is the same object, and no change of locks is missed or made up', () => {
  // In Consul's order, which differs from that of text.
  const keys = ['a', '\uffee', '\u{1f512}', '\u{1f513}'];
  const states = fc.constantFrom(null, ['1', null], ['1', 's'], ['2', 's']);
  const read = fc
    .array(states, { minLength: keys.length, maxLength: keys.length })
    .map((all) =>
      all.flatMap((state, i) =>
        state === null ? [] : [row(keys[i] ?? '', state[0] ?? '', state[1] ?? null)],
      ),
    );
  const says = (one: KvRow | undefined) => (one === undefined ? null : `${one.modifyIndex} ${one.session}`);
  fc.assert(
    fc.property(read, read, fc.boolean(), (first, second, sameObjects) => {
      const before = keepRows(null, first).rows;
      const was = new Map(before.map((one) => [one.key, one]));
      // As `readRows` gives them, or as `get` does.
      const again = second.map((one) => {
        const known = was.get(one.key);
        return sameObjects && known !== undefined && says(known) === says(one) ? known : one;
      });
      const { rows, locksChanged } = keepRows(before, again);
      expect(rows.map(({ key }) => key)).toEqual(again.map(({ key }) => key).sort());
      for (const one of again) {
        const known = was.get(one.key);
        const kept = known !== undefined && says(known) === says(one) ? known : one;
        expect(rows.find(({ key }) => key === one.key)).toBe(kept);
      }
      const is = new Map(again.map((one) => [one.key, one]));
      const moved = keys.some((key) => (was.get(key)?.session ?? null) !== (is.get(key)?.session ?? null));
      expect(locksChanged).toBe(moved);
      expect(rows === before).toBe(keys.every((key) => says(was.get(key)) === says(is.get(key))));
    }),
    { numRuns: 1_000 },
  );
});

test('rows that Consul sorts by bytes are sorted as text compares', () => {
  const byBytes = [row('a\uffee'), row('a\u{1f512}')];
  expect(keepRows(null, byBytes).rows.map(({ key }) => key)).toEqual(['a\u{1f512}', 'a\uffee']);
});

test.each([
  ['taken', [row('a')], [row('a', '2', 's')], true],
  ['freed', [row('a', '1', 's')], [row('a', '2')], true],
  ['deleted while held', [row('a', '1', 's'), row('b')], [row('b')], true],
  ['deleted while held, the last one', [row('a'), row('b', '1', 's')], [row('a')], true],
  ['created held', [row('b')], [row('a', '1', 's'), row('b')], true],
  ['written to', [row('a', '1', 's')], [row('a', '2', 's')], false],
  ['deleted while free', [row('a'), row('b', '1', 's')], [row('b', '1', 's')], false],
])('a lock that was %s counts as a change of locks, or not', (_what, before, after, changed) => {
  expect(keepRows(before, after).locksChanged).toBe(changed);
});

test('a part whose answer says what its rows say is not parsed at its next answer', async () => {
  const whole = Array.from({ length: 4_000 }, (_, n) => row(`a/${n + 1_000}`));
  const part = whole.slice(500);
  const body = () => readBody(Buffer.from(JSON.stringify(part.map(({ key }) => ({ Key: key })))));
  let parsed = 0;
  const parse = () => {
    parsed += 1;
    return part.map((one) => ({ ...one }));
  };
  const first = await readList(body(), part, parse);
  expect(saysSame(part, first.slice(1))).toBe(false);
  expect(saysSame(part, first)).toBe(true);
  expect(await readList(body(), part, parse)).toBe(part);
  expect(parsed).toBe(1);
});

test('a prefix that is read in parts is cut when something was left out of one part', () => {
  const readings = newReadings(['a/', 'b/']);
  const part = (prefix: string, value: readonly KvRow[]) =>
    newRoot({ prefix, of: 'a/', exact: false }, { value });
  const [a1, a2] = [part('a/1', [row('a/1')]), part('a/2', [row('a/2'), row('a/2x')])];
  readings.roots = [a1, a2, ...readings.roots.slice(1)];
  expect(prefixesOf(readings)).toEqual(['a/', 'b/']);
  expect(isCut(readings)).toBe(false);
  a2.filtered = true;
  expect(isCut(readings)).toBe(true);
});
