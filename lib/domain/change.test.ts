import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { apply, diff, same } from './change';
import type { Snapshot } from './snapshot';

// Many runs of one property: on a busy machine they take longer than a test is given by default.
vi.setConfig({ testTimeout: 60_000 });

/** Rows need no more than a name and something that may differ: diff and apply look at nothing else. */
const named = (name: string) =>
  fc
    .uniqueArray(
      fc.record({
        [name]: fc.oneof(
          fc.constantFrom('a', 'b', 'c', 'd', '__proto__'),
          fc.string({ unit: 'binary', maxLength: 2 }),
        ),
        value: fc.oneof(
          fc.integer({ min: 0, max: 2 }),
          fc.constant(null),
          fc.array(fc.boolean(), { maxLength: 2 }),
        ),
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
        // Nothing to tell but the version and the time.
        expect({ ...a, version: b.version, asOfMs: b.asOfMs }).toEqual(b);
        return;
      }
      expect(apply(a, patch)).toEqual(b);
    }),
    { numRuns: 300 },
  );
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
      const touched = new Set((patch.upsert.locks ?? []).map((row) => row.key));
      for (const row of next.locks) if (!touched.has(row.key)) expect(a.locks).toContain(row);
      if (patch.upsert.sessions === undefined && patch.remove.sessions === undefined)
        expect(next.sessions).toBe(a.sessions);
    }),
  );
});

test('a patch names only what changed', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), (a, b) => {
      const patch = diff(a, b);
      for (const row of patch?.upsert.locks ?? [])
        expect(a.locks.find((before) => before.key === row.key)).not.toEqual(row);
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
