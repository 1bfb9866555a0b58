/** State kept from view to view must equal state made from scratch: worlds, findings and patches, over random histories. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createFindingChanges, createFindings, findingsOf } from '@/lib/domain/rules/table';
import { apply, stepOf } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { CheckRow, KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import { type Observed, observe } from '@/lib/providers/consul/observed/sightings';
import { createRenewals } from '@/lib/providers/consul/renewals/renewals';
import { inKeyOrder } from '@/lib/providers/consul/rows/changed-rows';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { createRecogniser, recognise } from './recognise';
import type { ConsulView } from './view';

// Many runs of one property exceed the default time limit on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const ids = ['0a', '0b', '0c', '0d'].map((start) => `${start}0a0a0a-1111-2222-3333-444444444444`);
const id = fc.constantFrom(...ids);
// Few names, so that histories meet: folders within folders, names that begin alike, locks with neighbours.
const keys = [
  ...['a', 'job', 'job/.lock', 'job-2/.lock', 'job/x/.lock', 'semaphore/j/.lock', 'tf/.lock', 'tf/.lockinfo'],
  ...['pg/leader', 'pg/members/m', 'x/\ufffd', '\ud83d\ude00/a', '\uffee/a'],
  ...['job', 'job-2', 'job/x', 'semaphore/j', 'tf'].flatMap((folder) =>
    ids.map((name) => `${folder}/${name}`),
  ),
];
const key = fc.constantFrom(...keys, ...keys.filter((one) => one.endsWith('/.lock')));
const value = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('map' as const, 'list' as const),
      fc.integer({ min: 0, max: 3 }),
      fc.array(id, { maxLength: 3 }),
    )
    .map(([shape, limit, holders]) => newCoordination(shape, limit, holders)),
  fc
    .constantFrom('', 'm', '{"owner":"me"}', '{"ID":"1","Operation":"o","Who":"me"}')
    .map((t) => Buffer.from(t)),
);
type Step =
  | {
      do: 'put';
      key: string;
      value: Buffer;
      flags: string;
      session: string | null;
      lockIndex: string;
      twice: boolean;
    }
  | { do: 'delete'; key: string }
  | { do: 'session'; id: string; ttl: boolean; delay: boolean }
  | { do: 'end' | 'proven'; id: string }
  | { do: 'check'; status: string }
  | { do: 'renewal'; id: string }
  | { do: 'proof' | 'election' | 'gap' | 'unread' | 'roots' | 'sessions-refused' }
  | { do: 'pass'; ms: number };
const put = fc.record({
  do: fc.constant('put' as const),
  key,
  value,
  flags: fc.constantFrom('0', lockFlags, semaphoreFlags),
  session: fc.option(id),
  lockIndex: fc.constantFrom('0', '1', '2'),
  twice: fc.nat(9).map((n) => n === 0),
}) as fc.Arbitrary<Step>;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: put },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('session' as const), id, ttl: fc.boolean(), delay: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), id }) },
  fc.record({ do: fc.constant('proven' as const), id }),
  fc.record({ do: fc.constant('check' as const), status: fc.constantFrom('passing', 'critical') }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renewal' as const), id }) },
  fc.record({
    do: fc.constantFrom('proof', 'election', 'gap', 'unread', 'roots', 'sessions-refused'),
  }) as fc.Arbitrary<Step>,
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(10, 5_000, 16_000, 61_000),
    }),
  },
);
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 14 });

/** A Consul of a few names, and a viewer that looks after every few steps. */
function stage() {
  const rows = new Map<string, readonly KvRow[]>();
  const sessions = new Map<string, SessionRow>();
  const renewals = createRenewals(['agent'], 'agent');
  let checks: readonly CheckRow[] = [
    { node: 'n', checkId: 'serfHealth', name: 'Serf', status: 'passing', service: '' },
  ];
  let [index, nowMs] = [10, 1_000_000];
  let [gap, refused] = [true, false];
  let unread: ReadonlySet<string> = new Set();
  let roots = [''];
  const proven = new Set<string>();
  let observed: Observed | null = null;
  renewals.watched({ agent: 'agent', state: 'observed', sinceMs: 1 });

  const take = (one: Step) => {
    index += 1;
    switch (one.do) {
      case 'put': {
        const [was] = rows.get(one.key) ?? [];
        const { value, flags, session, lockIndex } = one;
        const createIndex = was?.createIndex ?? String(index);
        const row: KvRow = {
          key: one.key,
          value,
          flags,
          session,
          lockIndex,
          createIndex,
          modifyIndex: String(index),
        };
        rows.set(one.key, one.twice ? [row, { ...row, session: null }] : [row]);
        return;
      }
      case 'delete':
        rows.delete(one.key);
        return;
      case 'session':
        sessions.set(one.id, {
          id: one.id,
          name: 'worker',
          node: 'n',
          ttlMs: one.ttl ? 10_000 : null,
          behavior: one.delay ? 'delete' : 'release',
          lockDelayMs: one.delay ? 15_000 : 0,
          checkIds: ['serfHealth'],
          createIndex: String(index),
        });
        return;
      case 'end': {
        const ended = sessions.get(one.id);
        sessions.delete(one.id);
        for (const [name, [row]] of rows) {
          if (row === undefined || row.session !== one.id) continue;
          if (ended?.behavior === 'delete') rows.delete(name);
          else rows.set(name, [{ ...row, session: null, modifyIndex: String(index) }]);
        }
        return;
      }
      case 'proven':
        if (!proven.delete(one.id)) proven.add(one.id);
        return;
      case 'check':
        checks = checks.map((check) => ({ ...check, status: one.status }));
        return;
      case 'renewal':
        renewals.saw('agent', one.id, nowMs);
        return;
      case 'proof':
        // A proof is asked for once a second, so it counts one second after the last answer.
        nowMs += 1_000;
        renewals.proved('agent', nowMs);
        return;
      case 'election':
        renewals.restarted(nowMs);
        return;
      case 'gap':
        gap = true;
        return;
      case 'unread':
        unread = unread.size === 0 ? new Set(['job']) : new Set();
        return;
      case 'roots':
        roots = roots.includes('') ? ['job', 'pg/'] : [''];
        return;
      case 'sessions-refused':
        refused = !refused;
        return;
      case 'pass':
        nowMs += one.ms;
    }
  };
  const look = (): ConsulView => {
    const list = inKeyOrder([...rows.values()].flat());
    const seen = refused ? null : [...sessions.values()];
    renewals.keep(seen ?? [], nowMs);
    observed = observe(observed, {
      rows: list,
      rowsIndexes: [String(index)],
      sessions: seen,
      sessionsIndex: String(index),
      nowMs,
      afterGap: gap,
    });
    gap = false;
    const ended = new Set([...observed.unlisted()].filter((name) => proven.has(name)));
    return { rows: list, roots, unread, sessions: seen, ended, checks, sightings: observed, renewals, nowMs };
  };
  return { take, look };
}

test('after any history, the updated result equals one from the last view alone', () => {
  fc.assert(
    fc.property(history, (looks) => {
      const on = stage();
      const recogniser = createRecogniser();
      const findings = createFindings();
      const findingChanges = createFindingChanges();
      let before: Snapshot | null = null;
      for (const steps of looks) {
        for (const one of steps) on.take(one);
        const view = on.look();
        const world = recogniser(view);
        expect(world).toEqual(recognise(view));
        const found = findings(world);
        expect(found).toEqual(findingsOf(world));
        const now = { ...world, findings: found, version: (before?.version ?? 0) + 1, asOfMs: 0 } as Snapshot;
        const changes = findingChanges(world);
        // No list is kept, and yet the patch is the one that two lists give.
        const patch = before === null ? null : (stepOf(before, now, changes)?.patch ?? null);
        if (before !== null) expect(patch).toEqual(stepOf(before, now)?.patch ?? null);
        // The scope is no table: it belongs to the watched prefixes, which do not change under a viewer.
        if (before !== null && patch !== null)
          expect(apply(before, patch)).toEqual({ ...now, scope: before.scope });
        before = now;
      }
    }),
    { numRuns: 150 },
  );
});

test('after any history, removed entries are forgotten', () => {
  fc.assert(
    fc.property(history, (looks) => {
      const on = stage();
      const recogniser = createRecogniser();
      for (const steps of looks) {
        for (const one of steps) on.take(one);
        recogniser(on.look());
      }
      for (const one of keys) on.take({ do: 'delete', key: one });
      for (const one of ids) on.take({ do: 'end', id: one });
      // Ended sessions leave lock-delays and a minute of counts, which end by time.
      on.look();
      on.take({ do: 'pass', ms: 61_000 });
      const view = on.look();
      expect(recogniser(view)).toMatchObject({ locks: [], semaphores: [], sessions: [] });
      const { slots, missed, foreign, locks, misnamed, orphans, delayed, limitChanges } = (
        view.sightings as Observed
      ).memory;
      for (const kept of [slots, missed, foreign, locks, misnamed, orphans, delayed, limitChanges])
        expect(kept.size).toBe(0);
      expect(view.sightings.touched?.size ?? 0).toBeLessThanOrEqual(keys.length * 2);
      expect(on.look().sightings.touched?.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});
