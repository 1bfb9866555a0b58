import { expect, test } from 'vitest';
import { full, holder, waiter, world } from '@/lib/domain/fixture/world';
import { type WaitTree, waitTrees } from './tree';
import { waitGraphOf } from './waitgraph';

const treesOf = (...semaphores: Parameters<typeof full>[]) =>
  waitTrees(waitGraphOf(world({ semaphores: semaphores.map((args) => full(...args)) })));
/** `prefix(blockers): waiting; passing -> …` */
const told = ({ contested, blockers, waiting, passing }: WaitTree): string =>
  `${contested.prefix}(${blockers.map(({ label }) => label)}): ${[
    ...waiting.map(({ label }) => label),
    ...passing.map(({ client, below }) => `${client.label}->[${below.map(told)}]`),
  ].join(' ')}`;

test('the root waits for nothing, and its waiters stand below it', () => {
  expect(
    treesOf(['x', [holder('b')], [waiter('a')]], ['y', [holder('c')], [waiter('b'), waiter('d')]]).map(told),
  ).toEqual(['y(c): d b->[x(): a]']);
});

test('a knot comes first, with those behind it and without those in it', () => {
  expect(
    treesOf(
      ['a', [holder('z')], [waiter('q')]],
      ['k', [holder('m')], [waiter('n')]],
      ['l', [holder('n')], [waiter('m'), waiter('o')]],
    ).map(told),
  ).toEqual(['l(): o', 'a(z): q']);
});

test('a semaphore with several waiters appears once, and none is left out', () => {
  const trees = treesOf(
    ['a', [holder('r')], [waiter('p'), waiter('q')]],
    ['b', [holder('p'), holder('q')], [waiter('s')]],
  );
  expect(trees.map(told)).toEqual(['a(r): p->[b(): s] q->[]']);
});

test('a chain of thousands is built without recursion', { timeout: 120_000 }, () => {
  const n = 5_000;
  const chain = Array.from(
    { length: n },
    (_, i): Parameters<typeof full> => [`s${i}`, [holder(`c${i}`)], [waiter(`c${i + 1}`)]],
  );
  let depth = 0;
  for (let at = treesOf(...chain)[0]; at !== undefined; at = at.passing[0]?.below[0]) depth += 1;
  expect(depth).toBe(n);
});
