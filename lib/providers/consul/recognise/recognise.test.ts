/** Cases that no recorded fixture shows: each is one fact more or less than a fixture has. */
import { describe, expect, test } from 'vitest';
import type { LockDelay } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import { rowOf, sessionRowOf } from '@/lib/providers/consul/fixture/rows';
import { type Observed, observe } from '@/lib/providers/consul/observed/sightings';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type ConsulView, createRecogniser, recognise } from './recognise';

const sid = (n: number) => `${n}0000000-1111-2222-3333-444444444444`;
const row = (key: string, change: Partial<KvRow> = {}): KvRow =>
  rowOf(key, { createIndex: '10', modifyIndex: '20', ...change });
const session = (id: string, change: Partial<SessionRow> = {}): SessionRow =>
  sessionRowOf(id, {
    ttlMs: 15_000,
    lockDelayMs: 15_000,
    checkIds: ['serfHealth'],
    createIndex: '5',
    ...change,
  });
const view = (rows: KvRow[], change: Partial<ConsulView> = {}): ConsulView => ({
  rows: rows.sort((a, b) => (a.key < b.key ? -1 : 1)),
  roots: [''],
  sessions: [],
  checks: [],
  sightings: {
    heldSince: () => null,
    waitingSince: () => null,
    sessionSince: () => null,
    delay: () => null,
    delayedWithoutEntry: [],
    wasLock: () => false,
    wasSemaphore: () => false,
    wasOthersLock: () => false,
    turnover: () => null,
    limitChange: () => null,
  },
  ...change,
});
const contender = (prefix: string, id: string, change: Partial<KvRow> = {}) =>
  row(`${prefix}/${id}`, { session: id, flags: semaphoreFlags, lockIndex: '1', ...change });
const entry = (prefix: string, limit: number, holders: string[], change: Partial<KvRow> = {}) =>
  row(`${prefix}/.lock`, {
    value: newCoordination('map', limit, holders),
    flags: semaphoreFlags,
    ...change,
  });

/** A watch that looks repeatedly; a new recogniser with the same sightings must agree. */
function watch() {
  const recogniser = createRecogniser();
  let observed: Observed | null = null;
  let index = 20;
  return (rows: KvRow[], sessions: SessionRow[] = []) => {
    index += 1;
    const sorted = view(rows).rows;
    observed = observe(observed, {
      rows: sorted,
      rowsIndexes: [String(index)],
      sessions,
      sessionsIndex: String(index),
      nowMs: index * 1_000,
      afterGap: false,
    });
    const now = view([...sorted], { sessions, sightings: observed });
    const world = recogniser(now);
    expect(world).toEqual(recognise(now));
    return world;
  };
}
const lockStates = (rows: KvRow[]) => recognise(view(rows)).locks.map(({ key, state }) => `${key} ${state}`);

describe('semaphores', () => {
  test('waiters stand in order of arrival, by number and not by text', () => {
    const { semaphores } = recognise(
      view([
        entry('jobs', 1, []),
        contender('jobs', sid(1), { createIndex: '1000' }),
        contender('jobs', sid(2), { createIndex: '999' }),
        contender('jobs', sid(3), { createIndex: '18446744073709551615' }),
        contender('jobs', sid(4), { createIndex: '18446744073709551614' }),
      ]),
    );
    expect(semaphores[0]?.waiters.map((w) => w.sessionId)).toEqual([sid(2), sid(1), sid(4), sid(3)]);
  });

  test('a root that holds the folder but not the string prefix proves no ghost', () => {
    const rows = () => [entry('jobs', 2, [sid(1)])];
    const verdictWith = (roots: string[]) =>
      recognise(view(rows(), { roots })).semaphores[0]?.holders[0]?.verdict;
    expect(verdictWith(['jobs'])).toBe('ghost');
    expect(verdictWith(['other', 'jo'])).toBe('ghost');
    // The client library also lists `jobs-2/…`, which this root leaves out.
    expect(verdictWith(['jobs/'])).toBe('unknown');
  });

  test('a map with other flags is wrong for Go, unless all who contend agree on those flags', () => {
    const agreed = recognise(
      view([entry('jobs', 2, [sid(1)], { flags: '0' }), contender('jobs', sid(1), { flags: '0' })]),
    ).semaphores[0];
    expect(agreed).toMatchObject({ layout: 'guide-list', problems: [] });
    const alone = recognise(view([entry('jobs', 2, [], { flags: '7' })])).semaphores[0];
    expect(alone?.problems).toEqual([{ code: 'wrong-flags', detail: '7' }]);
  });

  test('Go contenders beside a lock of `consul lock -n=1` are shown, and so is the lock', () => {
    const world = recognise(
      view([
        row('jobs/.lock', { flags: lockFlags, session: sid(1), lockIndex: '1' }),
        contender('jobs', sid(2)),
      ]),
    );
    expect(world.locks).toMatchObject([{ key: 'jobs/.lock', layout: 'consul-lock' }]);
    expect(world.semaphores).toMatchObject([
      { prefix: 'jobs', limit: null, problems: [{ code: 'wrong-flags', detail: lockFlags }] },
    ]);
  });

  test('a lock that merely lies below a semaphore is a lock of its own', () => {
    const world = recognise(
      view([entry('jobs', 2, []), row('jobs/leader', { session: sid(1), lockIndex: '1' })]),
    );
    expect(world.locks.map((l) => l.key)).toEqual(['jobs/leader']);
    expect(world.semaphores[0]?.waiters).toEqual([]);
  });

  test('without a coordination entry keys named after sessions are locks, unless they bear the flags of Go', () => {
    const members = [sid(1), sid(2)].map((id) => contender('members', id, { flags: '0' }));
    const locks = members.map(({ key }) => ({ key, state: 'held', layout: 'plain' }));
    expect(recognise(view([...members]))).toMatchObject({ locks, semaphores: [] });
    const beside = row('members/.lock', { flags: lockFlags, session: sid(3), lockIndex: '1' });
    expect(recognise(view([beside, ...members])).semaphores).toEqual([]);
    expect(recognise(view([entry('members', 2, [], { flags: '0' }), ...members]))).toMatchObject({
      locks: [],
      semaphores: [{ prefix: 'members', waiters: [{}, {}] }],
    });
  });

  test('a lock called .lock beside keys named after their sessions is a lock, held or free', () => {
    const members = [sid(1), sid(2)].map((id) => contender('app', id, { flags: '0' }));
    for (const flags of ['0', '7', lockFlags])
      for (const session of [sid(3), null]) {
        const plain = row('app/.lock', { value: Buffer.from('host-1'), flags, session, lockIndex: '4' });
        expect(lockStates([plain, ...members])).toEqual([
          `app/.lock ${session === null ? 'free' : 'held'}`,
          ...members.map(({ key }) => `${key} held`),
        ]);
        expect(recognise(view([plain, ...members])).semaphores).toEqual([]);
      }
    // No session ever locked it, so it is no lock: an unreadable semaphore is better than none.
    const written = row('app/.lock', { value: Buffer.from('host-1') });
    expect(recognise(view([written, ...members]))).toMatchObject({
      locks: [],
      semaphores: [{ prefix: 'app', layout: 'unreadable', waiters: [{}, {}] }],
    });
  });

  test("a lock with the flags of Go's locks is one beside a semaphore too, held or free, with any name", () => {
    for (const session of [sid(1), null]) {
      const leader = row(`jobs/${sid(1)}`, { flags: lockFlags, session, lockIndex: '1' });
      for (const flags of ['0', semaphoreFlags]) {
        const rows = [entry('jobs', 2, [], { flags }), leader];
        expect(lockStates(rows)).toEqual([`${leader.key} ${session === null ? 'free' : 'held'}`]);
        expect(recognise(view(rows)).semaphores).toMatchObject([
          { prefix: 'jobs', waiters: [], leftovers: [] },
        ]);
      }
    }
  });

  describe('whose coordination entry is gone', () => {
    const java = [sid(1), sid(2)].map((id) => contender('semaphore/x', id, { flags: '0' }));
    const guide = [sid(1), sid(2)].map((id) => contender('jobs', id, { flags: '0' }));
    const listed = (prefix: string) =>
      row(`${prefix}/.lock`, { value: newCoordination('list', 1, [sid(1)]) });
    const missing = (prefix: string, layout: string, ids: string[], detail: string | null = null) => ({
      semaphores: [
        {
          prefix,
          layout,
          limit: null,
          recorded: null,
          holders: [],
          waiters: ids.map((sessionId) => ({ sessionId })),
          problems: [{ code: 'entry-missing', detail }],
        },
      ],
    });
    const both = [sid(1), sid(2)];

    test("in the Java article's layout it is still a semaphore, and has no holders", () => {
      expect(recognise(view([...java]))).toMatchObject({
        locks: [],
        ...missing('semaphore/x', 'java-semaphore', both),
      });
      // An entry with its own value or flags differs from that layout's entries.
      for (const change of [{ value: Buffer.from('x') }, { flags: '7' }, { flags: lockFlags }])
        expect(recognise(view([contender('semaphore/x', sid(1), { flags: '0', ...change })]))).toMatchObject({
          locks: [{ state: 'held' }],
          semaphores: [],
        });
    });

    test('in any layout it is still one for who saw it, while any of those who contended then is there', () => {
      const look = watch();
      expect(look([listed('jobs'), ...guide]).semaphores).toMatchObject([{ recorded: 1, waiters: [{}] }]);
      const gone = { locks: [], ...missing('jobs', 'unreadable', both) };
      expect(look([...guide])).toMatchObject(gone);
      // A later contender does not keep it.
      const later = contender('jobs', sid(3), { flags: '0' });
      expect(look([...guide, later])).toMatchObject(missing('jobs', 'unreadable', [...both, sid(3)]));
      expect(look([...guide.slice(1), later])).toMatchObject(missing('jobs', 'unreadable', [sid(2), sid(3)]));
      expect(look([later])).toMatchObject({ locks: [{ key: later.key, state: 'held' }], semaphores: [] });
      expect(look([...guide, later]).semaphores).toEqual([]);
    });

    test('a new entry makes it whole, and what is written over it does not make its contenders locks', () => {
      const look = watch();
      look([listed('jobs'), ...guide]);
      expect(look([row('jobs/.lock', { value: Buffer.from('?') }), ...guide])).toMatchObject({
        locks: [],
        semaphores: [{ layout: 'unreadable', problems: [{ code: 'not-json' }] }],
      });
      expect(look([...guide])).toMatchObject({ locks: [], ...missing('jobs', 'unreadable', both) });
      const locked = row('jobs/.lock', { session: sid(9), lockIndex: '1', flags: '0' });
      expect(look([locked, ...guide])).toMatchObject({
        locks: [{ key: 'jobs/.lock' }],
        ...missing('jobs', 'unreadable', both, '0'),
      });
      expect(look([listed('jobs'), ...guide])).toMatchObject({ locks: [], semaphores: [{ limit: 1 }] });
      // It went with all its contenders: the marks of later ones decide their kind.
      look([]);
      expect(look([...guide])).toMatchObject({ locks: [{}, {}], semaphores: [] });
    });

    test('an entry that was only guessed to be one is not remembered', () => {
      const look = watch();
      const guessed = row('jobs/.lock', { value: Buffer.from('host-1') });
      expect(look([guessed, ...guide]).semaphores).toHaveLength(1);
      const held = { ...guessed, session: sid(9), lockIndex: '1' };
      expect(look([held, ...guide])).toMatchObject({ locks: [{}, {}, {}], semaphores: [] });
    });

    test('it is not remembered for a folder below it, nor for one that begins with its name', () => {
      const look = watch();
      const others = ['jobs/deep', 'jobs-2'].map((p) => contender(p, sid(4), { flags: '0' }));
      const after = [...guide, ...others];
      expect(look([listed('jobs'), ...after]).locks).toHaveLength(2);
      expect(look(after)).toMatchObject({
        locks: [{ key: `jobs-2/${sid(4)}` }, { key: `jobs/deep/${sid(4)}` }],
        semaphores: [{ prefix: 'jobs' }],
      });
      // Those do not keep it either.
      look(others);
      expect(look(after)).toMatchObject({ locks: [{}, {}, {}, {}], semaphores: [] });
    });
  });

  test('a lock that another session than its name held stays one beside a semaphore with its flags when it is free', () => {
    const look = watch();
    const key = `jobs/${sid(7)}`;
    const of = (session: string | null) =>
      row(key, { session, lockIndex: '1', modifyIndex: session === null ? '22' : '20' });
    const semaphore = entry('jobs', 2, [], { flags: '0' });
    const sessions = [session(sid(1))];
    expect(look([semaphore, of(sid(1))], sessions).locks).toMatchObject([{ key, state: 'held' }]);
    expect(look([semaphore, of(null)], [])).toMatchObject({
      locks: [{ key, state: 'delayed' }],
      semaphores: [{ leftovers: [] }],
    });
    // Its own session has it now: it contends, and its leftover is no lock.
    expect(look([semaphore, of(sid(7))]).semaphores).toMatchObject([{ waiters: [{ sessionId: sid(7) }] }]);
    expect(look([semaphore, of(null)])).toMatchObject({ locks: [], semaphores: [{ leftovers: [key] }] });
  });

  test('a free lock beside a semaphore stays a lock, with any name', () => {
    const free = (n: number, change: Partial<KvRow>) =>
      row(`jobs/${sid(n)}`, { flags: '0', lockIndex: '1', ...change });
    const locks = [
      free(1, { flags: lockFlags }),
      free(2, { flags: lockFlags, value: Buffer.from('x') }),
      free(3, { value: Buffer.from('{"order":4711}') }),
      free(4, { flags: '7' }),
    ];
    for (const flags of ['0', semaphoreFlags, lockFlags]) {
      const world = recognise(view([entry('jobs', 2, [], { flags }), ...locks]));
      expect(world.locks.map(({ key, state }) => [key, state])).toEqual(
        locks.map(({ key }) => [key, 'free']),
      );
      expect(world.semaphores).toMatchObject([{ prefix: 'jobs', leftovers: [] }]);
    }
  });

  test('an entry without a value and flags was left behind only where the coordination entry has the same flags', () => {
    const left = row(`jobs/${sid(1)}`, { flags: '0', lockIndex: '1' });
    const recogniser = createRecogniser();
    let look = 0;
    const next = (flags: string) => {
      look += 1;
      const sightings = { ...view([]).sightings, look, touched: new Set<string>() };
      const { locks, semaphores } = recogniser(view([entry('jobs', 2, [], { flags }), left], { sightings }));
      return [locks.map(({ key }) => key), semaphores[0]?.leftovers];
    };
    expect(next('0')).toEqual([[], [left.key]]);
    expect(next(semaphoreFlags)).toEqual([[left.key], []]);
    expect(next('0')).toEqual([[], [left.key]]);
  });

  test("a contender's leftover is no lock, with or without its semaphore", () => {
    const left = contender('jobs', sid(1), { session: null });
    expect(recognise(view([entry('jobs', 2, []), left])).semaphores[0]?.leftovers).toEqual([left.key]);
    expect(recognise(view([left]))).toMatchObject({ locks: [], semaphores: [] });
  });

  test('a session recorded twice is one holder of two slots', () => {
    const value = newCoordination('list', 3, [sid(1), sid(1)]);
    const [semaphore] = recognise(
      view([row('semaphore/x/.lock', { value }), contender('semaphore/x', sid(1), { flags: '0' })]),
    ).semaphores;
    expect(semaphore).toMatchObject({ recorded: 2, effective: 1, layout: 'java-semaphore' });
    expect(semaphore?.holders).toHaveLength(1);
    expect(semaphore?.problems.map((p) => p.code)).toEqual(['duplicate-holders']);
  });

  test('holders that share a name get distinct ones, and an owner in the value is the name', () => {
    const name = "Consul lock for 'make' at 'jobs'";
    const { semaphores } = recognise(
      view(
        [
          entry('jobs', 3, [sid(1), sid(2), sid(3)]),
          contender('jobs', sid(1)),
          contender('jobs', sid(2)),
          contender('jobs', sid(3), { value: Buffer.from('{"Owner":"ada"}') }),
        ],
        { sessions: [1, 2, 3].map((n) => session(sid(n), { name })) },
      ),
    );
    expect(semaphores[0]?.holders.map((h) => h.label)).toEqual(['make 1000…4444', 'make 2000…4444', 'ada']);
  });
});

test('no label or fact breaks out of its line, from any writer', () => {
  const evil = 'a\nb\u202ec';
  const info = { ID: sid(3), Who: evil, Operation: evil, Info: `consul session: ${sid(3)}` };
  const { locks } = recognise(
    view(
      [
        row('by-value', { session: sid(1), value: Buffer.from(JSON.stringify({ owner: evil })) }),
        row('by-name', { session: sid(2) }),
        row('tf/.lock', { session: sid(3), flags: lockFlags }),
        row('tf/.lockinfo', { value: Buffer.from(JSON.stringify(info)) }),
        row('cmd/.lock', { session: sid(4), flags: lockFlags }),
      ],
      {
        sessions: [
          session(sid(2), { name: evil }),
          session(sid(4), { name: `Consul lock for '${evil}' at 'cmd'` }),
        ],
      },
    ),
  );
  expect(locks.map((l) => l.holder?.label)).toEqual(['a b c', 'a b c', 'a b c', 'a b c']);
  expect(locks.flatMap((l) => l.details.map((d) => d.value)).filter((v) => /[\n\u202e]/.test(v))).toEqual([]);
});

describe('locks', () => {
  test('ordinary data is not listed; a former lock is', () => {
    const rows = () => [
      row('config'),
      row('flagged', { flags: lockFlags }),
      row('held-once', { lockIndex: '3' }),
    ];
    expect(recognise(view(rows())).locks.map((l) => l.key)).toEqual(['flagged', 'held-once']);
    const seen = { ...view([]).sightings, wasLock: (key: string) => key === 'config' };
    expect(recognise(view(rows(), { sightings: seen })).locks.map((l) => l.key)).toContain('config');
  });

  test('a lock-delay that was seen to begin makes it delayed, not free', () => {
    const delay: LockDelay = {
      sessionId: sid(9),
      sessionName: '',
      node: 'n1',
      seenAtMs: 84,
      lengthMs: 15,
      untilMs: 99,
      basis: 'seen',
    };
    const sightings = { ...view([]).sightings, delay: () => delay };
    const rows = [row('a', { flags: lockFlags }), row('b', { flags: lockFlags, session: sid(1) })];
    expect(recognise(view(rows, { sightings })).locks).toMatchObject([
      { state: 'delayed', delayedUntilMs: 99, delay, holder: null },
      { state: 'held', delayedUntilMs: null, delay: null },
    ]);
  });

  test('a merely possible lock-delay leaves the lock free, and is shown with it', () => {
    const delay: LockDelay = {
      sessionId: sid(9),
      sessionName: '',
      node: 'n1',
      seenAtMs: 84,
      lengthMs: 15,
      untilMs: 99,
      basis: 'possible',
    };
    const sightings = { ...view([]).sightings, delay: () => delay };
    expect(recognise(view([row('a', { flags: lockFlags })], { sightings })).locks).toMatchObject([
      { state: 'free', delayedUntilMs: null, delay },
    ]);
  });

  test("the lock info of an earlier Terraform run is not taken for the present holder's", () => {
    const info = { ID: sid(2), Who: 'ada', Created: '2026-11-21T05:00:00Z', Operation: 'x' };
    const rows = [
      row('tf/.lock', { flags: lockFlags, session: sid(1), lockIndex: '1' }),
      row('tf/.lockinfo', { value: Buffer.from(JSON.stringify(info)) }),
    ];
    const [lock] = recognise(view(rows)).locks;
    expect(lock).toMatchObject({ layout: 'terraform', details: [] });
    expect(lock?.holder).toMatchObject({ label: '1000…4444', since: null });
  });

  test('the lock info beside a Terraform lock is left behind once the lock is free, and never before', () => {
    const info = { ID: sid(2), Who: 'ada', Created: '2026-11-21T05:00:00Z', Operation: 'x' };
    const left = (session: string | null) => {
      const rows = [
        row('tf/.lock', { flags: lockFlags, session, lockIndex: '1' }),
        row('tf/.lockinfo', { value: Buffer.from(JSON.stringify(info)) }),
      ];
      return recognise(view(rows)).locks[0]?.leftBehind;
    };
    expect(left(null)).toEqual({
      key: 'tf/.lockinfo',
      who: 'ada',
      createdAtMs: Date.parse('2026-11-21T05:00:00Z'),
    });
    // A run that takes the lock again writes its own info a moment later.
    expect([left(sid(1)), left(sid(2))]).toEqual([null, null]);
  });

  test('a lock info that appears later changes the lock beside it, and so does its end', () => {
    const lock = row('tf/.lock', { flags: lockFlags, session: sid(1), lockIndex: '1' });
    const info = { ID: sid(1), Who: 'ada', Operation: 'x' };
    const both = [lock, row('tf/.lockinfo', { value: Buffer.from(JSON.stringify(info)) })];
    const recogniser = createRecogniser();
    let look = 0;
    // Looks in a row that touch nothing: only changes are remade.
    const next = (rows: KvRow[]) => {
      look += 1;
      return recogniser(view(rows, { sightings: { ...view([]).sightings, look, touched: new Set() } }));
    };
    expect(next([lock]).locks[0]?.layout).toBe('consul-lock');
    expect(next(both).locks[0]).toMatchObject({ layout: 'terraform', holder: { label: 'ada' } });
    expect(next([lock]).locks[0]).toMatchObject({ layout: 'consul-lock', details: [] });
  });
});

describe('sessions', () => {
  test('a session lists its holds and wants; a ghost holds nothing', () => {
    const rows = [
      row('leader', { session: sid(1), lockIndex: '1' }),
      entry('jobs', 2, [sid(1), sid(2)]),
      contender('jobs', sid(1)),
      entry('rest', 1, []),
      contender('rest', sid(1)),
    ];
    const sessions = [session(sid(2)), session(sid(1))];
    expect(recognise(view(rows, { sessions })).sessions).toMatchObject([
      {
        id: sid(1),
        holds: [
          { source: 'consul', kind: 'lock', key: 'leader' },
          { source: 'consul', kind: 'semaphore', prefix: 'jobs' },
        ],
        wants: [{ source: 'consul', kind: 'semaphore', prefix: 'rest' }],
      },
      { id: sid(2), holds: [], wants: [] },
    ]);
  });

  test('a node is critical by its own check alone, and the checks of a session are its own', () => {
    const check = (node: string, checkId: string, status: string) => ({
      node,
      checkId,
      name: checkId,
      status,
      service: '',
    });
    const checks = [
      check('n1', 'serfHealth', 'passing'),
      check('n1', 'service:web', 'critical'),
      check('n2', 'serfHealth', 'critical'),
    ];
    const sessions = [
      session(sid(1)),
      session(sid(2), { node: 'n2', checkIds: [] }),
      session(sid(3), { checkIds: ['service:web', 'gone'] }),
    ];
    expect(recognise(view([], { sessions, checks })).sessions).toMatchObject([
      { nodeStatus: 'passing', checks: [{ name: 'serfHealth', status: 'passing' }] },
      { nodeStatus: 'critical', checks: [] },
      {
        nodeStatus: 'passing',
        checks: [
          { name: 'service:web', status: 'critical' },
          { name: 'gone', status: 'unknown' },
        ],
      },
    ]);
  });
});

test('an entry that Consul refuses to write is marked once that is known, and no longer when another Consul takes it', () => {
  const id = sid(1);
  const rows = [
    row('/locks/a', { session: id, flags: lockFlags }),
    row('locks/b', { session: id, flags: lockFlags }),
    entry('/jobs', 1, [id]),
    contender('/jobs', id),
    entry('jobs', 1, [id]),
    contender('jobs', id),
  ];
  const recogniser = createRecogniser();
  const marked = (change: Partial<ConsulView>) => {
    const { locks, semaphores } = recogniser(view(rows, change));
    return [...locks, ...semaphores].flatMap((one) =>
      one.unwritable ? [one.kind === 'lock' ? one.key : one.prefix] : [],
    );
  };
  expect(marked({})).toEqual([]);
  expect(marked({ enforcesKeyRule: true })).toEqual(['/locks/a', '/jobs']);
  expect(marked({ enforcesKeyRule: false })).toEqual([]);
});

describe('an entry that names thousands who are not there', () => {
  const names = Array.from(
    { length: 4_000 },
    (_, i) => `${String(i).padStart(8, '0')}-1111-2222-3333-444444444444`,
  );
  const [living, idle] = [sid(1), sid(2)];
  const rows = [entry('pool', 3, [...names, living, idle]), contender('pool', living)];
  const seen = (sessions: SessionRow[]) => {
    const semaphore = recognise(view(rows, { sessions })).semaphores[0];
    if (semaphore === undefined) throw new Error('no semaphore');
    return semaphore;
  };

  test('a hundred of them are listed, the others counted, and every real holder is there', () => {
    const semaphore = seen([session(living), session(idle)]);
    expect(semaphore.holders.filter(({ session }) => session === null)).toHaveLength(100);
    expect(semaphore.holders.filter(({ session }) => session !== null).map((one) => one.sessionId)).toEqual([
      living,
      idle,
    ]);
    expect(semaphore.beyond).toEqual({ ghost: 3_900, unknown: 0 });
    expect([semaphore.recorded, semaphore.effective]).toEqual([4_002, 1]);
    expect(JSON.stringify(semaphore).length).toBeLessThan(100_000);
  });

  test('hides no ghost behind names that cannot be judged', () => {
    const unknown = Array.from({ length: 150 }, (_, i) => `name-${i}`);
    const ended = new Set(names.slice(0, 5));
    const world = recognise(view([entry('pool', 3, [...unknown, ...ended], { flags: '0' })], { ended }));
    const semaphore = world.semaphores[0];
    expect(semaphore?.holders.filter(({ verdict }) => verdict === 'ghost')).toHaveLength(5);
    expect(semaphore?.beyond).toEqual({ ghost: 0, unknown: 55 });
    expect(findingsOf(world).map(({ code }) => code)).toContain('ghost-slots');
  });

  test('is found with all of them', () => {
    const world = recognise(view(rows, { sessions: [session(living), session(idle)] }));
    const found = findingsOf(world).find(({ code }) => code === 'ghost-slots');
    expect(found?.facts).toMatchObject({ ghosts: 4_001, recorded: 4_002 });
  });
});
