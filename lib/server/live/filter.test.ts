import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { apply, stepOf } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type Filter, filterPatch, filterSnapshot } from './filter';

// Many runs of one property take longer than the default timeout on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const names = ['in/a', 'in/b', 'out/a', 'out/b'];
const subject = fc.oneof(
  fc.constantFrom(...names).map((key) => ({ kind: 'lock' as const, key })),
  fc.constantFrom(...names).map((prefix) => ({ kind: 'semaphore' as const, prefix })),
);
const some = fc.uniqueArray(subject, { maxLength: 3, selector: (one) => JSON.stringify(one) });
const sorted = <R>(rows: readonly R[], name: keyof R) =>
  [...rows].sort((a, b) => (String(a[name]) < String(b[name]) ? -1 : 1));
const table = (name: string, from: readonly string[], more: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .uniqueArray(fc.record({ [name]: fc.constantFrom(...from), ...more }), {
      maxLength: 4,
      selector: (row) => row[name],
    })
    .map((rows) => sorted(rows, name));
const few = fc.integer({ min: 0, max: 1 });

const snapshots = (version: number) =>
  fc
    .record({
      version: fc.constant(version),
      asOfMs: fc.constant(version),
      source: fc.record({ state: fc.constantFrom('live', 'stale') }),
      locks: table('key', names, { value: few }),
      semaphores: table('prefix', names, {
        holders: fc.array(fc.record({ sessionId: few }), { maxLength: 3 }),
      }),
      sessions: table('id', ['s1', 's2', 's3'], { holds: some, wants: some, node: few }),
      findings: table('id', ['f1', 'f2'], { subject, also: some, code: few }),
      renewals: table('id', ['s1', 's2', 's3'], { lastMs: few }),
    })
    // As a provider makes them: for present sessions.
    .map((one) => ({
      ...one,
      renewals: one.renewals.filter(({ id }) => one.sessions.some((session) => session.id === id)),
    })) as unknown as fc.Arbitrary<Snapshot>;

const filters: fc.Arbitrary<Filter> = fc.record({
  prefix: fc.constantFrom('', 'in/', 'in/a'),
  kind: fc.constantFrom('lock', 'semaphore', 'session', null),
});

test('a reader of a part who applies every patch has that part of the world, at any arrivals and departures', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), filters, (a, b, filter) => {
      const step = stepOf(a, b);
      const part = step === null ? null : filterPatch(step, filter, b);
      const before = filterSnapshot(a, filter);
      const after = part === null ? before : apply(before, JSON.parse(JSON.stringify(part)));
      expect({ ...after, version: 2, asOfMs: 2 }).toEqual(filterSnapshot(b, filter));
    }),
    { numRuns: 500 },
  );
});

test('a returning reader gets there too, by steps whose last worlds are gone', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), snapshots(3), filters, (a, b, c, filter) => {
      let view: Snapshot | null = filterSnapshot(a, filter);
      for (const step of [stepOf(a, b), stepOf(b, c)]) {
        const part = step === null ? null : filterPatch(step, filter, c);
        if (part !== null && view !== null) view = apply(view, { ...part, from: view.version });
      }
      expect({ ...view, version: 3, asOfMs: 3 }).toEqual(filterSnapshot(c, filter));
    }),
    { numRuns: 300 },
  );
});

test('nothing of what is outside of the part is in its patch', () => {
  fc.assert(
    fc.property(snapshots(1), snapshots(2), (a, b) => {
      const step = stepOf(a, b);
      const part = step && filterPatch(step, { prefix: 'in/', kind: 'lock' }, b);
      if (part === null) return;
      const { put, edit, remove } = part;
      const here = { put: put.locks, edit: edit.locks, remove: remove.locks };
      expect(JSON.stringify(here)).not.toContain('out/');
      // A finding may also name subjects outside; its lock is inside.
      for (const { subject, also } of put.findings ?? [])
        expect(JSON.stringify([subject, ...also])).toContain('{"kind":"lock","key":"in/');
      const near = b.sessions.filter((one) => JSON.stringify([one.holds, one.wants]).includes('"in/'));
      const nearIds = near.map(({ id }) => id);
      for (const { id } of put.renewals ?? []) expect(nearIds).toContain(id);
      for (const { semaphores = [], sessions = [] } of [put, edit, remove])
        expect([...semaphores, ...sessions]).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
