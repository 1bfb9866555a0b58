import { expect, test } from 'vitest';
import {
  holderOf,
  idOf,
  lockOf,
  nowMs,
  semaphoreOf,
  sessionOf,
  snapshotOf,
} from '@/components/fixture/world';
import type { Action } from '@/lib/domain/actions/action';
import { release, removeLockWaiter } from '@/lib/domain/actions/lock';
import { returnPermits } from '@/lib/domain/actions/semaphore';
import { countedLock, countedSemaphore, fairLock, holder, waiter } from '@/lib/domain/fixture/world';
import type { EvidenceCode, Holder, Renewal, Waiter } from '@/lib/domain/model';
import { fact } from '@/lib/domain/verdict';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { en } from '@/lib/i18n/messages';
import { pinnedOf } from './request';
import { changeSince, changeText } from './subject-drift';

const evict = {
  type: 'semaphore.evict',
  source: 'consul',
  prefix: 's',
  sessionId: idOf(1),
  how: 'destroy-session',
} as const satisfies Action;
/** Its last renewal was seen 20 s before. */
const silent = holderOf(1, 'overdue', { evidence: [fact('renewal-observed', 'a', nowMs - 20_000)] });
/** Alive, by this and what goes before it. */
const saying = (code: EvidenceCode, seconds: number | null = null, ...others: EvidenceCode[]) =>
  holderOf(1, 'alive', {
    evidence: [
      ...others.map((one) => fact(one)),
      fact(code, null, seconds === null ? null : nowMs + seconds * 1000),
    ],
  });
const key = {
  type: 'lock.release',
  source: 'consul',
  key: 'k',
  how: 'destroy-session',
} as const satisfies Action;
const destroy = { type: 'session.destroy', source: 'consul', sessionId: idOf(1) } as const satisfies Action;
const prune = { type: 'semaphore.prune', source: 'consul', prefixes: ['s'] } as const satisfies Action;
const resize = {
  type: 'semaphore.resize',
  source: 'consul',
  prefix: 's',
  limit: 5,
} as const satisfies Action;
const drop = { type: 'semaphore.delete', source: 'consul', prefix: 's' } as const satisfies Action;
const locks = (over: Parameters<typeof lockOf>[1]) => snapshotOf({ locks: [lockOf('k', over)] });
const slots = (...holders: Holder[]) => snapshotOf({ semaphores: [semaphoreOf('s', { holders })] });
const free = { state: 'free', holder: null } as const;
const session = (verdict: Holder['verdict'], over = {}) =>
  snapshotOf({ sessions: [sessionOf(1, over)], locks: [lockOf('k', { holder: holderOf(1, verdict) })] });
const dead = holderOf(1, 'overdue');
const failing = (code: EvidenceCode, ...others: EvidenceCode[]) =>
  holderOf(1, 'suspect', { evidence: [code, ...others].map((one) => fact(one)) });
const renewed = (holder: Holder, seconds: number): Snapshot => ({
  ...locks({ holder }),
  renewals: [renewal(seconds)],
});
const renewal = (seconds: number): Renewal => ({
  id: idOf(1),
  lastMs: nowMs + seconds * 1000,
  fromMs: nowMs + 4000,
});
const ghost = (n: number) => holderOf(n, 'ghost');
const ghosts = (left: number, more: { others?: boolean; untold?: number } = {}) =>
  ({ code: 'ghosts', left, others: false, untold: 0, ...more }) as const;
const unreadable = { layout: 'unreadable', recorded: null, effective: null, limit: null } as const;
const record = (over: Parameters<typeof semaphoreOf>[1]) =>
  snapshotOf({ semaphores: [semaphoreOf('s', over)] });
const gone = snapshotOf({});

test.each<[string, Action, Snapshot, Snapshot, object | null]>([
  ['a lock as it was', key, locks({}), locks({}), null],
  ['a lock that is let go', key, locks({}), locks(free), { code: 'nobody' }],
  [
    'a lock that somebody else has',
    key,
    locks({}),
    locks({ holder: holderOf(2) }),
    { code: 'taken', label: 'worker-2' },
  ],
  ['a lock taken again by the same', key, locks({}), locks({ lockIndex: '99' }), { code: 'retaken' }],
  [
    'a plain write by the holder',
    key,
    locks({}),
    locks({ lockIndex: '0', modifyIndex: '12' }),
    { code: 'overwritten' },
  ],
  [
    'a plain write by one that has died',
    key,
    locks({}),
    locks({ lockIndex: '0', holder: dead }),
    { code: 'judged', before: 'alive', now: 'overdue' },
  ],
  ['a key made anew by the same', key, locks({}), locks({ createIndex: '12' }), { code: 'retaken' }],
  [
    'a renewal in time',
    key,
    locks({ holder: silent }),
    renewed(saying('renewal-observed'), 5),
    { code: 'aliveAgain' },
  ],
  [
    'a renewal before its agent was lost',
    key,
    locks({ holder: silent }),
    locks({ holder: saying('renewal-observed', 5, 'renewals-not-observed') }),
    { code: 'aliveAgain' },
  ],
  [
    'a silent one of which the agent is lost',
    key,
    locks({ holder: silent }),
    renewed(saying('renewals-not-observed'), -20),
    { code: 'unfollowed' },
  ],
  [
    'a silent one that outlived its end',
    key,
    locks({ holder: silent }),
    renewed(saying('renewals-elsewhere', 9), -20),
    { code: 'unfollowed' },
  ],
  [
    'a silent one of which the agent is back, and no renewal since',
    key,
    locks({ holder: silent }),
    renewed(saying('renewal-observed'), -20),
    { code: 'countedAnew' },
  ],
  [
    'a node that passes',
    key,
    locks({ holder: failing('node-critical') }),
    locks({ holder: saying('node-passing') }),
    { code: 'aliveAgain' },
  ],
  [
    'a node of which nothing is known any more',
    key,
    locks({ holder: failing('node-critical') }),
    locks({ holder: saying('node-unknown', null, 'checks-passing') }),
    { code: 'healthUnread' },
  ],
  [
    'a node that passes, with a check that cannot be read',
    key,
    locks({ holder: failing('node-critical') }),
    locks({ holder: saying('node-passing', null, 'check-unknown') }),
    { code: 'healthUnread' },
  ],
  [
    'a check that passes',
    key,
    locks({ holder: failing('check-critical', 'node-passing') }),
    locks({ holder: saying('checks-passing', null, 'node-passing') }),
    { code: 'aliveAgain' },
  ],
  [
    'a check that is there no more',
    key,
    locks({ holder: failing('check-critical', 'node-passing') }),
    locks({ holder: saying('node-passing') }),
    { code: 'healthUnread' },
  ],
  [
    'a ghost that locks its entry again',
    evict,
    slots(holderOf(1, 'ghost')),
    slots(saying('holds-entry')),
    { code: 'aliveAgain' },
  ],
  [
    'a name under a lock-delay that is an entry again',
    { type: 'lock.delete', source: 'consul', key: 'k' },
    locks({ ...free, exists: false, createIndex: '0', lockIndex: '0' }),
    locks({}),
    { code: 'taken', label: 'worker-1' },
  ],
  [
    'a holder that dies',
    key,
    locks({}),
    locks({ holder: dead }),
    { code: 'judged', before: 'alive', now: 'overdue' },
  ],
  [
    'a holder dead in another way',
    key,
    locks({ holder: dead }),
    locks({ holder: holderOf(1, 'suspect') }),
    null,
  ],
  ['a key that is gone', key, locks({}), gone, { code: 'gone', kind: 'lock' }],
  [
    'a key that went with its session',
    key,
    locks({}),
    locks({ ...free, exists: false }),
    { code: 'gone', kind: 'lock' },
  ],
  [
    'a free lock that is taken',
    { type: 'lock.delete', source: 'consul', key: 'k' },
    locks(free),
    locks({}),
    { code: 'taken', label: 'worker-1' },
  ],
  ['a slot as it was', evict, slots(holderOf(1)), slots(holderOf(1), holderOf(2)), null],
  [
    'a holder of a slot that dies',
    evict,
    slots(holderOf(1)),
    slots(dead),
    { code: 'judged', before: 'alive', now: 'overdue' },
  ],
  [
    'a holder whose record is all that is left',
    evict,
    slots(dead),
    slots(holderOf(1, 'ghost')),
    { code: 'leaks' },
  ],
  ['a ghost', evict, slots(holderOf(1, 'ghost')), slots(holderOf(1, 'ghost')), null],
  [
    'a ghost that is back',
    evict,
    slots(holderOf(1, 'ghost')),
    slots(holderOf(1, 'suspect')),
    { code: 'judged', before: 'ghost', now: 'suspect' },
  ],
  ['a semaphore that is gone', evict, slots(holderOf(1)), gone, { code: 'gone', kind: 'semaphore' }],
  ['a session that is gone', destroy, session('alive'), gone, { code: 'gone', kind: 'session' }],
  [
    'a session that is likely dead',
    destroy,
    session('alive'),
    session('suspect'),
    { code: 'judged', before: 'alive', now: 'suspect' },
  ],
  [
    'a session of which nothing tells more',
    destroy,
    session('suspect'),
    session('alive'),
    { code: 'healthUnread' },
  ],
  [
    'a session that holds more',
    destroy,
    session('alive'),
    session('alive', { holds: [{ source: 'consul', kind: 'lock', key: 'l' }] }),
    { code: 'holdings' },
  ],
  ['ghosts that are pruned', prune, slots(holderOf(8, 'ghost')), slots(), ghosts(0)],
  ['one ghost of two', prune, slots(ghost(8), ghost(9)), slots(ghost(9)), ghosts(1)],
  [
    'another ghost',
    prune,
    slots(ghost(8), ghost(9)),
    slots(ghost(9), ghost(10)),
    ghosts(2, { others: true }),
  ],
  [
    'a ghost that cannot be judged any more',
    prune,
    slots(ghost(8)),
    slots(holderOf(8, 'unknown')),
    ghosts(0, { untold: 1 }),
  ],
  [
    'a record that cannot be read any more, under an evict',
    evict,
    slots(holderOf(1)),
    record({ ...unreadable, holders: [] }),
    { code: 'unreadable' },
  ],
  [
    'a record that cannot be read any more, under a prune',
    prune,
    slots(ghost(8)),
    record({ ...unreadable, holders: [] }),
    { code: 'unreadable' },
  ],
  [
    'a record that is not there any more',
    evict,
    slots(holderOf(1)),
    record({ ...unreadable, holders: [], modifyIndex: null }),
    { code: 'unrecorded' },
  ],
  [
    'a record that could not be read before',
    drop,
    record({ ...unreadable, holders: [] }),
    record({ ...unreadable, holders: [], modifyIndex: '99' }),
    null,
  ],
  [
    'another limit',
    resize,
    slots(),
    snapshotOf({ semaphores: [semaphoreOf('s', { limit: 4 })] }),
    { code: 'limit', limit: 4 },
  ],
  ['an idle semaphore that is used', drop, slots(), slots(holderOf(1)), { code: 'used' }],
])('changes behind a dialog, said and unsaid: %s', (_, action, before, now, change) => {
  const request = { action, ...pinnedOf(action, before), label: '', name: '', limitTyped: '' };
  expect(changeSince(request, now)).toEqual(change);
});

test.each([
  [ghosts(0), 'no slot leaks here any more.'],
  [ghosts(0, { untold: 1 }), 'Signalbox can no longer judge whether a slot leaks here.'],
  [ghosts(1), '1 slot still leaks here; the others no longer do.'],
  [ghosts(2, { untold: 1 }), '2 slots still leak here; 1 more cannot be judged.'],
  [ghosts(2, { others: true }), 'other slots leak here now.'],
] as const)('of slots that leaked it is said how many still do: %j', (change, text) => {
  expect(changeText(change, en)).toBe(text);
});

test('of one that is to leave a queue it is said when it waits no longer, or lives', () => {
  const dead = waiter('dead', { verdict: 'ghost' });
  const world = (...waiters: Waiter[]) => snapshotOf({ locks: [fairLock(waiters)] });
  const action = removeLockWaiter(fairLock(), 'dead');
  const request = { action, ...pinnedOf(action, world(dead)), label: '', name: '', limitTyped: '' };
  expect(changeSince(request, world(dead, waiter('next')))).toBeNull();
  expect(changeSince(request, world(waiter('next')))).toEqual({ code: 'waitsNot', label: 'dead' });
  expect(changeSince(request, world({ ...dead, verdict: 'alive' }))).toMatchObject({ code: 'judged' });
});

test('of one of several readers only its own leaving is said', () => {
  const readers = (...ids: string[]) => {
    const [first = null, ...more] = ids.map((id) => holder(id, 'alive', { mode: 'read' }));
    return snapshotOf({ locks: [countedLock({ holder: first, readers: more })] });
  };
  const action = release(countedLock(), undefined, 'b');
  const request = {
    action,
    ...pinnedOf(action, readers('a', 'b', 'c')),
    label: '',
    name: '',
    limitTyped: '',
  };
  expect(changeSince(request, readers('b', 'd'))).toBeNull();
  expect(changeSince(request, readers('a', 'c'))).toEqual({ code: 'letGo', label: 'b' });
});

test('beside permits that are to be returned it is said how many are free now', () => {
  const world = (available: number) =>
    snapshotOf({ semaphores: [countedSemaphore({ layout: 'redisson-semaphore', available })] });
  const action = returnPermits(countedSemaphore(), 2);
  const request = { action, ...pinnedOf(action, world(0)), label: '', name: '', limitTyped: '' };
  expect(changeSince(request, world(0))).toBeNull();
  expect(changeSince(request, world(3))).toEqual({ code: 'available', permits: 3 });
});
