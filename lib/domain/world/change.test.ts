import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Lock } from '@/lib/domain/model';
import { rowName } from '@/lib/domain/source';
import { lockName } from '@/lib/domain/subject';
import { edited as editedByProgram } from '@/packages/cli/edited.mjs';
import { apply, diff, type RowEdit, same } from './change';
import { type Edit, edited, editOf } from './edit';
import { editedName, removedIn } from './row-names';
import type { Snapshot } from './snapshot';

// Many runs of one property: on a busy machine they take longer than a test is given by default.
vi.setConfig({ testTimeout: 60_000 });

const fields = ['sessionId', 'id', 'code', 'x', '__proto__', 'toString'];

/** Few names and values, so that two of them often have a part in common. */
const jsonValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.constantFrom(null, 0, 1, '', 'a', 'b', false),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom(...fields), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

/** A row needs no more than a source, a name and something that may differ: nothing else is looked at. */
interface Named {
  readonly source: string;
  readonly [name: string]: unknown;
}
const nameIn = (name: string) => (row: Named) =>
  name === 'finding' ? String(row.id) : rowName(row.source, String(row[name]));

const named = (name: string) =>
  fc
    .uniqueArray(
      fc.record({
        source: fc.constantFrom('consul', 'other', 'constructor'),
        [name === 'finding' ? 'id' : name]: fc.oneof(
          // The second looks like a name of another source's row.
          fc.constantFrom('a', 'other!a', 'c', 'd', '__proto__'),
          fc.string({ unit: 'binary', maxLength: 2 }),
        ),
        value: jsonValue,
        more: fc.option(jsonValue, { nil: null }),
      }) as fc.Arbitrary<Named>,
      { maxLength: 8, selector: nameIn(name) },
    )
    .map((rows) => [...rows].sort((x, y) => (nameIn(name)(x) < nameIn(name)(y) ? -1 : 1)));

const snapshots = (version: number) =>
  fc.record({
    version: fc.constant(version),
    asOfMs: fc.integer({ min: 0, max: 1e6 }),
    source: fc.record({ provider: fc.constant('consul'), state: fc.constantFrom('live', 'stale') }),
    locks: named('key'),
    semaphores: named('prefix'),
    sessions: named('id'),
    findings: named('finding'),
  }) as unknown as fc.Arbitrary<Snapshot>;

test('apply(a, diff(a, b)) = b', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), (a, b) => {
      const patch = diff(a, b);
      if (patch === null) {
        // Only the version and the time differ.
        expect({ ...a, version: b.version, asOfMs: b.asOfMs }).toEqual(b);
        return;
      }
      expect(apply(a, patch)).toEqual(b);
    }),
    { numRuns: 150 },
  );
});

test('for any two values, the edit leads to the other one, also over the wire', () => {
  fc.assert(
    fc.property(jsonValue, jsonValue, (a, b) => {
      const edit = editOf(a, b);
      expect(edit === null).toBe(same(a, b));
      if (edit === null || edit === 'all') return;
      expect(same(edited(a, edit), b)).toBe(true);
      const wired = JSON.parse(JSON.stringify(edit));
      expect(same(edited(a, wired), b)).toBe(true);
      expect(same(editedByProgram(a, wired), b)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('an edit takes from its reader nothing that the reader does not have', () => {
  fc.assert(
    fc.property(jsonValue, jsonValue, jsonValue, (a, b, other) => {
      const edit = editOf(a, b);
      if (edit === null || edit === 'all') return;
      const frozen = JSON.stringify(other);
      // Another value may have all that the edit names, as one with more members has; it is edited whole or not at all.
      expect(same(edited(other, edit), editedByProgram(other, edit))).toBe(true);
      expect(JSON.stringify(other)).toBe(frozen);
    }),
    { numRuns: 1_000 },
  );
});

test.each<[string, unknown, Edit]>([
  ['a member that is not there', { a: 1 }, { in: { b: { set: { c: 1 } } } }],
  ['a member that is inherited', { a: 1 }, { in: { toString: { set: { c: 1 } } } }],
  ['a member that is gone already', { a: 1 }, { drop: ['b'] }],
  ['members of a list', [1], { set: { a: 1 } }],
  ['members of null', null, { set: { a: 1 } }],
  ['items of an object', { a: 1 }, { list: [] }],
  ['an item past the end', [{}], { list: [{ at: 1, edit: { set: { a: 1 } } }] }],
  ['more items than there are', [1, 2], { list: [{ from: 1, count: 2 }] }],
  ['a part of what has no parts', { a: 1 }, { set: { b: 2 }, in: { a: { set: { c: 1 } } } }],
])('an edit of %s does not fit', (_, value, edit) => {
  expect(edited(value, edit)).toBeUndefined();
  expect(editedByProgram(value, edit)).toBeUndefined();
  // Deep in a row it is the whole patch that does not fit.
  const row = { source: 'consul', key: 'a', value } as unknown as Lock;
  const snapshot = { version: 1, asOfMs: 0, locks: [row], semaphores: [], sessions: [], findings: [] };
  const rows = { locks: [{ of: 'a', in: { value: edit } }] };
  const patch = { from: 1, to: 2, asOfMs: 0, put: {}, edit: rows, remove: {} };
  expect(apply(snapshot as unknown as Snapshot, patch)).toBeNull();
});

test.each<[string, RowEdit]>([
  ['a row that is not there', { of: 'b', set: { value: 1 } }],
  ['the name of a row', { of: 'a', set: { key: 'b' } }],
  ['a row without its name', { of: 'a', drop: ['key'] }],
])('a patch that edits %s is refused', (_, edit) => {
  const locks = [{ source: 'consul', key: 'a', value: 0 }];
  const snapshot = { version: 1, asOfMs: 0, locks, semaphores: [], sessions: [], findings: [] };
  const patch = { from: 1, to: 2, asOfMs: 0, put: {}, edit: { locks: [edit] }, remove: {} };
  expect(apply(snapshot as unknown as Snapshot, patch)).toBeNull();
});

test('what an edit does not name keeps its identity, in lists too where others came, left or moved', () => {
  const holds = Array.from({ length: 100 }, (_, n) => ({ source: 'consul', kind: 'lock', key: `jobs/${n}` }));
  const since = { atMs: 1, basis: 'observed' };
  const was = { id: 's', holds, since, value: { content: 'x' } };
  const moved = [
    holds[99],
    ...holds.slice(0, 40),
    { source: 'consul', kind: 'lock', key: 'new' },
    ...holds.slice(41, 99),
  ];
  const is = structuredClone({ ...was, holds: moved, value: { content: 'y' } });
  const edit = editOf(was, is) as Edit;
  const after = edited(was, edit) as typeof was;
  expect(after).toEqual(is);
  expect(after.since).toBe(since);
  expect(after.holds[0]).toBe(holds[99]);
  expect(after.holds[1]).toBe(holds[0]);
  expect(after.holds[42]).toBe(holds[41]);
  // The hundred are not in it, only where they are now.
  expect(JSON.stringify(edit).length).toBeLessThan(250);
});

test('the same holds after the patch has been on the wire', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), (a, b) => {
      const patch = diff(a, b);
      if (patch !== null) expect(apply(a, JSON.parse(JSON.stringify(patch)))).toEqual(b);
    }),
  );
});

test('a patch from another version is refused, so that a reader asks for a snapshot instead of guessing', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), (a, b) => {
      const patch = diff(a, b);
      if (patch !== null) expect(apply({ ...a, version: 7 }, patch)).toBeNull();
    }),
  );
});

test('a snapshot that says the same makes no patch', () => {
  fc.assert(
    fc.property(snapshots(1), (a) => {
      expect(diff(a, { ...structuredClone(a), version: 2, asOfMs: a.asOfMs + 1 })).toBeNull();
    }),
  );
});

test('rows that a patch does not name keep their identity, and so do whole tables', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), (a, b) => {
      const patch = diff(a, b);
      const next = patch === null ? null : apply(a, patch);
      if (patch === null || next === null) return;
      const touched = new Set([
        ...(patch.put.locks ?? []).map(lockName),
        ...(patch.edit.locks ?? []).map(editedName),
      ]);
      for (const row of next.locks) if (!touched.has(lockName(row))) expect(a.locks).toContain(row);
      const said = patch.put.sessions ?? patch.edit.sessions ?? removedIn(patch, 'sessions');
      if (said.length === 0) expect(next.sessions).toBe(a.sessions);
    }),
  );
});

test('a patch names only what changed', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), (a, b) => {
      const patch = diff(a, b);
      for (const row of patch?.put.locks ?? [])
        expect(a.locks.find((before) => lockName(before) === lockName(row))).not.toEqual(row);
      for (const edit of patch?.edit.locks ?? []) {
        const row = (one: Snapshot) => one.locks.find((lock) => lockName(lock) === editedName(edit));
        expect(same(row(a), row(b))).toBe(false);
        expect(patch?.put.locks?.some((lock) => lockName(lock) === editedName(edit))).not.toBe(true);
      }
      for (const name of patch === null ? [] : removedIn(patch, 'locks')) {
        expect(a.locks.some((row) => lockName(row) === name)).toBe(true);
        expect(b.locks.some((row) => lockName(row) === name)).toBe(false);
      }
    }),
  );
});

test.each([
  [{ a: undefined }, {}, false],
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [[], {}, false],
  [[1, 2], [2, 1], false],
  [null, {}, false],
  [{ toString: 1 }, { valueOf: 1 }, false],
])('%j and %j: the same is %s', (a, b, expected) => {
  expect(same(a, b)).toBe(expected);
});

test('the same key in two sources is two rows, and what goes of one source says nothing of the other', () => {
  const rows = ['consul', 'other'].map((source) => ({ source, key: 'a', value: 0 }));
  const before = { version: 1, asOfMs: 1, locks: rows, semaphores: [], sessions: [], findings: [] };
  const a = before as unknown as Snapshot;
  const without = (source: string) =>
    ({ ...a, version: 2, locks: a.locks.filter((row) => row.source !== source) }) as Snapshot;
  expect(diff(a, without('consul'))).toMatchObject({ remove: { locks: ['a'] } });
  expect(diff(a, without('consul'))).not.toHaveProperty('removeIn');
  expect(diff(a, without('other'))).toMatchObject({ remove: {}, removeIn: { other: { locks: ['a'] } } });
  for (const source of ['consul', 'other']) {
    const patch = diff(a, without(source));
    expect(patch === null ? null : apply(a, patch)?.locks).toEqual(without(source).locks);
  }
});
