import { describe, expect, test } from 'vitest';
import * as fixture from '@/lib/domain/fixture/world';
import type { EvidenceCode, Holder, Lock, Semaphore, Verdict, World } from '@/lib/domain/model';
import type { RuleFacts } from '@/lib/domain/refusal';
import { fact } from '@/lib/domain/verdict';
import { type Action, actionTypes, find, permission, subjectsOf } from './action';
import { actionSchema } from './schema';
import { limitMax } from './semaphore';

const id = '0a0a0a0a-1111-2222-3333-444444444444';
const holder = (verdict: Verdict = 'alive', sessionId = id): Holder => fixture.holder(sessionId, verdict);
/** A holder with no other known fact. */
const resting = (on: EvidenceCode): Holder => ({ ...holder('unknown'), evidence: [fact(on)] });
const waiter = fixture.waiter('w');
const semaphore = (change: Partial<Semaphore> = {}) =>
  fixture.semaphore({ limit: 3, holders: [holder()], ...change });
const lock = (change: Partial<Lock> = {}) => fixture.lock({ holder: holder(), ...change });
const session = fixture.session({ id, holds: [] });
const { world } = fixture;
const withLock = (change: Partial<Lock> = {}) => world({ locks: [lock(change)] });
const withSemaphore = (change: Partial<Semaphore> = {}) => world({ semaphores: [semaphore(change)] });
const unwritable = { unwritable: true } as const;
const unreadable = { layout: 'unreadable', limit: null, recorded: null, effective: null } as const;

const release: Action = { type: 'lock.release', source: 'consul', key: 'leader', how: 'destroy-session' };
const deleteLock: Action = { type: 'lock.delete', source: 'consul', key: 'leader' };
const evict: Action = {
  type: 'semaphore.evict',
  source: 'consul',
  prefix: 'jobs',
  sessionId: id,
  how: 'destroy-session',
};
const slotOnly: Action = { ...evict, how: 'slot-only' } as Action;
const prune: Action = { type: 'semaphore.prune', source: 'consul', prefixes: ['jobs'] };
const resize = (limit: number): Action => ({
  type: 'semaphore.resize',
  source: 'consul',
  prefix: 'jobs',
  limit,
});
const deleteSemaphore: Action = { type: 'semaphore.delete', source: 'consul', prefix: 'jobs' };
const destroy: Action = { type: 'session.destroy', source: 'consul', sessionId: id };

const removeWaiter: Action = { type: 'lock.remove-waiter', source: 'consul', key: 'leader', sessionId: 'w' };
const ask: Action = { type: 'lock.ask', source: 'consul', key: 'leader', sessionId: id };
const wake: Action = { type: 'lock.wake', source: 'consul', key: 'leader' };
const removeFromPool: Action = {
  type: 'semaphore.remove-waiter',
  source: 'consul',
  prefix: 'jobs',
  sessionId: 'w',
};
const returnTwo: Action = { type: 'semaphore.return-permits', source: 'consul', prefix: 'jobs', permits: 2 };
const withQueue = (layout: Lock['layout']) => withLock({ layout, waiters: [waiter] });
const withReaders = withLock({ layout: 'redisson-read-write', readers: [holder('alive', 'r2')] });

/** Action, world, and the code of the refusal; `null` when it is allowed. */
const table: readonly (readonly [
  about: string,
  action: Action,
  world: World,
  refusal: keyof RuleFacts | null,
])[] = [
  [
    'a name of which bytes are not known names nothing for sure',
    { type: 'lock.delete', source: 'consul', key: 'caf\ufffd' },
    withLock({ key: 'caf\ufffd', state: 'free', holder: null }),
    'name-not-sure',
  ],
  ['a held lock can be released', release, withLock(), null],
  ['a free lock cannot', release, withLock({ state: 'free', holder: null }), 'nobody-holds'],
  ['a delayed lock cannot', release, withLock({ state: 'delayed', holder: null }), 'nobody-holds'],
  ['nor one that is not in view', release, world(), 'lock-not-in-view'],
  ['a free lock can be deleted', deleteLock, withLock({ state: 'free', holder: null }), null],
  [
    'nor a key that went with its session',
    deleteLock,
    withLock({ state: 'delayed', holder: null, exists: false }),
    'key-gone',
  ],
  ['a held lock cannot be deleted', deleteLock, withLock(), 'lock-held'],
  ['a holder can be evicted', evict, withSemaphore(), null],
  ['a waiter cannot', evict, withSemaphore({ holders: [], waiters: [waiter] }), 'not-holder'],
  ['a ghost is pruned, not evicted', evict, withSemaphore({ holders: [holder('ghost')] }), 'is-ghost'],
  [
    'nor a name that is no session’s, though nothing says that it is not there',
    evict,
    withSemaphore({ holders: [resting('name-of-no-session')] }),
    'not-a-session',
  ],
  [
    'one that locks nothing, of a program with rules of its own, goes with its session',
    evict,
    withSemaphore({ holders: [resting('may-need-no-entry')] }),
    null,
  ],
  [
    'its slot alone cannot: there is nothing to compare',
    slotOnly,
    withSemaphore({ holders: [resting('may-need-no-entry')] }),
    'locks-nothing-here',
  ],
  [
    'and nothing of it can where its session is not in view',
    evict,
    withSemaphore({ holders: [{ ...resting('may-need-no-entry'), session: null }] }),
    'session-not-in-view',
  ],
  ['its session can go though the entry is not understood', evict, withSemaphore(unreadable), null],
  ['but its slot alone cannot', slotOnly, withSemaphore(unreadable), 'not-understood'],
  ['ghosts can be pruned', prune, withSemaphore({ holders: [holder('ghost')] }), null],
  ['who cannot be judged is not pruned', prune, withSemaphore({ holders: [holder('unknown')] }), 'no-ghost'],
  [
    'an entry that is not understood is not pruned',
    prune,
    withSemaphore({ ...unreadable, holders: [holder('ghost')] }),
    'not-understood',
  ],
  [
    'a batch is checked part by part',
    { type: 'semaphore.prune', source: 'consul', prefixes: ['a', 'b'] },
    world(),
    null,
  ],
  ['a limit can grow', resize(4), withSemaphore(), null],
  ['a limit that is already so', resize(3), withSemaphore(), 'limit-already'],
  ['an entry that is not understood is not resized', resize(4), withSemaphore(unreadable), 'not-understood'],
  ['a map may shrink below its holders', resize(1), withSemaphore({ recorded: 3 }), null],
  [
    'a list may not: its clients test equality',
    resize(1),
    withSemaphore({ layout: 'java-semaphore', recorded: 2 }),
    'below-recorded',
  ],
  [
    'nor may the list of the guide',
    resize(1),
    withSemaphore({ layout: 'guide-list', recorded: 2 }),
    'below-recorded',
  ],
  [
    'nor what has other flags than Go’s: whose clients it has is not known',
    resize(1),
    withSemaphore({ recorded: 2, problems: [{ code: 'wrong-flags', detail: '0' }] }),
    'below-recorded',
  ],
  [
    'a shared count may: its clients wait then',
    resize(1),
    withSemaphore({ layout: 'curator-semaphore-shared', recorded: 2 }),
    null,
  ],
  [
    'a list may shrink to its holders',
    resize(2),
    withSemaphore({ layout: 'java-semaphore', recorded: 2 }),
    null,
  ],
  ['an idle semaphore can be deleted', deleteSemaphore, withSemaphore({ holders: [] }), null],
  ['one with holders cannot', deleteSemaphore, withSemaphore(), 'holders-recorded'],
  [
    'one with waiters cannot',
    deleteSemaphore,
    withSemaphore({ holders: [], waiters: [waiter] }),
    'sessions-wait',
  ],
  [
    'one whose entry was not understood cannot: it may name holders',
    deleteSemaphore,
    withSemaphore({ ...unreadable, holders: [], problems: [{ code: 'not-json', detail: null }] }),
    'not-understood',
  ],
  [
    'an empty entry names nobody',
    deleteSemaphore,
    withSemaphore({ ...unreadable, holders: [], problems: [{ code: 'empty-value', detail: null }] }),
    null,
  ],
  ['a lock that the backend does not write is freed by its session', release, withLock(unwritable), null],
  [
    'it is not handed over: that writes the key',
    { type: 'lock.release', source: 'consul', key: 'leader', how: 'hand-over' },
    withLock(unwritable),
    'key-refused',
  ],
  ['nor deleted', deleteLock, withLock({ ...unwritable, state: 'free', holder: null }), 'key-refused'],
  ['nobody is evicted from a record that is not written', evict, withSemaphore(unwritable), 'key-refused'],
  [
    'nor is a ghost pruned from it',
    prune,
    withSemaphore({ ...unwritable, holders: [holder('ghost')] }),
    'key-refused',
  ],
  ['nor is its limit changed', resize(4), withSemaphore(unwritable), 'key-refused'],
  ['nor is it deleted', deleteSemaphore, withSemaphore({ ...unwritable, holders: [] }), 'key-refused'],
  [
    'one without holders names nobody, and Go clients crash on it',
    deleteSemaphore,
    withSemaphore({ ...unreadable, holders: [], problems: [{ code: 'holders-missing', detail: 'null' }] }),
    null,
  ],
  [
    'one without holders and with fields of its own may name them there',
    deleteSemaphore,
    withSemaphore({
      ...unreadable,
      holders: [],
      problems: [
        { code: 'holders-missing', detail: null },
        { code: 'unknown-fields', detail: 'owners' },
      ],
    }),
    'not-understood',
  ],
  ['a session in view can be destroyed', destroy, world({ sessions: [session] }), null],
  ['one that is not cannot', destroy, world(), 'session-not-in-view'],
  ['of several readers one is named', release, withReaders, 'several-hold'],
  ['and released', { ...release, holder: 'r2' } as Action, withReaders, null],
  ['nobody else is', { ...release, holder: 'r3' } as Action, withReaders, 'not-holder'],
  [
    'a kind that is shown only is not released',
    release,
    withLock({ layout: 'redisson-faster-multi' }),
    'not-offered-here',
  ],
  ['one in a visible queue can be removed from it', removeWaiter, withQueue('redisson-fair'), null],
  [
    'one that is not there cannot',
    { ...removeWaiter, sessionId: 'q' } as Action,
    withQueue('redisson-fair'),
    'not-waiter',
  ],
  [
    'nor where the backend has no queue to write',
    removeWaiter,
    withQueue('stand-in-lock'),
    'not-offered-here',
  ],
  ['a holder can be asked where its client may listen', ask, withLock({ layout: 'curator-mutex' }), null],
  ['and nowhere else', ask, withLock(), 'not-offered-here'],
  [
    'those who sleep can be woken where a message wakes them',
    wake,
    withLock({ layout: 'redisson-lock', state: 'free', holder: null }),
    null,
  ],
  ['not behind one that holds alone', wake, withLock({ layout: 'redisson-lock' }), 'lock-held'],
  [
    'but beside readers',
    wake,
    withLock({ layout: 'redisson-read-write', holder: { ...holder(), mode: 'read' } }),
    null,
  ],
  [
    'a limit that is not stored is not set',
    resize(4),
    withSemaphore({ layout: 'redisson-semaphore', available: 3, limit: null, recorded: null }),
    'limit-not-stored',
  ],
  [
    'one that is configured here is, by what is free',
    resize(4),
    withSemaphore({ layout: 'redisson-semaphore', available: 3, limit: 5, recorded: 2 }),
    null,
  ],
  [
    'a kind whose limit nobody can set says so',
    resize(4),
    withSemaphore({ layout: 'curator-semaphore' }),
    'not-offered-here',
  ],
  ['and nowhere else are', wake, withLock(), 'not-offered-here'],
  [
    'the same in the queue of a semaphore',
    removeFromPool,
    withSemaphore({ layout: 'curator-semaphore', waiters: [waiter] }),
    null,
  ],
  ['of those who wait there', removeFromPool, withSemaphore({ layout: 'curator-semaphore' }), 'not-waiter'],
  [
    'permits without a name can be returned',
    returnTwo,
    withSemaphore({ layout: 'redisson-semaphore' }),
    null,
  ],
  ['named ones are evicted', returnTwo, withSemaphore(), 'not-offered-here'],
];

test.each(table)('%s', (_about, action, given, refusal) => {
  const answer = permission(action, given);
  expect(answer.allowed).toBe(refusal === null);
  if (!answer.allowed) expect(answer.reason.code).toBe(refusal);
});

test('every action has a rule, and every rule a case that allows and one that refuses', () => {
  for (const type of actionTypes) {
    const rows = table.filter(([, action]) => action.type === type);
    expect(
      rows.some(([, , , refusal]) => refusal === null),
      `${type} allowed`,
    ).toBe(true);
    expect(
      rows.some(([, , , refusal]) => refusal !== null),
      `${type} refused`,
    ).toBe(true);
  }
});

test('subjects are found by name, beside any others', () => {
  const given = world({
    locks: [lock({ key: 'other' }), lock()],
    semaphores: [semaphore()],
    sessions: [session],
  });
  expect(find(release, given).lock?.key).toBe('leader');
  expect(find(evict, given)).toMatchObject({ lock: null, semaphore: { prefix: 'jobs' }, session: { id } });
  expect(subjectsOf({ type: 'semaphore.prune', source: 'consul', prefixes: ['a', 'b'] })).toEqual([
    { source: 'consul', kind: 'semaphore', prefix: 'a' },
    { source: 'consul', kind: 'semaphore', prefix: 'b' },
  ]);
});

describe('input over the wire', () => {
  test('every action of the table is accepted as it is', () => {
    for (const [, action] of table) expect(actionSchema.parse(action)).toEqual(action);
  });

  test.each([
    [{ type: 'lock.release', source: 'consul', key: '', how: 'destroy-session' }],
    [{ type: 'lock.release', source: 'consul', key: 'a' }],
    [{ type: 'lock.release', source: 'consul', key: 'a', how: 'destroy-session', force: true }],
    [{ type: 'semaphore.resize', source: 'consul', prefix: 'a', limit: 0 }],
    [{ type: 'semaphore.resize', source: 'consul', prefix: 'a', limit: 1.5 }],
    [{ type: 'semaphore.resize', source: 'consul', prefix: 'a', limit: limitMax + 1 }],
    [{ type: 'semaphore.prune', source: 'consul', prefixes: [] }],
    [{ type: 'kv.put', key: 'a' }],
    [null],
  ])('%j is refused', (body) => {
    expect(actionSchema.safeParse(body).success).toBe(false);
  });
});

test('half of a character names nothing: no request could carry it', () => {
  for (const action of [
    { type: 'session.destroy', source: 'consul', sessionId: '\ud800' },
    { type: 'lock.delete', source: 'consul', key: 'a\udfff/b' },
    { type: 'semaphore.prune', source: 'consul', prefixes: ['jobs', '\ud800'] },
  ])
    expect(actionSchema.safeParse(action).success).toBe(false);
  expect(actionSchema.safeParse({ type: 'lock.delete', source: 'consul', key: '🔒' }).success).toBe(true);
});
