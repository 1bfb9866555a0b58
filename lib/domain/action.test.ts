import { describe, expect, test } from 'vitest';
import { type Action, actionSchema, can, find, limitMax, permission, subjectsOf } from './action';
import type { Holder, Lock, Semaphore, Session, Verdict, Waiter, World } from './model';

const id = '0a0a0a0a-1111-2222-3333-444444444444';
const holder = (verdict: Verdict = 'alive', sessionId = id): Holder => ({
  sessionId,
  session: null,
  verdict,
  evidence: [],
  since: null,
  expiry: { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null },
  value: null,
  label: 'x',
});
const waiter: Waiter = { ...holder(), sessionId: 'w', entryKey: 'jobs/w', arrivedIndex: '3' };
const semaphore = (change: Partial<Semaphore> = {}): Semaphore => ({
  kind: 'semaphore',
  prefix: 'jobs',
  layout: 'go-semaphore',
  limit: 3,
  recorded: 1,
  effective: 1,
  holders: [holder()],
  waiters: [],
  leftovers: [],
  problems: [],
  value: null,
  flags: '0',
  createIndex: '1',
  modifyIndex: '2',
  ...change,
});
const lock = (change: Partial<Lock> = {}): Lock => ({
  kind: 'lock',
  key: 'leader',
  layout: 'plain',
  state: 'held',
  holder: holder(),
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
const session: Session = {
  id,
  name: '',
  node: 'n',
  ttlMs: null,
  behavior: 'release',
  lockDelayMs: 0,
  checks: [],
  nodeStatus: 'passing',
  holds: [],
  wants: [],
  since: { atMs: 0, basis: 'at-least' },
  createIndex: '1',
};
const world = (change: Partial<World> = {}): World => ({
  locks: [],
  semaphores: [],
  sessions: [],
  ...change,
});
const withLock = (change: Partial<Lock> = {}) => world({ locks: [lock(change)] });
const withSemaphore = (change: Partial<Semaphore> = {}) => world({ semaphores: [semaphore(change)] });
const unreadable = { layout: 'unreadable', limit: null, recorded: null, effective: null } as const;

const release: Action = { type: 'lock.release', key: 'leader', how: 'destroy-session' };
const deleteLock: Action = { type: 'lock.delete', key: 'leader' };
const evict: Action = { type: 'semaphore.evict', prefix: 'jobs', sessionId: id, how: 'destroy-session' };
const slotOnly: Action = { ...evict, how: 'slot-only' } as Action;
const prune: Action = { type: 'semaphore.prune', prefixes: ['jobs'] };
const resize = (limit: number): Action => ({ type: 'semaphore.resize', prefix: 'jobs', limit });
const deleteSemaphore: Action = { type: 'semaphore.delete', prefix: 'jobs' };
const destroy: Action = { type: 'session.destroy', sessionId: id };

/** Action, world, and the words of the refusal; `null` when it is allowed. */
const table: readonly (readonly [about: string, action: Action, world: World, refusal: RegExp | null])[] = [
  ['a held lock can be released', release, withLock(), null],
  ['a free lock cannot', release, withLock({ state: 'free', holder: null }), /Nobody holds/],
  ['a delayed lock cannot', release, withLock({ state: 'delayed', holder: null }), /Nobody holds/],
  ['nor one that is not in view', release, world(), /not in view/],
  ['a free lock can be deleted', deleteLock, withLock({ state: 'free', holder: null }), null],
  ['a held lock cannot be deleted', deleteLock, withLock(), /holds this lock/],
  ['a holder can be evicted', evict, withSemaphore(), null],
  ['a waiter cannot', evict, withSemaphore({ holders: [], waiters: [waiter] }), /does not hold a slot/],
  ['a ghost is pruned, not evicted', evict, withSemaphore({ holders: [holder('ghost')] }), /Prune it/],
  ['its session can go though the entry is not understood', evict, withSemaphore(unreadable), null],
  ['but its slot alone cannot', slotOnly, withSemaphore(unreadable), /could not be understood/],
  ['ghosts can be pruned', prune, withSemaphore({ holders: [holder('ghost')] }), null],
  [
    'who cannot be judged is not pruned',
    prune,
    withSemaphore({ holders: [holder('unknown')] }),
    /No recorded holder is a ghost/,
  ],
  [
    'an entry that is not understood is not pruned',
    prune,
    withSemaphore({ ...unreadable, holders: [holder('ghost')] }),
    /could not be understood/,
  ],
  ['a batch is checked part by part', { type: 'semaphore.prune', prefixes: ['a', 'b'] }, world(), null],
  ['a limit can grow', resize(4), withSemaphore(), null],
  ['a limit that is already so', resize(3), withSemaphore(), /is 3 already/],
  [
    'an entry that is not understood is not resized',
    resize(4),
    withSemaphore(unreadable),
    /could not be understood/,
  ],
  ['a map may shrink below its holders', resize(1), withSemaphore({ recorded: 3 }), null],
  [
    'a list may not: its clients test equality',
    resize(1),
    withSemaphore({ layout: 'java-semaphore', recorded: 2 }),
    /without bound/,
  ],
  [
    'nor may the list of the guide',
    resize(1),
    withSemaphore({ layout: 'guide-list', recorded: 2 }),
    /without bound/,
  ],
  [
    'a list may shrink to its holders',
    resize(2),
    withSemaphore({ layout: 'java-semaphore', recorded: 2 }),
    null,
  ],
  ['an idle semaphore can be deleted', deleteSemaphore, withSemaphore({ holders: [] }), null],
  ['one with holders cannot', deleteSemaphore, withSemaphore(), /Holders are recorded/],
  [
    'one with waiters cannot',
    deleteSemaphore,
    withSemaphore({ holders: [], waiters: [waiter] }),
    /wait for a slot/,
  ],
  ['a session in view can be destroyed', destroy, world({ sessions: [session] }), null],
  ['one that is not cannot', destroy, world(), /not in view/],
];

test.each(table)('%s', (_about, action, given, refusal) => {
  const answer = permission(action, given);
  expect(answer.allowed).toBe(refusal === null);
  if (!answer.allowed) expect(answer.reason).toMatch(refusal ?? /$^/);
});

test('every action has a rule, and every rule a case that allows and one that refuses', () => {
  for (const type of Object.keys(can)) {
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

test('a reason is a sentence', () => {
  for (const [, action, given] of table) {
    const answer = permission(action, given);
    if (!answer.allowed) expect(answer.reason).toMatch(/^[A-Z0-9].*\.$/s);
  }
});

test('subjects are found by name, whatever stands beside them', () => {
  const given = world({
    locks: [lock({ key: 'other' }), lock()],
    semaphores: [semaphore()],
    sessions: [session],
  });
  expect(find(release, given).lock?.key).toBe('leader');
  expect(find(evict, given)).toMatchObject({ lock: null, semaphore: { prefix: 'jobs' }, session: { id } });
  expect(subjectsOf({ type: 'semaphore.prune', prefixes: ['a', 'b'] })).toEqual([
    { kind: 'semaphore', prefix: 'a' },
    { kind: 'semaphore', prefix: 'b' },
  ]);
});

describe('what comes over the wire', () => {
  test('every action of the table is accepted as it is', () => {
    for (const [, action] of table) expect(actionSchema.parse(action)).toEqual(action);
  });

  test.each([
    [{ type: 'lock.release', key: '', how: 'destroy-session' }],
    [{ type: 'lock.release', key: 'a' }],
    [{ type: 'lock.release', key: 'a', how: 'destroy-session', force: true }],
    [{ type: 'semaphore.resize', prefix: 'a', limit: 0 }],
    [{ type: 'semaphore.resize', prefix: 'a', limit: 1.5 }],
    [{ type: 'semaphore.resize', prefix: 'a', limit: limitMax + 1 }],
    [{ type: 'semaphore.prune', prefixes: [] }],
    [{ type: 'kv.put', key: 'a' }],
    [null],
  ])('%j is refused', (body) => {
    expect(actionSchema.safeParse(body).success).toBe(false);
  });
});
