import { describe, expect, test } from 'vitest';
import { full, holder, lock, semaphore, session, waiter, world } from '@/lib/domain/fixture/world';
import type { StoredValue, World } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import type { Scope } from '@/lib/domain/sharing/grant';
import type { SourceState } from '@/lib/domain/source-state';
import { createCut, cutSource } from './scope-cut';

const board = (prefix: string, values = false): Scope => ({
  view: 'board',
  prefix,
  source: 'consul',
  datacenter: null,
  values,
  sessions: true,
  frames: [],
  label: '',
});
const value = (content: string): StoredValue => ({
  encoding: 'text',
  content,
  bytes: content.length,
  truncated: false,
});

/** Everything that may leave the server for this scope, as text. */
function told(whole: World, scope: Scope): string {
  const cut = createCut(scope);
  const { judged, shown } = cut.world(whole);
  return JSON.stringify([shown, cut.findings(judged, findingsOf(judged))]);
}

/** `in/` and `out/` share sessions, nodes and a deadlock. */
const both = world({
  locks: [
    lock({ key: 'in/leader', holder: holder('s-both') }),
    lock({ key: 'out/leader-SECRET', holder: holder('s-out-SECRET') }),
  ],
  semaphores: [
    full('in/jobs', [holder('s-both')], [waiter('s-other')]),
    full('out/jobs-SECRET', [holder('s-other')], [waiter('s-both'), waiter('s-out-SECRET')]),
  ],
  sessions: [
    session({
      id: 's-both',
      holds: [
        { source: 'consul', kind: 'lock', key: 'in/leader' },
        { source: 'consul', kind: 'semaphore', prefix: 'in/jobs' },
      ],
      wants: [{ source: 'consul', kind: 'semaphore', prefix: 'out/jobs-SECRET' }],
    }),
    session({
      id: 's-other',
      holds: [{ source: 'consul', kind: 'semaphore', prefix: 'out/jobs-SECRET' }],
      wants: [{ source: 'consul', kind: 'semaphore', prefix: 'in/jobs' }],
    }),
    session({
      id: 's-out-SECRET',
      name: 'SECRET',
      holds: [{ source: 'consul', kind: 'lock', key: 'out/leader-SECRET' }],
    }),
    session({ id: 's-idle-SECRET', holds: [], wants: [] }),
  ],
});

describe('nothing outside of the scope leaves the server', () => {
  test.each<[string, Scope]>([
    ['a prefix', board('in/')],
    ['a prefix with its values', board('in/', true)],
    ['a lock', { ...board(''), view: 'lock', key: 'in/leader' } as Scope],
    ['a semaphore', { ...board(''), view: 'semaphore', prefix: 'in/jobs' } as Scope],
  ])('%s', (_, scope) => {
    // Parsing would refuse fields of another view; here they only must not widen the scope.
    expect(told(both, scope)).not.toContain('SECRET');
    expect(told(both, scope)).toContain('in/');
  });

  test('a deadlock over the edge is not shown, though it exists; within the scope it is', () => {
    expect(findingsOf(both).map(({ code }) => code)).toContain('deadlock');
    expect(told(both, board('in/'))).not.toContain('deadlock');
    expect(told(both, board(''))).toContain('deadlock');
  });

  test('a session is judged by its holds and wants in the scope alone, and by its holders and waiters there', () => {
    const { judged, shown } = createCut(board('in/')).world(both);
    expect(judged.sessions.map(({ id, holds, wants }) => ({ id, holds, wants }))).toEqual([
      {
        id: 's-both',
        holds: [
          { source: 'consul', kind: 'lock', key: 'in/leader' },
          { source: 'consul', kind: 'semaphore', prefix: 'in/jobs' },
        ],
        wants: [],
      },
      { id: 's-other', holds: [], wants: [{ source: 'consul', kind: 'semaphore', prefix: 'in/jobs' }] },
    ]);
    expect(shown.sessions).toEqual([]);
  });

  test('further readers of a lock are cut as its holder is', () => {
    const reader = (id: string) =>
      holder(id, 'alive', { label: `${id}-SECRET`, value: value('SECRET'), mode: 'read' });
    const shared = world({
      locks: [lock({ key: 'in/rw', holder: reader('r1'), readers: [reader('r2'), reader('r3')] })],
    });
    for (const sessions of [true, false]) {
      const text = told(shared, { ...board('in/'), sessions });
      expect(text).not.toContain('SECRET');
      expect(text).toContain('r3');
    }
  });

  test('a lock outside that Signalbox took from the same thread is not named', () => {
    const lost = { code: 'redis-thread-lost', source: 'signalbox', detail: 'out/SECRET', atMs: 1 } as const;
    const left = world({
      locks: [lock({ key: 'in/part', holder: holder('a', 'alive', { evidence: [lost] }) })],
    });
    const text = told(left, board('in/', true));
    expect(text).toContain('same-thread-removed');
    expect(text).not.toContain('SECRET');
  });

  test('addresses, agents and the calls that failed are not told', () => {
    const source: SourceState = {
      id: 'consul',
      title: 'Consul',
      provider: 'consul',
      datacenter: 'dc1',
      origin: 'http://SECRET:8500',
      state: 'stale',
      lastContactMs: 1,
      staleSinceMs: 2,
      endsSeenSinceMs: null,
      restoredAtMs: null,
      renewals: [{ agent: 'SECRET', state: 'observed', sinceMs: 1 }],
      problem: {
        code: 'unavailable',
        detail: 'SECRET',
        why: { code: 'call-failed', facts: { call: '/v1/kv/SECRET', status: 500 } },
      },
    };
    expect(JSON.stringify(cutSource(source))).not.toContain('SECRET');
    expect(cutSource(source)).toMatchObject({ state: 'stale', problem: { why: { code: 'call-failed' } } });
  });
});

describe('stored values are shown only where they are granted', () => {
  /** A time named in a value: Terraform writes when its lock was made. */
  const written = { since: { atMs: 1_654_321_098_765, basis: 'value' } } as const;
  const said = world({
    locks: [
      lock({
        key: 'in/tf',
        value: value('HUSH-lock'),
        details: [{ name: 'Who', value: 'HUSH-who' }],
        holder: holder('s1', 'alive', {
          label: 'HUSH-owner',
          value: value('HUSH-value'),
          ...written,
        }),
      }),
    ],
    semaphores: [
      semaphore({
        prefix: 'in/pool',
        value: value('HUSH-entry'),
        problems: [{ code: 'holder-not-a-session', detail: 'HUSH-detail' }],
        holders: [
          holder('s1', 'immortal', {
            label: 'HUSH-owner',
            value: value('{"owner":"HUSH-owner"}'),
            ...written,
          }),
        ],
        waiters: [waiter('s2', { label: 'HUSH-two', value: value('HUSH-waits'), ...written })],
      }),
    ],
    sessions: [
      session({ id: 's1', name: 'runner', holds: [{ source: 'consul', kind: 'lock', key: 'in/tf' }] }),
      session({
        id: 's2',
        name: 'other',
        wants: [{ source: 'consul', kind: 'semaphore', prefix: 'in/pool' }],
      }),
    ],
  });

  test('without, neither they nor what was read from them', () => {
    expect(told(said, board('in/'))).not.toContain('HUSH');
    expect(told(said, board('in/'))).not.toContain('1654321098765');
    expect(told(said, board('in/'))).toContain('worker');
  });
  test('without, an instant that was seen and not read stays', () => {
    const seen = { since: { atMs: 1_654_321_098_765, basis: 'observed' } } as const;
    const whole = world({
      locks: [lock({ key: 'in/leader', holder: holder('s1', 'alive', seen) })],
      semaphores: [semaphore({ prefix: 'in/pool', holders: [holder('s1', 'alive', seen)] })],
    });
    expect(told(whole, board('in/')).split('1654321098765')).toHaveLength(3);
  });
  test('with, they are', () => {
    for (const part of ['HUSH-lock', 'HUSH-who', 'HUSH-owner', 'HUSH-entry', 'HUSH-waits', '1654321098765'])
      expect(told(said, board('in/', true))).toContain(part);
  });
  test('a client joined by an owner that only values name is called by its session', () => {
    const owner = (name: string) => ({ value: value(`{"owner":"HUSH-${name}"}`) });
    const knot = world({
      semaphores: [
        full('in/a', [holder('a1', 'alive', owner('one'))], [waiter('b2', owner('two'))]),
        full('in/b', [holder('b1', 'alive', owner('two'))], [waiter('a2', owner('one'))]),
      ],
      sessions: ['a1', 'a2', 'b1', 'b2'].map((id) =>
        session({
          id,
          holds: id.endsWith('1')
            ? [{ source: 'consul', kind: 'semaphore', prefix: id === 'a1' ? 'in/a' : 'in/b' }]
            : [],
          wants: id.endsWith('2')
            ? [{ source: 'consul', kind: 'semaphore', prefix: id === 'b2' ? 'in/a' : 'in/b' }]
            : [],
        }),
      ),
    });
    expect(told(knot, board('in/'))).toContain('deadlock');
    expect(told(knot, board('in/'))).not.toContain('HUSH');
  });
});

/** The fields that an embed shows, by path; every other field of a row must be empty. */
const partyShown =
  'sessionId session.name session.node verdict evidence.code evidence.source evidence.detail evidence.atMs since.atMs since.basis expiry.kind expiry.withinMs expiry.latestMs expiry.lastRenewalMs label'.split(
    ' ',
  );
const subjectShown = (of: string) => [`${of}.source`, `${of}.kind`, `${of}.key`, `${of}.prefix`, `${of}.id`];
const delayShown = 'sessionId sessionName node seenAtMs lengthMs untilMs basis'.split(' ');
const fieldsShown = new Set([
  'scope',
  ...'source kind key layout state delayedUntilMs exists'.split(' ').map((name) => `locks.${name}`),
  ...delayShown.map((name) => `locks.delay.${name}`),
  ...'source kind prefix layout limit recorded effective problems.code'
    .split(' ')
    .map((name) => `semaphores.${name}`),
  ...['locks.holder', 'semaphores.holders', 'semaphores.waiters'].flatMap((of) =>
    partyShown.map((name) => `${of}.${name}`),
  ),
  ...'id code severity grounds.label grounds.verdict'.split(' ').map((name) => `findings.${name}`),
  ...['findings.subject', 'findings.also', 'findings.grounds.subject'].flatMap(subjectShown),
]);
const valueShown = 'encoding content bytes truncated'.split(' ');
const fieldsOfValues = new Set([
  ...fieldsShown,
  ...['locks.value', 'locks.holder.value', 'semaphores.value', 'semaphores.holders.value'].flatMap((of) =>
    valueShown.map((name) => `${of}.${name}`),
  ),
  ...valueShown.map((name) => `semaphores.waiters.value.${name}`),
  'locks.details.name',
  'locks.details.value',
  'semaphores.problems.detail',
]);

/** The paths of all non-empty fields; a finding's facts are its sentence. */
function pathsIn(value: unknown, path = ''): string[] {
  if (value === null || value === '' || path === 'findings.facts') return [];
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, path));
  if (typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([name, inner]) =>
    pathsIn(inner, path === '' ? name : `${path}.${name}`),
  );
}

test.each([
  ['without values', false, fieldsShown],
  ['with values', true, fieldsOfValues],
])(
  'fields that no embed shows are empty in the answer, every index of Consul above all, %s',
  (_, values, allowed) => {
    const party = {
      evidence: [{ code: 'ttl', source: 'session', detail: '15s', atMs: 7 } as const],
      since: { atMs: 7, basis: 'observed' } as const,
      expiry: { kind: 'observed', withinMs: 1, latestMs: 2, lastRenewalMs: 3 } as const,
      value: value('HUSH'),
    };
    const turnover = { changes: 900, windowMs: 60_000 };
    const indexes = { createIndex: '4711', modifyIndex: '4712' };
    const delay = {
      sessionId: 's9',
      sessionName: 'gone',
      node: 'n9',
      seenAtMs: 1,
      lengthMs: 2,
      untilMs: 3,
      basis: 'possible',
    } as const;
    const whole = world({
      locks: [
        lock({
          ...indexes,
          lockIndex: '4713',
          flags: '4714',
          delay,
          turnover,
          key: 'in/a',
          value: value('HUSH'),
        }),
        lock({ ...indexes, key: 'in/b', holder: holder('s1', 'suspect', party) }),
        lock({ ...indexes, key: 'in/c', details: [{ name: 'Who', value: 'HUSH' }] }),
      ],
      semaphores: [
        semaphore({
          ...full(
            'in/jobs',
            [holder('s1', 'ghost', party)],
            [waiter('s2', { ...party, arrivedIndex: '4715' })],
          ),
          ...indexes,
          flags: '4716',
          turnover,
          leftovers: ['in/jobs/RAW-KEY'],
          problems: [{ code: 'unknown-fields', detail: 'HUSH' }],
          value: value('HUSH'),
        }),
      ],
      sessions: [session({ id: 's1', createIndex: '4717', checks: [{ name: 'CHECK', status: 'critical' }] })],
    });
    const cut = createCut(board('in/', values));
    const { judged, shown } = cut.world(whole);
    const findings = cut.findings(judged, findingsOf(judged));
    expect(findings.length).toBeGreaterThan(1);
    const told = new Set(pathsIn({ ...shown, findings }));
    expect([...told].filter((path) => !allowed.has(path))).toEqual([]);
    expect(JSON.stringify([shown, findings])).not.toMatch(/471\d|RAW-KEY|CHECK/);
  },
);

test.each([true, false])('no address of an agent is shown, with values or without (%s)', (values) => {
  const seen = {
    evidence: [
      { code: 'renewal-observed', source: 'agent', detail: 'http://10.0.0.7-SECRET:8500', atMs: 1 } as const,
    ],
  };
  const watched = world({
    locks: [lock({ key: 'in/leader', holder: holder('s1', 'overdue', seen) })],
    semaphores: [full('in/jobs', [holder('s1', 'overdue', seen)], [waiter('s2', seen)])],
    sessions: [session({ id: 's1' }), session({ id: 's2' })],
  });
  expect(JSON.stringify(findingsOf(watched))).toContain('SECRET');
  expect(told(watched, board('in/', values))).toContain('renewal-observed');
  expect(told(watched, board('in/', values))).not.toContain('SECRET');
});

describe('sessions are shown only where they are granted', () => {
  const seen = {
    session: { name: 'NAME', node: 'NODE' },
    label: 'NAME',
    evidence: [
      { code: 'holds-entry', source: 'kv', detail: 'in/jobs/x', atMs: null },
      { code: 'ttl', source: 'session', detail: 'TTL', atMs: null },
      { code: 'node-critical', source: 'catalog', detail: 'NODE', atMs: null },
      { code: 'check-critical', source: 'catalog', detail: 'CHECK', atMs: null },
      { code: 'renewal-overdue', source: 'agent', detail: 'RENEWAL', atMs: 1 },
    ],
    expiry: { kind: 'bounded', withinMs: 17_017, latestMs: 27_027, lastRenewalMs: 37_037 },
  } as const;
  const delay = {
    sessionId: 's9',
    sessionName: 'NAME',
    node: 'NODE',
    seenAtMs: 1,
    lengthMs: 47_047,
    untilMs: 57_057,
    basis: 'seen',
  } as const;
  const delayed = { state: 'delayed', holder: null, delay, delayedUntilMs: 57_057 } as const;
  const judgedBySessions = world({
    locks: [
      lock({
        key: 'in/leader',
        holder: holder('s1-of-leader', 'suspect', seen),
        unwoken: { clients: 1, evidence: seen.evidence },
      }),
      lock({ key: 'in/delayed', ...delayed }),
      lock({ key: 'in/gone', ...delayed, exists: false }),
    ],
    semaphores: [
      full(
        'in/jobs',
        [holder('s2-of-jobs', 'immortal', seen), holder('s3-of-jobs', 'ghost', seen)],
        [waiter('s4-of-jobs', { ...seen, verdict: 'suspect' })],
      ),
    ],
    sessions: ['s1-of-leader', 's2-of-jobs', 's4-of-jobs'].map((id) =>
      session({
        id,
        name: 'NAME',
        node: 'NODE',
        ttlMs: 17_017,
        checks: [{ name: 'CHECK', status: 'critical' }],
        nodeStatus: 'critical',
        holds: [{ source: 'consul', kind: 'lock', key: 'in/leader' }],
      }),
    ),
  });
  const facts = /NAME|NODE|TTL|CHECK|RENEWAL|[1-5]70[1-5]7|suspect|immortal/;

  test.each([true, false])('with values or without (%s)', (values) => {
    expect(told(judgedBySessions, board('in/', values))).toMatch(facts);
    const blind = told(judgedBySessions, { ...board('in/', values), sessions: false });
    expect(blind).not.toMatch(facts);
    expect(blind).toContain('s1-of-leader');
  });

  test('without them a row names who holds, and says that a lock is refused and not until when', () => {
    const { shown } = createCut({ ...board('in/'), sessions: false }).world(judgedBySessions);
    expect(shown.locks).toMatchObject([
      {
        key: 'in/leader',
        state: 'held',
        holder: {
          session: null,
          verdict: 'unknown',
          evidence: [{ code: 'holds-entry' }, { code: 'session-not-visible' }],
        },
      },
      { key: 'in/delayed', state: 'delayed', delay: null, delayedUntilMs: null },
    ]);
    expect(shown.semaphores[0]?.holders.map(({ verdict }) => verdict)).toEqual(['unknown', 'ghost']);
  });
});

test('no action is offered to a reader', () => {
  expect(findingsOf(both).some(({ mend }) => mend !== null)).toBe(true);
  expect(told(both, board(''))).not.toMatch(/"type":"(semaphore|lock|session)\./);
});

test('unchanged rows are the same objects, so that nothing is sent again', () => {
  const cut = createCut(board('in/'));
  const first = cut.world(both).shown;
  const second = cut.world({ ...both, locks: [...both.locks] }).shown;
  expect(second.locks[0]).toBe(first.locks[0]);
  expect(second.semaphores[0]).toBe(first.semaphores[0]);
});
