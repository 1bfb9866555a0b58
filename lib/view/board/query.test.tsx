import { describe, expect, test } from 'vitest';
import { everything } from '@/components/fixture/board-query';
import {
  ghostFinding,
  holderOf,
  idOf,
  lockOf,
  semaphoreOf,
  snapshotOf,
  waiterOf,
} from '@/components/fixture/world';
import { lampsOf, rowsOf } from '@/lib/view/board-rows';
import { searchRows } from '@/lib/view/search/find';
import { type BoardQuery, filterRows, optionsOf, orderRows } from './query';

const snapshot = snapshotOf({
  locks: [
    lockOf('cron/rotate', { layout: 'plain', holder: holderOf(7, 'immortal') }),
    lockOf('service/a/leader'),
    lockOf('service/b/leader', { state: 'free', holder: null }),
  ],
  semaphores: [
    semaphoreOf('semaphore/gateway', {
      holders: [holderOf(1), holderOf(8, 'ghost'), holderOf(9, 'ghost')],
      waiters: [waiterOf(4), waiterOf(5)],
    }),
    semaphoreOf('semaphore/mg-init', { waiters: [waiterOf(6)] }),
  ],
  findings: [ghostFinding('semaphore/gateway')],
});
const rows = rowsOf(snapshot);
const names = (query: Partial<BoardQuery>) => {
  const asked = { ...everything, ...query };
  const hits = searchRows(asked.q, rows);
  return orderRows(filterRows(rows, asked, hits).rows, asked, hits).map((row) => row.name);
};

describe('order', () => {
  test('rows that need attention come first, and the rest stands by name so that handovers move nothing', () => {
    expect(names({})).toEqual([
      'semaphore/gateway',
      'cron/rotate',
      'semaphore/mg-init',
      'service/a/leader',
      'service/b/leader',
    ]);
  });
  test('of what needs attention, the one where most wait comes first', () => {
    const two = rowsOf(
      snapshotOf({
        semaphores: [
          semaphoreOf('a', { waiters: [waiterOf(4)] }),
          semaphoreOf('b', { waiters: [waiterOf(5), waiterOf(6)] }),
        ],
        findings: [ghostFinding('a'), ghostFinding('b')],
      }),
    );
    expect(orderRows(two, everything, null).map((row) => row.name)).toEqual(['b', 'a']);
  });
  test('the longest queue first; queues that cannot be seen come last', () => {
    expect(names({ sort: 'waiting' }).slice(0, 2)).toEqual(['semaphore/gateway', 'semaphore/mg-init']);
  });
  test('longest held first, free ones last', () => {
    const order = names({ sort: 'since' });
    expect(order[0]).toBe('semaphore/gateway');
    expect(order.at(-1)).toBe('service/b/leader');
  });
  test('groups stay together and stand in the order of their most urgent row', () => {
    expect(names({ group: true })).toEqual([
      'semaphore/gateway',
      'semaphore/mg-init',
      'cron/rotate',
      'service/a/leader',
      'service/b/leader',
    ]);
  });
});

describe('filters', () => {
  test.each([
    [{ show: 'human' }, ['semaphore/gateway']],
    [{ show: 'locks' }, ['cron/rotate', 'service/a/leader', 'service/b/leader']],
    [{ show: 'waiting' }, ['semaphore/gateway', 'semaphore/mg-init']],
    [{ verdict: 'immortal' }, ['cron/rotate']],
    [{ layout: 'plain' }, ['cron/rotate']],
    [{ prefix: 'service/' }, ['service/a/leader', 'service/b/leader']],
    [{ node: 'node-2', show: 'semaphores' }, ['semaphore/gateway', 'semaphore/mg-init']],
  ] as const)('%o', (query, expected) => {
    expect(names(query)).toEqual(expected);
  });
  test('each chip counts what it would show under the other filters', () => {
    expect(filterRows(rows, { ...everything, prefix: 'semaphore/', show: 'locks' }, null).counts).toEqual({
      all: 2,
      human: 1,
      locks: 0,
      semaphores: 2,
      waiting: 2,
    });
  });
  test('the selects offer only what occurs', () => {
    expect(optionsOf(rows)).toMatchObject({
      verdicts: ['alive', 'ghost', 'immortal'],
      prefixes: ['cron/', 'semaphore/', 'service/'],
    });
  });
});

describe('search', () => {
  test.each([
    ['a part of a key', 'GATE', ['semaphore/gateway']],
    ['a whole session id', idOf(7), ['cron/rotate']],
    ['a part of a session id', idOf(7).slice(0, 8), ['cron/rotate']],
    ['a session id as the page shortens it', `${idOf(7).slice(0, 4)}…${idOf(7).slice(-4)}`, ['cron/rotate']],
    ['the name of a waiter', 'worker-6', ['semaphore/mg-init']],
    ['several words, each somewhere', 'leader service/b', ['service/b/leader']],
    ['nothing that occurs', 'zzz', []],
  ])('%s', (_what, q, expected) => {
    expect(names({ q })).toEqual(expected);
  });
  test('while one searches the closest stands first, unless a sort was asked for', () => {
    expect(names({ q: 'leader' })[0]).toBe('service/a/leader');
    expect(names({ q: 'semaphore/mg-init worker' })[0]).toBe('semaphore/mg-init');
    expect(names({ q: 'worker', sort: 'name' })).toEqual([...names({ q: 'worker' })].sort());
  });
});

describe('rows', () => {
  test('a row whose subject and findings did not change is the same object', () => {
    const again = rowsOf({ ...snapshot });
    expect(again.every((row, i) => row === rows[i])).toBe(true);
    const without = rowsOf({ ...snapshot, findings: [] });
    expect(without.filter((row, i) => row !== rows[i]).map((row) => row.name)).toEqual(['semaphore/gateway']);
  });
  test('slots show recorded holders, then what is free of the limit', () => {
    const kinds = (limit: number | null) =>
      lampsOf(semaphoreOf('s', { limit, holders: [holderOf(1), holderOf(2, 'ghost')] })).map(
        (lamp) => lamp.kind,
      );
    expect(kinds(4)).toEqual(['alive', 'ghost', 'free', 'free']);
    expect(kinds(1)).toEqual(['alive', 'ghost']);
    expect(kinds(null)).toEqual(['alive', 'ghost']);
    expect(lampsOf(lockOf('k', { state: 'delayed', holder: null }))[0]?.kind).toBe('delayed');
  });
});
