/** Rules compare what is in one source, and say in which. */
import { expect, test } from 'vitest';
import { concernedBy } from '@/lib/domain/findings/finding';
import { crossed, full, holder, lock, session, waiter, world } from '@/lib/domain/fixture/world';
import type { Lock, Semaphore, Session, World } from '@/lib/domain/model';
import { lockName, semaphoreName, sessionName } from '@/lib/domain/subject';
import { createFindings, findingsOf } from './table';

/** The same world on another server, with the same names and the same ids. */
function on(source: string, { locks, semaphores, sessions, ...rest }: World): World {
  const there = <R extends Lock | Semaphore | Session>(row: R): R => ({ ...row, source });
  return {
    ...rest,
    locks: locks.map(there),
    semaphores: semaphores.map(there),
    sessions: sessions.map((one) => ({
      ...there(one),
      holds: one.holds.map((of) => ({ ...of, source })),
      wants: one.wants.map((of) => ({ ...of, source })),
    })),
  };
}

const by =
  <R>(name: (row: R) => string) =>
  (a: R, b: R) =>
    name(a) < name(b) ? -1 : 1;

const joined = (...worlds: readonly World[]): World => ({
  scope: 'whole',
  locks: worlds.flatMap(({ locks }) => locks).sort(by(lockName)),
  semaphores: worlds.flatMap(({ semaphores }) => semaphores).sort(by(semaphoreName)),
  sessions: worlds.flatMap(({ sessions }) => sessions).sort(by(sessionName)),
});

test('the same trouble in two sources is two findings, each about its own', () => {
  const leaky = world({ semaphores: [full('jobs', [holder('g', 'ghost')], [waiter('w')])] });
  const found = findingsOf(joined(leaky, on('other', leaky)));
  expect(found.map(({ id, mend }) => [id, mend?.source])).toEqual([
    ['ghost-slots other!semaphore:jobs', 'other'],
    ['ghost-slots semaphore:jobs', 'consul'],
  ]);
  for (const { grounds, subject } of found)
    for (const ground of grounds) expect(ground.subject.source).toBe(subject.source);
});

test('a deadlock in one source is none in another that has the same names', () => {
  const free = world({ semaphores: [full('a', [holder('x')]), full('b', [holder('y')])] });
  const found = findingsOf(joined(free, on('other', crossed())));
  expect(found.map(({ id }) => id)).toEqual(['deadlock other!semaphore:a']);
  for (const of of found.flatMap(concernedBy)) expect(of.source).toBe('other');
});

test('clients of two sources wait for nothing of each other, whatever they are called', () => {
  // Each half of the circle is on a server of its own.
  const half = world({ semaphores: [full('a', [holder('x')], [waiter('y')])] });
  const other = on('other', world({ semaphores: [full('b', [holder('y')], [waiter('x')])] }));
  expect(findingsOf(joined(half, other))).toEqual([]);
});

test('a lock is judged by the session of its own source, from one world to the next as well', () => {
  const held = world({ locks: [lock({ key: 'leader' })] });
  const slow = world({ sessions: [session({ lockDelayMs: 15_000 })] });
  const quick = world({ sessions: [session({ lockDelayMs: 1 })] });
  const findings = createFindings();
  const ids = (of: World) => findings(of).map(({ id }) => id);
  const there = on('other', held);
  expect(ids(joined(held, slow, there, on('other', quick)))).toEqual(['no-lock-delay other!lock:leader']);
  expect(ids(joined(held, quick, there, on('other', slow)))).toEqual(['no-lock-delay lock:leader']);
});
