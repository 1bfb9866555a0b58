import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Lock } from '@/lib/domain/model';
import { edited as editedByProgram } from '@/packages/cli/edited.mjs';
import { apply, diff, type RowEdit, same } from './change';
import { type Edit, edited, editOf } from './edit';
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

/** Rows need no more than a name and something that may differ: diff and apply look at nothing else. */
const named = (name: string) =>
  fc
    .uniqueArray(
      fc.record({
        [name]: fc.oneof(
          fc.constantFrom('a', 'b', 'c', 'd', '__proto__'),
          fc.string({ unit: 'binary', maxLength: 2 }),
        ),
        value: jsonValue,
        more: fc.option(jsonValue, { nil: null }),
      }),
      { maxLength: 8, selector: (row) => (row as Record<string, unknown>)[name] },
    )
    .map((rows) =>
      (rows as Record<string, string>[]).sort((x, y) => ((x[name] ?? '') < (y[name] ?? '') ? -1 : 1)),
    );

const snapshots = (version: number) =>
  fc.record({
    version: fc.constant(version),
    asOfMs: fc.integer({ min: 0, max: 1e6 }),
    source: fc.record({ provider: fc.constant('consul'), state: fc.constantFrom('live', 'stale') }),
    locks: named('key'),
    semaphores: named('prefix'),
    sessions: named('id'),
    findings: named('id'),
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
  const row = { key: 'a', value } as unknown as Lock;
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
  const locks = [{ key: 'a', value: 0 }];
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
        ...(patch.put.locks ?? []).map((row) => row.key),
        ...(patch.edit.locks ?? []).map(({ of }) => of),
      ]);
      for (const row of next.locks) if (!touched.has(row.key)) expect(a.locks).toContain(row);
      if (!(patch.put.sessions ?? patch.edit.sessions ?? patch.remove.sessions))
        expect(next.sessions).toBe(a.sessions);
    }),
  );
});

test('a patch names only what changed', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), (a, b) => {
      const patch = diff(a, b);
      for (const row of patch?.put.locks ?? [])
        expect(a.locks.find((before) => before.key === row.key)).not.toEqual(row);
      for (const { of } of patch?.edit.locks ?? []) {
        const row = (one: Snapshot) => one.locks.find(({ key }) => key === of);
        expect(same(row(a), row(b))).toBe(false);
        expect(patch?.put.locks?.some(({ key }) => key === of)).not.toBe(true);
      }
      for (const key of patch?.remove.locks ?? []) {
        expect(a.locks.some((row) => row.key === key)).toBe(true);
        expect(b.locks.some((row) => row.key === key)).toBe(false);
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
