import fc from 'fast-check';
import { expect, test } from 'vitest';
import { everything } from '@/components/fixture/board-query';
import {
  ghostFinding,
  holderOf,
  lockOf,
  semaphoreOf,
  snapshotOf,
  waiterOf,
} from '@/components/fixture/world';
import type { Lock, Semaphore } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { rowsOf } from '@/lib/view/board-rows';
import { searchRows } from '@/lib/view/search/find';
import { createLister } from './list';
import { type BoardQuery, filterRows, optionsOf, orderRows } from './query';

/** Enough to catch an omitted step each time. */
const runs = { numRuns: 40 };

/** A world as an arbitrary: which of twelve names exist, and their states. */
const worlds = fc
  .tuple(
    fc.array(fc.constantFrom('none', 'free', 'held', 'immortal', 'plain'), { minLength: 8, maxLength: 8 }),
    fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 4, maxLength: 4 }),
    fc.subarray(['team/s-0', 'team/s-1', 'other/s-2', 'other/s-3']),
  )
  .map(([locks, semaphores, haunted]) => ({ locks, semaphores, haunted }));

/** The next snapshot: unchanged rows stay the same objects, as in the browser. */
function snapshotAfter(
  before: Snapshot,
  world: typeof worlds extends fc.Arbitrary<infer W> ? W : never,
): Snapshot {
  const kept = <T extends Lock | Semaphore>(all: readonly T[], made: T): T =>
    all.find((one) => JSON.stringify(one) === JSON.stringify(made)) ?? made;
  const locks = world.locks.flatMap((how, i) => {
    if (how === 'none') return [];
    const key = `${i % 2 === 0 ? 'team' : 'other'}/l-${i}`;
    const source = i % 3 === 0 ? 'redis' : 'consul';
    const free = { source, state: 'free', holder: null } as const;
    const made =
      how === 'free'
        ? lockOf(key, free)
        : lockOf(key, {
            source,
            holder: holderOf(i, how === 'immortal' ? 'immortal' : 'alive'),
            ...(how === 'plain' ? { layout: 'plain' as const } : {}),
          });
    return [kept(before.locks, made)];
  });
  const semaphores = world.semaphores.flatMap((waiting, i) => {
    if (waiting < 0) return [];
    const waiters = Array.from({ length: waiting }, (_, n) => waiterOf(20 + n));
    return [kept(before.semaphores, semaphoreOf(`${i < 2 ? 'team' : 'other'}/s-${i}`, { waiters }))];
  });
  const findings = world.haunted
    .filter((prefix) => semaphores.some((one) => one.prefix === prefix))
    .map(
      (prefix) => before.findings.find(({ id }) => id === ghostFinding(prefix).id) ?? ghostFinding(prefix),
    );
  const byName = (a: string, b: string) => (a < b ? -1 : 1);
  return snapshotOf({
    locks: locks.sort((a, b) => byName(a.key, b.key)),
    semaphores: semaphores.sort((a, b) => byName(a.prefix, b.prefix)),
    findings: findings.sort((a, b) => byName(a.id, b.id)),
  });
}

/** What changes in the query, mostly one thing at a time. */
const changes = fc.oneof(
  ...Object.entries({
    q: fc.constantFrom('', 'team', 's-1'),
    show: fc.constantFrom('all', 'human', 'locks', 'waiting'),
    verdict: fc.constantFrom(null, 'immortal'),
    prefix: fc.constantFrom('', 'team/'),
    source: fc.constantFrom(null, 'consul', 'redis'),
    sort: fc.constantFrom(null, 'waiting', 'since', 'recent', 'name'),
    group: fc.boolean(),
  }).map(([name, values]) => (values as fc.Arbitrary<unknown>).map((value) => ({ [name]: value }))),
  fc.constant({}),
) as fc.Arbitrary<Partial<BoardQuery>>;

test('a list made from the one before equals a new one', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.option(worlds), changes), { minLength: 2, maxLength: 12 }), (steps) => {
      const listOf = createLister();
      let snapshot = snapshotOf({});
      let query: BoardQuery = everything;
      let rows = rowsOf(snapshot);
      for (const [world, change] of steps) {
        query = { ...query, ...change };
        // Without another world the rows are the same ones.
        if (world !== null) {
          snapshot = snapshotAfter(snapshot, world);
          rows = rowsOf(snapshot);
        }
        const hits = searchRows(query.q, rows);
        const { rows: filtered, counts } = filterRows(rows, query, hits);
        const list = listOf(rows, query, hits);
        const anew = orderRows(filtered, query, hits);
        expect(list.rows.map(({ id }) => id)).toEqual(anew.map(({ id }) => id));
        expect(list.rows.every((row, i) => row === anew[i])).toBe(true);
        expect([list.counts, list.options]).toEqual([counts, optionsOf(rows)]);
      }
    }),
    runs,
  );
});

test('rows made from earlier ones show every lock, semaphore and finding of the snapshot', () => {
  fc.assert(
    fc.property(fc.array(worlds, { minLength: 2, maxLength: 8 }), (steps) => {
      let snapshot = snapshotOf({});
      for (const world of steps) {
        const before = snapshot;
        const rowsBefore = rowsOf(before);
        snapshot = snapshotAfter(before, world);
        const rows = rowsOf(snapshot);
        const all = [...snapshot.semaphores, ...snapshot.locks];
        expect(rows.length).toBe(all.length);
        expect(rows.every(({ of }, i) => of === all[i])).toBe(true);
        for (const row of rows) {
          const own = snapshot.findings.filter(
            ({ subject }) => 'prefix' in subject && subject.prefix === row.name,
          );
          expect(row.findings.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
          const known = rowsBefore.find((one) => one.of === row.of && one.findings.length === own.length);
          expect(known === undefined || known === row).toBe(true);
        }
      }
    }),
    runs,
  );
});
