import { expect, test } from 'vitest';
import { holder, lock, semaphore, session } from './fixture/world';
import { whomHit, whomIn } from './whom';

const seen = { name: 'worker-7 of the pool', node: 'n1' };
const held = holder('s1', 'suspect', { session: seen, label: 'worker-7' });
const ghost = holder('12345678-0000-4000-8000-00000000abcd', 'ghost', { session: null, label: '1234…abcd' });
const world = {
  locks: [lock({ key: 'k', holder: held })],
  semaphores: ['p', 'q'].map((prefix) => semaphore({ prefix, holders: [ghost] })),
  sessions: [
    session({ id: 's1', ...seen, holds: [{ kind: 'lock', key: 'k' }] }),
    session({ id: 's2', name: 'x'.repeat(300), node: 'n2', holds: [] }),
  ],
};
const release = { type: 'lock.release', key: 'k', how: 'hand-over' } as const;
const named = { session: 's1', label: 'worker-7', name: 'worker-7 of the pool', node: 'n1' };

test('who is hit has the name, the node and the verdict that the view shows', () => {
  const whom = [{ ...named, verdict: 'suspect' }];
  expect(whomHit(release, { sessions: ['s1'] }, world, true)).toEqual(whom);
  // The session is named by what it holds as well.
  expect(whomHit({ type: 'session.destroy', sessionId: 's1' }, { sessions: ['s1'] }, world, true)).toEqual(
    whom,
  );
});

test('a view that is not live gives names, and says nothing of how they are', () => {
  expect(whomHit(release, { sessions: ['s1'] }, world, false)).toEqual([{ ...named, verdict: null }]);
});

test('of a session that is not in view the id is kept and nothing is made up; one that holds nothing has no verdict', () => {
  const nothing = { label: null, name: null, node: null, verdict: null };
  expect(whomHit(release, { sessions: ['gone'] }, world, true)).toEqual([{ session: 'gone', ...nothing }]);
  const [idle] = whomHit({ type: 'session.destroy', sessionId: 's2' }, { sessions: ['s2'] }, world, true);
  expect(idle).toMatchObject({ session: 's2', node: 'n2', verdict: null });
  expect(idle?.name).toHaveLength(64);
});

test('a prune hits the ghosts, whose name is their id alone, each once', () => {
  const [one, ...others] = whomHit(
    { type: 'semaphore.prune', prefixes: ['p', 'q'] },
    { sessions: [] },
    world,
    true,
  );
  expect(one).toEqual({ session: ghost.sessionId, label: null, name: null, node: null, verdict: 'ghost' });
  expect(others).toEqual([]);
});

test('a row that was written before anybody was named is read as naming none', () => {
  expect(whomIn({ session: 's1' })).toEqual([]);
  expect(whomIn({ whom: ['s1', null, { label: 'x' }, { session: 's1' }] })).toEqual([{ session: 's1' }]);
});
