/** Properties of every finding of any rule. */
import { expect, test } from 'vitest';
import { concerns, groundsMax } from '@/lib/domain/findings/finding';
import { crossed, full, holder, semaphore, waiter, world } from '@/lib/domain/fixture/world';
import { findingsOf } from './table';

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

test('the remedy for ghosts is a prune of that semaphore, and nothing for an entry that was not understood', () => {
  const ghosts = { holders: [holder('a', 'ghost')] };
  expect(findingsOf(world({ semaphores: [semaphore(ghosts)] }))[0]?.mend).toEqual({
    type: 'semaphore.prune',
    source: 'consul',
    prefixes: ['jobs'],
  });
  expect(
    findingsOf(world({ semaphores: [semaphore({ ...ghosts, layout: 'unreadable' })] }))[0]?.mend,
  ).toBeNull();
});

test('a deadlock names each client once, and proposes to evict the one that holds least and came last', () => {
  const [found] = findingsOf(crossed(['z', 'q']));
  expect(found).toMatchObject({
    code: 'deadlock',
    facts: { clients: 2, behind: 2, owners: 0 },
    mend: { type: 'semaphore.evict', source: 'consul', how: 'destroy-session' },
  });
  expect(found?.grounds.map(({ label, wants }) => [label, wants])).toEqual([
    ['x', [{ source: 'consul', kind: 'semaphore', prefix: 'b' }]],
    ['y', [{ source: 'consul', kind: 'semaphore', prefix: 'a' }]],
  ]);
  const late = (id: string, atMs: number) => holder(id, 'alive', { since: { atMs, basis: 'observed' } });
  const timed = world({
    semaphores: [full('a', [late('x', 5)], [waiter('y')]), full('b', [late('y', 9)], [waiter('x')])],
  });
  expect(findingsOf(timed)[0]?.mend).toMatchObject({ prefix: 'b', sessionId: 'y' });
});

test('a finding concerns each of its subjects and no other', () => {
  const [found] = findingsOf(crossed());
  if (found === undefined) throw new Error('no finding');
  for (const prefix of ['a', 'b'])
    expect(concerns(found, { source: 'consul', kind: 'semaphore', prefix })).toBe(true);
  expect(concerns(found, { source: 'consul', kind: 'semaphore', prefix: 'c' })).toBe(false);
  expect(concerns(found, { source: 'consul', kind: 'lock', key: 'a' })).toBe(false);
});

test('grounds are bounded, the facts count them all', () => {
  const ghosts = Array.from({ length: 20 }, (_, i) => holder(`g${i}`, 'ghost'));
  const [found] = findingsOf(world({ semaphores: [semaphore({ recorded: 20, holders: ghosts })] }));
  expect(found?.grounds).toHaveLength(groundsMax);
  expect(found?.facts).toMatchObject({ ghosts: 20 });
});
