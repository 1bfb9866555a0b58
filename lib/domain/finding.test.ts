import { expect, test } from 'vitest';
import { type FindingCode, findingsOf, rules } from './finding';
import type { Holder, Lock, Semaphore, Session, Verdict, Waiter, World } from './model';

const expiry = { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null } as const;
const holder = (sessionId: string, verdict: Verdict = 'alive'): Holder => ({
  sessionId,
  session: null,
  verdict,
  evidence: [],
  since: null,
  expiry,
  value: null,
  label: sessionId,
});
const waiter = (sessionId: string): Waiter => ({
  ...holder(sessionId),
  entryKey: `jobs/${sessionId}`,
  arrivedIndex: '9',
});
const semaphore = (change: Partial<Semaphore>): Semaphore => ({
  kind: 'semaphore',
  prefix: 'jobs',
  layout: 'go-semaphore',
  limit: 1,
  recorded: 1,
  effective: 1,
  holders: [holder('a')],
  waiters: [],
  leftovers: [],
  problems: [],
  value: null,
  flags: '0',
  createIndex: '1',
  modifyIndex: '2',
  ...change,
});
const lock = (change: Partial<Lock>): Lock => ({
  kind: 'lock',
  key: 'leader',
  layout: 'plain',
  state: 'held',
  holder: holder('a'),
  waiters: null,
  delayedUntilMs: null,
  value: null,
  details: [],
  flags: '0',
  createIndex: '1',
  modifyIndex: '2',
  lockIndex: '1',
  ...change,
});
const session = (change: Partial<Session>): Session => ({
  id: 'a',
  name: 'worker',
  node: 'n1',
  ttlMs: null,
  behavior: 'release',
  lockDelayMs: 15_000,
  checks: [],
  nodeStatus: 'passing',
  holds: [{ kind: 'lock', key: 'leader' }],
  wants: [],
  since: { atMs: 0, basis: 'at-least' },
  createIndex: '1',
  ...change,
});
const world = (change: Partial<World>): World => ({
  locks: [],
  semaphores: [],
  sessions: [],
  scope: 'whole',
  ...change,
});

/** Worlds in which a rule must speak, with its severity, and worlds in which it must not. */
const cases: Readonly<
  Record<FindingCode, readonly (readonly [about: string, world: World, severity: string | null])[]>
> = {
  'ghost-slots': [
    [
      'a full semaphore with waiters',
      world({ semaphores: [semaphore({ holders: [holder('a', 'ghost')], waiters: [waiter('b')] })] }),
      'urgent',
    ],
    [
      'a ghost that nobody waits for',
      world({ semaphores: [semaphore({ holders: [holder('a', 'ghost')] })] }),
      'warning',
    ],
    ['holders that are there', world({ semaphores: [semaphore({ waiters: [waiter('b')] })] }), null],
  ],
  'over-limit': [
    ['two where one may be', world({ semaphores: [semaphore({ effective: 2, recorded: 2 })] }), 'warning'],
    ['full', world({ semaphores: [semaphore({})] }), null],
    ['more recorded, but ghosts', world({ semaphores: [semaphore({ recorded: 3, effective: 1 })] }), null],
    [
      'effective use cannot be told',
      world({ semaphores: [semaphore({ recorded: 3, effective: null })] }),
      null,
    ],
  ],
  'full-with-doubtful-holder': [
    [
      'a suspect and a waiter',
      world({ semaphores: [semaphore({ holders: [holder('a', 'suspect')], waiters: [waiter('b')] })] }),
      'urgent',
    ],
    [
      'a suspect and a free slot',
      world({
        semaphores: [semaphore({ limit: 2, holders: [holder('a', 'suspect')], waiters: [waiter('b')] })],
      }),
      null,
    ],
    ['full and waiting, all alive', world({ semaphores: [semaphore({ waiters: [waiter('b')] })] }), null],
    [
      'a holder that cannot be judged',
      world({ semaphores: [semaphore({ holders: [holder('a', 'unknown')], waiters: [waiter('b')] })] }),
      null,
    ],
  ],
  'doubtful-holder-while-others-wait': [
    [
      'an immortal holder',
      world({ semaphores: [semaphore({ holders: [holder('a', 'immortal')], waiters: [waiter('b')] })] }),
      'warning',
    ],
    [
      'a node-bound holder',
      world({ semaphores: [semaphore({ holders: [holder('a', 'node-bound')], waiters: [waiter('b')] })] }),
      'warning',
    ],
    ['nobody waits', world({ semaphores: [semaphore({ holders: [holder('a', 'immortal')] })] }), null],
  ],
  'unreadable-entry': [
    [
      'clients fail on it',
      world({
        semaphores: [
          semaphore({
            layout: 'unreadable',
            limit: null,
            recorded: null,
            effective: null,
            holders: [],
            waiters: [waiter('b')],
            problems: [{ code: 'not-json', detail: null }],
          }),
        ],
      }),
      'urgent',
    ],
    [
      'nobody is there',
      world({
        semaphores: [
          semaphore({
            layout: 'unreadable',
            holders: [],
            problems: [{ code: 'limit-below-one', detail: '0' }],
          }),
        ],
      }),
      'warning',
    ],
    [
      'unknown fields break nobody',
      world({ semaphores: [semaphore({ problems: [{ code: 'unknown-fields', detail: 'owner' }] })] }),
      null,
    ],
    // A client makes its contender entry first and the coordination entry a moment later.
    [
      'a missing entry is the first moment of a semaphore',
      world({
        semaphores: [
          semaphore({ layout: 'unreadable', problems: [{ code: 'entry-missing', detail: null }] }),
        ],
      }),
      null,
    ],
  ],
  'wrong-flags': [
    [
      'clients are there',
      world({ semaphores: [semaphore({ problems: [{ code: 'wrong-flags', detail: '0' }] })] }),
      'urgent',
    ],
    [
      'nobody is there',
      world({ semaphores: [semaphore({ holders: [], problems: [{ code: 'wrong-flags', detail: '0' }] })] }),
      'warning',
    ],
    ['the right flags', world({ semaphores: [semaphore({})] }), null],
  ],
  'no-lock-delay': [
    [
      'a lock whose session has none',
      world({ locks: [lock({})], sessions: [session({ lockDelayMs: 0 })] }),
      'notice',
    ],
    ['a session with a delay', world({ locks: [lock({})], sessions: [session({})] }), null],
    ['a session that is not visible', world({ locks: [lock({})] }), null],
    [
      'a semaphore, which has none anyway',
      world({ semaphores: [semaphore({})], sessions: [session({ lockDelayMs: 0 })] }),
      null,
    ],
  ],
  'session-leak': [
    ['holds and wants nothing, no TTL', world({ sessions: [session({ holds: [] })] }), 'notice'],
    ['holds a lock', world({ sessions: [session({})] }), null],
    ['has a TTL', world({ sessions: [session({ holds: [], ttlMs: 15_000 })] }), null],
    ['may hold something out of view', world({ sessions: [session({ holds: [] })], scope: 'part' }), null],
  ],
};

test.each(Object.entries(cases).flatMap(([code, rows]) => rows.map((row) => [code, ...row] as const)))(
  '%s: %s',
  (code, _about, given, severity) => {
    expect(findingsOf(given).find((finding) => finding.code === code)?.severity ?? null).toBe(severity);
  },
);

test('every code has a rule', () => {
  expect(rules.map((rule) => rule.code).sort()).toEqual(Object.keys(cases).sort());
});

test('ids are unique and sorted, and stay while the finding lasts', () => {
  const given = world({
    semaphores: [
      semaphore({
        prefix: 'b',
        holders: [holder('a', 'ghost')],
        problems: [{ code: 'wrong-flags', detail: '0' }],
      }),
      semaphore({ prefix: 'a', holders: [holder('a', 'ghost'), holder('b', 'ghost')] }),
    ],
  });
  const ids = findingsOf(given).map((finding) => finding.id);
  expect(ids).toEqual(['ghost-slots semaphore:a', 'ghost-slots semaphore:b', 'wrong-flags semaphore:b']);
});

test('what mends ghosts is a prune of that semaphore, and nothing for an entry that was not understood', () => {
  const ghosts = { holders: [holder('a', 'ghost')] };
  expect(findingsOf(world({ semaphores: [semaphore(ghosts)] }))[0]?.mend).toEqual({
    type: 'semaphore.prune',
    prefixes: ['jobs'],
  });
  expect(
    findingsOf(world({ semaphores: [semaphore({ ...ghosts, layout: 'unreadable' })] }))[0]?.mend,
  ).toBeNull();
});
