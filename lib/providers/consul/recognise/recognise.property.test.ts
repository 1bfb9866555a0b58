/** Properties for any content of Consul, however it came about: any client that may write a key writes our input. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { LockDelay } from '@/lib/domain/model';
import type { CheckRow, KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type ConsulView, createRecogniser, recognise } from './recognise';

// Many runs of one property exceed the default time limit on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const ids = ['0a', '0b', '0c', '0d'].map((start) => `${start}0a0a0a-1111-2222-3333-444444444444`);
const sessionId = fc.constantFrom(...ids);
const part = fc.constantFrom(
  'a',
  'b',
  'semaphore',
  '.lock',
  '.lockinfo',
  'leader',
  'members',
  '',
  '..',
  ...ids,
);
const key = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
);
const text = fc.oneof(
  fc.json(),
  fc
    .record({ ID: sessionId, Who: fc.string(), Created: fc.string(), Operation: fc.string() })
    .map((v) => JSON.stringify(v)),
  fc.constantFrom(
    '{"Limit":2,"Holders":["x"]}',
    '{"Limit":2}',
    '{"owner":"me"}',
    'lock:2026-11-21T05:00:00.1',
  ),
);
const value = fc.oneof(
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  text.map((t) => Buffer.from(t)),
  fc
    .tuple(
      fc.constantFrom('map' as const, 'list' as const),
      fc.integer({ min: -1, max: 3 }),
      fc.array(sessionId),
    )
    .map(([shape, limit, holders]) => newCoordination(shape, limit, holders)),
);
const index = fc.integer({ min: 0, max: 1e6 }).map(String);
const row: fc.Arbitrary<KvRow> = fc.record({
  key,
  value,
  flags: fc.constantFrom('0', lockFlags, semaphoreFlags, '18446744073709551615'),
  session: fc.option(sessionId),
  createIndex: index,
  modifyIndex: index,
  lockIndex: fc.constantFrom('0', '0', '7'),
});
const sessionRow: fc.Arbitrary<SessionRow> = fc.record({
  id: sessionId,
  name: fc.oneof(fc.string(), fc.constantFrom('Vault Lock', "Consul lock for 'x' at 'y'")),
  node: fc.constantFrom('n1', 'n2'),
  ttlMs: fc.option(fc.integer({ min: 1, max: 1e6 })),
  behavior: fc.constantFrom('release', 'delete'),
  lockDelayMs: fc.integer({ min: 0, max: 60_000 }),
  checkIds: fc.array(fc.constantFrom('serfHealth', 'service:x')),
  createIndex: index,
});
const check: fc.Arbitrary<CheckRow> = fc.record({
  node: fc.constantFrom('n1', 'n2'),
  checkId: fc.constantFrom('serfHealth', 'service:x'),
  name: fc.string(),
  status: fc.constantFrom('passing', 'warning', 'critical', 'other'),
  service: fc.constantFrom('', 'x'),
});
const delay: LockDelay = {
  sessionId: ids[0] ?? '',
  sessionName: 'gone',
  node: 'n1',
  seenAtMs: 1,
  lengthMs: 4,
  untilMs: 5,
  basis: 'seen',
};
const deletedRow: KvRow = {
  key: 'a/b',
  value: Buffer.from('{'),
  flags: lockFlags,
  session: delay.sessionId,
  createIndex: '1',
  modifyIndex: '1',
  lockIndex: '1',
};
const answer = fc.constantFrom(
  () => false,
  () => true,
);
const view: fc.Arbitrary<ConsulView> = fc.record({
  rows: fc
    .uniqueArray(row, { maxLength: 20, selector: (r) => r.key })
    .map((rows) => rows.sort((a, b) => (a.key < b.key ? -1 : 1))),
  roots: fc.oneof(fc.constant(['']), fc.array(fc.constantFrom('a', 'a/', 'b/', ''))),
  sessions: fc.option(fc.uniqueArray(sessionRow, { maxLength: 4, selector: (s) => s.id })),
  checks: fc.option(fc.array(check, { maxLength: 6 })),
  sightings: fc.record({
    heldSince: fc.constant(() => null),
    waitingSince: fc.constant(() => null),
    sessionSince: fc.constant(() => null),
    delay: fc.constantFrom(
      () => null,
      () => delay,
    ),
    delayedWithoutEntry: fc.constantFrom([], [{ row: deletedRow, delay }]),
    turnover: fc.constantFrom(
      () => null,
      () => ({ changes: 2, windowMs: 60_000 }),
    ),
    limitChange: fc.constant(() => null),
    wasLock: answer,
    wasSemaphore: answer,
    wasOthersLock: answer,
  }),
});

test('no bytes in keys or values make it throw, and every list is sorted by a unique name', () => {
  fc.assert(
    fc.property(view, (any) => {
      const world = recognise(any);
      for (const names of [
        world.locks.map((l) => l.key),
        world.semaphores.map((s) => s.prefix),
        world.sessions.map((s) => s.id),
      ])
        expect(names).toEqual([...new Set(names)].sort((a, b) => (a < b ? -1 : 1)));
    }),
    { numRuns: 300 },
  );
});

test('no holder is a ghost unless the whole string prefix is in view', () => {
  fc.assert(
    fc.property(view, (any) => {
      for (const { prefix, holders, effective } of recognise(any).semaphores) {
        if (any.roots.some((root) => prefix.startsWith(root))) continue;
        expect(holders.map((h) => h.verdict)).not.toContain('ghost');
        expect(effective).toBeNull();
      }
    }),
    { numRuns: 300 },
  );
});

test('every recorded holder appears once, and never also as a waiter', () => {
  fc.assert(
    fc.property(view, (any) => {
      for (const { holders, waiters, recorded } of recognise(any).semaphores) {
        const names = holders.map((h) => h.sessionId);
        expect(new Set(names).size).toBe(names.length);
        expect(recorded ?? 0).toBeGreaterThanOrEqual(names.length);
        expect(waiters.filter((w) => names.includes(w.sessionId))).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});

test('every entry that a session locks is shown: as a lock, a holder or a waiter', () => {
  fc.assert(
    fc.property(view, (any) => {
      const world = recognise(any);
      const shown = new Set(world.locks.map((l) => l.key));
      for (const s of world.semaphores) {
        shown.add(`${s.prefix}/.lock`);
        for (const w of s.waiters) shown.add(w.entryKey ?? '');
      }
      const holds = new Set(world.semaphores.flatMap((s) => s.holders.map((h) => h.sessionId)));
      for (const r of any.rows)
        if (r.session !== null) expect(shown.has(r.key) || holds.has(r.session)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('a session that is not visible is unknown, never dead', () => {
  fc.assert(
    fc.property(view, (any) => {
      const world = recognise({ ...any, sessions: null });
      for (const party of [
        ...world.locks.flatMap((l) => l.holder ?? []),
        ...world.semaphores.flatMap((s) => [...s.holders, ...s.waiters]),
      ])
        expect(['unknown', 'ghost']).toContain(party.verdict);
    }),
    { numRuns: 300 },
  );
});

test('everyone has a label, of one line', () => {
  fc.assert(
    fc.property(view, (any) => {
      const world = recognise(any);
      // A made-up id from a coordination entry is shown unchanged: it names the id to find there.
      for (const { label, sessionId } of [
        ...world.locks.flatMap((l) => l.holder ?? []),
        ...world.semaphores.flatMap((s) => [...s.holders, ...s.waiters]),
      ])
        if (!label.includes(sessionId)) expect(label).toMatch(/^[^\p{Cc}]+$/u);
    }),
    { numRuns: 300 },
  );
});

test('cached results of unchanged entries never differ from a new read', () => {
  fc.assert(
    fc.property(view, view, (one, other) => {
      // The same row objects, in another world: other sessions, neighbours, checks and sightings.
      const kept = [
        ...one.rows,
        ...other.rows.filter((r) => !one.rows.some((had) => had.key === r.key)),
      ].sort((a, b) => (a.key < b.key ? -1 : 1));
      const recogniser = createRecogniser();
      recogniser(one);
      const next = { ...other, rows: kept };
      expect(recogniser(next)).toEqual(recognise({ ...next, rows: kept.map((r) => ({ ...r })) }));
    }),
    { numRuns: 300 },
  );
});

test('an unaffected list stays the same list of the same objects', () => {
  fc.assert(
    fc.property(view, (any) => {
      const recogniser = createRecogniser();
      const first = recogniser(any);
      const again = recogniser({ ...any, sessions: any.sessions?.map((s) => ({ ...s })) ?? null });
      expect(again.locks).toBe(first.locks);
      expect(again.semaphores).toBe(first.semaphores);
      expect(again.sessions).toBe(first.sessions);
    }),
    { numRuns: 300 },
  );
});
