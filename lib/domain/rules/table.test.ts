import { expect, test } from 'vitest';
import type { FindingCode } from '@/lib/domain/findings/finding';
import {
  countedLock,
  crossed,
  fairLock,
  full,
  holder,
  lock,
  semaphore,
  session,
  waiter,
  world,
} from '@/lib/domain/fixture/world';
import type { Expiry, StoredValue, World } from '@/lib/domain/model';
import { fact } from '@/lib/domain/verdict';
import { findingsOf, rules } from './table';
import { herdMin } from './traffic';

const never: Expiry = { kind: 'never', withinMs: null, latestMs: null, lastRenewalMs: null };
const text = (content: string): StoredValue => ({
  encoding: 'text',
  content,
  bytes: content.length,
  truncated: false,
});
const many = (n: number, value: StoredValue | null = null) =>
  Array.from({ length: n }, (_, i) => waiter(`w${i}`, { value }));
const minute = (changes: number) => ({ changes, windowMs: 60_000 });

/** Worlds in which a rule must report, with its severity, and worlds in which it must not. */
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
      'an empty entry that nobody contends for is new to whoever comes',
      world({
        semaphores: [
          semaphore({
            layout: 'unreadable',
            limit: null,
            recorded: null,
            effective: null,
            holders: [],
            problems: [{ code: 'empty-value', detail: null }],
          }),
        ],
      }),
      null,
    ],
    [
      'a key that a map has twice breaks nobody',
      world({ semaphores: [semaphore({ problems: [{ code: 'holder-repeated', detail: 'a' }] })] }),
      null,
    ],
    [
      'of two problems the graver counts',
      world({
        semaphores: [
          semaphore({
            layout: 'unreadable',
            problems: [
              { code: 'duplicate-fields', detail: 'holders' },
              { code: 'holders-missing', detail: 'null' },
            ],
          }),
        ],
      }),
      'urgent',
    ],
    [
      'unknown fields break nobody',
      world({ semaphores: [semaphore({ problems: [{ code: 'unknown-fields', detail: 'owner' }] })] }),
      null,
    ],
    // A client makes its contender entry a moment before the coordination entry.
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
  'overdue-holder': [
    ['a lock, whoever waits', world({ locks: [lock({ holder: holder('a', 'overdue') })] }), 'warning'],
    [
      'a slot, and others are free',
      world({ semaphores: [semaphore({ limit: 2, holders: [holder('a', 'overdue')] })] }),
      'warning',
    ],
    [
      'a slot that others wait for',
      world({ semaphores: [semaphore({ holders: [holder('a', 'overdue')], waiters: [waiter('b')] })] }),
      'urgent',
    ],
    [
      'others wait, and a slot is free',
      world({
        semaphores: [semaphore({ limit: 2, holders: [holder('a', 'overdue')], waiters: [waiter('b')] })],
      }),
      'warning',
    ],
    ['alive', world({ locks: [lock({})], semaphores: [semaphore({})] }), null],
  ],
  'suspect-holder': [
    ['a lock that Consul will free', world({ locks: [lock({ holder: holder('a', 'suspect') })] }), 'warning'],
    [
      'a lock that nothing frees',
      world({ locks: [lock({ holder: holder('a', 'suspect', { expiry: never }) })] }),
      'urgent',
    ],
    [
      'a slot that nobody needs',
      world({ semaphores: [semaphore({ holders: [holder('a', 'suspect')] })] }),
      'warning',
    ],
    [
      'a slot that others wait for',
      world({ semaphores: [semaphore({ holders: [holder('a', 'suspect')], waiters: [waiter('b')] })] }),
      'urgent',
    ],
    [
      'others wait, and a slot is free',
      world({
        semaphores: [semaphore({ limit: 2, holders: [holder('a', 'suspect')], waiters: [waiter('b')] })],
      }),
      'warning',
    ],
    ['full and waiting, all alive', world({ semaphores: [semaphore({ waiters: [waiter('b')] })] }), null],
    ['cannot be judged', world({ locks: [lock({ holder: holder('a', 'unknown') })] }), null],
    [
      'a slot whose holder cannot be judged',
      world({ semaphores: [semaphore({ holders: [holder('a', 'unknown')], waiters: [waiter('b')] })] }),
      null,
    ],
  ],
  'endless-holder': [
    ['an immortal lock', world({ locks: [lock({ holder: holder('a', 'immortal') })] }), 'warning'],
    ['a node-bound lock', world({ locks: [lock({ holder: holder('a', 'node-bound') })] }), 'notice'],
    [
      'a slot that nobody waits for',
      world({ semaphores: [semaphore({ holders: [holder('a', 'immortal')] })] }),
      'notice',
    ],
    [
      'an immortal holder, and others wait',
      world({ semaphores: [semaphore({ holders: [holder('a', 'immortal')], waiters: [waiter('b')] })] }),
      'warning',
    ],
    [
      'a node-bound holder, and others wait',
      world({ semaphores: [semaphore({ holders: [holder('a', 'node-bound')], waiters: [waiter('b')] })] }),
      'warning',
    ],
    ['a TTL ends it', world({ locks: [lock({})] }), null],
  ],
  'limit-disagreement': [
    [
      'a waiter wrote another limit',
      world({ semaphores: [semaphore({ waiters: [waiter('b', { value: text('{"Limit":3}') })] })] }),
      'warning',
    ],
    [
      'a holder wrote another limit, which harms nobody',
      world({ semaphores: [semaphore({ holders: [holder('a', 'alive', { value: text('{"limit":3}') })] })] }),
      'notice',
    ],
    [
      'the limit was seen to change under a waiter',
      world({
        semaphores: [
          semaphore({
            waiters: [
              waiter('b', {
                evidence: [
                  { code: 'limit-changed-while-waiting', source: 'signalbox', detail: '2 -> 1', atMs: null },
                ],
              }),
            ],
          }),
        ],
      }),
      'warning',
    ],
    [
      'the same limit',
      world({ semaphores: [semaphore({ waiters: [waiter('b', { value: text('{"limit":1}') })] })] }),
      null,
    ],
    [
      'what a client asks for is not known',
      world({
        semaphores: [
          semaphore({
            waiters: [waiter('b', { value: text('{"limit":"3"}') }), waiter('c', { value: text('limit 3') })],
          }),
        ],
      }),
      null,
    ],
    [
      'the stored limit is not known',
      world({
        semaphores: [semaphore({ limit: null, waiters: [waiter('b', { value: text('{"limit":3}') })] })],
      }),
      null,
    ],
  ],
  herd: [
    ['many waiters', world({ semaphores: [semaphore({ waiters: many(herdMin) })] }), 'warning'],
    ['fewer', world({ semaphores: [semaphore({ waiters: many(herdMin - 1) })] }), null],
    [
      'many that queue and wake one by one',
      world({ semaphores: [semaphore({ waiters: many(3 * herdMin, text('{"v":1,"group":"g","n":1}')) })] }),
      null,
    ],
  ],
  flapping: [
    [
      'a leader every 12 s',
      world({ locks: [lock({ layout: 'patroni-leader', turnover: minute(5) })] }),
      'warning',
    ],
    [
      'a leader twice a minute',
      world({ locks: [lock({ layout: 'patroni-leader', turnover: minute(2) })] }),
      null,
    ],
    ['a lock held for less than a second', world({ locks: [lock({ turnover: minute(90) })] }), 'notice'],
    ['a lock for work of some seconds', world({ locks: [lock({ turnover: minute(20) })] }), null],
    [
      'three slots share the changes',
      world({ semaphores: [semaphore({ limit: 3, turnover: minute(120) })] }),
      null,
    ],
    ['not watched long enough', world({ locks: [lock({ turnover: null })] }), null],
  ],
  deadlock: [
    ['each holds what the other wants', crossed(), 'urgent'],
    [
      'one of them may be dead',
      world({
        semaphores: [
          full('a', [holder('x', 'overdue')], [waiter('y')]),
          full('b', [holder('y')], [waiter('x')]),
        ],
      }),
      null,
    ],
    [
      'waiting, but for someone at work',
      world({ semaphores: [full('a', [holder('x')], [waiter('y')])] }),
      null,
    ],
  ],
  'dead-queue-head': [
    [
      'the first is gone, and another waits behind it',
      world({ locks: [fairLock([waiter('b', { verdict: 'ghost' }), waiter('c')])] }),
      'urgent',
    ],
    [
      'the first is gone and the lock is free',
      world({ locks: [fairLock([waiter('b', { verdict: 'ghost' })], { state: 'free', holder: null })] }),
      'urgent',
    ],
    [
      'alone behind a holder it is in nobody’s way yet',
      world({ locks: [fairLock([waiter('b', { verdict: 'ghost' })])] }),
      'warning',
    ],
    [
      'a dead one behind a live first',
      world({ locks: [fairLock([waiter('b'), waiter('c', { verdict: 'ghost' })])] }),
      null,
    ],
  ],
  'sleeping-waiters': [
    [
      'clients wait beside a free lock',
      world({ locks: [countedLock({ state: 'free', holder: null, waitingClients: 2 })] }),
      'warning',
    ],
    ['clients wait for a holder', world({ locks: [countedLock({ waitingClients: 2 })] }), null],
    [
      'nobody is counted',
      world({ locks: [countedLock({ state: 'free', holder: null, waitingClients: 0 })] }),
      null,
    ],
  ],
  'sleeping-readers': [
    [
      'clients waited for a writer that reads on',
      world({ locks: [countedLock({ waitingClients: 2, unwoken: { clients: 1, evidence: [] } })] }),
      'warning',
    ],
    ['clients wait beside a reader', world({ locks: [countedLock({ waitingClients: 2 })] }), null],
  ],
  'same-thread-removed': [
    [
      'its thread lost another lock',
      world({
        locks: [
          countedLock({
            holder: holder('a', 'alive', { evidence: [fact('redis-thread-lost', 'job:b', 1)] }),
          }),
        ],
      }),
      'notice',
    ],
    ['its thread lost none', world({ locks: [countedLock()] }), null],
  ],
  'no-lock-delay': [
    [
      'a lock whose session has none',
      world({ locks: [lock({})], sessions: [session({ lockDelayMs: 0 })] }),
      'notice',
    ],
    [
      'next to none, as Patroni asks for',
      world({ locks: [lock({ layout: 'patroni-leader' })], sessions: [session({ lockDelayMs: 1 })] }),
      'notice',
    ],
    [
      'a key of a member, which nobody else wants',
      world({ locks: [lock({ layout: 'patroni-member' })], sessions: [session({ lockDelayMs: 1 })] }),
      null,
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
  expect([...new Set(rules.map((rule) => rule.code))].sort()).toEqual(Object.keys(cases).sort());
});

test('no action is proposed on a record that the backend does not write', () => {
  const worlds = Object.values(cases).flatMap((all) => all.map(([, given]) => given));
  const mends = (given: World) =>
    findingsOf(given).flatMap(({ mend, grounds }) => [mend, ...grounds.map((one) => one.mend)]);
  const onRecords = (given: World) =>
    mends(given).filter((mend) => mend?.type.startsWith('semaphore.') === true);
  expect(worlds.flatMap(onRecords).length).toBeGreaterThan(3);
  for (const given of worlds) {
    const semaphores = given.semaphores.map((one) => ({ ...one, unwritable: true as const }));
    expect(onRecords({ ...given, semaphores })).toEqual([]);
  }
});
