import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { rowName } from '@/lib/domain/source';
import { renewalName, sessionName } from '@/lib/domain/subject';
import { apply, stepOf } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type Filter, filterPatch, filterSnapshot } from './filter';

// Many runs of one property take longer than the default timeout on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const names = ['in/a', 'in/b', 'out/a', 'out/b'];
const source = fc.constantFrom('consul', 'other');
const subject = fc.oneof(
  fc.record({ source, kind: fc.constant('lock' as const), key: fc.constantFrom(...names) }),
  fc.record({ source, kind: fc.constant('semaphore' as const), prefix: fc.constantFrom(...names) }),
);
const some = fc.uniqueArray(subject, { maxLength: 3, selector: (one) => JSON.stringify(one) });
type Row = { readonly source: string; readonly [name: string]: unknown };
const nameOf = (row: Row, name: string) => rowName(row.source, String(row[name]));
const table = (name: string, from: readonly string[], more: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .uniqueArray(fc.record({ source, [name]: fc.constantFrom(...from), ...more }) as fc.Arbitrary<Row>, {
      maxLength: 4,
      selector: (row) => nameOf(row, name),
    })
    .map((rows) => [...rows].sort((a, b) => (nameOf(a, name) < nameOf(b, name) ? -1 : 1)));
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
      // A finding's id names its source itself.
      findings: fc
        .uniqueArray(fc.record({ id: fc.constantFrom('f1', 'f2'), subject, also: some, code: few }), {
          selector: ({ id }) => id,
        })
        .map((rows) => [...rows].sort((x, y) => (x.id < y.id ? -1 : 1))),
      renewals: table('id', ['s1', 's2', 's3'], { lastMs: few }),
    })
    // As a provider makes them: for present sessions.
    .map((one) => ({
      ...one,
      renewals: one.renewals.filter((row) =>
        one.sessions.some((session) => nameOf(session, 'id') === nameOf(row, 'id')),
      ),
    })) as unknown as fc.Arbitrary<Snapshot>;

const filters: fc.Arbitrary<Filter> = fc.record({
  prefix: fc.constantFrom('', 'in/', 'in/a'),
  kind: fc.constantFrom('lock', 'semaphore', 'session', null),
  source: fc.constantFrom(null, 'consul', 'other'),
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
      const part = step && filterPatch(step, { prefix: 'in/', kind: 'lock', source: 'other' }, b);
      if (part === null) return;
      const { put, edit, remove, removeIn } = part;
      const here = { put: put.locks, edit: edit.locks, removeIn: removeIn?.other?.locks };
      expect(JSON.stringify(here)).not.toContain('out/');
      expect(JSON.stringify(here)).not.toContain('"consul"');
      expect(remove.locks ?? []).toEqual([]);
      // A finding may also name subjects outside; its lock is inside.
      for (const { subject, also } of put.findings ?? [])
        expect(JSON.stringify([subject, ...also])).toContain('{"source":"other","kind":"lock","key":"in/');
      const near = b.sessions.filter((one) =>
        [...one.holds, ...one.wants].some(
          (of) => of.source === 'other' && JSON.stringify(of).includes('"in/'),
        ),
      );
      const nearNames = near.map(sessionName);
      for (const renewal of put.renewals ?? []) expect(nearNames).toContain(renewalName(renewal));
      for (const { semaphores = [], sessions = [] } of [put, edit, remove])
        expect([...semaphores, ...sessions]).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
